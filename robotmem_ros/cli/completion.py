"""Completion for bash, made from the parser itself, so that it knows every command and option."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

TEMPLATE = """\
_robotmem() {{
    local words= path= word
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$path $word" in
{paths}
        esac
    done
    case "${{COMP_WORDS[COMP_CWORD-1]}}" in
{choices}
        {files}) COMPREPLY=($(compgen -f -- "${{COMP_WORDS[COMP_CWORD]}}")); return ;;
    esac
    case "$path" in
{words}
    esac
    COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _robotmem robotmem"""


def bash(parser: argparse.ArgumentParser) -> str:
    """Give a script for ``source``: commands, options, the choices of an option, else names of files."""
    commands = dict(_commands(parser, ''))
    paths = [f'            "{path.rpartition(" ")[0]} {path.rpartition(" ")[2]}") path="{path}" ;;'
             for path in commands if path]
    words = [f'        "{path}") words="{" ".join(_words(each))}" ;;' for path, each in commands.items()]
    choices = {option: ' '.join(map(str, action.choices)) for each in commands.values()
               for action in _options(each) if action.choices for option in action.option_strings}
    lines = [f'        {option}) COMPREPLY=($(compgen -W "{known}" -- "${{COMP_WORDS[COMP_CWORD]}}")); return ;;'
             for option, known in sorted(choices.items())]
    return TEMPLATE.format(paths='\n'.join(paths), words='\n'.join(words), choices='\n'.join(lines), files='--file')


def _commands(parser: argparse.ArgumentParser, path: str) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Give (path, parser) of every command; the top has the empty path."""
    yield path, parser
    for name, below in _below(parser).items():
        yield from _commands(below, f'{path} {name}')


def _below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:  # argparse has no public way to ask
        if isinstance(action, argparse._SubParsersAction):
            found.update(action.choices)
    return found


def _options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.option_strings]


def _words(parser: argparse.ArgumentParser) -> list[str]:
    fixed = [str(choice) for action in parser._actions if not action.option_strings and action.choices
             and not isinstance(action, argparse._SubParsersAction) for choice in action.choices]
    longest = [max(action.option_strings, key=len) for action in _options(parser)]
    return sorted([*_below(parser), *fixed, *longest])
