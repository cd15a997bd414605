"""A file that holds one of everything, and a second, empty one."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.exchange import exporter, jsonl
from robotmem_ros.exchange.importer import Summary
from robotmem_ros.model import LearnRequest, PerceptionInput, Pose, RecallRequest
from robotmem_ros.settings import Settings
from robotmem_ros.store.store import Store

QUESTIONS = (
    RecallRequest('slippery floor', reinforce=False),
    RecallRequest('停止', reinforce=False),
    RecallRequest('grip force cup', tags=('grip',), reinforce=False),
    RecallRequest(n=50, min_confidence=0, since_ns=1, reinforce=False),
    RecallRequest(near=Pose('map', 3.0, 4.0, map_id='hall'), radius=2.0, reinforce=False),
    RecallRequest(context_filter='{"force.n": {"$gte": 12}}', reinforce=False),
    RecallRequest(scene='place:dock_2', reinforce=False),
    RecallRequest('battery', collection='other', min_confidence=0.29, reinforce=False),
    RecallRequest('wet floor', type='perception', reinforce=False),
    RecallRequest('tool rack', reinforce=False),
)


class World:
    """An engine on a file of its own, with the test's clock."""

    def __init__(self, path: Path, clock: ManualClock, embedder: Any = None) -> None:
        self.path, self.clock = str(path), clock
        self.engine = Engine(Store.open(self.path), clock, lambda: embedder, Settings())

    @property
    def store(self) -> Store:
        return self.engine._rt.store

    def learn(self, text: str, **fields: Any) -> int:
        self.clock.advance(seconds=1)
        return self.engine.learn(LearnRequest(text, **fields)).memory_id

    def answers(self) -> list[list[dict[str, Any]]]:
        """All that the questions give, less the ids."""
        return [[plain(m) for m in self.engine.recall(question).memories] for question in QUESTIONS]

    def rows(self) -> dict[str, list[Any]]:
        """What the file holds, less ids: memories by their text."""
        with self.store.read() as tx:
            return {name: tx.execute(sql) for name, sql in ROWS.items()}

    def export(self, **chosen: str) -> bytes:
        out = io.BytesIO()
        with self.store.read() as tx:
            jsonl.write(out, exporter.everything(tx, **chosen))
        return out.getvalue()

    def take(self, data: bytes, collection: str = '') -> Summary:
        return self.engine.import_records(jsonl.read(io.BytesIO(data)), collection)

    def settle(self) -> None:
        """Let the tick come to rest: vectors for what waits for them."""
        while self.engine.tick():
            pass


def plain(memory: Any) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in memory.__slots__ if name != 'id'}


ROWS = {
    'memory': 'SELECT c.name, m.type, m.content, m.category, m.perception_type, m.data, m.source, m.seq, m.tier,'
    ' m.confidence, m.strength, m.use_count, m.use_days, m.session_id, m.created_at, m.last_accessed,'
    ' m.decay_anchor'
    " FROM memory m JOIN collection c ON c.id = m.collection_id WHERE m.status = 'active' ORDER BY m.id",
    'occurrence': 'SELECT m.content, o.at, o.observed_at, o.session_id, o.context, o.map_id, o.frame_id, o.x, o.y, o.z,'
    ' o.qx, o.qy, o.qz, o.qw, o.bucket, o.fingerprint FROM occurrence o'
    ' JOIN memory m ON m.id = o.memory_id'
    " WHERE m.status = 'active' ORDER BY m.id, o.at, o.id",
    'place_index': 'SELECT count(*), min(x0), max(x1), max(y1) FROM occurrence_place',
    'tag': 'SELECT m.content, t.tag FROM memory_tag t JOIN memory m ON m.id = t.memory_id'
    " WHERE m.status = 'active' ORDER BY 1, 2",
    'earlier': 'SELECT m.content, t.replaced_at, t.content FROM memory_text t JOIN memory m ON m.id = t.memory_id'
    ' ORDER BY 1, 2',
    'edge': 'SELECT a.content, b.content, e.weight, e.last_updated, e.due_at FROM co_occurrence e JOIN memory a ON'
    ' a.id = e.memory_a JOIN memory b ON b.id = e.memory_b ORDER BY 1, 2',
    'tie': 'SELECT s.key, m.content, r.weight, r.last_updated FROM scene_ref r JOIN scene s ON s.id = r.scene_id'
    ' JOIN memory m ON m.id = r.memory_id ORDER BY 1, 2',
    'scene': 'SELECT s.key, s.origin, s.strength, s.created_at, s.last_hit, f.kind, f.value, f.visits FROM scene s'
    ' LEFT JOIN scene_feature f ON f.scene_id = s.id ORDER BY 1, 6, 7',
    'place': 'SELECT name, map_id, frame_id, x, y, z, created_at FROM place ORDER BY 1',
    'evidence': 'SELECT bucket, visits, last_at, features FROM situation_evidence ORDER BY 1',
    'session': 'SELECT id, context, started_at, ended_at, outcome_score FROM session ORDER BY 1',
}


