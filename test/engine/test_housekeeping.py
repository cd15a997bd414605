"""The timer: what it applies, that it changes no value by itself, that it rests when nothing is due."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from itertools import count
from pathlib import Path

import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.errors import StoreBusy
from robotmem_ros.maintenance import USES_A_SLICE, Housekeeper
from robotmem_ros.model import LearnRequest, PerceptionInput, RecallRequest
from robotmem_ros.ports import Vector
from robotmem_ros.settings import Settings, StoreSettings
from robotmem_ros.store.store import Store
from robotmem_ros.timekeeping import Moment, Timekeeper
from robotmem_ros.usage import MAX_QUEUED, MAX_SESSIONS, UsageQueue, Use

Open = Callable[..., Engine]


def settle(engine: Engine) -> int:
    slices = 1
    while engine.tick():
        slices += 1
        assert slices < 1000, 'the tick never ends'
    return slices


def edge(engine: Engine, a: int, b: int) -> float:
    from robotmem_ros.store import edges

    with engine._rt.store.read() as tx:
        return edges.weight_of(tx, a, b, engine._rt.clock.now_ns(), 30.0)


def pair(engine: Engine) -> tuple[int, int]:
    return (
        engine.learn(LearnRequest('dock lamp blinks red')).memory_id,
        engine.learn(LearnRequest('dock fan is loud')).memory_id,
    )


def test_recalled_together_is_tied_together_once_whatever_the_order(engine: Engine) -> None:
    """HEB-02: one edge, both directions are the same, no edge from a memory to itself."""
    a, b = pair(engine)
    engine.recall(RecallRequest('dock'))
    settle(engine)
    assert edge(engine, a, b) == edge(engine, b, a) == pytest.approx(1.0)
    assert engine.stats()['edges'] == 1


def test_only_the_top_results_of_one_recall_are_tied(engine: Engine) -> None:
    """Contract 7: five of twenty by default, whatever the answer's length."""
    for i in range(20):
        engine.learn(LearnRequest(f'dock sign{i} word{i}'))
    top = [m.id for m in engine.recall(RecallRequest('dock', n=20)).memories][:5]
    settle(engine)
    assert engine.stats()['edges'] == 10
    assert all(edge(engine, a, b) == pytest.approx(1.0) for a in top for b in top if a != b)


def test_an_edge_is_brought_to_now_before_it_grows(engine: Engine, clock: ManualClock) -> None:
    """HEB-04: 8 → 4 after a half-life however often the tick ran; +1 there; half of that at day 60."""
    a, b = pair(engine)
    engine.link(a, b, 8.0)
    clock.advance(days=30)
    for _ in range(100):
        engine.tick()
    assert edge(engine, a, b) == pytest.approx(4.0)
    engine.link(a, b, 1.0)
    clock.advance(days=30)
    assert edge(engine, a, b) == pytest.approx(2.5)


def test_repeats_within_a_minute_count_once(engine: Engine, clock: ManualClock) -> None:
    a, b = pair(engine)
    for _ in range(50):
        engine.recall(RecallRequest('dock'))
        clock.advance(seconds=1.0)
    settle(engine)
    assert edge(engine, a, b) == pytest.approx(1.0, abs=0.01)
    clock.advance(seconds=120)
    engine.recall(RecallRequest('dock'))
    settle(engine)
    assert edge(engine, a, b) == pytest.approx(2.0, abs=0.01)


def test_edges_that_faded_to_nothing_go(engine: Engine, clock: ManualClock) -> None:
    pair_ = pair(engine)
    engine.link(*pair_, 1.0)
    clock.advance(days=29)
    settle(engine)
    assert engine.stats()['edges'] == 1
    clock.advance(days=400)
    settle(engine)
    assert engine.stats()['edges'] == 0


def test_ticks_never_change_what_a_memory_is_worth(engine: Engine, clock: ManualClock) -> None:
    """Contract 6: the value depends on time alone, not on how often the timer ran."""
    engine.learn(LearnRequest('dock lamp blinks red', confidence=0.9))
    for _ in range(100):
        clock.advance(days=1)
        settle(engine)
    (memory,) = engine.recall(RecallRequest('lamp', min_confidence=0.0)).memories
    assert memory.confidence == pytest.approx(0.9 * 0.99**100, rel=1e-12)


def test_a_recall_resets_the_clock_of_what_it_returned(engine: Engine, clock: ManualClock) -> None:
    engine.learn(LearnRequest('dock lamp blinks red', confidence=0.9))
    clock.advance(days=50)
    engine.recall(RecallRequest('lamp'))
    settle(engine)
    (memory,) = engine.recall(RecallRequest('lamp', reinforce=False)).memories
    assert (memory.confidence, memory.use_count) == (pytest.approx(0.9), 1)


