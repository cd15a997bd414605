"""Commands that work on the file itself, the node's or another one: in and out, back, and whether all is well."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass

from robotmem_ros.cli import values
from robotmem_ros.cli.options import node_options

READS = 'that of the running node is read beside it'
PAUSES = 'a running node lets go of its file meanwhile, stores nothing, and comes back to the state that it was in'


@dataclass(frozen=True)
class Tool:
    """One command that works on the file itself; ``run`` gives its exit code."""

    path: str
    summary: str
    example: str
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]


def _file_options(parser: ArgumentParser, meanwhile: str) -> None:
    parser.add_argument('--file', type=values.utf8, default='', metavar='DB',
                        help="the database (default: the running node's; where none runs, below $ROS_HOME or ~/.ros)")
    group = parser.add_argument_group('the node', f'Where no file is named: {meanwhile}.')
    node_options(group)
    parser.add_argument('--json', action='store_true', help='print what was done as JSON')


def _collection(parser: ArgumentParser, meaning: str) -> None:
    parser.add_argument('--collection', type=values.utf8, default='', metavar='NAME', help=meaning)


def _export_arguments(parser: ArgumentParser) -> None:
    parser.add_argument('target', type=values.utf8,
                        help='a file (.jsonl, - for standard output) or a folder for Markdown')
    parser.add_argument('--format', choices=('jsonl', 'markdown'), help='default: by the name of the target')
    parser.add_argument('--tier', choices=('stm', 'ltm', 'all'),
                        help='short-term, long-term or all memories (default: all as JSONL, ltm as Markdown)')
    parser.add_argument('--force', action='store_true', help='write over a file that exists')
    _collection(parser, 'only this name space (default: all)')
    _file_options(parser, READS)


def _import_arguments(parser: ArgumentParser) -> None:
    parser.add_argument('source', type=values.utf8,
                        help='JSONL (- for standard input), Markdown (a folder, a file), or a database of robotmem 0.1')
    _collection(parser, 'put everything into this name space (default: where each record says)')
    _file_options(parser, PAUSES)


def _restore_arguments(parser: ArgumentParser) -> None:
    parser.add_argument('backup', type=values.utf8, help='a copy that `robotmem backup` made')
    _file_options(parser, PAUSES)


def _doctor_arguments(parser: ArgumentParser) -> None:
    _file_options(parser, 'the running node is examined, too')


def _completion_arguments(parser: ArgumentParser) -> None:
    parser.add_argument('shell', choices=('bash',), help='for which shell')


# What these import is needed for them alone, and help must be there at once.
def _export(given: Namespace) -> int:
    from robotmem_ros.cli import exchanging

    return exchanging.export(given)


def _import(given: Namespace) -> int:
    from robotmem_ros.cli import exchanging

    return exchanging.import_(given)


def _restore(given: Namespace) -> int:
    from robotmem_ros.cli import care

    return care.restore(given)


def _doctor(given: Namespace) -> int:
    from robotmem_ros.cli import care

    return care.doctor(given)


def _completion(given: Namespace) -> int:  # noqa: ARG001 - there is one shell
    from robotmem_ros.cli import completion
    from robotmem_ros.cli.main import parser

    print(completion.bash(parser()))
    return 0


TOOLS = (
    Tool('export', 'write memories to JSONL, or to Markdown for Obsidian', 'robotmem export memories.jsonl',
         _export_arguments, _export),
    Tool('import', 'take memories in; a second time adds nothing', 'robotmem import ~/notes/2026-02-19.md',
         _import_arguments, _import),
    Tool('restore', 'put a backup in the place of the database, which is kept aside',
         'robotmem restore ~/robotmem-copy.db', _restore_arguments, _restore),
    Tool('doctor', 'check node, file, model, clock, versions and disk, and say what to do', 'robotmem doctor',
         _doctor_arguments, _doctor),
    Tool('completion', 'print what makes a shell complete commands and options',
         'source <(robotmem completion bash)', _completion_arguments, _completion),
)
