"""Which known scene a situation is, and what a scene keeps of its visits (contract 9; seed 002).

A scene counts in how many visits each feature was seen. *Usual* features, those of at least half of
its visits, decide the likeness; what was seen once cannot drown a scene, and no weak feature is
absorbed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import fsum

from robotmem_ros.core.scene_key import is_descendant, ordered, weight_of
from robotmem_ros.model import DECLARED, EMERGENT, Feature, Scene

MAX_COUNTED = 64
"""Features counted for one scene or bucket; the rarest go."""


@dataclass(frozen=True, slots=True)
class KnownScene:
    """A scene as the index holds it.

    :param parts: the features of its key: all of them must hold for it to be a candidate.
    :param seen: in how many of its ``strength`` visits each feature was seen; empty for declared ones.
    """

    id: int
    key: str
    origin: str
    strength: int
    parts: tuple[Feature, ...]
    seen: Mapping[Feature, int]
    last_hit_ns: int = 0

    @property
    def learns(self) -> bool:
        """Declared scenes stay as they were declared."""
        return self.origin == EMERGENT

    def usual(self) -> frozenset[Feature]:
        """Give its key's features and those that were seen in at least half of its visits."""
        often = (each for each, visits in self.seen.items() if 2 * visits >= self.strength) if self.learns else ()
        return frozenset((*self.parts, *often))

    def visited(self, features: Iterable[Feature], now_ns: int) -> KnownScene:
        """Give the scene after one more visit, in which ``features`` were seen."""
        seen = counted(self.seen, features) if self.learns else self.seen
        return replace(self, strength=self.strength + 1, seen=seen, last_hit_ns=max(now_ns, self.last_hit_ns))

    def as_scene(self, collection: str, weights: Mapping[str, float], memory_count: int) -> Scene:
        """Give the record that leaves the tracker."""
        return Scene(self.id, self.key, collection, self.origin, self.strength, ordered(self.usual(), weights),
                     memory_count, self.last_hit_ns)


def counted(seen: Mapping[Feature, int], features: Iterable[Feature]) -> dict[Feature, int]:
    """Count ``features`` once more; beyond 64 features the rarest go, those of this visit last."""
    now = dict.fromkeys(features)
    counts = {**seen, **{each: seen.get(each, 0) + 1 for each in now}}
    if len(counts) > MAX_COUNTED:
        kept = sorted(counts, key=lambda each: (-counts[each], each not in now, each))[:MAX_COUNTED]
        newcomers = [each for each in now if each not in seen and each not in kept]
        if newcomers and counts[kept[-1]] > 1:
            kept[-1] = newcomers[0]
        counts = {each: counts[each] for each in kept}
    return counts


def likeness(usual: Collection[Feature], present: Collection[Feature], weights: Mapping[str, float]) -> float:
    """One-sided likeness for joining, in [0, 1]: the weight of the usual features that hold now over that of all.

    What holds beside them does not count against the scene. Nothing usual: 0. Sums are exact, so that the order of a
    set, which is another in each process, does not show.
    """
    total = fsum(weight_of(each.kind, weights) for each in usual)
    held = fsum(weight_of(each.kind, weights) for each in usual if each in present)
    return min(1.0, held / total) if total > 0 else 0.0


def weighted_jaccard(a: Collection[Feature], b: Collection[Feature], weights: Mapping[str, float]) -> float:
    """Two-sided likeness for recall, in [0, 1]: the weight of what is shared over that of all; two empty sets: 0."""
    mine, theirs = frozenset(a), frozenset(b)
    total = fsum(weight_of(each.kind, weights) for each in mine | theirs)
    shared = fsum(weight_of(each.kind, weights) for each in mine & theirs)
    return min(1.0, shared / total) if total > 0 else 0.0