def test_an_idle_memory_writes_nothing(engine: Engine, db_path: str, clock: ManualClock) -> None:
    """SQL-07: a day of ticks, and not one byte."""
    pair(engine)
    settle(engine)

    def sizes() -> list[tuple[int, int]]:
        return [
            (p.stat().st_size, p.stat().st_mtime_ns)
            for p in sorted(Path(db_path).parent.glob('memory.db*'))
            if 'shm' not in p.name
        ]

    before = sizes()
    for _ in range(1440):
        clock.advance(seconds=60)
        assert engine.tick() is False
    assert sizes() == before


def test_what_was_learned_without_a_model_gets_vectors_when_there_is_one(open_engine: Open) -> None:
    """EMB-03: in small slices, the forgotten left out."""
    blind = open_engine(None)
    made = [blind.learn(LearnRequest(f'note about item{i} on shelf{i}')).memory_id for i in range(30)]
    for memory_id in made[:10]:
        blind.forget(memory_id, 'not needed')
    assert blind.stats()['pending_vectors'] == 20
    blind.close()
    seeing = open_engine(HashEmbedder())
    settle(seeing)
    assert seeing.stats()['pending_vectors'] == 0
    assert seeing.recall(RecallRequest('item25 shelf25')).memories[0].score_vector > 0


def test_vectors_of_two_models_are_never_mixed(open_engine: Open) -> None:
    """VEC-06: same width, other weights: all are embedded anew; words answer meanwhile."""
    old = open_engine(HashEmbedder(salt='one'))
    old.learn(LearnRequest('dock lamp blinks red'))
    old.close()
    new = open_engine(HashEmbedder(salt='two'))
    assert new.stats()['pending_vectors'] == 1
    assert new.recall(RecallRequest('lamp')).memories[0].score_vector == 0.0
    settle(new)
    assert new.recall(RecallRequest('dock lamp blinks red')).memories[0].score_vector == pytest.approx(1.0, abs=1e-5)


def test_perceptions_are_searched_at_once_and_embedded_later(engine: Engine) -> None:
    engine.save_perception(PerceptionInput(description='a red box on the belt', source='camera'))
    assert [m.type for m in engine.recall(RecallRequest('red box')).memories] == ['perception']
    assert engine.stats()['pending_vectors'] == 1
    settle(engine)
    assert engine.stats()['pending_vectors'] == 0


