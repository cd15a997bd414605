"""GC, purge and the pass on request (contract 6): what goes, what never goes, what a dry run says."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from robotmem_ros import duplicates, garbage
from robotmem_ros.clock import ManualClock
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.errors import InvalidRequest, NotFound
from robotmem_ros.model import LearnRequest, PerceptionInput, RecallRequest
from robotmem_ros.settings import SceneSettings, Settings

Open = Callable[..., Engine]
COUNTS = ('gc_retired', 'purged', 'duplicates_superseded', 'edges_pruned', 'vectors_made')


def learn(engine: Engine, text: str, **fields: Any) -> int:
    return engine.learn(LearnRequest(text, **fields)).memory_id


def statuses(engine: Engine) -> dict[int, str]:
    with engine._rt.store.read() as tx:
        return dict(tx.execute('SELECT id, status FROM memory ORDER BY id'))


def dump(engine: Engine) -> list[Any]:
    with engine._rt.store.read() as tx:
        tables = [row[0] for row in tx.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name")]
        return [(table, tx.execute(f'SELECT * FROM "{table}"')) for table in tables]  # noqa: S608


def counts(done: Any) -> dict[str, int]:
    return {name: getattr(done, name) for name in COUNTS}


def test_an_unused_memory_gets_there_in_ten_days(engine: Engine, clock: ManualClock) -> None:
    """λ = ln 2 / 3 days: 2^(−10/3) = 0.099."""
    memory = learn(engine, 'red lamp')
    clock.advance(days=9.9)
    assert engine.maintain().gc_retired == 0
    clock.advance(days=0.1)
    assert engine.maintain().gc_retired == 1
    assert statuses(engine) == {memory: 'retired'}
    assert engine.recall(RecallRequest('red lamp', min_confidence=0.0)).memories == ()
    assert engine.stats()['by_status'] == {'retired': 1}
    with pytest.raises(NotFound, match='retired'):
        engine.forget(memory, 'gone')
    assert learn(engine, 'red lamp') == memory + 1, 'never a duplicate of a hidden row'


def test_gc_does_not_run_by_itself(engine: Engine, clock: ManualClock) -> None:
    learn(engine, 'red lamp')
    for _ in range(100):
        clock.advance(days=1)
        while engine.tick():
            pass
    assert engine.stats()['by_status'] == {'active': 1}


def test_what_gc_never_retires(engine: Engine, clock: ManualClock) -> None:
    """Constraints, LTM, memories of an open session, or with a scene ref of 0.1 or more; nor other collections'."""
    session = engine.start_session().session_id
    kept = {
        learn(engine, 'never lift above 5 kg', category='constraint'),
        learn(engine, 'the lift fell', category='postmortem'),
        learn(engine, 'mind the step', category='gotcha'),
        learn(engine, 'loud fan', session_id=session),
        learn(engine, 'dock is wet', scene='place:dock'),
        learn(engine, 'of another robot', collection='other'),
    }
    promoted = learn(engine, 'green lamp')
    engine.promote(promoted)
    repeated = learn(engine, 'blue lamp')
    learn(engine, 'blue lamp', session_id=session)
    seen = engine.save_perception(PerceptionInput(description='a red box', source='camera'))
    plain = {learn(engine, 'red lamp'), seen}
    clock.advance(days=30)
    assert engine.maintain().gc_retired == len(plain)
    assert {i for i, status in statuses(engine).items() if status == 'retired'} == plain
    assert kept | {promoted, repeated} == {i for i, status in statuses(engine).items() if status == 'active'}
    engine.end_session(session)
    assert engine.maintain().gc_retired == 2, 'an ended session holds nothing'


def test_the_session_that_made_a_memory_holds_it_after_its_occurrence_was_dropped(
    engine: Engine, clock: ManualClock
) -> None:
    """Only the newest 256 occurrences are kept; a memory of an open session is one all the same."""
    session = engine.start_session().session_id
    made = learn(engine, 'valve four drips', session_id=session)
    assert {learn(engine, 'valve four drips') for _ in range(257)} == {made}
    clock.advance(days=30)
    assert engine.maintain().gc_retired == 0
    engine.end_session(session)
    assert engine.maintain().gc_retired == 1


