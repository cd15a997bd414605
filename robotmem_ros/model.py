"""The vocabulary: requests, results and records that cross the borders between layers.

Times are UTC integer nanoseconds (``*_ns``), 0 where unset. Positions are metres in ``frame_id``
on ``map_id``. Confidences and scores lie in [0, 1] unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

FACT, PERCEPTION = 'fact', 'perception'
STM, LTM = 'stm', 'ltm'
ACTIVE, SUPERSEDED, FORGOTTEN, RETIRED = 'active', 'superseded', 'forgotten', 'retired'
EMERGENT, DECLARED = 'emergent', 'declared'
PERCEPTION_TYPES = ('visual', 'tactile', 'auditory', 'proprioceptive', 'procedural')
PROTECTED_CATEGORIES = frozenset({'constraint', 'postmortem', 'gotcha'})
"""Categories that are neither consolidated nor decayed below the recall threshold."""


@dataclass(frozen=True, slots=True)
class Pose:
    """A pose in a frame of a map; quaternion as (x, y, z, w)."""

    frame_id: str
    x: float
    y: float
    z: float = 0.0
    quaternion: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    map_id: str = ''
    stamp_ns: int = 0


@dataclass(frozen=True, slots=True, order=True)
class Feature:
    """One thing observable now. Both parts are normalised by ``core.scene_key.feature``."""

    kind: str
    value: str

    def __str__(self) -> str:
        return f'{self.kind}:{self.value}'

    @classmethod
    def read(cls, text: str) -> Feature:
        """Give the feature that ``str`` wrote; a kind holds no colon."""
        kind, _, value = text.partition(':')
        return cls(kind, value)


@dataclass(frozen=True, slots=True)
class LearnRequest:
    """What a program learned. Empty collection: the node's own."""

    insight: str
    context: str = ''
    category: str = ''
    session_id: str = ''
    collection: str = ''
    confidence: float = 0.9
    strength: float = 1.0
    tags: tuple[str, ...] = ()
    scene: str = ''
    pose: Pose | None = None
    observed_at_ns: int = 0


@dataclass(frozen=True, slots=True)
class Similar:
    """A memory that resembles another; similarity in [-1, 1] (cosine) or [0, 1] (Jaccard)."""

    id: int
    content: str
    similarity: float


@dataclass(frozen=True, slots=True)
class LearnResult:
    """``status`` created|duplicate; ``method`` none|exact|jaccard|cosine|session_cosine."""

    status: str
    memory_id: int
    method: str = 'none'
    similarity: float = 0.0
    similar: tuple[Similar, ...] = ()
    scenes: tuple[str, ...] = ()
    warning: str = ''


@dataclass(frozen=True, slots=True)
class Condition:
    """One test of a context filter: ``op`` is eq, ne, lt, lte, gt, gte or in; ``path`` its keys."""

    path: tuple[str, ...]
    op: str
    value: Any


@dataclass(frozen=True, slots=True)
class SpatialSort:
    """Order by distance (metres) of the numbers at ``path`` in the context to ``target``."""

    path: tuple[str, ...]
    target: tuple[float, ...]
    max_distance: float | None = None


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A question; every criterion given must hold. Empty collection: the node's own."""

    query: str = ''
    n: int = 5
    min_confidence: float = 0.3
    session_id: str = ''
    context_session: str = ''
    collection: str = ''
    category: str = ''
    type: str = ''
    tags: tuple[str, ...] = ()
    context_filter: str = ''
    spatial_sort: str = ''
    near: Pose | None = None
    radius: float = 0.0
    map_id: str = ''
    since_ns: int = 0
    until_ns: int = 0
    scene: str = ''
    reinforce: bool = True
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Filters:
    """The hard criteria of a recall, parsed and bounded; all are applied inside the search."""

    collection: str
    now_ns: int
    min_confidence: float = 0.0
    session_id: str = ''
    category: str = ''
    type: str = ''
    tags: tuple[str, ...] = ()
    context: tuple[Condition, ...] = ()
    near: Pose | None = None
    radius_m: float = 0.0
    map_id: str = ''
    since_ns: int = 0
    until_ns: int = 0
    scene_key: str = ''
    like_scenes: Mapping[str, float] | None = None
    """Instead of the scene ``scene_key``, which there is not: those that are like it, each with its likeness."""
    spatial: SpatialSort | None = None
    exclude_session: str = ''


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory as it is answered: ``confidence`` is the effective one, now; scores as parts."""

    id: int
    content: str
    collection: str
    type: str = FACT
    category: str = ''
    perception_type: str = ''
    tier: str = STM
    confidence: float = 0.0
    stored_confidence: float = 0.0
    strength: float = 1.0
    use_count: int = 0
    context: str = ''
    session_id: str = ''
    tags: tuple[str, ...] = ()
    scenes: tuple[str, ...] = ()
    created_at_ns: int = 0
    last_accessed_ns: int = 0
    age_ns: int = 0
    pose: Pose | None = None
    score: float = 0.0
    score_text: float = 0.0
    score_vector: float = 0.0
    score_hebbian: float = 0.0
    retention: float = 0.0
    observed_at_ns: int = 0


@dataclass(frozen=True, slots=True)
class RecallResult:
    """``mode`` hybrid|bm25_only|vec_only|scene|spatial|recent; ``total`` as far as counted."""

    memories: tuple[Memory, ...]
    total: int
    mode: str
    query_ms: float
    warning: str = ''


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """An episode has begun."""

    session_id: str
    collection: str
    active_memories_count: int


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """What the end of an episode found; see ``EndSession.srv``."""

    merged_groups: int = 0
    superseded_count: int = 0
    compression_ratio: float = 0.0
    avg_similarity: float = 0.0
    decayed_count: int = 0
    related_memories: tuple[Memory, ...] = ()
    summary: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PerceptionInput:
    """One observation: features, and something to store where ``description`` is not empty."""

    features: tuple[tuple[str, str], ...] = ()
    source: str = ''
    seq: int = 0
    stamp_ns: int = 0
    perception_type: str = ''
    description: str = ''
    data: str = ''
    session_id: str = ''
    collection: str = ''
    pose: Pose | None = None


@dataclass(frozen=True, slots=True)
class Scene:
    """A situation that came back often enough, or was declared."""

    id: int
    key: str
    collection: str
    origin: str
    strength: int
    features: tuple[Feature, ...] = ()
    memory_count: int = 0
    last_hit_ns: int = 0


@dataclass(frozen=True, slots=True)
class SceneHit:
    """A scene was entered: which, how sure, and the memories that belong to it."""

    scene: Scene
    created: bool
    similarity: float
    situation: tuple[Feature, ...]
    memories: tuple[Memory, ...]
    at_ns: int
