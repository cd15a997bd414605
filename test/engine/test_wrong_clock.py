"""TIME-*: clocks that are wrong at boot, that step, that are simulated, that loop, that have not begun."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from robotmem_ros import timekeeping
from robotmem_ros.clock import ManualClock, SystemClock
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, Memory, PerceptionInput, RecallRequest
from robotmem_ros.settings import ClockSettings, Settings
from robotmem_ros.store.store import Store
from robotmem_ros.store.tx import Tx

Open = Callable[..., Engine]
DAY = 86_400 * 10**9
HOUR = 3600 * 10**9


def settle(engine: Engine) -> None:
    for _ in range(1000):
        if not engine.tick():
            return
    raise AssertionError('the tick never ends')


def look(engine: Engine, query: str) -> Memory:
    """Give the one memory that holds these words, without using it."""
    (memory,) = [m for m in engine.recall(RecallRequest(query, n=50, min_confidence=0.0, reinforce=False)).memories
                 if query in m.content]
    return memory


def rows(engine: Engine, sql: str) -> list[tuple[object, ...]]:
    with engine._rt.store.read() as tx:
        return tx.execute(sql)


def dates(engine: Engine, column: str, table: str) -> set[object]:
    return {row[0] for row in rows(engine, f'SELECT {column} FROM {table}')}  # noqa: S608


def kill(engine: Engine) -> None:
    """End as a killed process does: nothing is flushed."""
    engine._rt.store.close()
    engine.flush = lambda: None


@pytest.fixture
def booted_in_the_past(open_engine: Open, clock: ManualClock) -> Engine:
    """A robot without a battery for its clock: what it learned before, and then 400 days back."""
    before = open_engine(None)
    before.learn(LearnRequest('older note'))
    before.close()
    clock.reboot()
    clock.set(days=-400)
    return open_engine(None)


def test_at_the_first_step_forward_rows_of_this_boot_move_and_older_ones_age(
    booted_in_the_past: Engine, clock: ManualClock
) -> None:
    engine = booted_in_the_past
    engine.learn(LearnRequest('fresh note'))
    clock.advance(seconds=3600)
    assert look(engine, 'older').confidence == 0.9, 'an age is never negative'
    clock.set(days=410)
    assert look(engine, 'fresh').confidence == pytest.approx(0.9 * 0.99 ** (1 / 24), rel=1e-12), 'at once'
    settle(engine)
    fresh, older = look(engine, 'fresh'), look(engine, 'older')
    assert fresh.confidence == pytest.approx(0.9 * 0.99 ** (1 / 24), rel=1e-12)
    assert (fresh.age_ns, fresh.created_at_ns) == (HOUR, clock.now - HOUR)
    assert older.confidence == pytest.approx(0.9 * 0.99 ** (10 + 1 / 24), rel=1e-12), 'time switched off counts'
    lately = engine.recall(RecallRequest('note', since_ns=clock.now - 2 * HOUR)).memories
    assert [m.content for m in lately] == ['fresh note']


def test_all_that_has_a_date_moves(booted_in_the_past: Engine, clock: ManualClock) -> None:
    engine = booted_in_the_past
    session = engine.start_session().session_id
    a, b = (
        engine.learn(LearnRequest(text, session_id=session, scene='place:dock')).memory_id
        for text in ('red lamp', 'loud fan')
    )
    engine.link(a, b, 8.0)
    engine.update(a, 'green lamp')
    engine.recall(RecallRequest('lamp'))
    settle(engine)
    gone = engine.learn(LearnRequest('wrong idea')).memory_id
    engine.forget(gone, 'wrong')
    stamp = clock.now
    clock.advance(seconds=60)
    clock.set(days=400)
    settle(engine)
    moved = stamp + 400 * DAY
    for column, table in (
        ('created_at', 'memory WHERE id > 1'), ('decay_anchor', 'memory WHERE id > 1'),
        ('at', 'occurrence WHERE id > 1'),
        ('last_accessed', f'memory WHERE id = {a}'), ('status_at', f'memory WHERE id = {gone}'),
        ('started_at', 'session'), ('last_updated', 'co_occurrence'), ('last_updated', 'scene_ref'),
        ('replaced_at', 'memory_text'), ('created_at', 'scene'),
    ):
        assert dates(engine, column, table) == {moved}, (column, table)
    assert engine.link(a, b, 1.0) == pytest.approx(9.0, abs=0.01)


def test_a_use_before_the_step_is_written_after_it_at_its_true_time(
    booted_in_the_past: Engine, clock: ManualClock
) -> None:
    engine = booted_in_the_past
    engine.learn(LearnRequest('fresh note'))
    engine.recall(RecallRequest('older note'))
    clock.advance(seconds=60)
    clock.set(days=410)
    settle(engine)
    assert rows(engine, 'SELECT DISTINCT last_accessed, decay_anchor FROM memory WHERE use_count = 1') == [
        (clock.now - 60 * 10**9, clock.now - 60 * 10**9)]


def test_a_write_comes_after_all_older_stamps_are_right(
    booted_in_the_past: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timekeeping, 'IDS_A_SLICE', 1)
    engine = booted_in_the_past
    for i in range(5):
        engine.learn(LearnRequest(f'note{i} of shelf{i}'))
    clock.set(days=410)
    engine.learn(LearnRequest('after the step'))
    assert {row[0] for row in rows(engine, 'SELECT created_at FROM memory WHERE id > 1')} == {clock.now}


def test_a_kill_while_stamps_are_moved_moves_each_once(
    booted_in_the_past: Engine, open_engine: Open, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timekeeping, 'IDS_A_SLICE', 2)
    engine = booted_in_the_past
    for i in range(9):
        engine.learn(LearnRequest(f'note{i} of shelf{i}'))
    clock.set(days=410)
    for _ in range(4):
        engine.tick()
        kill(engine)
        engine = open_engine(None)
    settle(engine)
    assert {row[0] for row in rows(engine, 'SELECT created_at FROM memory WHERE id > 1')} == {clock.now}


def test_rows_of_an_earlier_process_of_the_same_boot_move_too(
    booted_in_the_past: Engine, open_engine: Open, clock: ManualClock
) -> None:
    """A respawn before the time server answers, and a step while the node is down."""
    booted_in_the_past.learn(LearnRequest('fresh note'))
    kill(booted_in_the_past)
    clock.advance(seconds=60)
    clock.set(days=410)
    engine = open_engine(None)
    settle(engine)
    assert look(engine, 'fresh').age_ns == 60 * 10**9
    assert look(engine, 'older').age_ns == 10 * DAY + 60 * 10**9
    assert 'forward' in engine.stats()['clock'][0]


def test_rows_of_an_earlier_boot_that_was_never_set_right_stay_where_they_are(
    booted_in_the_past: Engine, open_engine: Open, clock: ManualClock
) -> None:
    """Without a battery every boot begins at the same date: only ids tell the two boots apart."""
    begun = clock.now
    for text in ('earlier boot', 'earlier and used'):
        booted_in_the_past.learn(LearnRequest(text))
    booted_in_the_past.close()
    clock.reboot()
    clock.now = begun
    engine = open_engine(None)
    engine.learn(LearnRequest('this boot'))
    engine.recall(RecallRequest('used'))
    settle(engine)
    clock.advance(seconds=60)
    clock.set(days=410)
    settle(engine)
    assert look(engine, 'earlier boot').created_at_ns == begun
    assert look(engine, 'earlier boot').age_ns == 410 * DAY + 60 * 10**9
    assert look(engine, 'this boot').age_ns == 60 * 10**9
    used = look(engine, 'earlier and used')
    assert (used.created_at_ns, used.age_ns) == (begun, 60 * 10**9)


@pytest.mark.parametrize('size', [-3000, -2, 2, 3000])
def test_a_later_step_and_one_back_are_reported_and_age_nothing(
    open_engine: Open, clock: ManualClock, size: int
) -> None:
    engine = open_engine(None)
    clock.set(days=1)  # the boot's first
    settle(engine)
    engine.learn(LearnRequest('red lamp'))
    clock.advance(days=5000)
    before = look(engine, 'lamp')
    clock.set(days=size)
    for again in range(2):
        found = look(engine, 'lamp')
        assert found.age_ns == max(0, before.age_ns + min(0, size) * DAY), again
        assert found.confidence >= before.confidence
        said = f'{"back" if size < 0 else "forward"} by {abs(size) * 86_400:.1f} s'
        assert again or said in engine.stats()['clock'][-1]
        settle(engine)
        engine.close()
        engine = open_engine(None)
    clock.advance(days=4)
    engine.learn(LearnRequest('blue lamp'))
    assert rows(engine, "SELECT created_at FROM memory WHERE content = 'blue lamp'") == [(clock.now,)], 'people see UTC'
    assert look(engine, 'blue').age_ns == 0


def test_after_a_later_step_what_is_new_ages_like_everything_else(open_engine: Open, clock: ManualClock) -> None:
    """Ages count from anchors: not from a UTC that lies ahead of where they are counted to."""
    engine = open_engine(None)
    for days in (1, 100):
        clock.set(days=days)
        settle(engine)
    engine.learn(LearnRequest('red lamp'))
    engine.save_perception(PerceptionInput(description='blue lamp'))
    clock.advance(days=10)
    assert look(engine, 'red').age_ns == look(engine, 'blue').age_ns == 10 * DAY


def test_two_that_move_stamps_at_once_move_each_once(
    open_engine: Open, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tick and a request, at one moment; a step that is smaller than the time since boot shows a second moving."""
    engine = open_engine(None)
    engine.learn(LearnRequest('red lamp'))
    stamp = clock.now
    clock.advance(seconds=3600)
    clock.set(seconds=600)
    keeper, store, arrived = engine.time, engine._rt.store, threading.Event()
    keeper.now()
    write, other = store.write, threading.Thread(target=keeper.settle)

    def held_up(**how: bool) -> AbstractContextManager[Tx]:
        if threading.current_thread() is other:
            arrived.set()
        else:
            other.start()
            arrived.wait(0.3)
        return write(**how)

    with monkeypatch.context() as patch:
        patch.setattr(store, 'write', held_up)
        keeper.settle()
        other.join()
    assert look(engine, 'lamp').created_at_ns == stamp + 600 * 10**9


