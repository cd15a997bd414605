"""A stored memory as the pipelines see it, and the columns that it is read from."""

from __future__ import annotations

from dataclasses import dataclass

from robotmem_ros.store.tx import Row

COLUMNS = (
    'm.id, m.collection_id, m.type, m.content, m.category, m.tier, m.status, m.status_reason,'
    ' coalesce(m.superseded_by, 0), m.confidence, m.strength, m.use_count, m.session_id, m.created_at'
)
"""What :func:`memory_from_row` reads, of memory ``m``."""


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A stored memory; ``confidence`` as learned, ``superseded_by`` 0 where nothing replaced it."""

    id: int
    collection_id: int
    type: str
    content: str
    category: str
    tier: str
    status: str
    status_reason: str
    superseded_by: int
    confidence: float
    strength: float
    use_count: int
    session_id: str
    created_at_ns: int


def memory_from_row(row: Row) -> MemoryRow:
    """Read the columns of ``COLUMNS``."""
    return MemoryRow(*row)
