"""JSONL: one record a line, UTF-8; the first line of an export says what it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from robotmem_ros import __version__
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.exchange.json_form import to_json
from robotmem_ros.exchange.json_reader import MAX_LINE, record_of_text
from robotmem_ros.exchange.lines import Line, Source
from robotmem_ros.store.records import MemoryRecord, Record

HEADER = {'kind': 'robotmem', 'version': 1, 'written_by': f'robotmem_ros {__version__}'}


def write(target: BinaryIO, records: Iterable[Record], on_memory: Callable[[], None] = lambda: None) -> int:
    """Write a header and ``records``; gives how many memories were among them."""
    target.write(_line(HEADER))
    memories = 0
    for record in records:
        target.write(_line(to_json(record)))
        if isinstance(record, MemoryRecord):
            memories += 1
            on_memory()
    return memories


def _line(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(',', ':')).encode() + b'\n'


def source(path: str) -> Source:
    """Give the lines of a file."""
    with Path(path).open('rb') as file:
        total = sum(block.count(b'\n') for block in iter(lambda: file.read(1 << 20), b''))
    return Source('JSONL', total, _file_lines(path))


def _file_lines(path: str) -> Iterator[Line]:
    with Path(path).open('rb') as file:
        yield from read(file)


def read(file: BinaryIO) -> Iterator[Line]:
    """Give the records of an open file; a line that cannot be read is given with its reason, blank ones are not."""
    number = 0
    while text := file.readline(MAX_LINE + 1):
        number += 1
        while len(text) > MAX_LINE and not text.endswith(b'\n'):
            text = text[:100] + file.readline(MAX_LINE)  # goes on to the end of the line, to refuse all of it
            if len(text) <= MAX_LINE:
                text = b'\xff'  # its end was read: not JSON, whatever it said
        if text.strip() and (line := _parsed(f'line {number}', text)) is not None:
            yield line


def _parsed(where: str, text: bytes) -> Line | None:
    try:
        record = record_of_text(text.decode('utf-8-sig'))
        return None if record is None else Line(where, record)
    except UnicodeDecodeError:
        return Line(where, refusal='expected UTF-8 text of at most 64 MiB')
    except InvalidRequest as error:
        return Line(where, refusal=str(error))