@pytest.mark.parametrize(('days', 'retired'), [(99.0, 0), (100.0, 1)])
def test_a_scene_holds_its_memory_until_the_tie_has_faded_below_a_tenth(
    open_engine: Open, clock: ManualClock, days: float, retired: int
) -> None:
    """Its weight × 2^(−days/30): 0.1015 at 99 days, 0.0992 at 100."""
    engine = open_engine(None)
    learn(engine, 'dock is wet', scene='place:dock')
    clock.advance(days=days)
    assert engine.maintain().gc_retired == retired


def test_how_long_a_scene_holds_is_a_setting(open_engine: Open, clock: ManualClock) -> None:
    engine = open_engine(None, Settings(scenes=SceneSettings(ref_half_life_days=3.0)))
    learn(engine, 'dock is wet', scene='place:dock')
    clock.advance(days=10)
    assert engine.maintain().gc_retired == 1


def test_use_and_strength_keep_a_memory(engine: Engine, clock: ManualClock) -> None:
    """Retention = (use_count + 1)^0.6 × 2^(−days/3) × strength."""
    learn(engine, 'red lamp', strength=2.0)
    clock.advance(days=12.9)
    assert engine.maintain().gc_retired == 0
    clock.advance(days=0.1)
    assert engine.maintain(dry_run=True).gc_retired == 1
    engine.recall(RecallRequest('red lamp', min_confidence=0.0))
    assert engine.maintain(dry_run=True).gc_retired == engine.maintain().gc_retired == 0, 'a use that waits counts'
    while engine.tick():
        pass
    clock.advance(days=14.7)
    assert engine.maintain().gc_retired == 0
    clock.advance(days=0.1)
    assert engine.maintain().gc_retired == 1


def test_the_threshold_is_the_caller_s(engine: Engine, clock: ManualClock) -> None:
    learn(engine, 'red lamp')
    clock.advance(days=3)
    assert engine.maintain(gc_threshold=0.49).gc_retired == 0
    assert engine.maintain(gc_threshold=0.0).gc_retired == 0
    assert engine.maintain(gc_threshold=0.51).gc_retired == 1


@pytest.mark.parametrize('fields', [
    {'gc_threshold': -0.1}, {'gc_threshold': 1.1}, {'gc_threshold': math.nan}, {'purge_after_days': -1.0},
    {'purge_after_days': math.inf}, {'purge_after_days': math.nan}, {'collection': 'a\nb'},
])
def test_what_cannot_be_is_refused_and_changes_nothing(
    engine: Engine, clock: ManualClock, fields: dict[str, Any]
) -> None:
    learn(engine, 'red lamp')
    clock.advance(days=30)
    before = dump(engine)
    with pytest.raises(InvalidRequest, match=next(iter(fields))):
        engine.maintain(**fields)
    assert dump(engine) == before


def test_an_unknown_collection_holds_nothing(engine: Engine) -> None:
    assert counts(engine.maintain('nowhere', cleanup_duplicates=True, purge_after_days=1.0)) == dict.fromkeys(COUNTS, 0)
    assert engine.stats('nowhere')['total'] == 0


