"""The one place that turns a recall's hard criteria into SQL.

Every search joins what :func:`compile_filters` gives, so a memory that satisfies the criteria cannot be
lost behind others that do not. All values are bound by name; the only SQL text is written here.

Criteria on context, place, time and session must hold through *one* occurrence of a memory.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from robotmem_ros.model import PROTECTED_CATEGORIES, Filters, Pose
from robotmem_ros.settings import DecaySettings
from robotmem_ros.store import context_sql

DISTANCE = 'sqrt((o.x - :px) * (o.x - :px) + (o.y - :py) * (o.y - :py) + (o.z - :pz) * (o.z - :pz))'
"""Metres from occurrence ``o`` to the pose that :func:`pose_args` binds, in full precision."""
SAME_FRAME = "o.frame_id = :p_frame AND (:p_map = '' OR o.map_id = :p_map)"
"""A coordinate is worth nothing in another frame or on another map."""

PROTECTED = ', '.join(f"'{name}'" for name in sorted(PROTECTED_CATEGORIES))
"""The protected categories as a list of SQL texts."""
COLLECTION = '(SELECT id FROM collection WHERE name = :collection)'
SCENE = f's.collection_id = {COLLECTION} AND (s.key = :scene OR (s.key >= :scene_from AND s.key < :scene_to))'
"""The scene itself and what lies under it: ``place:hall`` and ``place:hall/...``, never ``place:hall2``."""
LIKE_SCENES = f's.collection_id = {COLLECTION} AND s.key IN (SELECT value FROM json_each(:like_scenes))'
BOX = ' AND '.join(f'p.{axis}1 >= :{axis}_from AND p.{axis}0 <= :{axis}_to' for axis in 'xyz')
"""Pre-selection by the R*Tree: it holds 32-bit floats and rounds boxes outwards, so it only lets more through."""
AGE_NS = 'iif(:now > 0 AND m.decay_anchor > 0, max(0, :now - m.decay_anchor), 0)'
_DECAYED = f'm.confidence * pow(1.0 - :rate, {AGE_NS} / 86400e9)'
CONFIDENCE = (
    f'CASE WHEN m.category IN ({PROTECTED}) THEN max({_DECAYED}, min(m.confidence, :floor)) ELSE {_DECAYED} END'
)
"""Effective confidence of memory ``m`` (contract 6; ``core.decay.effective_confidence``): this value is
compared *and* shown. Needs :func:`confidence_args`."""


@dataclass(frozen=True, slots=True)
class Where:
    """
    Criteria as SQL over memory ``m``.

    :ivar sql: a condition, never empty; looks up one memory in a few steps, materialises nothing.
    :ivar source: what stands after FROM where the criteria themselves are to give the memories, each once:
        an index of the rarest of them, or all of ``memory m``. ``sql`` must be added to it.
    :ivar occurrence: the part over one occurrence ``o``, '' where there is none; already inside ``sql``.
    :ivar args: values by name, for all of these and for ``CONFIDENCE``.
    :ivar is_narrow: ``source`` gives few memories.
    """

    sql: str
    source: str
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
    """
    Turn ``filters`` into one condition over active memories of its collection.

    ``near`` with radius 0 orders (see ``spatial``) and excludes nothing.
    """
    args: dict[str, Any] = {'collection': filters.collection, **confidence_args(filters.now_ns, decay)}
    parts = ["m.status = 'active'", f'm.collection_id = {COLLECTION}']
    for field, operator in (('category', '='), ('type', '='), ('exclude_session', '<>')):
        if value := getattr(filters, field):
            column = 'session_id' if field == 'exclude_session' else field
            parts.append(f'm.{column} {operator} :{field}')
            args[field] = value
    if filters.min_confidence > 0:
        parts.append(f'({CONFIDENCE}) >= :min_confidence')
        args['min_confidence'] = filters.min_confidence
    for i, tag in enumerate(filters.tags):
        parts.append(f'EXISTS (SELECT 1 FROM memory_tag t WHERE t.memory_id = m.id AND t.tag = :tag{i})')
        args[f'tag{i}'] = tag
    if filters.scene_key:
        parts.append(f'EXISTS (SELECT 1 FROM scene_ref r JOIN scene s ON s.id = r.scene_id'
                     f' WHERE r.memory_id = m.id AND {_scene(filters)})')
        key = filters.scene_key
        args['like_scenes'] = json.dumps(list(filters.like_scenes or ()))
        args |= {'scene': key, 'scene_from': key + '/', 'scene_to': key + '0'}  # '0' is the sign after '/'
    occurrence = _occurrence(filters, args)
    if occurrence:
        parts.append(f'EXISTS (SELECT 1 FROM occurrence o WHERE o.memory_id = m.id AND {occurrence})')
    source, is_narrow = _source(filters)
    return Where(' AND '.join(parts), source, occurrence, args, is_narrow)


def _scene(filters: Filters) -> str:
    return SCENE if filters.like_scenes is None else LIKE_SCENES


def _source(filters: Filters) -> tuple[str, bool]:
    """Give the index that is likely to hold the fewest memories, and whether they are few."""
    if filters.session_id:
        # The second test lets the index on sessions be used, which holds no empty ones.
        ids = "SELECT DISTINCT memory_id FROM occurrence WHERE session_id = :session_id AND session_id <> ''"
        is_narrow = True
    elif filters.scene_key:
        ids = ('SELECT DISTINCT r.memory_id FROM scene s CROSS JOIN scene_ref r ON r.scene_id = s.id'
               f' WHERE {_scene(filters)}')
        is_narrow = True
    elif filters.tags:
        ids, is_narrow = 'SELECT memory_id FROM memory_tag WHERE tag = :tag0', True
    elif filters.near is not None and filters.radius_m > 0:
        ids = f'SELECT DISTINCT o.memory_id FROM occurrence_place p CROSS JOIN occurrence o ON o.id = p.id WHERE {BOX}'
        is_narrow = False  # a radius may take in a whole site
    else:
        return 'memory m', False
    return f'({ids}) d CROSS JOIN memory m ON m.id = d.memory_id', is_narrow


def _occurrence(filters: Filters, args: dict[str, Any]) -> str:
    """Give the condition over one occurrence ``o``, '' where there is none."""
    parts = []
    for field, test in (
        ('session_id', "o.session_id = :session_id AND o.session_id <> ''"), ('since_ns', 'o.at >= :since_ns'),
        ('until_ns', 'o.at <= :until_ns'), ('map_id', 'o.map_id = :map_id'),
    ):
        if value := getattr(filters, field):
            parts.append(test)
            args[field] = value
    if filters.near is not None and filters.radius_m > 0:
        parts.append(f'{SAME_FRAME} AND {DISTANCE} <= :radius')
        args |= _box_args(filters.near, filters.map_id, filters.radius_m)
    for i, condition in enumerate(filters.context):
        parts.append(context_sql.condition(condition, f'c{i}', args))
    if filters.spatial is not None and filters.spatial.max_distance is not None:
        parts.append(context_sql.within(filters.spatial, 's', args))
    return ' AND '.join(f'({part})' for part in parts)


def _box_args(pose: Pose, map_id: str, radius_m: float) -> dict[str, Any]:
    args = {**pose_args(pose, map_id), 'radius': radius_m}
    for axis, centre in (('x', pose.x), ('y', pose.y), ('z', pose.z)):
        args |= {f'{axis}_from': centre - radius_m, f'{axis}_to': centre + radius_m}
    return args
