"""GC that nobody asks for: off by default, in time powered on, at most 1 % of the collection a day."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from robotmem_ros.automatic_gc import Allowance
from robotmem_ros.clock import ManualClock
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, RecallRequest
from robotmem_ros.settings import GcSettings, Settings, TickSettings
from robotmem_ros.store import memories, retention
from robotmem_ros.store.memories import NewMemory

Open = Callable[..., Engine]
ON = Settings(gc=GcSettings(automatic=True), tick=TickSettings(period_s=600.0))
HOUR = 3600 * 10**9


def fill(engine: Engine, count: int) -> None:
    engine.learn(LearnRequest('first of all'))
    now = engine._rt.clock.now_ns()
    with engine._rt.store.write() as tx:
        for i in range(count - 1):
            memories.insert(tx, NewMemory(1, 'fact', f'note{i} about thing{i}', now))


def live(engine: Engine, clock: ManualClock, days: float) -> None:
    """Let the node run: a tick every ten minutes."""
    for _ in range(round(days * 144)):
        clock.advance(seconds=600)
        for _ in range(10_000):
            if not engine.tick():
                break


def retired(engine: Engine) -> int:
    return int(engine.stats()['by_status'].get('retired', 0))


def test_at_most_one_percent_a_day(open_engine: Open, clock: ManualClock) -> None:
    engine = open_engine(None, ON)
    fill(engine, 1000)
    live(engine, clock, 9.9)
    assert retired(engine) == 0
    live(engine, clock, 0.5)
    before = retired(engine)
    for day in range(1, 4):
        live(engine, clock, 1)
        assert 8 * day <= retired(engine) - before <= 10 * day + 1


def test_a_small_collection_loses_one_a_few_days(open_engine: Open, clock: ManualClock) -> None:
    engine = open_engine(None, ON)
    fill(engine, 50)
    live(engine, clock, 16)
    assert 1 <= retired(engine) <= 4


def test_a_month_in_storage_retires_nothing(open_engine: Open, clock: ManualClock) -> None:
    """It counts powered-on time: ages grow while the robot is off, its own clock does not."""
    engine = open_engine(None, ON)
    fill(engine, 500)
    live(engine, clock, 2)
    engine.close()
    clock.advance(days=30)
    clock.reboot()
    engine = open_engine(None, ON)
    assert engine.maintain(dry_run=True).gc_retired == 500, 'on request they would go'
    live(engine, clock, 7.5)
    assert retired(engine) == 0
    live(engine, clock, 2)
    assert 1 <= retired(engine) <= 11


def test_a_robot_that_is_switched_off_at_the_plug_counts_its_days_too(open_engine: Open, clock: ManualClock) -> None:
    engine = open_engine(None, ON)
    fill(engine, 300)
    for day in range(30):
        for hour in range(0, 12, 3):
            live(engine, clock, 3 / 24)
            engine.learn(LearnRequest(f'day{day} taught at hour{hour}'))
            engine.tick()
        engine._rt.store.close()
        engine.flush = lambda: None
        clock.reboot()
        engine = open_engine(None, ON)
    assert retired(engine) >= 1


def test_what_was_not_retired_is_not_saved_up() -> None:
    allowance = Allowance()
    for hour in range(1, 100):
        allowance.earn(hour * HOUR, rows_a_day=240.0)
    assert allowance.rows == pytest.approx(11.0), 'one row, and the ten of the last hour'


def test_a_machine_that_slept_was_not_powered_on(open_engine: Open, clock: ManualClock) -> None:
    engine = open_engine(None, ON)
    fill(engine, 100)
    live(engine, clock, 0.1)
    clock.advance(days=30)
    live(engine, clock, 1)
    assert retired(engine) == 0


def test_what_is_used_or_held_stays(open_engine: Open, clock: ManualClock) -> None:
    engine = open_engine(None, ON)
    fill(engine, 300)
    rule = engine.learn(LearnRequest('never lift above 5 kg', category='constraint')).memory_id
    for _ in range(12):
        live(engine, clock, 1)
        engine.recall(RecallRequest('first of all', n=1))
    live(engine, clock, 0.5)
    assert retired(engine) >= 1
    with engine._rt.store.read() as tx:
        rows = memories.rows(tx, [1, rule])
    assert [row.status for row in rows.values()] == ['active', 'active']
    assert rows[1].tier == 'ltm'


def test_a_use_that_waits_to_be_written_counts(
    open_engine: Open, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contract 6: a recall whose trace is still queued has saved its memory already."""
    monkeypatch.setattr('robotmem_ros.maintenance.JOBS', ())  # the queue is never written
    engine = open_engine(None, ON)
    fill(engine, 3)
    live(engine, clock, 9)
    engine.recall(RecallRequest('first of all', n=1))
    live(engine, clock, 150)
    with engine._rt.store.read() as tx:
        rows = memories.rows(tx, [1, 2, 3])
    assert [rows[i].status for i in (1, 2, 3)] == ['active', 'retired', 'retired']


def test_off_is_off_and_on_can_be_turned_off(open_engine: Open, clock: ManualClock) -> None:
    engine = open_engine(None, ON)
    fill(engine, 300)
    live(engine, clock, 11)
    before = retired(engine)
    assert before > 0
    engine.configure(Settings())
    live(engine, clock, 2)
    assert retired(engine) == before


def test_the_due_time_is_looked_up_in_an_index(
    open_engine: Open, clock: ManualClock, rows_written: Callable[[Engine], int]
) -> None:
    """Not one look at a memory that is not due: the plan names the index, and no pass writes."""
    engine = open_engine(None, ON)
    fill(engine, 200)
    live(engine, clock, 0.1)
    with engine._rt.store.read() as tx:
        seen: list[str] = []
        plain = tx.execute

        def explained(sql: str, args: Any = ()) -> Any:
            seen.extend(row[3] for row in plain('EXPLAIN QUERY PLAN ' + sql, args))
            return plain(sql, args)

        tx.execute = explained  # type: ignore[method-assign]
        assert retention.gc_due(tx, 1, 5 * HOUR, 10, only_new=False) == []
        assert retention.gc_due(tx, 1, 5 * HOUR, 10, only_new=True) == []
        assert all('memory_gc_due' in step and 'SEARCH' in step for step in seen), seen
    before = rows_written(engine)
    live(engine, clock, 0.5)
    assert rows_written(engine) == before


@pytest.mark.parametrize('share', [0.0, 0.001])
def test_the_share_is_a_setting(open_engine: Open, clock: ManualClock, share: float) -> None:
    rules = GcSettings(automatic=True, daily_share=share)
    engine = open_engine(None, Settings(gc=rules, tick=TickSettings(period_s=600.0)))
    fill(engine, 1000)
    live(engine, clock, 13)
    assert retired(engine) <= share * 1000 * 3 + 1
