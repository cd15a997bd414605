"""The one place that turns a recall's hard criteria into SQL.

Every search joins what :func:`compile_filters` gives, so a memory that satisfies the criteria cannot be
lost behind others that do not. All values are bound by name; the only SQL text is written here.

Criteria on context, place, time and session must hold through *one* occurrence of a memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from robotmem_ros.model import PROTECTED_CATEGORIES, Filters, Pose
from robotmem_ros.settings import DecaySettings
from robotmem_ros.store import context_sql

DISTANCE = 'sqrt((o.x - :px) * (o.x - :px) + (o.y - :py) * (o.y - :py) + (o.z - :pz) * (o.z - :pz))'
"""Metres from occurrence ``o`` to the pose that :func:`pose_args` binds, in full precision."""
SAME_FRAME = "o.frame_id = :p_frame AND (:p_map = '' OR o.map_id = :p_map)"
"""A coordinate is worth nothing in another frame or on another map."""

_PROTECTED = ', '.join(f"'{name}'" for name in sorted(PROTECTED_CATEGORIES))
AGE_NS = 'iif(:now > 0 AND m.decay_anchor > 0, max(0, :now - m.decay_anchor), 0)'
_DECAYED = f'm.confidence * pow(1.0 - :rate, {AGE_NS} / 86400e9)'
CONFIDENCE = (
    f'CASE WHEN m.category IN ({_PROTECTED}) THEN max({_DECAYED}, min(m.confidence, :floor)) ELSE {_DECAYED} END'
)
"""Effective confidence of memory ``m`` (contract 6; ``core.decay.effective_confidence``): this value is
compared *and* shown. Needs :func:`confidence_args`."""


@dataclass(frozen=True, slots=True)
class Where:
    """Criteria as SQL over memory ``m``.

    :ivar sql: a condition, never empty.
    :ivar occurrence: the part over one occurrence ``o``, '' where there is none; already inside ``sql``.
    :ivar args: values by name, for both and for ``CONFIDENCE``.
    :ivar is_narrow: an index finds the few memories that satisfy it.
    """

    sql: str
    occurrence: str
    args: dict[str, Any]
    is_narrow: bool


def confidence_args(now_ns: int, decay: DecaySettings) -> dict[str, Any]:
    """Give the values that ``CONFIDENCE`` needs."""
    return {'now': now_ns, 'rate': decay.rate_per_day, 'floor': decay.recall_threshold}


def pose_args(pose: Pose, map_id: str = '') -> dict[str, Any]:
    """Give the values that ``DISTANCE`` and ``SAME_FRAME`` need."""
    return {'px': pose.x, 'py': pose.y, 'pz': pose.z, 'p_frame': pose.frame_id, 'p_map': map_id or pose.map_id}


def compile_filters(filters: Filters, decay: DecaySettings) -> Where:
    """Turn ``filters`` into one condition over active memories of its collection.

    ``near`` with radius 0 orders (see ``spatial``) and excludes nothing.
    """
    args: dict[str, Any] = {'collection': filters.collection, **confidence_args(filters.now_ns, decay)}
    parts = ["m.status = 'active'", 'm.collection_id = (SELECT id FROM collection WHERE name = :collection)']
    if filters.category:
        parts.append('m.category = :category')
        args['category'] = filters.category
    if filters.type:
        parts.append('m.type = :type')
        args['type'] = filters.type
    if filters.exclude_session:
        parts.append('m.session_id <> :exclude_session')
        args['exclude_session'] = filters.exclude_session
    if filters.min_confidence > 0:
        parts.append(f'({CONFIDENCE}) >= :min_confidence')
        args['min_confidence'] = filters.min_confidence
    for i, tag in enumerate(filters.tags):
        parts.append(f'm.id IN (SELECT memory_id FROM memory_tag WHERE tag = :tag{i})')
        args[f'tag{i}'] = tag
    if filters.scene_key:
        parts.append(_scene(filters, args))
    occurrence, by_index = _occurrence(filters, args)
    if occurrence:
        # Driven from the occurrences where an index finds them, else looked up for each candidate.
        parts.append(
            f'm.id IN (SELECT o.memory_id FROM occurrence o WHERE {occurrence})' if by_index
            else f'EXISTS (SELECT 1 FROM occurrence o WHERE o.memory_id = m.id AND {occurrence})'
        )
    return Where(' AND '.join(parts), occurrence, args, bool(by_index or filters.tags or filters.scene_key))


def _scene(filters: Filters, args: dict[str, Any]) -> str:
    """The scene itself and what lies under it: ``place:hall`` and ``place:hall/…``, never ``place:hall2``."""
    args |= {'scene': filters.scene_key, 'scene_from': filters.scene_key + '/', 'scene_to': filters.scene_key + '0'}
    return (
        'm.id IN (SELECT r.memory_id FROM scene s JOIN scene_ref r ON r.scene_id = s.id'
        ' WHERE s.collection_id = (SELECT id FROM collection WHERE name = :collection)'
        ' AND (s.key = :scene OR (s.key >= :scene_from AND s.key < :scene_to)))'
    )


def _occurrence(filters: Filters, args: dict[str, Any]) -> tuple[str, bool]:
    """Give the condition over one occurrence ``o``, and whether an index finds those that satisfy it."""
    parts = []
    if filters.session_id:
        parts.append("o.session_id = :session_id AND o.session_id <> ''")
        args['session_id'] = filters.session_id
    if filters.since_ns:
        parts.append('o.at >= :since')
        args['since'] = filters.since_ns
    if filters.until_ns:
        parts.append('o.at <= :until')
        args['until'] = filters.until_ns
    if filters.map_id:
        parts.append('o.map_id = :map_id')
        args['map_id'] = filters.map_id
    is_near = filters.near is not None and filters.radius_m > 0
    if filters.near is not None and is_near:
        parts.append(_within(filters.near, filters.map_id, filters.radius_m, args))
    for i, condition in enumerate(filters.context):
        parts.append(context_sql.condition(condition, f'c{i}', args))
    if filters.spatial is not None and filters.spatial.max_distance is not None:
        parts.append(context_sql.within(filters.spatial, 's', args))
    return ' AND '.join(f'({part})' for part in parts), bool(filters.session_id or is_near)


def _within(pose: Pose, map_id: str, radius_m: float, args: dict[str, Any]) -> str:
    """Pre-select by the R*Tree, then measure exactly.

    The tree holds 32-bit floats and rounds a box outwards, never inwards, so it only lets more through.
    """
    args |= {**pose_args(pose, map_id), 'radius': radius_m}
    for axis, centre in (('x', pose.x), ('y', pose.y), ('z', pose.z)):
        args |= {f'{axis}_from': centre - radius_m, f'{axis}_to': centre + radius_m}
    box = ' AND '.join(f'{axis}1 >= :{axis}_from AND {axis}0 <= :{axis}_to' for axis in 'xyz')
    return f'o.id IN (SELECT id FROM occurrence_place WHERE {box}) AND {SAME_FRAME} AND {DISTANCE} <= :radius'
