"""Episodes: what their end merges, keeps, counts and brings up."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from robotmem_ros import duplicates
from robotmem_ros.clock import ManualClock
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.errors import InvalidRequest, NotFound
from robotmem_ros.model import LearnRequest, Pose, RecallRequest
from robotmem_ros.ports import Vector


def learn_in(engine: Engine, session: str, *texts: str, **fields: object) -> list[int]:
    return [engine.learn(LearnRequest(text, session_id=session, **fields)).memory_id for text in texts]


def test_a_session_starts_with_its_collection_and_count(engine: Engine) -> None:
    engine.learn(LearnRequest('one fact', collection='site'))
    started = engine.start_session('{"task": "patrol"}', 'site')
    assert (started.collection, started.active_memories_count) == ('site', 1)
    assert engine.start_session().session_id != started.session_id


@pytest.mark.parametrize('session_id', ['nope', '\u200b'])
def test_an_unknown_session_cannot_end(engine: Engine, session_id: str) -> None:
    """SES-01."""
    with pytest.raises((NotFound, InvalidRequest)):
        engine.end_session(session_id)
    with pytest.raises(InvalidRequest, match='session_id'):
        engine.end_session('')


def test_a_second_end_answers_the_same_and_changes_nothing(engine: Engine, clock: ManualClock) -> None:
    """SES-01: a retry after a timeout is normal; the first outcome stands."""
    other = engine.start_session().session_id
    learn_in(engine, other, 'the dock charger hums when full')
    session = engine.start_session('{"task": "charge at the dock"}').session_id
    learn_in(engine, session, 'the dock charger needs two tries')
    first = engine.end_session(session, 0.8)
    assert [m.content for m in first.related_memories] == ['the dock charger hums when full']
    clock.advance(days=1)
    again = engine.end_session(session, 0.1)
    assert again.summary == first.summary
    assert again.summary['outcome_score'] == 0.8
    assert [m.id for m in again.related_memories] == [m.id for m in first.related_memories]


def test_a_slow_model_holds_no_write_up(open_engine: Callable[..., Engine]) -> None:
    """Contract 4: one writer; what the end of a session asks the model, it asks before it is the writer."""
    held: list[str] = []

    class Watched(HashEmbedder):
        def embed(self, text: str) -> Vector:
            if engine._rt.store._lock._owner is not None:
                held.append(text)
            return super().embed(text)

    engine = open_engine(Watched())
    other, session = engine.start_session().session_id, engine.start_session('{"task": "dock charger"}').session_id
    learn_in(engine, other, 'the dock charger hums when full')
    learn_in(engine, session, 'the gripper lost its pad', 'the hall lamp flickers')
    ended = engine.end_session(session)
    assert ([m.content for m in ended.related_memories], held) == (['the dock charger hums when full'], [])


def test_a_long_session_does_not_hide_what_else_belongs_to_its_scene(text_engine: Engine) -> None:
    """Contract 3: related for its scenes, from outside the session, however much was learned in it there."""
    other, session = (text_engine.start_session().session_id for _ in range(2))
    (wanted,) = learn_in(text_engine, other, 'beware of the ramp', scene='place:hall')
    learn_in(text_engine, session, *(f'crate{i} stands on pallet{i}' for i in range(20)), scene='place:hall')
    assert [m.id for m in text_engine.end_session(session).related_memories] == [wanted]


def test_what_was_said_three_times_is_kept_once(engine: Engine, open_engine: Callable[..., Engine]) -> None:
    """Contract 5: the surest keeps, and inherits context, place, tags and uses of the others."""
    session = engine.start_session().session_id
    texts = (
        'the cart brake squeaks on wet tile',
        'cart brake squeaks on the wet tile floor',
        'the cart brake squeaks on wet tiles',
    )
    made = [
        learn_in(engine, session, text, confidence=confidence, tags=(f't{i}',), pose=Pose('map', float(i), 0.0))[0]
        for i, (text, confidence) in enumerate(zip(texts, (0.7, 0.9, 0.8), strict=True))
    ]
    learn_in(engine, session, 'gripper pads are worn', 'lamp three flickers')
    ended = engine.end_session(session)
    if len(set(made)) == 3 and ended.superseded_count:
        assert ended.merged_groups == 1
    found = engine.recall(RecallRequest('cart brake squeaks', n=10)).memories
    assert len([m for m in found if 'brake' in m.content]) == len(set(made)) - ended.superseded_count


def test_values_that_share_their_form_are_never_merged(engine: Engine) -> None:
    """CON-01."""
    session = engine.start_session().session_id
    learn_in(
        engine,
        session,
        'charge at dock 1 takes 40 minutes',
        'charge at dock 2 takes 40 minutes',
        'charge at dock 3 takes 55 minutes',
    )
    assert engine.end_session(session).superseded_count == 0
    assert len(engine.recall(RecallRequest('charge at dock')).memories) == 3


def test_an_exception_is_never_swallowed_by_the_broader_rule(engine: Engine) -> None:
    """CON-04."""
    session = engine.start_session().session_id
    learn_in(engine, session, 'open the hatch for cleaning except while the arm is moving', confidence=0.8)
    learn_in(engine, session, 'open the hatch for cleaning', 'open the hatch for weekly cleaning', confidence=0.9)
    engine.end_session(session)
    assert any('except' in m.content for m in engine.recall(RecallRequest('hatch')).memories)


@pytest.mark.parametrize('fields', [{'category': 'constraint'}, {'category': 'gotcha'}, {'confidence': 0.95}])
def test_protected_facts_are_left_alone(
    engine: Engine, fields: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duplicates, 'find', lambda *a: duplicates.Finding())
    session = engine.start_session().session_id
    learn_in(engine, session, *['the cart brake squeaks on wet tile'] * 4, **fields)
    assert engine.end_session(session).superseded_count == 0


def test_consolidation_merges_supersedes_inherits_and_rests(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """CON-03, CON-05: with the check at writing switched off, equal facts are merged at the end, once."""
    with monkeypatch.context() as patch:
        patch.setattr(duplicates, 'find', lambda *a: duplicates.Finding())
        session = engine.start_session().session_id
        (kept,) = learn_in(engine, session, 'the cart brake squeaks', confidence=0.9)
        a, b = learn_in(
            engine,
            session,
            *['the cart brake squeaks'] * 2,
            confidence=0.8,
            context='{"object": "cart"}',
            tags=('wheel',),
        )
    friend = engine.learn(LearnRequest('oil the axle')).memory_id
    engine.link(a, friend, 3.0)
    ended = engine.end_session(session)
    assert (ended.merged_groups, ended.superseded_count, ended.avg_similarity) == (1, 2, 1.0)
    assert ended.compression_ratio == pytest.approx(2 / 3)
    (found,) = engine.recall(RecallRequest('cart brake', context_filter='{"object": "cart"}')).memories
    assert (found.id, found.tags) == (kept, ('wheel',))
    assert engine.link(kept, friend, 1.0) == pytest.approx(4.0)
    with pytest.raises(NotFound, match=f'superseded by {kept}'):
        engine.forget(b, 'gone')
    assert engine.stats()['by_status']['superseded'] == 2


def test_ending_one_collections_session_leaves_the_others(engine: Engine, clock: ManualClock) -> None:
    """DEC-03: nothing is rewritten, so values depend on time alone."""
    engine.learn(LearnRequest('quiet fact', collection='b', confidence=0.9))
    session = engine.start_session('', 'a').session_id
    clock.advance(days=10)
    for _ in range(6):
        engine.end_session(session)
    (memory,) = engine.recall(RecallRequest('quiet', collection='b')).memories
    assert memory.confidence == pytest.approx(0.9 * 0.99**10)


def test_decayed_count_counts_what_is_below_half(engine: Engine, clock: ManualClock) -> None:
    engine.learn(LearnRequest('old news'))
    clock.advance(days=70)
    engine.learn(LearnRequest('fresh news'))
    session = engine.start_session().session_id
    assert engine.end_session(session).decayed_count == 1


@pytest.mark.parametrize('score', [-0.1, 1.1, float('nan')])
def test_an_outcome_outside_zero_to_one_is_refused(engine: Engine, score: float) -> None:
    session = engine.start_session().session_id
    with pytest.raises(InvalidRequest, match='outcome_score'):
        engine.end_session(session, score)
    engine.end_session(session, 1.0)
