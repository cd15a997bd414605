"""Exact duplicates that a file already holds (seed 000, contract 4): made before the check at writing, or imported."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from robotmem_ros.consolidation import supersede
from robotmem_ros.core.guard import guard
from robotmem_ros.core.payload import check_name
from robotmem_ros.garbage import parts
from robotmem_ros.model import ACTIVE, FACT, PROTECTED_CATEGORIES
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import collections, memories
from robotmem_ros.store.memory_row import MemoryRow
from robotmem_ros.store.tx import Tx

MAX_OPERATIONS = 200
"""Most rows that one call supersedes, so that a mistake stays small (seed 000)."""
PREVIEW = 80
REASON = 'exact duplicate'


@dataclass(frozen=True, slots=True)
class Operation:
    """One row that gives way to another that says exactly the same."""

    old_id: int
    keep_id: int
    preview: str


def cleanup_exact_duplicates(rt: Runtime, collection: str, *, dry_run: bool) -> list[dict[str, Any]]:
    """Do one cleanup, or with ``dry_run`` only say what it would do."""
    name = rt.collection(check_name(collection, 'collection'))
    with rt.store.read() as tx:
        found = find(tx, collections.known_id(tx, name) or 0)
    return [asdict(operation) for operation in (found if dry_run else apply(rt, found))]


def find(tx: Tx, collection_id: int, without: Collection[int] = ()) -> list[Operation]:
    """Give what a cleanup would do; ``without`` are memories to leave out of it.

    Of a group the surest is kept, then the newest. Texts that only fold to one form (5 Nm and 5 nm) are none, and
    a protected memory and one that is not are left side by side.
    """
    found: list[Operation] = []
    for content_hash in memories.repeated_hashes(tx, collection_id):
        rows = [r for r in memories.by_hash(tx, collection_id, content_hash) if r.type == FACT and r.id not in without]
        for group in _same(rows):
            keeper, *others = _surest_first(group)
            found += [Operation(row.id, keeper.id, row.content[:PREVIEW]) for row in others]
            if len(found) >= MAX_OPERATIONS:
                return found[:MAX_OPERATIONS]
    return found


def apply(rt: Runtime, operations: list[Operation]) -> list[Operation]:
    """Supersede, in bounded transactions; gives what was done. A row that was changed meanwhile is left alone."""
    done: list[Operation] = []
    now_ns = rt.time.stamp().anchor_ns
    for part in parts(operations):
        with rt.store.write(background=True) as tx:
            for operation in part:
                both = memories.rows(tx, [operation.old_id, operation.keep_id])
                rows = [row for row in both.values() if row.status == ACTIVE]
                if len(rows) == 2 and len(_same(rows)) == 1:
                    supersede(tx, operation.old_id, operation.keep_id, REASON, rt.settings.hebbian, now_ns)
                    done.append(operation)
    return done


def _same(rows: Iterable[MemoryRow]) -> list[list[MemoryRow]]:
    """Put texts of one comparison form into groups that say the same."""
    groups: list[list[MemoryRow]] = []
    for row in rows:
        for group in groups:
            if _protection(row) == _protection(group[0]) and all(guard(row.content, r.content).same for r in group):
                group.append(row)
                break
        else:
            groups.append([row])
    return groups


def _protection(row: MemoryRow) -> str:
    return row.category if row.category in PROTECTED_CATEGORIES else ''


def _surest_first(group: list[MemoryRow]) -> list[MemoryRow]:
    return sorted(group, key=lambda r: (-r.confidence, -r.created_at_ns, -r.id))
