"""A file of tens of thousands of memories: an idle robot, a busy one, and the log beside the file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.errors import EmbeddingFailed
from robotmem_ros.model import LearnRequest, PerceptionInput, RecallRequest
from robotmem_ros.ports import Vector
from robotmem_ros.store import collections, lifecycle, memories, occurrences, vectors
from robotmem_ros.store.connection import WAL_LIMIT_BYTES
from robotmem_ros.store.memories import NewMemory
from robotmem_ros.store.occurrences import Occurrence

MEMORIES = 50_000
PERCEPTIONS = 20_000


@pytest.fixture
def large(text_engine: Engine, clock: ManualClock) -> Engine:
    """Fifty thousand memories that were learned some days ago."""
    with text_engine._rt.store.write(durable=False) as tx:
        collection = collections.collection_id(tx, 'default')
        for i in range(MEMORIES):
            memory = memories.insert(tx, NewMemory(collection, 'fact', f'crate {i} of row {i % 97}', clock.now))
            occurrences.add(tx, memory, Occurrence(clock.now))
        tx.executemany(
            'INSERT INTO co_occurrence VALUES (?, ?, 5, ?, ?)',
            ((i, i + 1, clock.now, clock.now + 70 * 86_400 * 10**9) for i in range(1, MEMORIES)))
    return text_engine


def test_an_idle_day_writes_nothing(large: Engine, clock: ManualClock, db_path: str) -> None:
    """SQL-07: 50 000 memories, 24 hours, a tick every minute: not a byte (20 MiB would be allowed)."""
    while large.tick():
        pass
    large._rt.store.checkpoint(truncate=True)
    files = [Path(db_path), Path(db_path + '-wal')]
    before = [(file.stat().st_size, file.stat().st_mtime_ns) for file in files]
    for _ in range(24 * 60):
        clock.advance(seconds=60)
        assert large.tick() is False
    assert [(file.stat().st_size, file.stat().st_mtime_ns) for file in files] == before


def test_the_log_stays_bounded_under_perceptions_and_recalls(text_engine: Engine, db_path: str) -> None:
    """SQL-06: a stream of perceptions, a recall every 100 ms, ticks, and a look at the log after each batch."""
    engine, wal = text_engine, Path(db_path + '-wal')
    engine.learn(LearnRequest('the bay door sticks in winter'))
    ended, answers = threading.Event(), []

    def ask() -> None:
        while not ended.wait(0.1):
            answers.append(len(engine.recall(RecallRequest('bay door', n=100)).memories))

    asking = threading.Thread(target=ask)
    asking.start()
    largest = 0
    try:
        for begin in range(0, PERCEPTIONS, 200):
            batch = [
                PerceptionInput(description=f'crate {i} goes by', source='camera') for i in range(begin, begin + 200)]
            assert all(isinstance(each, int) for each in engine.save_perceptions(batch))
            engine.tick()
            largest = max(largest, wal.stat().st_size)
    finally:
        ended.set()
        asking.join()
    assert largest < WAL_LIMIT_BYTES and min(answers) >= 1
    engine.close()
    assert not wal.exists()


class Failing(HashEmbedder):
    """A model that gives vectors until it is broken."""

    broken = False

    def embed(self, text: str) -> Vector:
        if self.broken:
            raise EmbeddingFailed('broken')
        return super().embed(text)


def filled(engine: Engine, word: str, count: int, vector: Vector | None = None) -> list[int]:
    embedder, made = HashEmbedder(), []
    with engine._rt.store.write(durable=False) as tx:
        collection = collections.collection_id(tx, 'default')
        for i in range(count):
            text = f'{word} {i} of row {i % 97}'
            made.append(memories.insert(tx, NewMemory(collection, 'fact', text, engine._rt.clock.now_ns())))
            occurrences.add(tx, made[-1], Occurrence(engine._rt.clock.now_ns()))
            vectors.put(tx, made[-1], collection, embedder.embed(text) if vector is None else vector)
    return made


def purged(engine: Engine, ids: list[int]) -> None:
    with engine._rt.store.write(durable=False) as tx:
        lifecycle.purge(tx, ids)


def test_nothing_comes_back_under_an_id_that_was_purged(open_engine: Callable[..., Engine]) -> None:
    """VEC-08: of 1 000 the ten newest are purged, ten learned without a vector: no id, vector or edge is inherited."""
    model = Failing()
    engine = open_engine(model)
    made = filled(engine, 'crate', 1000)
    engine.link(made[-1], made[0], 50.0)
    purged(engine, made[-10:])
    model.broken = True
    new = [engine.learn(LearnRequest(f'lamp{i} in hall{i}')).memory_id for i in range(10)]
    assert min(new) > max(made)
    model.broken = False
    for i in range(990, 1000):
        found = engine.recall(RecallRequest(f'crate {i} of row {i % 97}', n=20, reinforce=False)).memories
        assert not {m.id for m in found} & {*new, *made[-10:]}
    assert engine.stats()['edges'] == 0


def test_twenty_rounds_of_a_thousand_take_no_more_room(open_engine: Callable[..., Engine]) -> None:
    """VEC-08: free pages are used again: the file is after twenty rounds what it was after two."""
    engine, sizes, vector = open_engine(HashEmbedder()), [], HashEmbedder().embed('crate')
    for turn in range(20):
        purged(engine, filled(engine, f'turn{turn}', 1000, vector))
        with engine._rt.store.read() as tx:
            sizes.append(tx.value('PRAGMA page_count'))
    assert sizes[-1] <= 1.1 * sizes[1], sizes
