"""Entry point of `robotmem`: arguments in, one service call or work on a file, text out.

Exit codes: 0 done; 1 refused, by the node or by a file; 2 usage; 3 no node answers; 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from robotmem_ros import __version__
from robotmem_ros.cli import client, offline, show, values
from robotmem_ros.cli.commands import COMMANDS, Command
from robotmem_ros.cli.exits import ABSENT, DONE, INTERRUPTED, REFUSED, USAGE, complain, note
from robotmem_ros.cli.options import node_options
from robotmem_ros.cli.progress import Bar, Elapsed
from robotmem_ros.cli.tools import TOOLS, Tool
from robotmem_ros.errors import InvalidRequest

NOTES = """\
Texts and JSON go to the node as they are: quote them once, for the shell. A text that begins with a
dash goes after `--`. The node is looked for on this machine; ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET looks
on the network, ROS_DOMAIN_ID in another domain. --file asks a database instead, without ROS: to read it
also while a node owns it, to change it only where none does.

exit status: 0 done, 1 refused (the sentence is on standard error), 2 wrong usage, 3 no node answers"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; see the module for the exit codes."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors='backslashreplace')  # type: ignore[union-attr]  # a poor locale must not stop an answer
    given = parser().parse_args(argv)
    try:
        status = run(given)
        sys.stdout.flush()  # here, where a reader that has gone is no surprise
    except client.NoAnswer as problem:
        return complain(str(problem), ABSENT)
    except (UnicodeDecodeError, InvalidRequest) as problem:
        return complain(f'standard input cannot be sent: {problem}', USAGE)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Nobody reads on; without this, Python would say so again when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return REFUSED
    return status


def run(given: argparse.Namespace) -> int:
    """Do what is asked; gives the exit code."""
    command: Command | Tool = given.command
    if isinstance(command, Tool):
        return command.run(given)
    if getattr(given, 'insight', '') == '-':
        given.insight = standard_input()
    answer = ask(command, given)
    if answer.success and getattr(given, 'dry_run', False):
        note('dry run: only counted, nothing was changed')
    return report(command, answer, as_json=given.json)


def ask(command: Command, given: argparse.Namespace) -> Any:
    """Let the node answer, or the file that is named."""
    request = command.request(given)
    if given.file:
        with Bar(command.path, shown=not given.json) as bar:
            return offline.call(given.file, command.service, command.type_name, request, note, bar.phase)
    service = f'{given.node}/{command.service}'
    with Elapsed(f'waiting for {service}', shown=not given.json):
        return client.call(service, command.type_name, request, given.timeout)


def standard_input() -> str:
    """Read a text, less the line end that an editor or echo adds; a ROS string would end at a NUL.

    :raises InvalidRequest: when it holds a NUL.
    """
    text = sys.stdin.buffer.read().decode().removesuffix('\n')
    if '\0' in text:
        raise InvalidRequest('insight', 'text without NUL signs', 'a NUL sign on standard input')
    return text


def report(command: Command, answer: Any, *, as_json: bool) -> int:
    """Print an answer; refusals and warnings go to standard error."""
    if as_json:
        print(show.as_json(client.plain(answer)))
    if answer.warning:
        note(show.printable(answer.warning))
    if not answer.success:
        return complain(show.printable(answer.error), REFUSED)
    if not as_json:
        print(command.show(answer))
    return DONE


def parser() -> argparse.ArgumentParser:
    """Build the whole command line from the table of commands."""
    examples = '\n'.join(f'  {command.example}' for command in (*COMMANDS, *TOOLS))
    top = argparse.ArgumentParser(
        prog='robotmem', description="A robot's memory, asked from the command line: the running node, or a file.",
        formatter_class=argparse.RawDescriptionHelpFormatter, epilog=f'examples:\n{examples}\n\n{NOTES}',
    )
    top.add_argument('--version', action='version', version=f'%(prog)s {__version__}')
    groups = {'': top.add_subparsers(title='commands', metavar='COMMAND', required=True)}
    common = shared_options()
    for command in (*COMMANDS, *TOOLS):
        group, _, name = command.path.rpartition(' ')
        if group not in groups:
            parent = groups[''].add_parser(group, help=f'begin and end episodes ({group} start, {group} end)')
            groups[group] = parent.add_subparsers(title='commands', metavar='COMMAND', required=True)
        sub = groups[group].add_parser(
            name, parents=[common] if isinstance(command, Command) else [], help=command.summary,
            description=f'{command.summary[0].upper()}{command.summary[1:]}.',  # capitalize() would write jsonl
            formatter_class=argparse.RawDescriptionHelpFormatter, epilog=f'example:\n  {command.example}\n\n{NOTES}',
        )
        command.arguments(sub)
        sub.set_defaults(command=command)
    return top


def shared_options() -> argparse.ArgumentParser:
    """Options of every command."""
    common = argparse.ArgumentParser(add_help=False)
    group = common.add_argument_group('the node')
    node_options(group)
    group.add_argument('--file', type=values.utf8, default='', metavar='DB', help='ask this database instead of a node')
    group.add_argument('--json', action='store_true', help='print the whole response as JSON')
    return common


if __name__ == '__main__':
    sys.exit(main())
