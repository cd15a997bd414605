"""One decision about the situation: what was left, what was entered, what counts as a visit, and its one transaction.

`decide` only looks; `record` writes; `SceneTracker` applies the result. So a failed write changes nothing
that is remembered, and the decision is taken again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from robotmem_ros.core.emergence import KnownScene, SceneIndex, Stay, Stays, counted, likeness
from robotmem_ros.core.places import Centre
from robotmem_ros.core.scene_key import identity, key_of
from robotmem_ros.model import EMERGENT, Feature
from robotmem_ros.settings import SceneSettings
from robotmem_ros.store import collections, evidence, places, scenes
from robotmem_ros.store.tx import Tx

Late = tuple[Stay, KnownScene | None]
"""A stay with features that came up after its visit was counted, and its scene (none: a bucket)."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a settled situation means.

    :param held: what counts, in the order of a key; ``own`` its identity.
    :param left: the stays that have ended; ``late`` what came up in them after they were counted.
    :param going_on: the keys of the stays that have not ended.
    :param founded: the places that are not in the file yet.
    :param bucket: whose evidence grows by this visit; ``''`` for none.
    :param joined: the scene in force, with its likeness; ``is_entered`` if it has to be told.
    :param visited: the scenes for which this is a visit.
    """

    at_ns: int
    held: tuple[Feature, ...]
    own: tuple[Feature, ...]
    left: tuple[Stay, ...]
    late: tuple[Late, ...]
    going_on: frozenset[str]
    founded: tuple[Centre, ...]
    bucket: str
    joined: KnownScene | None
    similarity: float
    is_entered: bool
    visited: tuple[KnownScene, ...]

    @property
    def writes(self) -> bool:
        """Whether there is anything to write at all."""
        return bool(self.founded or self.late or self.bucket or self.visited)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a transaction changed: the scene that emerged, if one did, and the scenes with new counts.

    :param memory_count: memories of the scene in force.
    """

    created: KnownScene | None = None
    changed: tuple[KnownScene, ...] = ()
    memory_count: int = 0


def decide(
    now_ns: int, held: tuple[Feature, ...], index: SceneIndex, stays: Stays, current: KnownScene | None,
    founded: Sequence[Centre], settings: SceneSettings, *, is_repeat: bool,
) -> Decision:
    """Work out what the situation means, from what is remembered.

    :param is_repeat: this time was lived through before (a recording that loops): nothing is counted.
    """
    own = identity(held, settings.weights, settings.dominant_weight)
    own_key = key_of(own, settings.weights)
    present = frozenset(held)
    left, going_on = stays.split(present)
    joined, similarity = choose(present, own_key, index, current, settings)
    own_scene = index.by_key.get(own_key)
    here = {scene.key: scene for scene in (joined, own_scene) if scene is not None}
    is_new = bool(own) and own_scene is None and own_key not in going_on
    is_told = joined is not None and joined.key in going_on and going_on[joined.key].was_hit
    return Decision(
        now_ns, held, own, tuple(left), () if is_repeat else late_of(left, index), frozenset(going_on), tuple(founded),
        bucket=own_key if is_new and not is_repeat else '',
        joined=joined, similarity=similarity, is_entered=joined is not None and not is_told,
        visited=() if is_repeat else tuple(scene for key, scene in here.items() if key not in going_on))


def late_of(stays: Iterable[Stay], index: SceneIndex) -> tuple[Late, ...]:
    """Give the stays with features still to be counted, each with its scene."""
    return tuple((stay, index.by_key.get(stay.key)) for stay in stays if stay.extra)


def choose(
    present: frozenset[Feature], own_key: str, index: SceneIndex, current: KnownScene | None, settings: SceneSettings
) -> tuple[KnownScene | None, float]:
    """Choose the scene in force. The current one stays while its key holds, unless a more specific one has come up."""
    found = index.join(present, own_key, settings.join_threshold, settings.weights) if own_key else None
    stayed = index.by_key.get(current.key) if current is not None else None
    if stayed is None or not all(part in present for part in stayed.parts):
        return found or (None, 0.0)
    if found and (len(found[0].parts) > len(stayed.parts) or found[0].key in (own_key, stayed.key)):
        return found
    return stayed, likeness(stayed.usual(), present, settings.weights)


def record(tx: Tx, collection: str, decision: Decision, settings: SceneSettings) -> Recorded:
    """Write all that a decision changes; the caller's transaction makes it all or none."""
    collection_id = collections.collection_id(tx, collection)
    places.add(tx, collection_id, decision.founded, decision.at_ns)
    changed = {scene.key: scene for scene in count_late(tx, collection_id, decision.late)}
    created = _gather(tx, collection_id, decision, settings) if decision.bucket else None
    for scene in decision.visited:
        if created is None:
            before = changed.get(scene.key, scene)
            changed[scene.key] = before.visited(decision.held, decision.at_ns)
            scenes.save(tx, before, changed[scene.key])
    in_force = created or decision.joined
    count = scenes.memory_count(tx, in_force.id) if in_force is not None else 0
    return Recorded(created, tuple(changed.values()), count)


def count_late(tx: Tx, collection_id: int, late: Iterable[Late]) -> list[KnownScene]:
    """Count the features that came up after their visit was counted; gives the scenes that this changed."""
    changed = []
    for stay, scene in late:
        if scene is None:
            visits, seen = evidence.get(tx, collection_id, stay.key)
            if visits:
                evidence.put(tx, collection_id, stay.key, visits, counted(seen, stay.extra), stay.at_ns)
        elif scene.learns:
            after = replace(scene, seen=counted(scene.seen, stay.extra))
            scenes.save(tx, scene, after)
            changed.append(after)
    return changed


def _gather(tx: Tx, collection_id: int, decision: Decision, settings: SceneSettings) -> KnownScene | None:
    """Count a visit of a situation that is no scene yet; gives the scene if this visit makes it one."""
    visits, seen = evidence.get(tx, collection_id, decision.bucket)
    visits, seen = visits + 1, counted(seen, decision.held)
    if visits < settings.min_visits:
        evidence.put(tx, collection_id, decision.bucket, visits, seen, decision.at_ns)
        return None
    return scenes.create(tx, collection_id, decision.bucket, EMERGENT, visits, seen, decision.at_ns, settings.weights)
