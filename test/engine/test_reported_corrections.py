"""Reported trouble with forgetting, correcting and ending: one way in, and every way out looked at."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from robotmem_ros import duplicates
from robotmem_ros.clock import ManualClock
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.errors import Conflict, InvalidRequest, NotFound, RobotMemError
from robotmem_ros.model import LearnRequest, PerceptionInput, RecallRequest
from robotmem_ros.store import vectors

Open = Callable[..., Engine]


def learn(engine: Engine, text: str, **fields: object) -> int:
    return engine.learn(LearnRequest(text, **fields)).memory_id


def said(engine: Engine, query: str = '', **criteria: object) -> list[str]:
    return [m.content for m in engine.recall(RecallRequest(query, reinforce=False, **criteria)).memories]


def table(engine: Engine) -> dict[str, list[Any]]:
    with engine._rt.store.read() as tx:
        names = ('memory', 'memory_text', 'occurrence', 'memory_tag', 'co_occurrence', 'scene_ref', 'session')
        return {name: tx.execute(f'SELECT * FROM {name} ORDER BY 1, 2') for name in names}  # noqa: S608 - from above


def settle(engine: Engine) -> None:
    for _ in range(1000):
        if not engine.tick():
            return
    raise AssertionError('the tick never ends')


def visit(engine: Engine, clock: ManualClock, place: str) -> list[Any]:
    engine.observe('test', [('place', place)])
    clock.advance(seconds=1.0)
    return engine.advance_scenes()


def test_a_forgotten_memory_is_on_no_way_out(open_engine: Open, clock: ManualClock) -> None:
    """UPD-02: text, meaning, scene hit, association, what matters next, the counts; before and after a restart."""
    engine = open_engine(HashEmbedder())
    session = engine.start_session('{"task": "bay 9"}').session_id
    for place in ('bay', 'yard', 'bay'):
        visit(engine, clock, place)
    gone = learn(engine, 'bay 9 is free to enter', session_id=session)
    kept = learn(engine, 'bay 9 has a loose cable', session_id=session)
    assert set(said(engine, 'bay 9')) == {'bay 9 is free to enter', 'bay 9 has a loose cable'}
    engine.recall(RecallRequest('bay 9'))
    settle(engine)
    assert engine.stats()['edges'] == 1
    (scene,) = [each for each in engine.list_scenes() if each.key == 'place:bay']
    assert scene.memory_count == 2
    engine.forget(gone, 'it was a mistake')

    def look(reader: Engine) -> None:
        assert said(reader, 'bay 9') == said(reader, 'free to enter bay') == ['bay 9 has a loose cable']
        assert said(reader, 'cable', context_session='x') == ['bay 9 has a loose cable']
        assert said(reader, scene='place:bay') == said(reader, session_id=session) == ['bay 9 has a loose cable']
        visit(reader, clock, 'yard')
        (hit,) = [each for each in visit(reader, clock, 'bay') if each.scene.key == 'place:bay']
        assert ([m.id for m in hit.memories], hit.scene.memory_count) == ([kept], 1)
        stats = reader.stats()
        assert (stats['by_status'], stats['edges']) == ({'active': 1, 'forgotten': 1}, 0)
        other = reader.start_session('{"task": "bay 9 is free to enter"}')
        assert other.active_memories_count == 1
        assert gone not in [m.id for m in reader.end_session(other.session_id).related_memories]
        with pytest.raises(NotFound, match='forgotten'):
            reader.forget(gone, 'again')

    look(engine)
    assert gone not in [m.id for m in engine.end_session(session).related_memories]
    engine.close()
    look(open_engine(HashEmbedder()))


@pytest.mark.parametrize('embedder', [None, HashEmbedder()], ids=['words', 'hash'])
def test_a_world_state_comes_back_and_the_newest_is_first(
    open_engine: Open, clock: ManualClock, embedder: HashEmbedder | None
) -> None:
    """UPD-03: empty → full → empty."""
    engine = open_engine(embedder)
    first = learn(engine, 'tool rack is empty')
    clock.advance(days=1)
    engine.update(first, 'tool rack is full')
    clock.advance(days=1)
    back = engine.learn(LearnRequest('tool rack is empty'))
    assert (back.status, back.memory_id != first) == ('created', True)
    found = engine.recall(RecallRequest('tool rack', reinforce=False)).memories
    assert [m.content for m in found] == ['tool rack is empty', 'tool rack is full']
    assert found[0].created_at_ns == clock.now


def test_every_refused_correction_has_its_reason_and_changes_no_row(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """UPD-04: unknown, empty, a perception, without a reason, superseded, forgotten."""
    session = engine.start_session().session_id
    with monkeypatch.context() as patch:
        patch.setattr(duplicates, 'find', lambda *_: duplicates.Finding())
        same = [learn(engine, 'the cart brake squeaks', session_id=session) for _ in range(3)]
    assert engine.end_session(session).superseded_count == 2
    gone = learn(engine, 'wrong idea')
    engine.forget(gone, 'wrong')
    fact = learn(engine, 'door 3 sticks')
    seen = engine.save_perception(PerceptionInput(description='a red box on the belt'))
    before = table(engine)
    reasons = set()
    for call, kind, words in (
        (lambda: engine.update(999, 'x'), NotFound, '999'),
        (lambda: engine.update(fact, ''), InvalidRequest, 'new_content'),
        (lambda: engine.update(seen, 'a blue box'), InvalidRequest, 'perception'),
        (lambda: engine.forget(fact, ''), InvalidRequest, 'reason'),
        (lambda: engine.forget(same[0], 'x'), NotFound, f'superseded by {same[2]}'),
        (lambda: engine.update(gone, 'x'), NotFound, 'forgotten'),
    ):
        with pytest.raises(kind, match=words) as refused:
            call()
        reasons.add(str(refused.value))
    assert len(reasons) == 6
    assert table(engine) == before


def test_ending_a_session_leaves_the_other_collection_as_it_was(engine: Engine, clock: ManualClock) -> None:
    """DEC-03: every column of its rows; and only what is of the ended one's collection is counted."""
    for where in 'ab':
        learn(engine, f'quiet fact of {where}', collection=where)
    clock.advance(days=70)
    session = engine.start_session('', 'a').session_id
    clock.advance(days=10)

    def rows_of_b() -> list[Any]:
        return [row for row in table(engine)['memory'] if 'quiet fact of b' in row]

    before = rows_of_b()
    assert engine.end_session(session).decayed_count == 1
    settle(engine)
    assert rows_of_b() == before and len(before) == 1