def worn(engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with some of everything that a pass does."""
    gone = learn(engine, 'wrong idea')
    engine.forget(gone, 'wrong')
    a, b = learn(engine, 'green lamp'), learn(engine, 'loud fan')
    engine.link(a, b, 1.0)
    engine.promote(a)
    clock.advance(days=200)
    with monkeypatch.context() as patch:
        patch.setattr(duplicates, 'find', lambda *_: duplicates.Finding())
        for _ in range(3):
            learn(engine, 'dock is wet')
    engine.save_perception(PerceptionInput(description='a red box', source='camera'))


def test_a_dry_run_counts_the_same_and_changes_nothing(
    open_engine: Open, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_engine(HashEmbedder())
    worn(engine, clock, monkeypatch)
    wishes = {'purge_after_days': 100.0, 'cleanup_duplicates': True}
    before = dump(engine)
    planned = engine.maintain(dry_run=True, **wishes)
    assert dump(engine) == before
    assert counts(planned) == {
        'gc_retired': 1, 'purged': 1, 'duplicates_superseded': 2, 'edges_pruned': 1, 'vectors_made': 1}
    done = engine.maintain(**wishes)
    assert counts(done) == counts(planned)
    assert done.file_bytes == engine.stats()['db_bytes'] > 0 and asdict(done).keys() >= {'elapsed_ms'}
    assert counts(engine.maintain(**wishes)) == dict.fromkeys(COUNTS, 0), 'once'


def test_what_gc_takes_is_no_duplicate_any_more(
    engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(duplicates, 'find', lambda *_: duplicates.Finding())
        for _ in range(3):
            learn(engine, 'dock is wet')
    clock.advance(days=20)
    planned = engine.maintain(dry_run=True, cleanup_duplicates=True)
    assert (planned.gc_retired, planned.duplicates_superseded) == (3, 0)
    assert counts(engine.maintain(cleanup_duplicates=True)) == counts(planned)


def test_purge_removes_old_retired_rows_with_all_that_hangs_on_them(engine: Engine, clock: ManualClock) -> None:
    session = engine.start_session().session_id
    memory = learn(engine, 'red lamp', tags=('a',), context='{"x": 1}', session_id=session)
    engine.update(memory, 'green lamp')
    engine.forget(memory, 'wrong')
    clock.advance(days=9)
    late = learn(engine, 'late idea')
    engine.forget(late, 'wrong')
    clock.advance(days=1)
    assert engine.maintain(purge_after_days=0.0).purged == 0, '0: purge nothing'
    assert engine.maintain(purge_after_days=10.1).purged == 0
    assert engine.maintain(purge_after_days=10.0).purged == 1
    left = dict(dump(engine))
    assert [row[0] for row in left['memory']] == [late]
    for table in ('memory_tag', 'memory_text', 'vector'):
        assert left[table] == [], table
    assert [row[1] for row in left['occurrence']] == [late]
    assert engine.maintain(purge_after_days=0.5).purged == 1
    assert learn(engine, 'new idea') == late + 1, 'an id is never used again'


def test_active_rows_are_never_purged(engine: Engine, clock: ManualClock) -> None:
    learn(engine, 'mind the step', category='gotcha')
    clock.advance(days=30_000)
    assert engine.maintain(purge_after_days=0.001).purged == 0
    assert engine.stats()['by_status'] == {'active': 1}


def test_what_a_purged_row_stood_for_finds_its_keeper(engine: Engine, clock: ManualClock) -> None:
    from robotmem_ros.store import lifecycle, memories

    a, b, c = (learn(engine, text) for text in ('red lamp', 'green fan', 'blue door'))
    with engine._rt.store.write() as tx:
        lifecycle.set_status(tx, a, 'superseded', 'x', clock.now, superseded_by=b)
        lifecycle.set_status(tx, b, 'superseded', 'x', clock.now, superseded_by=c)
        lifecycle.purge(tx, [b])
        assert memories.live_id(tx, a) == c


def test_a_pass_lets_requests_through_and_goes_by_parts(
    engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounded transactions: a learn that comes in the middle of a pass is served before its end."""
    monkeypatch.setattr(garbage, 'ROWS_A_WRITE', 5)
    for i in range(100):
        learn(engine, f'note{i} about thing{i}')
    clock.advance(days=20)
    seen: list[int] = []
    write = engine._rt.store.write
    learner = threading.Thread(target=lambda: seen.append(learn(engine, 'in between')))

    def counting_write(**options: Any) -> Any:
        if options.get('background') and len(parts) == 3 and not learner.ident:
            learner.start()
            time.sleep(0.05)
        parts.append(options)
        return write(**options)

    parts: list[Any] = []
    monkeypatch.setattr(engine._rt.store, 'write', counting_write)
    done = engine.maintain()
    learner.join()
    assert done.gc_retired == 100 and len([p for p in parts if p.get('background')]) == 20
    retired_after = [i for i, status in statuses(engine).items() if status == 'retired' and i > seen[0]]
    assert statuses(engine)[seen[0]] == 'active' and retired_after == []
    durations = [p for p in parts if not p.get('background')]
    assert durations, 'the learn wrote between two parts'


@pytest.mark.parametrize('is_written', [True, False])
def test_a_memory_that_is_used_during_a_pass_stays(
    engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, is_written: bool
) -> None:
    """Contract 6: a recall whose trace is still queued, or is just being written, has saved its memory already."""
    from robotmem_ros.store import usage

    memory = learn(engine, 'red lamp')
    clock.advance(days=20)
    found = garbage.retirable

    def used_meanwhile(*args: Any) -> list[int]:
        ids = found(*args)
        if is_written:
            with engine._rt.store.write() as tx:
                usage.reinforce(tx, [memory], clock.now)
        else:
            engine.recall(RecallRequest('lamp', min_confidence=0.0))
        return ids

    monkeypatch.setattr(garbage, 'retirable', used_meanwhile)
    assert engine.maintain().gc_retired == 0
    assert statuses(engine) == {memory: 'active'}
