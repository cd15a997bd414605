"""Memories that have a place, for people who look at a map."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from robotmem_ros.model import Pose
from robotmem_ros.settings import DecaySettings
from robotmem_ros.store.edges import EFFECTIVE
from robotmem_ros.store.filters import CONFIDENCE, confidence_args
from robotmem_ros.store.occurrences import pose_from_row
from robotmem_ros.store.retention import RETENTION, retention_args
from robotmem_ros.store.tx import Tx, id_list

_PLACES = (
    "FROM occurrence o WHERE o.memory_id = m.id AND o.frame_id <> ''"
    ' AND o.frame_id NOT IN (SELECT value FROM json_each(:no_places))'
    ' AND (o.frame_id <> :here_frame OR o.map_id = :here_map)'
)
_BEST = f"""
SELECT m.id, {CONFIDENCE} AS confidence, ({CONFIDENCE}) * {RETENTION} AS worth FROM memory m
WHERE m.status = 'active' AND m.collection_id = :collection AND EXISTS (SELECT 1 {_PLACES})
ORDER BY worth DESC, m.id DESC LIMIT :most
"""


@dataclass(frozen=True, slots=True)
class PlacedMemory:
    """A memory at its newest place.

    :ivar confidence: the effective one, now.
    :ivar in_force: whether the scene in force holds it.
    """

    id: int
    content: str
    type: str
    category: str
    tier: str
    use_count: int
    confidence: float
    pose: Pose
    in_force: bool = False


def best(
    tx: Tx, collection_id: int, now_ns: int, decay: DecaySettings, most: int, *, here: Pose | None = None,
    no_places: Sequence[str] = (), scene_ids: Sequence[int] = (),
) -> list[PlacedMemory]:
    """
    Give the ``most`` active memories with a place that are worth the most, by confidence × retention.

    :param here: where the robot is: in its frame, only what lies on its map has a place that means anything.
    :param no_places: frames that move with the robot; a pose in one of them is no place.
    :param scene_ids: scenes whose memories are marked as in force.
    """
    frame, map_id = ('', '') if here is None else (here.frame_id, here.map_id)
    args: dict[str, Any] = {
        **confidence_args(now_ns, decay), **retention_args(now_ns, decay), 'collection': collection_id, 'most': most,
        'here_frame': frame, 'here_map': map_id, 'no_places': json.dumps(list(no_places)), 'scenes': id_list(scene_ids),
    }
    # Two steps: what is read of one memory only is not read of all that are compared.
    rows = tx.execute(
        'SELECT m.id, m.content, m.type, m.category, m.tier, m.use_count, b.confidence,'
        ' EXISTS (SELECT 1 FROM scene_ref r'
        ' WHERE r.memory_id = m.id AND r.scene_id IN (SELECT value FROM json_each(:scenes))),'
        ' o.frame_id, o.x, o.y, o.z, o.qx, o.qy, o.qz, o.qw, o.map_id, o.observed_at'
        f' FROM ({_BEST}) b'
        ' CROSS JOIN memory m ON m.id = b.id'
        f' CROSS JOIN occurrence o ON o.id = (SELECT o.id {_PLACES} ORDER BY o.at DESC, o.id DESC LIMIT 1)'
        ' ORDER BY b.worth DESC, m.id DESC', args)
    found = ((row, pose_from_row(row[8:])) for row in rows)
    return [
        PlacedMemory(row[0], row[1], row[2], row[3], row[4], row[5], row[6], pose, bool(row[7]))
        for row, pose in found if pose is not None
    ]


def edges(
    tx: Tx, ids: Sequence[int], now_ns: int, half_life_days: float, most: int
) -> list[tuple[int, int, float]]:
    """Give the strongest edges among ``ids`` as (smaller id, greater id, effective weight)."""
    return [(row[0], row[1], row[2]) for row in tx.execute(
        f'SELECT memory_a, memory_b, {EFFECTIVE} AS weight FROM co_occurrence'
        ' WHERE memory_a IN (SELECT value FROM json_each(:ids)) AND memory_b IN (SELECT value FROM json_each(:ids))'
        ' ORDER BY weight DESC, memory_a, memory_b LIMIT :most',
        {'ids': id_list(ids), 'now': now_ns, 'half_life': half_life_days, 'most': most})]
