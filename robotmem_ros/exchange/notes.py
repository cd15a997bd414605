"""Notes that people and agents write: ``MEMORY.md`` and daily logs (``2026-02-19.md``) as facts.

A bullet with all that is indented below it is one fact; so is a paragraph. The headings above it become its
context, a date in a file's name or in a heading its time. A daily log is short-term, ``MEMORY.md`` long-term.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from robotmem_ros.core.payload import check_insight
from robotmem_ros.core.text import is_blank
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.exchange import front_matter
from robotmem_ros.exchange.lines import Line
from robotmem_ros.exchange.times import ns_of
from robotmem_ros.model import LTM, STM
from robotmem_ros.store.occurrences import Occurrence
from robotmem_ros.store.records import MemoryRecord
from robotmem_ros.validation import check_tags

DAY = re.compile(r'(?<!\d)(\d{4}-\d\d-\d\d)(?!\d)')
DAILY, LASTING = 'daily-log', 'memory-md'
_HEADING = re.compile(r'(#{1,6})\s+(.*?)\s*#*\s*$')
_BULLET = re.compile(r'([-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?(\S.*)')
_RULE = re.compile(r'\s{0,3}([-*_])(\s*\1){2,}\s*')
_FENCE = re.compile(r'\s{0,3}(```+|~~~+)')


def is_note(name: str) -> bool:
    """Tell whether a file of this name is a daily log or the long-term notes."""
    return name.lower() == 'memory.md' or re.fullmatch(DAY.pattern + r'\.md', name, re.IGNORECASE) is not None


@dataclass
class Block:
    """Lines that belong together, under their headings."""

    line: int
    headings: tuple[str, ...]
    is_bullet: bool = False
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text, without the blank lines around it."""
        return '\n'.join(self.texts).strip()

    def ends_before(self, line: str) -> bool:
        """Tell whether ``line`` is not of it: a blank one ends a paragraph; after one, a bullet goes on indented."""
        if _RULE.fullmatch(line) or (not line.strip() and not self.is_bullet):
            return True
        return bool(line.strip()) and not line[0].isspace() and self.texts[-1:] == ['']


def read(file: Path) -> Iterator[Line]:
    """Give the facts of one file; what cannot be a fact is given with its reason.

    :raises InvalidRequest: if the file is no UTF-8 text.
    """
    try:
        text = file.read_bytes().decode('utf-8-sig')
    except UnicodeDecodeError as error:
        raise InvalidRequest('file', 'UTF-8 text', file.name) from error
    front, body = front_matter.split(text)
    skipped = text[: len(text) - len(body)].count('\n')
    day = DAY.search(file.name)
    tags = front.get('tags') or []
    own = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
    for block in blocks(body):
        where = f'{file.name} line {block.line + skipped}'
        try:
            yield Line(where, _record(block, file.name, day[1] if day else '', own))
        except InvalidRequest as error:
            yield Line(where, refusal=str(error))


def _record(block: Block, name: str, day: str, tags: list[str]) -> MemoryRecord:
    dates = [found[1] for heading in block.headings if (found := DAY.search(heading))]
    at = ns_of(dates[-1] if dates else day, 'date')
    headings = [heading for heading in block.headings if not DAY.fullmatch(heading)]
    context = json.dumps({'note': name, **({'headings': headings} if headings else {})}, ensure_ascii=False)
    daily = bool(day)
    return MemoryRecord(
        '', check_insight(block.text), tier=STM if daily else LTM, created_at_ns=at,
        tags=check_tags((DAILY if daily else LASTING, *tags)), occurrences=(Occurrence(at, context=context),))


def blocks(text: str) -> Iterator[Block]:
    """Give the bullets and paragraphs of a Markdown text in their order; headings and rules only separate."""
    headings: list[tuple[int, str]] = []
    block: Block | None = None
    fence = ''
    for number, line in enumerate(text.splitlines(), 1):
        heading = None if fence else _HEADING.match(line)
        bullet = None if fence else _BULLET.match(line)
        if block is not None and not fence and (heading or bullet or block.ends_before(line)):
            yield from _whole(block)
            block = None
        if heading:
            level = len(heading[1])
            headings = [each for each in headings if each[0] < level] + [(level, heading[2])]
        elif fence or block is not None or not _separates(line):
            block = block or Block(number, tuple(each for _, each in headings), bullet is not None)
            block.texts.append(bullet[2] if bullet else line.rstrip())
            fence = _fence_after(line, fence)
    if block is not None:
        yield from _whole(block)


def _separates(line: str) -> bool:
    return not line.strip() or _RULE.fullmatch(line) is not None


def _fence_after(line: str, fence: str) -> str:
    found = _FENCE.match(line)
    if fence:
        return '' if found and found[1].startswith(fence) else fence
    return found[1] if found else ''


def _whole(block: Block) -> Iterator[Block]:
    if not is_blank(block.text):
        yield block
