"""The robot's present situation: features and poses come in, scenes are recognised, emerge and are left.

Evidence counts *visits*. A visit begins when a situation has settled that was not there before, and ends when
something of its identity is replaced or withdrawn: the same features, however often they are sent, are one
visit, and an expired feature has not been left. A restart begins anew. A clock that goes back by less than a
day (a recording that loops) repeats what was lived through: scenes are recognised and told, but nothing is
counted until the old time is reached again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from robotmem_ros.core.emergence import KnownScene, SceneIndex, Stay, Stays, covered
from robotmem_ros.core.places import DWELL_SHARE, PLACE, Centre, Places, is_usable
from robotmem_ros.core.scene_key import feature, identity, key_of, limit_of, ordered, withdrawn_kind
from robotmem_ros.core.situation import MAX_FEATURES, Situation
from robotmem_ros.day import PART, part_of_day
from robotmem_ros.errors import InvalidRequest, shorten
from robotmem_ros.model import Feature, Pose, Scene
from robotmem_ros.scene_visits import Decision, Recorded, choose, count_late, decide, late_of, record
from robotmem_ros.settings import SceneSettings
from robotmem_ros.store import collections, places, scenes
from robotmem_ros.store.store import Store

NS_PER_S = 10**9
CLOCK_JITTER_NS = NS_PER_S
"""Threads read the clock before they get here; a smaller step back than this is no step."""
LONGEST_REPEAT_NS = 86_400 * NS_PER_S
"""A larger step back is a correction of a wrong clock, not a recording that loops."""
RETRY_NS = NS_PER_S
KEEP_PLACES_NS = 10 * NS_PER_S
"""A place that was founded waits so long, at most, for a decision with which it is written."""


@dataclass(frozen=True, slots=True)
class SceneEvent:
    """A scene was entered. ``similarity`` in [0, 1]; ``situation`` is what held then."""

    scene: Scene
    created: bool
    similarity: float
    situation: tuple[Feature, ...]
    at_ns: int


class SceneTracker:
    """The situation of one collection. Any thread may call any method.

    Observing and asking only take a short lock, never the store's writer, so they may be called inside of a
    write; `advance`, `reload` and `flush` may wait for it and must not.
    """

    def __init__(self, store: Store, settings: SceneSettings, collection: str) -> None:
        self.collection = collection
        self._store, self._settings = store, settings
        self._state, self._deciding = threading.Lock(), threading.Lock()
        self._situation = Situation(_ns(settings.settle_s), settings.weights, settings.dominant_weight)
        self._places: Places | None = None
        self._index: SceneIndex | None = None
        self._stays = Stays()
        self._current: Scene | None = None
        self._founded: list[Centre] = []
        self._pose: Pose | None = None
        self._refused, self._refusal = 0, ''
        self._last_ns, self._repeat_until_ns = 0, 0
        self._reconsider_ns: int | None = None
        self._retry_ns = 0
        self._keep_places_ns: int | None = None
        self._told_ns = 0

    @property
    def refused(self) -> int:
        """How many features and poses were refused so far."""
        return self._refused

    @property
    def refusal(self) -> str:
        """Why the last of them was refused, and whose it was: one sentence; '' while none was."""
        return self._refusal

    def configure(self, settings: SceneSettings) -> None:
        """Take other settings; the weights stay as they were."""
        with self._state:
            resized = (settings.place_radius_m, settings.place_margin_m)
            if self._places is not None and resized != (self._settings.place_radius_m, self._settings.place_margin_m):
                self._places = self._places.resized(*resized)
            self._settings = replace(settings, weights=self._settings.weights)
            self._situation.configure(_ns(settings.settle_s), settings.dominant_weight)

    def observe(
        self, source: str, features: Sequence[tuple[str, str]], now_ns: int, ttl_s: float | None = None
    ) -> int:
        """Take what a source sees: its latest value, or values, of each kind it names; gives how many were refused.

        A kind whose only value is blank is withdrawn. Kinds that are not named stay as they are.

        :param features: pairs of kind and value, at most 64; more are refused.
        :param ttl_s: time to live in seconds, 0 for none; by default the configured one.
        """
        kinds: dict[str, list[Feature]] = {}
        refused = max(0, len(features) - MAX_FEATURES)
        why = InvalidRequest('features', f'at most {MAX_FEATURES}', len(features)) if refused else None
        for kind, value in features[:MAX_FEATURES]:
            made = feature(kind, value)
            if made is not None:
                kinds.setdefault(made.kind, []).append(made)
            elif name := withdrawn_kind(kind, value):
                kinds.setdefault(name, [])
            else:
                refused += 1
                why = why or InvalidRequest('features', limit_of(kind, value), f'{kind}: {value}')
        with self._at(now_ns) as now:
            self._refuse(source, refused, why)
            ttl = self._settings.feature_ttl_s if ttl_s is None else ttl_s
            for kind, values in kinds.items():
                self._put(source, kind, values, now, now + _ns(ttl) if ttl > 0 else None)
        return refused

    def observe_pose(self, source: str, pose: Pose, now_ns: int) -> int:
        """Take a pose: it becomes the feature ``place:<name>`` of its source; gives 1 if it was refused."""
        with self._at(now_ns) as now:
            if not is_usable(pose):
                self._refuse(source, 1, InvalidRequest('pose', 'a frame, and numbers within 1e9 m', pose))
                return 1
            centre, is_new = self._known_places().locate(source, pose)
            if is_new:
                self._founded.append(centre)
                self._keep_places_ns = self._keep_places_ns or now + KEEP_PLACES_NS
            self._pose = pose
            self._put(source, PLACE, [Feature(PLACE, centre.name)], now, None)
            progress = self._known_places().progress(source, pose)
            if progress >= DWELL_SHARE:
                self._situation.hasten(source, PLACE, progress, now)
        return 0

    def _refuse(self, source: str, count: int, why: InvalidRequest | None) -> None:
        if why is not None:
            self._refused += count
            self._refusal = f'{shorten(source)}: {why}'

    def due_ns(self) -> int | None:
        """Give the clock time from which `advance` has something to do; ``None`` while there is nothing."""
        with self._state:
            return self._due_ns()

    def advance(self, now_ns: int) -> list[SceneEvent]:
        """Decide what has settled, in at most one transaction; gives the scenes that were entered.

        :raises StoreError: if it cannot be written; nothing has changed then, and it is due again in a second.
        """
        with self._deciding:
            with self._at(now_ns) as now:
                due = self._due_ns()
                if due is None or now < due:
                    return []
                self._situation.settle(now)
                decision = self._decide(now)
            try:
                recorded = self._record(decision)
            except BaseException:
                with self._state:
                    self._reconsider_ns = self._retry_ns = decision.at_ns + RETRY_NS
                raise
            with self._state:
                return self._apply(decision, recorded)

    def situation(self, now_ns: int) -> tuple[Feature, ...]:
        """Give what is observable now, in the order of a key, without what has expired."""
        with self._at(now_ns) as now:
            return self._in_the_day(self._situation.features(now), now)

    def bucket(self, now_ns: int) -> str:
        """Give the identity of the present situation as a key, ``''`` if it has none; it need not have settled yet."""
        with self._at(now_ns) as now:
            return self._identity_key(self._situation.arriving(now))

    def current(self) -> Scene | None:
        """Give the scene in force, as it was when it was entered."""
        return self._current

    def here(self, now_ns: int) -> Scene | None:
        """Give the scene to which belongs what is learned now: the one in force, or the one that will be."""
        with self._at(now_ns) as now:
            if self._situation.due_ns() is None:
                return self._current
            present = frozenset(self._in_the_day(self._situation.arriving(now), now))
            own = self._identity_key(present)
            scene, _ = choose(present, own, self._known_scenes(), self._current_known(), self._settings)
            return scene.as_scene(self.collection, self._settings.weights, 0) if scene else None

    def last_pose(self) -> Pose | None:
        """Give the latest usable pose."""
        return self._pose

    def reload(self) -> None:
        """Read the scenes again after something else changed them (declared), and decide anew."""
        with self.changing():
            pass

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Decide nothing while scenes are changed in the file (merged, forgotten, dropped); read them again after."""
        with self._deciding:
            yield
            with self._state:
                before = self._index.by_key if self._index is not None else {}
                self._index = self._load_scenes()
                self._stays.close(key for key in self._index.by_key if key not in before)
                self._current = self._still_there(self._current)
                self._reconsider_ns = self._last_ns

    def flush(self) -> None:
        """Write what waits for the next decision: places, and features that came up late in a stay."""
        with self._deciding:
            with self._state:
                late, founded = late_of(self._stays.late(), self._known_scenes()), tuple(self._founded)
                now = self._last_ns
            if not late and not founded:
                return
            with self._store.write(background=True) as tx:
                collection_id = collections.collection_id(tx, self.collection)
                places.add(tx, collection_id, founded, now)
                changed = count_late(tx, collection_id, late)
            with self._state:
                self._kept(founded)
                for scene in changed:
                    self._known_scenes().put(scene)
                for stay, _ in late:
                    stay.counted_late()

    @contextmanager
    def _at(self, now_ns: int) -> Iterator[int]:
        """Hold the state at a time that never goes back, unless the clock itself was set back."""
        with self._state:
            if now_ns < self._last_ns - CLOCK_JITTER_NS:
                self._step_back(now_ns)
            self._last_ns = max(self._last_ns, now_ns)
            yield self._last_ns

    def _step_back(self, now_ns: int) -> None:
        back = self._last_ns - now_ns
        lived_ns = self._last_ns + CLOCK_JITTER_NS
        self._repeat_until_ns = max(self._repeat_until_ns, lived_ns) if back <= LONGEST_REPEAT_NS else 0
        self._situation.rebase(self._last_ns, now_ns)
        self._reconsider_ns = None if self._reconsider_ns is None else now_ns
        self._keep_places_ns = None if self._keep_places_ns is None else now_ns
        self._told_ns, self._retry_ns = min(self._told_ns, now_ns), 0
        self._last_ns = now_ns

    def _put(self, source: str, kind: str, values: Sequence[Feature], now_ns: int, expires_ns: int | None) -> None:
        if self._situation.put(source, kind, values, now_ns, expires_ns) and self._reconsider_ns is None:
            self._reconsider_ns = self._situation.weak_due_ns(kind, now_ns)

    def _due_ns(self) -> int | None:
        repeat = self._told_ns + _ns(self._settings.repeat_s) if self._current and self._settings.repeat_s > 0 else None
        times = (self._situation.due_ns(), self._reconsider_ns, self._keep_places_ns, repeat)
        due = min((each for each in times if each is not None), default=None)
        return None if due is None else max(due, self._retry_ns)

    def _decide(self, now_ns: int) -> Decision:
        self._reconsider_ns = None
        held = self._in_the_day(self._situation.held(), now_ns)
        decision = decide(
            now_ns, held, self._known_scenes(), self._stays, self._current_known(), self._founded, self._settings,
            is_repeat=now_ns < self._repeat_until_ns)
        repeat_ns = _ns(self._settings.repeat_s)
        is_reminder = decision.joined is not None and 0 < repeat_ns <= now_ns - self._told_ns
        return replace(decision, is_entered=decision.is_entered or is_reminder)

    def _record(self, decision: Decision) -> Recorded:
        if decision.writes:
            # Nobody is told that a visit was counted: a hit must not wait for a slow disk, and a power cut may lose it.
            with self._store.write(durable=False) as tx:
                return record(tx, self.collection, decision, self._settings)
        if decision.joined is None or not decision.is_entered:
            return Recorded()
        with self._store.read() as tx:
            return Recorded(memory_count=scenes.memory_count(tx, decision.joined.id))

    def _apply(self, decision: Decision, recorded: Recorded) -> list[SceneEvent]:
        index, self._retry_ns = self._known_scenes(), 0
        for scene in (*recorded.changed, *filter(None, (recorded.created,))):
            index.put(scene)
        self._kept(decision.founded)
        self._stays.close(stay.key for stay in decision.left)
        joined = recorded.created or (index.by_key[decision.joined.key] if decision.joined else None)
        self._open_stays(decision, joined)
        self._stays.note(decision.held)
        if joined is None:
            self._current = None
            return []
        is_entered = decision.is_entered or recorded.created is not None
        self._current = joined.as_scene(self.collection, self._settings.weights, recorded.memory_count)
        if not is_entered:
            return []
        self._told_ns = decision.at_ns
        similarity = 1.0 if recorded.created else decision.similarity
        return [SceneEvent(self._current, recorded.created is not None, similarity, decision.held, decision.at_ns)]

    def _open_stays(self, decision: Decision, joined: KnownScene | None) -> None:
        noted, at_ns, weights = frozenset(decision.held), decision.at_ns, self._settings.weights
        own_key = key_of(decision.own, weights)
        if decision.own and own_key not in decision.going_on:
            self._stays.open(Stay(own_key, decision.own, at_ns, is_counted=True, was_hit=False, noted=noted))
        if joined is None:
            return
        if joined.key not in decision.going_on and joined.key != own_key:
            self._stays.open(Stay(joined.key, joined.parts, at_ns, is_counted=True, was_hit=False, noted=noted))
        for scene in covered(joined, self._known_scenes().candidates(noted)):
            if scene.key not in decision.going_on:
                self._stays.open(Stay(scene.key, scene.parts, at_ns, is_counted=False, was_hit=True))
        self._stays.hit(joined.key)

    def _in_the_day(self, features: tuple[Feature, ...], now_ns: int) -> tuple[Feature, ...]:
        """Add the part of the day, unless a source tells it; the hour alone is no situation."""
        part = part_of_day(now_ns, self._settings.day_zone) if features else ''
        if not part or any(each.kind == PART for each in features):
            return features
        return ordered((*features, Feature(PART, part)), self._settings.weights)[:MAX_FEATURES]

    def _identity_key(self, features: Iterable[Feature]) -> str:
        settings = self._settings
        return key_of(identity(features, settings.weights, settings.dominant_weight), settings.weights)

    def _kept(self, founded: Sequence[Centre]) -> None:
        self._founded = self._founded[len(founded):]
        self._keep_places_ns = self._last_ns + KEEP_PLACES_NS if self._founded else None

    def _current_known(self) -> KnownScene | None:
        return self._known_scenes().by_key.get(self._current.key) if self._current is not None else None

    def _still_there(self, scene: Scene | None) -> Scene | None:
        found = self._known_scenes().by_key.get(scene.key) if scene is not None else None
        return scene if found is not None and scene is not None and found.id == scene.id else None

    def _known_scenes(self) -> SceneIndex:
        if self._index is None:
            self._index = self._load_scenes()
        return self._index

    def _load_scenes(self) -> SceneIndex:
        with self._store.read() as tx:
            collection_id = collections.known_id(tx, self.collection)
            if collection_id is None:
                return SceneIndex()
            return SceneIndex(scenes.known(tx, collection_id, self._settings.weights))

    def _known_places(self) -> Places:
        if self._places is None:
            with self._store.read() as tx:
                collection_id = collections.known_id(tx, self.collection)
                centres = places.known(tx, collection_id) if collection_id is not None else ()
            self._places = Places(self._settings.place_radius_m, self._settings.place_margin_m, centres)
        return self._places


def _ns(seconds: float) -> int:
    return round(seconds * NS_PER_S)
