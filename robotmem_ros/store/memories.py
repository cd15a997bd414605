"""Rows of ``memory``: made, looked up, listed by criteria, and read as answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from robotmem_ros.core import decay as decays
from robotmem_ros.core import text as texts
from robotmem_ros.model import ACTIVE, PERCEPTION, STM, Filters, Memory
from robotmem_ros.settings import DecaySettings
from robotmem_ros.store import fulltext, vectors
from robotmem_ros.store.filters import CONFIDENCE, compile_filters
from robotmem_ros.store.memory_row import COLUMNS, MemoryRow, memory_from_row
from robotmem_ros.store.occurrences import pose_from_row
from robotmem_ros.store.tx import Row, Tx, id_list, is_id


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory that is to be made; it is active, and decays from ``anchor_ns`` on, by default ``created_at_ns``."""

    collection_id: int
    type: str
    content: str
    created_at_ns: int
    category: str = ''
    confidence: float = 0.9
    strength: float = 1.0
    tier: str = STM
    session_id: str = ''
    perception_type: str = ''
    data: str = ''
    source: str = ''
    seq: int = 0
    anchor_ns: int | None = None


def insert(tx: Tx, new: NewMemory) -> int:
    """Store ``new``, findable by its words at once, and give its id; a vector and occurrences come after."""
    tx.execute(
        'INSERT INTO memory (collection_id, type, content, content_hash, created_at, decay_anchor, category,'
        ' confidence, strength, tier, session_id, perception_type, data, source, seq)'
        ' VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)',
        (new.collection_id, new.type, new.content, texts.content_hash(new.content), new.created_at_ns,
         new.created_at_ns if new.anchor_ns is None else new.anchor_ns, new.category, new.confidence, new.strength,
         new.tier, new.session_id, new.perception_type, new.data, new.source, new.seq),
    )
    memory_id = tx.last_id
    fulltext.put(tx, memory_id, new.content)
    if new.type == PERCEPTION:
        vectors.share(tx, memory_id)
    return memory_id


def get_row(tx: Tx, memory_id: int) -> MemoryRow | None:
    """Give the row of any status; ``None`` for an id that no memory has or can have."""
    return rows(tx, [memory_id]).get(memory_id)


def rows(tx: Tx, ids: Iterable[int]) -> dict[int, MemoryRow]:
    """Give the rows of those ``ids`` that exist, whatever their status."""
    found = tx.execute(
        f'SELECT {COLUMNS} FROM memory m WHERE m.id IN (SELECT value FROM json_each(?))', (id_list(ids),))
    return {row[0]: memory_from_row(row) for row in found}


def by_hash(tx: Tx, collection_id: int, content_hash: str) -> list[MemoryRow]:
    """Give the active memories whose comparison form is the same, oldest first."""
    return [memory_from_row(row) for row in tx.execute(
        f"SELECT {COLUMNS} FROM memory m WHERE m.status = 'active' AND m.collection_id = ? AND m.content_hash = ?"
        ' ORDER BY m.id', (collection_id, content_hash),
    )]


def keepers_by_hash(tx: Tx, collection_id: int, content_hash: str) -> list[MemoryRow]:
    """Give the active memories that stand for superseded ones of this comparison form, oldest first."""
    absorbed = tx.execute(
        'SELECT id FROM memory WHERE superseded_by IS NOT NULL AND collection_id = ? AND content_hash = ?',
        (collection_id, content_hash))
    keepers = rows(tx, {live_id(tx, memory_id) for (memory_id,) in absorbed})
    return [keepers[i] for i in sorted(keepers) if keepers[i].status == ACTIVE]


def repeated_hashes(tx: Tx, collection_id: int) -> list[str]:
    """Give the hashes of comparison forms that several active facts share, the oldest first."""
    return [row[0] for row in tx.execute(
        "SELECT content_hash FROM memory WHERE status = 'active' AND collection_id = ? AND type = 'fact'"
        ' GROUP BY content_hash HAVING count(*) > 1 ORDER BY min(id)', (collection_id,))]


def live_id(tx: Tx, memory_id: int) -> int:
    """Follow ``superseded_by`` to its end; a cycle in a damaged file ends where it began to repeat."""
    seen: set[int] = set()
    while memory_id not in seen:
        seen.add(memory_id)
        row = get_row(tx, memory_id)
        if row is None or not row.superseded_by:
            break
        memory_id = row.superseded_by
    return memory_id


def is_active(tx: Tx, memory_id: int) -> bool:
    """Tell whether the memory exists and is active."""
    return is_id(memory_id) and bool(
        tx.value("SELECT 1 FROM memory WHERE id = ? AND status = 'active'", (memory_id,), 0))