class SceneIndex:
    """All scenes of a collection, found by what holds now.

    Each scene is posted under one feature of its key, the one with the fewest postings so far, so that a channel that
    all scenes share is never walked through.
    """

    def __init__(self, scenes: Iterable[KnownScene] = ()) -> None:
        self.by_key: dict[str, KnownScene] = {}
        self._postings: dict[Feature, dict[str, None]] = {}
        for scene in scenes:
            self.put(scene)

    def put(self, scene: KnownScene) -> None:
        """Add a scene, or replace the record of the same key."""
        if scene.key not in self.by_key:
            under = min(scene.parts, key=lambda part: len(self._postings.get(part, ())))
            self._postings.setdefault(under, {})[scene.key] = None
        self.by_key[scene.key] = scene

    def candidates(self, present: Collection[Feature]) -> list[KnownScene]:
        """Give the scenes whose key holds completely."""
        keys = (key for each in present for key in self._postings.get(each, ()))
        return [scene for scene in map(self.by_key.__getitem__, keys) if all(part in present for part in scene.parts)]

    def join(
        self, present: Collection[Feature], own_key: str, threshold: float, weights: Mapping[str, float]
    ) -> tuple[KnownScene, float] | None:
        """Choose the scene that a situation is, with its likeness; ``None`` where no candidate reaches ``threshold``.

        The most specific wins: more parts, and among equals the situation's own identity
        ``own_key``; then emergent before declared, so that a declared scene swallows none; then the likeliest.
        """
        best: tuple[tuple[int, bool, bool, float, float, int], KnownScene, float] | None = None
        for scene in self.candidates(present):
            alike = likeness(scene.usual(), present, weights)
            if alike < threshold:
                continue
            weight = sum(weight_of(part.kind, weights) for part in scene.parts)
            rank = (len(scene.parts), scene.key == own_key, scene.origin != DECLARED, alike, weight, -scene.id)
            if best is None or rank > best[0]:
                best = rank, scene, alike
        return None if best is None else (best[1], best[2])


class Stays:
    """Which buckets and scenes the robot has come to and not left yet.

    A stay ends when something of its key no longer holds; while it lasts, coming back to it from a more
    specific situation is neither a visit nor an entry. An expired feature still holds.
    """

    def __init__(self) -> None:
        self._stays: dict[str, Stay] = {}

    def open(self, stay: Stay) -> None:
        """Begin a stay, or replace what is known of it."""
        self._stays[stay.key] = stay

    def hit(self, key: str) -> None:
        """Remember that a stay was told."""
        if key in self._stays:
            self._stays[key].was_hit = True

    def note(self, features: Iterable[Feature]) -> None:
        """Remember features that came up later in the counted stays that go on."""
        for stay in self._stays.values():
            if stay.is_counted:
                stay.note(features)

    def split(self, held: Collection[Feature]) -> tuple[list[Stay], dict[str, Stay]]:
        """Give the stays of which something no longer holds, and those that go on, by key."""
        ended = [stay for stay in self._stays.values() if not all(part in held for part in stay.parts)]
        keys = {stay.key for stay in ended}
        return ended, {key: stay for key, stay in self._stays.items() if key not in keys}

    def late(self) -> list[Stay]:
        """Give the stays with features that came up after they were counted."""
        return [stay for stay in self._stays.values() if stay.extra]

    def close(self, keys: Iterable[str]) -> None:
        """Forget stays: they have ended, or what they stood for has changed."""
        for key in keys:
            self._stays.pop(key, None)


@dataclass(slots=True)
class Stay:
    """One stay, in a scene or in a situation that is none yet, since ``at_ns``.

    :param is_counted: whether it counted as a visit; one that a more specific hit only covers did not.
    :param was_hit: whether entering it has been told, by itself or by a scene below it.
    :param noted: features counted in this visit; ``extra`` came up later and are counted when it ends.
    """

    key: str
    parts: tuple[Feature, ...]
    at_ns: int
    is_counted: bool
    was_hit: bool
    noted: frozenset[Feature] = frozenset()
    extra: dict[Feature, None] = field(default_factory=dict)

    def note(self, features: Iterable[Feature]) -> None:
        """Remember what came up later, bounded like everything that is counted."""
        for each in features:
            if each not in self.noted and len(self.extra) < MAX_COUNTED:
                self.extra[each] = None

    def counted_late(self) -> None:
        """What came up later has been counted."""
        self.noted, self.extra = self.noted | self.extra.keys(), {}


def covered(hit: KnownScene, candidates: Iterable[KnownScene]) -> list[KnownScene]:
    """Give the scenes above the one that was hit: their memories came with it."""
    return [scene for scene in candidates if scene.key != hit.key and is_descendant(hit.key, scene.key)]