def test_a_session_that_ends_twice_ends_once(engine: Engine) -> None:
    """SES-01: unknown and blank ids, a second end with another outcome, a learn afterwards; what it learned stays."""
    for unknown in ('nope', ''):
        with pytest.raises((NotFound, InvalidRequest), match='session'):
            engine.end_session(unknown)
    session = engine.start_session().session_id
    learn(engine, 'the dock is wet', session_id=session)
    first = engine.end_session(session, 0.8)
    before = table(engine)
    assert engine.end_session(session, 0.1).summary == first.summary
    with pytest.raises(NotFound, match='ended'):
        learn(engine, 'the dock is dry', session_id=session)
    assert table(engine) == before
    assert said(engine, session_id=session) == ['the dock is wet']


def test_no_row_has_the_session_of_another_collection(engine: Engine) -> None:
    """SES-03: facts and perceptions: a mismatch and a made-up id are refused."""
    session = engine.start_session(collection='a').session_id
    seen = PerceptionInput(description='a red box on the belt', session_id=session, collection='b')
    for call, kind in (
        (lambda: learn(engine, 'x y z', collection='b', session_id=session), Conflict),
        (lambda: learn(engine, 'x y z', session_id='made-up'), NotFound),
        (lambda: engine.save_perception(seen), Conflict),
        (lambda: engine.save_perception(replace(seen, session_id='made-up')), NotFound),
    ):
        with pytest.raises(kind):
            call()
    mixed = engine.save_perceptions([seen, replace(seen, collection='a')])
    assert isinstance(mixed[0], RobotMemError) and isinstance(mixed[1], int)
    with engine._rt.store.read() as tx:
        assert tx.execute('SELECT m.session_id, c.name, s.collection_id = m.collection_id FROM memory m'
                          ' JOIN collection c ON c.id = m.collection_id JOIN session s ON s.id = m.session_id') == [
            (session, 'a', 1)]


