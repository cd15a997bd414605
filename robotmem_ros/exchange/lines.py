"""What a reader gives: records, each with the place that it was read from, and what cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from robotmem_ros.store.records import Record


@dataclass(frozen=True, slots=True)
class Line:
    """One record, or the reason why there is none.

    :ivar where: ``line 12`` or ``note.md line 3``, for people.
    """

    where: str
    record: Record | None = None
    refusal: str = ''


@dataclass(frozen=True, slots=True)
class Source:
    """Something to import: what it is, how many lines it will give as far as is known, and the lines."""

    what: str
    total: int
    lines: Iterator[Line]