def fill(world: World) -> None:
    """One of everything that a file can hold."""
    engine, clock = world.engine, world.clock
    for _ in range(2):
        for place in ('dock_1', 'dock_2'):
            engine.observe('test', [('place', place), ('object', 'crate')])
            clock.advance(seconds=2)
            engine.advance_scenes()
    session = engine.start_session('{"task": "delivery"}').session_id
    slippery = world.learn(
        'the floor is slippery after cleaning: at most 0.3 m/s', session_id=session, category='constraint'
    )
    force = world.learn(
        'grip_force=12.5N works for cups',
        context='{"force": {"n": 12.5}, "note": "50% \\\\ path"}',
        tags=('grip', '抓取'),
        strength=1.5,
        confidence=0.8,
        session_id=session,
    )
    stop = world.learn(
        'don\'t say "stop" — 停止\n  second line \n---\n[[no link]] # text',
        pose=Pose('map', 3.25, 4.1, 0.0, (0.0, 0.0, 0.6, 0.8), 'hall'),
        scene='place:gate/tool:gripper',
    )
    world.learn('grip_force=12.5N works for cups', pose=Pose('map', 3.0, 3.9, map_id='hall'))
    world.learn('the battery is in locker 2', collection='other', confidence=0.31)
    moved = world.learn('the tool rack is empty')
    engine.update(moved, 'the tool rack is full')
    engine.forget(world.learn('nobody needs this'), 'wrong')
    engine.save_perception(
        PerceptionInput(
            (('place', 'yard'),),
            'cam',
            7,
            clock.now_ns() - 5,
            'visual',
            'the floor is wet',
            '{"a": [1, 2.5]}',
            session,
            pose=Pose('map', -1.0, 2.0),
        )
    )
    engine.observe('test', [('place', 'yard'), ('object', '')])
    clock.advance(seconds=2)
    engine.advance_scenes()
    engine.observe_pose('amcl', Pose('map', 20.5, 1.0, map_id='hall'))
    clock.advance(seconds=2)
    engine.advance_scenes()
    engine.flush()
    engine.promote(slippery)
    engine.link(slippery, force, 2.5)
    engine.link(force, stop, 0.2)
    engine.end_session(session, 0.75)
    engine.recall(RecallRequest('grip force'))
    engine.flush()
    clock.advance(days=3.3)
    world.settle()


@pytest.fixture
def new_world(tmp_path: Path, clock: ManualClock) -> Iterator[Callable[..., World]]:
    made: list[World] = []

    def make(name: str, embedder: Any = None) -> World:
        made.append(World(tmp_path / f'{name}.db', clock, embedder))
        return made[-1]

    yield make
    for world in made:
        world.engine.close()


@pytest.fixture
def full(new_world: Callable[..., World]) -> World:
    world = new_world('full', HashEmbedder())
    fill(world)
    return world


@pytest.fixture
def empty(new_world: Callable[..., World]) -> World:
    return new_world('empty', HashEmbedder())