def test_of_readings_that_were_all_held_up_the_quickest_counts(db_path: str) -> None:
    """A machine so busy that it puts a thread aside between the two clocks, three times in turn."""
    class HeldUp(ManualClock):
        delays_s: tuple[float, ...] = ()

        def now_ns(self) -> int:
            now = self.now
            delay, *self.delays_s = self.delays_s or (0.0,)
            self.advance(seconds=delay)
            return now

    clock = HeldUp()
    engine = Engine(Store.open(db_path), clock, lambda: None, Settings())
    clock.delays_s = (4.0, 0.1, 3.0)
    engine.time.now()
    assert engine.time.step_count == 0
    engine.close()


def test_a_clock_that_flaps_for_ever_is_counted_and_not_kept(open_engine: Open, clock: ManualClock) -> None:
    engine = open_engine(None)
    for i in range(100):
        clock.set(days=1 if i % 2 else -1)
        engine.time.now()
    assert engine.time.step_count == 100
    assert len(engine.stats()['clock']) == len(engine.time._steps) == timekeeping.KEPT_STEPS


def test_a_step_is_a_line_in_the_log_once(db_path: str, clock: ManualClock) -> None:
    """Contract 6: a later step is reported, also to those who do not ask for statistics."""
    said: list[str] = []
    engine = Engine(Store.open(db_path), clock, lambda: None, Settings(), report=said.append)
    settle(engine)
    for days in (1, 2, -2):
        clock.set(days=days)
        settle(engine)
        settle(engine)
    engine.close()
    assert [' '.join(line.split()[:4]) for line in said if 'stepped' in line] == [
        'the clock stepped forward', 'the clock stepped forward', 'the clock stepped back']