def test_perceptions_repeat_by_nature(engine: Engine, clock: ManualClock) -> None:
    """DUP-06: one text with other data is two rows; the very same message again is the same one, and no error."""
    seen = PerceptionInput(
        description='gripper closed', data='{"force":10}', source='gripper', seq=1, stamp_ns=clock.now)
    first = engine.save_perception(seen)
    clock.advance(seconds=1)
    second = engine.save_perception(replace(seen, data='{"force":14}', seq=2, stamp_ns=clock.now))
    assert engine.save_perception(replace(seen, data='{"force":14}', seq=2, stamp_ns=clock.now)) == second
    unnumbered = PerceptionInput(description='gripper closed', data='{"force":10}')
    assert len({first, second, engine.save_perception(unnumbered), engine.save_perception(unnumbered)}) == 4
    with engine._rt.store.read() as tx:
        stored = [json.loads(row[0])['force'] for row in tx.execute('SELECT data FROM memory ORDER BY id')]
    assert stored == [10, 14, 10, 10]


def test_each_dock_keeps_its_own_minutes(engine: Engine) -> None:
    """CON-01: three docks of one session, each found with its own numbers after its end."""
    session = engine.start_session().session_id
    docks = {1: 40, 2: 40, 3: 55}
    for dock, minutes in docks.items():
        learn(engine, f'charge at dock {dock} takes {minutes} minutes', session_id=session)
    assert engine.end_session(session).superseded_count == 0
    for dock, minutes in docks.items():
        assert said(engine, f'dock {dock}')[0] == f'charge at dock {dock} takes {minutes} minutes'
    assert len(said(engine, 'charge at dock')) == 3


def test_five_corrections_and_another_model_leave_one_vector(open_engine: Open) -> None:
    """VEC-04: after five updates, and after all was embedded anew, there is one vector, and it is of the last text."""
    for salt in ('one', 'two'):
        engine = open_engine(HashEmbedder(salt=salt))
        settle(engine)
        if salt == 'one':
            memory = learn(engine, 'lamp number 0 flickers')
            for i in range(1, 6):
                engine.update(memory, f'lamp number {i} flickers')
        with engine._rt.store.read() as tx:
            assert tx.value('SELECT count(*) FROM vector') == tx.value('SELECT count(*) FROM memory_vec') == 1
            assert vectors.get(tx, memory) == pytest.approx(HashEmbedder(salt=salt).embed('lamp number 5 flickers'))
        engine.close()


def test_a_constraint_of_two_hundred_days(engine: Engine, clock: ManualClock) -> None:
    """DEC-06: with the default threshold the constraint is there, the observation is not, and the count says so."""
    learn(engine, 'never lift above 5 kg', category='constraint', confidence=0.95)
    learn(engine, 'hall is noisy', category='observation', confidence=0.95)
    clock.advance(days=200)
    assert said(engine, 'lift hall noisy') == ['never lift above 5 kg']
    assert engine.stats()['hidden'] == 1
    assert len(said(engine, 'lift hall noisy', min_confidence=0.0)) == 2


@pytest.mark.parametrize('odd', ["''", "'garbage'", 'NULL', "'0001-01-01'"])
def test_a_date_that_is_no_number_cannot_be_stored(engine: Engine, odd: str) -> None:
    """DEC-05, EXE-06: the tables are strict; what another program would write there is refused where it is written."""
    from robotmem_ros.errors import StoreError

    known = learn(engine, 'red lamp')
    for column in ('decay_anchor', 'created_at', 'confidence'):
        with pytest.raises(StoreError), engine._rt.store.write() as tx:
            tx.execute(f'UPDATE memory SET {column} = {odd} WHERE id = {known}')  # noqa: S608 - from above
    with engine._rt.store.write() as tx:
        tx.execute('UPDATE memory SET confidence = 1')
    (found,) = engine.recall(RecallRequest('red lamp')).memories
    assert isinstance(found.confidence, float) and found.confidence == 1.0