def set_tier(tx: Tx, memory_id: int, tier: str) -> None:
    """Move a memory to the short- or long-term tier."""
    tx.execute('UPDATE memory SET tier = ? WHERE id = ?', (tier, memory_id))


def add_tags(tx: Tx, memory_id: int, tags: Iterable[str]) -> None:
    """Add tags; those that it has stay."""
    tx.executemany(
        'INSERT OR IGNORE INTO memory_tag (memory_id, tag) VALUES (?, ?)', [(memory_id, tag) for tag in tags])


def active_count(tx: Tx, collection_id: int) -> int:
    """Count the active memories of a collection."""
    return int(tx.value("SELECT count(*) FROM memory WHERE status = 'active' AND collection_id = ?", (collection_id,)))


def recent(tx: Tx, filters: Filters, decay: DecaySettings, limit: int) -> list[int]:
    """Give the newest memories that satisfy ``filters``, newest first."""
    where = compile_filters(filters, decay)
    return [row[0] for row in tx.execute(
        f'SELECT m.id FROM {where.source} WHERE {where.sql} ORDER BY m.created_at DESC, m.id DESC LIMIT :limit',
        {**where.args, 'limit': limit},
    )]


def count(tx: Tx, filters: Filters, decay: DecaySettings, limit: int) -> int:
    """Count the memories that satisfy ``filters``, up to ``limit``."""
    where = compile_filters(filters, decay)
    return int(tx.value(
        f'SELECT count(*) FROM (SELECT 1 FROM {where.source} WHERE {where.sql} LIMIT :limit)',
        {**where.args, 'limit': limit},
    ))


def surplus_perceptions(tx: Tx, most: int, limit: int) -> list[int]:
    """Give the oldest perceptions of collections that hold more than ``most``, at most ``limit``."""
    found: list[int] = []
    of_one = "m.status = 'active' AND m.type = 'perception' AND m.collection_id = ?"
    for (collection_id,) in tx.execute('SELECT id FROM collection ORDER BY id'):
        surplus = tx.value(f'SELECT count(*) FROM memory m WHERE {of_one}', (collection_id,)) - most
        if surplus > 0 and len(found) < limit:
            found += [row[0] for row in tx.execute(
                f'SELECT m.id FROM memory m WHERE {of_one} ORDER BY m.created_at, m.id LIMIT ?',
                (collection_id, min(surplus, limit - len(found))),
            )]
    return found


def load(tx: Tx, ids: Sequence[int], filters: Filters, decay: DecaySettings) -> dict[int, Memory]:
    """Read those of ``ids`` that satisfy ``filters``, as answers.

    Context, session and pose are those of the newest occurrence that satisfies the filters, else of the
    newest; ``confidence`` is the effective one, the very value that the filter compared. CROSS JOIN makes the
    ids come first: SQLite would rather read the whole collection than that list.
    """
    if not ids:
        return {}
    where = compile_filters(filters, decay)
    newest = 'ORDER BY o.at DESC, o.id DESC LIMIT 1'
    matching = f'AND {where.occurrence} ' if where.occurrence else ''
    found = tx.execute(
        f"""
        SELECT m.id, m.content, m.type, m.category, m.perception_type, m.tier, {CONFIDENCE}, m.confidence, m.strength,
          m.use_count, m.created_at, m.last_accessed, m.decay_anchor,
          (SELECT json_group_array(t.tag) FROM memory_tag t WHERE t.memory_id = m.id),
          (SELECT json_group_array(s.key) FROM scene_ref r JOIN scene s ON s.id = r.scene_id WHERE r.memory_id = m.id),
          coalesce(w.session_id, m.session_id), coalesce(w.context, ''),
          w.frame_id, w.x, w.y, w.z, w.qx, w.qy, w.qz, w.qw, w.map_id, w.observed_at
        FROM json_each(:ids) i CROSS JOIN memory m ON m.id = i.value LEFT JOIN occurrence w ON w.id =
          (SELECT o.id FROM occurrence o WHERE o.memory_id = m.id {matching}{newest})
        WHERE {where.sql}
        """,
        {**where.args, 'ids': id_list(ids)},
    )
    return {row[0]: _memory(row, filters) for row in found}


def _memory(row: Row, filters: Filters) -> Memory:
    return Memory(
        id=row[0], content=row[1], collection=filters.collection, type=row[2], category=row[3],
        perception_type=row[4], tier=row[5], confidence=row[6], stored_confidence=row[7], strength=row[8],
        use_count=row[9], created_at_ns=row[10], last_accessed_ns=row[11],
        age_ns=decays.age_ns(filters.now_ns, row[12]), tags=tuple(sorted(json.loads(row[13]))),
        scenes=tuple(sorted(json.loads(row[14]))), session_id=row[15], context=row[16], pose=pose_from_row(row[17:27]),
        observed_at_ns=row[26] or 0,
    )