def test_a_clock_that_flaps_ages_nothing(open_engine: Open, clock: ManualClock) -> None:
    """Two time sources that disagree by an hour, for a day."""
    engine = open_engine(None)
    engine.learn(LearnRequest('red lamp'))
    for _ in range(24):
        clock.advance(seconds=1800)
        clock.set(seconds=3600)
        settle(engine)
        clock.advance(seconds=1800)
        clock.set(seconds=-3600)
        settle(engine)
    assert abs(look(engine, 'lamp').age_ns - DAY) <= HOUR


def test_what_is_no_step_is_a_setting(open_engine: Open, clock: ManualClock) -> None:
    engine = open_engine(None, Settings(clock=ClockSettings(step_s=10.0)))
    clock.set(seconds=9)
    assert engine.stats()['clock'] == []
    clock.set(seconds=11)
    assert len(engine.stats()['clock']) == 1


def test_only_looking_writes_nothing_at_a_new_boot(
    open_engine: Open, clock: ManualClock, rows_written: Callable[[Engine], int]
) -> None:
    first = open_engine(None)
    first.learn(LearnRequest('red lamp'))
    first.close()
    clock.reboot()
    engine = open_engine(None)
    before = rows_written(engine)
    for _ in range(3):
        engine.tick()
    look(engine, 'lamp')
    assert rows_written(engine) == before


