"""A robot in fast motion: it sees, time passes, the tracker decides at the moments it asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from robotmem_ros.model import Pose, Scene
from robotmem_ros.scenes import SceneEvent, SceneTracker
from robotmem_ros.settings import SceneSettings
from robotmem_ros.store import collections, memories, occurrences, scenes
from robotmem_ros.store.memories import NewMemory
from robotmem_ros.store.occurrences import Occurrence
from robotmem_ros.store.store import Store

SECOND = 10**9


class Robot:
    """Drives a `SceneTracker`; ``events`` is all that was told so far."""

    def __init__(self, store: Store, settings: SceneSettings) -> None:
        self.store, self.settings = store, settings
        self.now = 1_000 * SECOND
        self.events: list[SceneEvent] = []
        self.tracker = SceneTracker(store, settings, 'test')

    def restart(self) -> None:
        """Lose all that is not in the file."""
        self.tracker.flush()
        self.tracker = SceneTracker(self.store, self.settings, 'test')

    def see(self, source: str = 'perception', **kinds: Any) -> int:
        """Send one message; a list gives several values of a kind."""
        pairs = [(k, v) for k, vs in kinds.items() for v in (vs if isinstance(vs, list) else [vs])]
        return self.tracker.observe(source, pairs, self.now)

    def at(self, x: float, y: float = 0.0, frame_id: str = 'map', map_id: str = '') -> None:
        """Send one pose."""
        self.tracker.observe_pose('amcl', Pose(frame_id, x, y, map_id=map_id), self.now)

    def wait(self, seconds: float = 1.0) -> list[SceneEvent]:
        """Let time pass as a timer would, and give what was told meanwhile."""
        end, told = self.now + round(seconds * SECOND), []
        while (due := self.tracker.due_ns()) is not None and due <= end:
            self.now = max(self.now, due)
            told += self.tracker.advance(self.now)
        self.now = end
        self.events += told
        return told

    def visit(self, **kinds: Any) -> list[SceneEvent]:
        """Come from somewhere else, see this for a second, and give what was told here."""
        self.see(**dict.fromkeys(('place', 'chan', 'peer', 'object', 'topic', 'part', 'tool', 'temp'), ''))
        self.wait()
        self.see(**kinds)
        return self.wait()

    def scenes(self) -> dict[str, Scene]:
        """Give all scenes in the file, by key."""
        with self.store.read() as tx:
            known = collections.known_id(tx, 'test')
            return {} if known is None else {each.key: each for each in scenes.list_scenes(tx, known)}

    def evidence(self) -> dict[str, int]:
        """Give the visits of each bucket in the file."""
        with self.store.read() as tx:
            return dict(tx.execute('SELECT bucket, visits FROM situation_evidence'))

    def writes(self) -> int:
        """Give a number that grows with each change of the file."""
        with self.store.write() as tx:
            return int(tx.connection.total_changes())

    def learn(self, text: str) -> int:
        """Store a fact as learned here and now, the way the engine does."""
        with self.store.write() as tx:
            collection_id = collections.collection_id(tx, 'test')
            memory_id = memories.insert(tx, NewMemory(
                collection_id=collection_id, type='fact', content=text, confidence=0.9, created_at_ns=self.now))
            occurrences.add(tx, memory_id, Occurrence(at_ns=self.now, bucket=self.tracker.bucket(self.now)))
            here = self.tracker.here(self.now)
            scenes.attach(tx, [here.id] if here else [], memory_id, self.now)
            return memory_id

    def memories_of(self, key: str) -> set[int]:
        """Give the ids that hang on a scene."""
        with self.store.read() as tx:
            return {row[0] for row in tx.execute(
                "SELECT r.memory_id FROM scene_ref r JOIN memory m ON m.id = r.memory_id AND m.status = 'active'"
                ' WHERE r.scene_id = ?', (self.scenes()[key].id,))}


@pytest.fixture
def store(db_path: str) -> Iterator[Store]:
    opened = Store.open(db_path)
    yield opened
    opened.close()


@pytest.fixture
def make_robot(store: Store) -> Callable[..., Robot]:
    """Build a robot with some settings of its own; by default it does not know the hour."""
    return lambda **changes: Robot(store, replace(SceneSettings(day_zone='off'), **changes))


@pytest.fixture
def robot(make_robot: Callable[..., Robot]) -> Robot:
    """A robot with the default settings."""
    return make_robot()
