"""What a file holds, as values that can leave it and come into another: ids become names that hold within one export.

``store.dump`` reads them, ``store.intake`` writes them. Times are UTC nanoseconds, 0 where unknown.
"""

from __future__ import annotations

from dataclasses import dataclass

from robotmem_ros.model import FACT, STM, Feature
from robotmem_ros.store.occurrences import Occurrence

Counts = tuple[tuple[Feature, int], ...]
"""In how many visits each feature was seen."""


@dataclass(frozen=True, slots=True)
class SceneTie:
    """The hold of a memory on a scene; ``weight`` as of ``last_updated_ns``."""

    key: str
    weight: float = 1.0
    last_updated_ns: int = 0


@dataclass(frozen=True, slots=True)
class MemoryRecord:
    """An active memory with all that hangs on it.

    :ivar origin: its id where it comes from; edges name memories by it.
    :ivar created_at_ns: 0 where its source does not say when it was learned.
    :ivar anchor_ns: what its decay is counted from, UTC; 0: its creation or its last use.
    :ivar complete: it is as an export wrote it, so its kin are records of the same export, not duplicates.
    :ivar earlier: (replaced at, text) of texts that updates replaced.
    """

    origin: str
    content: str
    collection: str = ''
    type: str = FACT
    category: str = ''
    perception_type: str = ''
    data: str = ''
    source: str = ''
    seq: int = 0
    tier: str = STM
    confidence: float = 0.9
    strength: float = 1.0
    use_count: int = 0
    use_days: int = 0
    session_id: str = ''
    created_at_ns: int = 0
    last_accessed_ns: int = 0
    anchor_ns: int = 0
    tags: tuple[str, ...] = ()
    occurrences: tuple[Occurrence, ...] = ()
    scenes: tuple[SceneTie, ...] = ()
    earlier: tuple[tuple[int, str], ...] = ()
    complete: bool = False


@dataclass(frozen=True, slots=True)
class EdgeRecord:
    """A co-occurrence of two memories, named by their origin; ``weight`` as of ``last_updated_ns``."""

    a: str
    b: str
    weight: float = 1.0
    last_updated_ns: int = 0


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """An episode; ``result`` is the JSON that its end answered."""

    id: str
    collection: str = ''
    context: str = ''
    started_at_ns: int = 0
    ended_at_ns: int = 0
    outcome_score: float | None = None
    result: str = ''


@dataclass(frozen=True, slots=True)
class SceneRecord:
    """A scene and what it keeps of its visits."""

    key: str
    origin: str
    collection: str = ''
    strength: int = 0
    created_at_ns: int = 0
    last_hit_ns: int = 0
    features: Counts = ()


@dataclass(frozen=True, slots=True)
class PlaceRecord:
    """The centre of a place, metres in ``frame_id`` on ``map_id``."""

    name: str
    frame_id: str
    x: float
    y: float
    z: float = 0.0
    map_id: str = ''
    collection: str = ''
    created_at_ns: int = 0


@dataclass(frozen=True, slots=True)
class EvidenceRecord:
    """Visits of a situation that is no scene yet."""

    bucket: str
    visits: int
    collection: str = ''
    last_at_ns: int = 0
    features: Counts = ()


Record = MemoryRecord | EdgeRecord | SessionRecord | SceneRecord | PlaceRecord | EvidenceRecord