# ---- simulated time

@pytest.mark.parametrize('zones', [('Asia/Shanghai', 'America/Los_Angeles'), ('Europe/Berlin', 'UTC')])
def test_the_file_holds_utc_whatever_the_zone(
    db_path: str, monkeypatch: pytest.MonkeyPatch, zones: tuple[str, str]
) -> None:
    """TIME-05."""
    for zone in zones:
        monkeypatch.setenv('TZ', zone)
        time.tzset()
        engine = Engine(Store.open(db_path), SystemClock(), lambda: None, Settings())
        engine.learn(LearnRequest('red lamp'))
        found = look(engine, 'lamp')
        assert abs(found.created_at_ns - time.time_ns()) < 60 * 10**9
        assert 0 <= found.age_ns < 60 * 10**9
        engine.close()
    monkeypatch.undo()
    time.tzset()


def test_ages_grow_evenly_over_the_end_of_summer_time(
    open_engine: Open, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TIME-05: Europe/Berlin, 2026-10-25 03:00."""
    monkeypatch.setenv('TZ', 'Europe/Berlin')
    time.tzset()
    clock.now = 1_792_886_400 * 10**9  # 2026-10-25 00:00 UTC
    engine = open_engine(None)
    engine.learn(LearnRequest('red lamp'))
    ages = []
    for _ in range(6):
        clock.advance(seconds=1800)
        ages.append(look(engine, 'lamp').age_ns)
    monkeypatch.undo()
    time.tzset()
    assert ages == [1800 * 10**9 * (i + 1) for i in range(6)]


# ---- bad rows

def test_a_bad_date_is_now_with_one_warning_and_stops_nothing(db_path: str, clock: ManualClock) -> None:
    """DEC-05: dates of year 1, of the far future, at the edge of int64; the others go on."""
    said: list[str] = []
    engine = Engine(Store.open(db_path), clock, lambda: None, Settings(), said.append)
    dates = (0, -1, -2**63, -62_135_596_800 * 10**6, 2**63 - 1, 10**18)
    ids = [engine.learn(LearnRequest(f'note{i} of shelf{i}')).memory_id for i in range(len(dates) + 1)]
    with engine._rt.store.write() as tx:
        for memory_id, date in zip(ids, dates):
            tx.execute('UPDATE memory SET decay_anchor = ?1, created_at = ?1 WHERE id = ?2', (date, memory_id))
    for _ in range(2):
        for memory in engine.recall(RecallRequest('note0 note1 note2 note3 note4', n=10, min_confidence=0.0)).memories:
            assert 0.0 <= memory.confidence <= 0.9 and memory.retention >= 0.0
        settle(engine)
    assert [row[0] for row in rows(engine, 'SELECT decay_anchor FROM memory ORDER BY id')][:4] == [clock.now] * 4
    assert len([s for s in said if 'date' in s]) == 1
    assert engine.stats()['total'] == len(ids)
    assert engine.maintain(dry_run=True).gc_retired in (0, 1)
    clock.advance(days=10)
    assert look(engine, f'shelf{len(dates)}').confidence == pytest.approx(0.9 * 0.99**10)
    engine.close()
