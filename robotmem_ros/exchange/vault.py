"""A folder of Markdown that Obsidian opens as a vault: one note a memory, front matter, links along strong edges.

Beside the notes lies ``robotmem.jsonl`` with what no note holds: places, scenes, sessions. Notes may be edited,
renamed and linked; a new ``[[link]]`` becomes an edge when the folder is read back.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from robotmem_ros.errors import InvalidRequest
from robotmem_ros.exchange import exporter, front_matter, jsonl
from robotmem_ros.exchange.json_form import to_json
from robotmem_ros.exchange.json_reader import record_of
from robotmem_ros.exchange.lines import Line
from robotmem_ros.exchange.times import ns_of, text_of
from robotmem_ros.store import dump
from robotmem_ros.store.records import EdgeRecord, MemoryRecord
from robotmem_ros.store.tx import Tx

REST = 'robotmem.jsonl'
STRONG = 0.5
"""Effective weight from which an edge is a link to be seen: one meeting, at most a half-life ago."""
MARK = '\n\n<!-- robotmem: recalled together -->\n'
_LINK = re.compile(r'\[\[([^\[\]|#\n]{1,250})(?:[|#][^\[\]\n]*)?\]\]')
_SLUG_BYTES = 120

Effective = Callable[[EdgeRecord], float]
"""Gives what an edge is worth now."""


def write(folder: Path, tx: Tx, effective: Effective, collection: str = '', tier: str = '',
          on_memory: Callable[[], None] = lambda: None) -> int:
    """Write the notes; a note that an earlier export made keeps its name. Gives how many.

    :raises OSError: where the folder cannot be written.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    names = _names(folder, exporter.memories(tx, collection, tier))
    linked: dict[str, list[tuple[str, EdgeRecord]]] = {}
    for edge in dump.edges(tx, collection):
        if edge.a in names and edge.b in names:
            linked.setdefault(edge.a, []).append((names[edge.b], edge))
            linked.setdefault(edge.b, []).append((names[edge.a], edge))
    for memory in exporter.memories(tx, collection, tier):
        text = note(memory, linked.get(memory.origin, ()), effective)
        with (folder / f'{names[memory.origin]}.md').open('w', encoding='utf-8', newline='') as file:
            file.write(text)
        on_memory()
    with (folder / REST).open('wb') as rest:
        jsonl.write(rest, (*exporter.frame(tx, collection), *dump.sessions(tx, collection)))
    return len(names)


def note(memory: MemoryRecord, linked: Iterable[tuple[str, EdgeRecord]], effective: Effective) -> str:
    """Give the text of one note."""
    linked = sorted(linked, key=lambda pair: (-effective(pair[1]), pair[0]))
    front = to_json(memory)
    body = front.pop('content')
    if linked:
        front['associations'] = [
            {'with': name, 'weight': edge.weight, 'last_updated': text_of(edge.last_updated_ns)}
            for name, edge in linked]
    strong = [name for name, edge in linked if effective(edge) >= STRONG]
    return front_matter.join(front, body + MARK + ''.join(f'\n- [[{name}]]' for name in strong) + '\n')


def slug(text: str) -> str:
    """Give a readable piece of a file name: letters and digits of any script, the rest as dashes."""
    words = re.sub(r'[\W_]+', '-', unicodedata.normalize('NFKC', text[:200]).lower()).strip('-')
    return words[:48].encode()[:_SLUG_BYTES].decode(errors='ignore').strip('-') or 'memory'


def _names(folder: Path, memories: Iterable[MemoryRecord]) -> dict[str, str]:
    """Give each memory the name of its file: as it is there already, else its first words and its id."""
    there = {match[1]: file.stem for file in folder.glob('*.md') if (match := re.fullmatch(r'.*-(\d+)', file.stem))}
    return {memory.origin: there.get(memory.origin) or f'{slug(memory.content)}-{memory.origin}' for memory in memories}


def notes(folder: Path, files: Iterable[Path]) -> Iterator[Line]:
    """Give what the notes hold, and at the end the edges between them; other Markdown is left alone."""
    origins: dict[str, str] = {}
    links: list[tuple[str, str, str, float, int]] = []
    for file in sorted(files, key=_age):
        where = str(file.relative_to(folder))
        try:
            text = file.read_bytes().decode('utf-8-sig')
            front, body = front_matter.split(text)
            if front.get('kind') != 'memory':
                continue
            content, _, tail = body.partition(MARK) if MARK in body else (body.removesuffix('\n'), '', '')
            record = record_of({**front, 'content': content})
            assert isinstance(record, MemoryRecord)
            links += [(where, file.stem, *link) for link in _links(front, content + tail)]
        except UnicodeDecodeError:
            yield Line(where, refusal='expected UTF-8 text')
        except InvalidRequest as error:
            yield Line(where, refusal=str(error))
        else:
            origins[file.stem] = record.origin
            yield Line(where, record)
    yield from _edges(links, origins)


def _age(file: Path) -> tuple[int, str]:
    """Order notes as their memories were made, by the number that their names end with; ids here keep that order."""
    number = re.fullmatch(r'.*-(\d{1,19})', file.stem)
    return int(number[1]) if number else 0, str(file)


def _links(front: Mapping[str, Any], text: str) -> list[tuple[str, float, int]]:
    """Give (name, weight, last updated) of all links: those of the front matter, and those that somebody wrote."""
    known: dict[str, tuple[str, float, int]] = {}
    for each in front.get('associations') or ():
        if not isinstance(each, dict) or not isinstance(each.get('with'), str):
            raise InvalidRequest('associations', 'a list of: with, weight, last_updated', each)
        weight = each.get('weight', 1.0)
        if not isinstance(weight, (int, float)) or isinstance(weight, bool) or not 0 < weight < 1e6:
            raise InvalidRequest('associations', 'a weight above 0', weight)
        known[each['with']] = (each['with'], float(weight), ns_of(str(each.get('last_updated', '')), 'associations'))
    for name in _LINK.findall(text):
        stem = name.strip().rpartition('/')[2]
        known.setdefault(stem, (stem, 1.0, 0))
    return list(known.values())


def _edges(links: Iterable[tuple[str, str, str, float, int]], origins: Mapping[str, str]) -> Iterator[Line]:
    """Give each edge once; a link to something that is no memory stays a link and no more."""
    given: set[frozenset[str]] = set()
    for where, one, other, weight, last_updated in links:
        pair = frozenset((one, other))
        if one in origins and other in origins and len(pair) == 2 and pair not in given:
            given.add(pair)
            yield Line(where, EdgeRecord(origins[one], origins[other], weight, last_updated))
