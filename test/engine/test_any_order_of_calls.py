"""Whatever is called in whatever order, over restarts and jumps of the clock: the tables of the file agree."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.errors import Conflict, InvalidRequest, NotFound
from robotmem_ros.model import LearnRequest, PerceptionInput, Pose, RecallRequest
from robotmem_ros.settings import GcSettings, HebbianSettings, SceneSettings, Settings, StoreSettings

Open = Callable[..., Engine]
WORDS = 'lamp fan dock pad door hall red loud wet worn open cart brake shelf'.split()
SETTINGS = Settings(
    hebbian=HebbianSettings(max_edges=3, half_life_days=5.0), gc=GcSettings(automatic=True),
    store=StoreSettings(max_perceptions=4),
    scenes=SceneSettings(settle_s=0.5, forget_evidence_days=5.0, forget_scenes_days=9.0, ref_half_life_days=2.0))

NONE_OF = {
    'a reference to nothing': 'SELECT "table" FROM pragma_foreign_key_check',
    'an active memory that no words find':
        "SELECT id FROM memory WHERE status = 'active' EXCEPT SELECT id FROM memory_fts_docsize",
    'a retired memory that words find':
        "SELECT id FROM memory_fts_docsize EXCEPT SELECT id FROM memory WHERE status = 'active'",
    'a retired memory with a vector': "SELECT id FROM memory WHERE status <> 'active' AND vector_id IS NOT NULL",
    'a vector that no memory has': 'SELECT id FROM vector EXCEPT SELECT vector_id FROM memory',
    'an edge of a retired memory, or into another collection':
        'SELECT 1 FROM co_occurrence e JOIN memory a ON a.id = e.memory_a JOIN memory b ON b.id = e.memory_b'
        " WHERE a.status <> 'active' OR b.status <> 'active' OR a.collection_id <> b.collection_id",
    'a memory with too many edges':
        'SELECT id FROM memory m WHERE (SELECT count(*) FROM co_occurrence WHERE m.id IN (memory_a, memory_b)) > 3',
    'a tie of a retired memory, or to a scene of another collection':
        'SELECT 1 FROM scene_ref r JOIN memory m ON m.id = r.memory_id JOIN scene s ON s.id = r.scene_id'
        " WHERE m.status <> 'active' OR m.collection_id <> s.collection_id",
    'a memory that was never learned':
        "SELECT id FROM memory WHERE status = 'active' EXCEPT SELECT memory_id FROM occurrence",
    'a pose that the index does not have, or the other way round':
        "SELECT * FROM (SELECT id FROM occurrence WHERE frame_id <> '' EXCEPT SELECT id FROM occurrence_place) UNION"
        " SELECT * FROM (SELECT id FROM occurrence_place EXCEPT SELECT id FROM occurrence WHERE frame_id <> '')",
    'evidence of what is a scene already':
        "SELECT 1 FROM situation_evidence e JOIN scene s ON s.collection_id = e.collection_id AND s.key = e.bucket"
        " WHERE s.origin = 'emergent'",
}


def agrees(engine: Engine) -> None:
    """Compare the tables with one another, and the scenes in memory with those in the file."""
    with engine._rt.store.read() as tx:
        for what, sql in NONE_OF.items():
            assert tx.execute(sql) == [], what
    index = engine.scenes._index
    if index is not None:
        stored = {scene.key: (scene.strength, scene.origin) for scene in engine.list_scenes()}
        assert {key: (scene.strength, scene.origin) for key, scene in index.by_key.items()} == stored


class Chance:
    """One call after the other, as a seed has them."""

    def __init__(self, seed: int, open_engine: Open, clock: ManualClock) -> None:
        self.dice, self.clock = random.Random(seed), clock
        embedder = HashEmbedder() if seed % 3 else None
        self.open = lambda: open_engine(embedder, SETTINGS)
        self.engine, self.sessions = self.open(), ['']

    def text(self) -> str:
        return ' '.join(self.dice.sample(WORDS, 3))

    def step(self) -> None:
        call = self.dice.choice([getattr(self, name) for name in dir(Chance) if name.startswith('do_')])
        with suppress(InvalidRequest, NotFound, Conflict):  # an id that is none: refused, and nothing changed
            call(self.engine, self.dice.choice, self.dice.randint(1, 12))

    def do_learn(self, engine: Engine, one_of: Any, _: int) -> None:
        for _ in range(2):
            engine.learn(LearnRequest(
                self.text(), session_id=one_of(self.sessions), category=one_of(['', 'constraint']),
                scene=one_of(['', 'place:hall', 'place:hall/peer:x']), tags=one_of([(), ('a', 'b')]),
                pose=one_of([None, Pose('map', self.dice.random(), 0.0)]), collection=one_of(['', '', 'other'])))

    def do_recall(self, engine: Engine, one_of: Any, _: int) -> None:
        engine.recall(RecallRequest(one_of(WORDS), context_session=one_of(self.sessions)))

    def do_see(self, engine: Engine, one_of: Any, _: int) -> None:
        for kind in ('place', 'peer'):
            engine.observe('test', [(kind, one_of(['', 'hall', 'x']))])
            self.clock.advance(seconds=one_of([0.0, 0.6]))
            engine.advance_scenes()

    def do_perceive(self, engine: Engine, one_of: Any, _: int) -> None:
        engine.save_perception(PerceptionInput(description=self.text(), features=(('place', one_of(['hall', 'x'])),)))
        engine.observe_pose('test', Pose('map', one_of([0.0, 3.0, 9.0]), 0.0))

    def do_session(self, engine: Engine, one_of: Any, _: int) -> None:
        self.sessions = ['', engine.start_session('{"task": "dock lamp"}').session_id]

    def do_end(self, engine: Engine, one_of: Any, _: int) -> None:
        engine.end_session(self.sessions[-1], one_of([None, 0.9]))

    def do_change(self, engine: Engine, one_of: Any, some_id: int) -> None:
        one_of([lambda: engine.update(some_id, self.text()), lambda: engine.forget(some_id, 'wrong'),
                lambda: engine.promote(some_id)])()

    def do_link(self, engine: Engine, one_of: Any, some_id: int) -> None:
        for other in range(1, 6):
            engine.link(some_id, other, self.dice.uniform(0.1, 2.0))

    def do_keep_house(self, engine: Engine, one_of: Any, some_number: int) -> None:
        self.clock.advance(days=one_of([0.0, 0.1, 4.0, 12.0]))
        for _ in range(some_number):
            engine.tick()

    def do_maintain(self, engine: Engine, one_of: Any, _: int) -> None:
        engine.maintain(gc_threshold=one_of([0.0, 0.3]), purge_after_days=one_of([0.0, 1.0]), cleanup_duplicates=True)

    def do_scenes(self, engine: Engine, one_of: Any, some_number: int) -> None:
        engine.declare_scene(one_of(['place:hall', 'peer:x', 'place:p1']))
        if some_number == 1:
            engine.rebuild_scenes()

    def do_restart(self, engine: Engine, one_of: Any, some_number: int) -> None:
        engine.close()
        if some_number < 4:
            self.clock.reboot()
        self.clock.set(seconds=one_of([0.0, -5000.0, 3.0, 100_000.0]))
        self.engine = self.open()


@pytest.mark.parametrize('seed', range(8))
def test_the_tables_agree(seed: int, open_engine: Open, clock: ManualClock) -> None:
    chance = Chance(seed, open_engine, clock)
    for number in range(120):
        chance.step()
        if number % 5 == 0:
            agrees(chance.engine)
    agrees(chance.engine)
