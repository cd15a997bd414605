"""What a path holds, by looking at it: JSONL, a vault, a note, or a file of robotmem 0.1."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from robotmem_ros.errors import InvalidRequest
from robotmem_ros.exchange import front_matter, jsonl, legacy, notes, vault
from robotmem_ros.exchange.lines import Line, Source
from robotmem_ros.store.legacy import is_database
from robotmem_ros.store.records import SessionRecord


def open_source(path: str) -> Source:
    """Give what there is to import.

    :param path: a file or a folder.
    :raises InvalidRequest: if nothing there can be imported.
    :raises StoreError: for a database that is not one of robotmem 0.1.
    :raises OSError: if it cannot be read.
    """
    where = Path(path).expanduser()
    if where.is_dir():
        return _folder(where)
    if not where.is_file():
        raise InvalidRequest('source', 'a file or a folder that exists', path)
    if is_database(str(where)):
        return legacy.source(str(where))
    if where.suffix.lower() == '.md':
        return _single(where)
    return jsonl.source(str(where))


def _single(file: Path) -> Source:
    try:
        front, _ = front_matter.split(file.read_bytes().decode('utf-8-sig'))
    except UnicodeDecodeError as error:
        raise InvalidRequest('source', 'UTF-8 text', str(file)) from error
    if front.get('kind') == 'memory':
        return Source('note of a memory', 1, vault.notes(file.parent, [file]))
    return Source('notes', 0, notes.read(file))


def _folder(folder: Path) -> Source:
    """Read a vault, or a folder of daily logs: what Obsidian and other programs keep there themselves is left alone."""
    files = sorted(file for file in folder.rglob('*.md')
                   if not any(part.startswith('.') for part in file.relative_to(folder).parts))
    logs = [file for file in files if notes.is_note(file.name)]
    rest = folder / vault.REST
    if not files and not rest.is_file():
        raise InvalidRequest('source', 'a folder with Markdown files', str(folder))
    others = [file for file in files if file not in set(logs)]
    frame, late = _rest(rest)
    lines = chain(frame, vault.notes(folder, others), *(_log(file) for file in logs), late)
    return Source('Markdown', len(files), lines)


def _log(file: Path) -> Iterator[Line]:
    try:
        yield from notes.read(file)
    except InvalidRequest as error:
        yield Line(file.name, refusal=str(error))


def _rest(file: Path) -> tuple[list[Line], list[Line]]:
    """Give what comes before the memories, and after them: sessions name memories by their ids."""
    if not file.is_file():
        return [], []
    lines = list(jsonl.source(str(file)).lines)
    late = [line for line in lines if isinstance(line.record, SessionRecord)]
    return [line for line in lines if line not in late], late