def test_uses_outlive_a_writer_that_was_busy(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed write puts the uses back; the next tick applies them once."""
    engine.learn(LearnRequest('dock lamp blinks red'))
    engine.recall(RecallRequest('lamp'))

    def busy(*args: object, **kwargs: object) -> None:
        raise StoreBusy('memory.db', 'held by a test')

    with monkeypatch.context() as patch:
        patch.setattr('robotmem_ros.store.usage.reinforce', busy)
        with pytest.raises(StoreBusy):
            engine.tick()
    settle(engine)
    (memory,) = engine.recall(RecallRequest('lamp', reinforce=False)).memories
    assert memory.use_count == 1


def test_a_stop_flushes_what_was_queued(open_engine: Open) -> None:
    first = open_engine(None)
    first.learn(LearnRequest('dock lamp blinks red'))
    first.recall(RecallRequest('lamp'))
    first.close()
    (memory,) = open_engine(None).recall(RecallRequest('lamp', reinforce=False)).memories
    assert memory.use_count == 1


def test_a_stop_ends_though_the_clock_steps_meanwhile(
    engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uses wait while stamps are to be moved, so both are done by turns."""
    memory_id = engine.learn(LearnRequest('dock lamp blinks red')).memory_id
    for _ in range(USES_A_SLICE + 1):
        clock.advance(seconds=120)
        engine.recall(RecallRequest('lamp'))
    time, looked = engine._rt.time, count()
    moving = type(time).is_moving.fget

    def is_moving(keeper: Timekeeper) -> bool:
        assert next(looked) < 100, 'it turns round and round'
        return bool(moving(keeper))

    taken = engine._rt.usage.taken

    def stepped(most: int) -> AbstractContextManager[list[Use]]:
        if not time.step_count:
            clock.set(days=1)
            time.now()
        return taken(most)

    monkeypatch.setattr(Timekeeper, 'is_moving', property(is_moving))
    monkeypatch.setattr(engine._rt.usage, 'taken', stepped)
    engine.flush()
    with engine._rt.store.read() as tx:
        assert tx.value('SELECT use_count FROM memory WHERE id = ?', (memory_id,)) == USES_A_SLICE + 1


def test_a_slice_ends_at_its_time_and_the_next_goes_on(open_engine: Open, clock: ManualClock) -> None:
    """Contract 6: slices of a few milliseconds; with 4 ms a text, two of eight fit into 5 ms, and no other job."""
    class Slow(HashEmbedder):
        def embed(self, text: str) -> Vector:
            clock.advance(seconds=0.004)
            return super().embed(text)

    first = open_engine(None)
    for i in range(8):
        first.learn(LearnRequest(f'dock sign{i} word{i}'))
    first.close()
    engine = open_engine(Slow())
    left = []
    while engine.tick():
        left.append(engine.stats()['pending_vectors'])
    assert left[:4] == [6, 4, 2, 0]
    later: list[str] = []
    keeper = Housekeeper(engine._rt)
    engine.learn(LearnRequest('a wet dock'))
    with engine._rt.store.write() as tx:
        tx.execute('UPDATE memory SET vector_state = 0, vector_id = NULL')
    keeper._jobs = (*keeper._jobs, lambda *_: bool(later.append('last')))
    assert keeper.run_slice() and not later
    keeper.run_slice()
    assert later == ['last'], 'a slice goes on behind the job at which time was up'


def test_a_job_that_never_ends_keeps_no_other_from_its_work(db_path: str, clock: ManualClock) -> None:
    """Contract 4: perceptions faster than the model embeds them are still at most ``store.max_perceptions``."""
    class Slow(HashEmbedder):
        def embed(self, text: str) -> Vector:
            clock.advance(seconds=0.02)
            return super().embed(text)

    settings = Settings(store=StoreSettings(max_perceptions=20))
    engine = Engine(Store.open(db_path), clock, Slow, settings)
    for i in range(40):
        for part in range(3):
            engine.save_perception(PerceptionInput(description=f'crate{i} on belt{part}'))
        engine.tick()
    assert engine.stats()['pending_vectors'] > 0, 'the model lags behind'
    assert engine.stats()['by_type']['perception'] <= 20 + 2 * 3
    engine.close()


def test_a_job_that_fails_keeps_no_other_from_its_work(engine: Engine) -> None:
    keeper, done = Housekeeper(engine._rt), []

    def fails(*_: object) -> bool:
        raise StoreBusy('memory.db', 'for a test')

    keeper._jobs = (fails, lambda *_: bool(done.append('next')))
    with pytest.raises(StoreBusy):
        keeper.run_slice()
    with pytest.raises(StoreBusy):
        keeper.run_slice()
    assert done == ['next']


def test_an_answer_without_memories_leaves_nothing_to_write(text_engine: Engine) -> None:
    """Contract 6: a robot that asks in vain wears out no card."""
    text_engine.recall(RecallRequest('nothing of the kind'))
    assert len(text_engine._rt.usage) == 0


def test_the_queue_is_bounded_and_counts_what_it_drops() -> None:
    """Contract 6: queued reinforcement may be lost; memory of the process may not grow for ever."""
    queue = UsageQueue()
    for i in range(MAX_QUEUED + 3):
        queue.add([i + 1], Moment(1, 1, 1))
    with queue.taken(1) as uses:
        assert (queue.dropped, uses[0].ids, len(queue)) == (3, (4,), MAX_QUEUED - 1)
        assert 4 in queue.waiting(), 'until they are written'
    assert 4 not in queue.waiting()


def test_uses_that_could_not_be_written_are_first_again() -> None:
    queue = UsageQueue()
    for memory_id in (1, 2, 3):
        queue.add([memory_id], Moment(1, 1, 1))
    with suppress(StoreBusy), queue.taken(2):
        queue.add([4], Moment(1, 1, 1))
        raise StoreBusy('memory.db', 'for a test')
    with queue.taken(9) as uses:
        assert [use.ids for use in uses] == [(1,), (2,), (3,), (4,)]

def test_what_sessions_recalled_is_bounded() -> None:
    """The process may not grow with sessions that nobody ends; the one that recalled last stays longest."""
    queue = UsageQueue()
    for number in range(MAX_SESSIONS):
        queue.remember(f's{number}', [1])
    queue.remember('s0', [2])
    queue.remember('new', [3])
    assert [queue.recent(name) for name in ('s0', 's1', 's2', 'new')] == [(1, 2), (), (1,), (3,)]
