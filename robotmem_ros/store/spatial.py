"""Memories by distance: of an occurrence's pose to a pose, or of numbers in its context to a target."""

from __future__ import annotations

from robotmem_ros.model import Filters, Pose, SpatialSort
from robotmem_ros.settings import DecaySettings
from robotmem_ros.store import context_sql
from robotmem_ros.store.filters import COLLECTION, DISTANCE, SAME_FRAME, compile_filters, pose_args
from robotmem_ros.store.tx import Tx


def by_pose(tx: Tx, filters: Filters, decay: DecaySettings, pose: Pose, limit: int) -> list[int]:
    """Give memories that satisfy ``filters``, those nearest to ``pose`` first; none without a pose in its frame.

    A memory with several occurrences counts by the nearest of those that satisfy the filters.
    """
    where = compile_filters(filters, decay)
    matching = f' AND {where.occurrence}' if where.occurrence else ''
    return [row[0] for row in tx.execute(
        f"""
        SELECT m.id, min({DISTANCE}) AS distance FROM memory m JOIN occurrence o ON o.memory_id = m.id
        WHERE {SAME_FRAME}{matching} AND {where.sql}
        GROUP BY m.id ORDER BY distance, m.created_at DESC, m.id DESC LIMIT :limit
        """,
        {**where.args, **pose_args(pose, filters.map_id), 'limit': limit},
    )]


def has_frame(tx: Tx, collection: str, frame_id: str) -> bool:
    """Tell whether any memory of the collection was learned at a pose in this frame."""
    return bool(tx.value(
        'SELECT EXISTS (SELECT 1 FROM occurrence o JOIN memory m ON m.id = o.memory_id'
        f' WHERE o.frame_id = :frame AND m.collection_id = {COLLECTION})',
        {'frame': frame_id, 'collection': collection},
    ))


def by_context(tx: Tx, filters: Filters, decay: DecaySettings, sort: SpatialSort, limit: int) -> list[int]:
    """Give memories that satisfy ``filters`` and hold a position at ``sort.path``, nearest to its target first."""
    where = compile_filters(filters, decay)
    args = {**where.args, 'limit': limit}
    distance = context_sql.distance(sort, 'd', args)
    matching = f' AND {where.occurrence}' if where.occurrence else ''
    return [row[0] for row in tx.execute(
        f"""
        SELECT m.id, min({distance}) AS distance FROM memory m JOIN occurrence o ON o.memory_id = m.id
        WHERE {where.sql}{matching}
        GROUP BY m.id HAVING distance IS NOT NULL ORDER BY distance, m.created_at DESC, m.id DESC LIMIT :limit
        """,
        args,
    )]
