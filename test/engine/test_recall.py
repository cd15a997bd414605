"""Recall: what comes back, in which order, and that no filter loses or invents anything."""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from robotmem_ros.clock import ManualClock
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.model import LearnRequest, Pose, RecallRequest
from robotmem_ros.settings import Settings
from robotmem_ros.store.store import Store

NOISE = 300


def ids(engine: Engine, query: str = '', **criteria: object) -> list[int]:
    return [m.id for m in engine.recall(RecallRequest(query, **criteria)).memories]


def learn(engine: Engine, text: str, **fields: object) -> int:
    return engine.learn(LearnRequest(text, **fields)).memory_id


def test_words_and_meaning_answer_together(engine: Engine) -> None:
    wanted = learn(engine, 'the lift is broken since monday')
    learn(engine, 'cups need a soft grip')
    result = engine.recall(RecallRequest('lift broken'))
    assert result.mode == 'hybrid'
    best = result.memories[0]
    assert best.id == wanted
    assert best.score_text > 0.0
    assert best.score_vector > 0.0


def test_without_a_model_the_words_answer_and_the_mode_says_so(text_engine: Engine) -> None:
    wanted = learn(text_engine, 'the lift is broken since monday')
    result = text_engine.recall(RecallRequest('lift'))
    assert ([m.id for m in result.memories], result.mode) == ([wanted], 'bm25_only')


@pytest.mark.parametrize(
    'query',
    [
        'bin-7',
        '12.5N',
        "can't",
        '"tilt',
        '(bin',
        'NEAR(bin, 2)',
        'AND',
        'NOT tilt',
        'col:foo',
        'bin*',
        '^bin',
        '-bin',
        '{bin} : 7',
        'a"b"c',
        '+',
        '???',
        '，。',
        '🔋',
        'OR',
        "'; DROP TABLE memory; --",
    ],
)
def test_user_text_is_never_query_syntax(engine: Engine, query: str) -> None:
    """FTS-01, FTS-05."""
    wanted = learn(engine, "bin-7 needs 12.5N, can't tilt")
    found = ids(engine, query)
    if query in ('bin-7', '12.5N', "can't"):
        assert found == [wanted]


@pytest.mark.parametrize(
    ('query', 'expected'),
    [
        ('湿滑', 0),
        ('走廊', 0),
        ('门', 1),
        ('减速', 0),
        ('充电桩', 1),
        ('走廊 湿滑', 0),
        ('三号走廊地面湿滑', 0),
    ],
)
def test_short_chinese_words_find_their_memory(text_engine: Engine, query: str, expected: int) -> None:
    """FTS-03: one and two characters, without any segmenter."""
    stored = [learn(text_engine, '三号走廊地面湿滑，机器人需要减速'), learn(text_engine, '充电桩在门的左边')]
    assert ids(text_engine, query)[0] == stored[expected]
    if query == '门':
        assert ids(text_engine, query) == [stored[1]]


def test_only_what_was_asked_for_passes_each_filter(engine: Engine) -> None:
    """One needle behind many that match the words better; every filter finds it, alone and with all others."""
    session = engine.start_session().session_id
    pose = Pose('map', 7.0, 8.0, map_id='hall')
    needle = learn(
        engine,
        'spill near the loading ramp, drive slowly',
        category='hazard',
        tags=('wet',),
        session_id=session,
        pose=pose,
        context='{"task": "deliver", "params": {"force": 12}}',
        confidence=0.99,
    )
    for i in range(NOISE):
        learn(engine, f'spill spill ramp ramp number {i} of zone {i * 7}', category='noise', confidence=0.5)
    filters: dict[str, object] = {
        'category': 'hazard',
        'tags': ('wet',),
        'session_id': session,
        'near': pose,
        'radius': 0.5,
        'map_id': 'hall',
        'context_filter': '{"params.force": {"$gte": 12}}',
        'min_confidence': 0.9,
    }
    for name, value in filters.items():
        criteria = {name: value} | ({'near': pose} if name == 'radius' else {'radius': 0.5} if name == 'near' else {})
        assert ids(engine, 'spill ramp', **criteria) == [needle], name
    assert ids(engine, 'spill ramp', **filters) == [needle]
    assert ids(engine, 'spill ramp', **{**filters, 'tags': ('dry',)}) == []


def test_time_window(engine: Engine, clock: ManualClock) -> None:
    first = learn(engine, 'aisle 4 is blocked by a pallet')
    clock.advance(days=2)
    second = learn(engine, 'aisle 9 is blocked by a ladder')
    now = clock.now_ns()
    assert ids(engine, 'blocked aisle', since_ns=now - 10**9) == [second]
    assert ids(engine, 'blocked aisle', until_ns=now - 10**9) == [first]


def test_a_place_gives_its_memories_by_distance(engine: Engine) -> None:
    near, far = (
        learn(engine, 'bumpy tile', pose=Pose('map', 1.0, 0.0)),
        learn(engine, 'wet floor here', pose=Pose('map', 4.0, 0.0)),
    )
    learn(engine, 'somewhere else', pose=Pose('map', 40.0, 0.0))
    learn(engine, 'other frame', pose=Pose('odom', 1.0, 0.0))
    result = engine.recall(RecallRequest(near=Pose('map', 0.0, 0.0), radius=5.0))
    assert ([m.id for m in result.memories], result.mode) == ([near, far], 'spatial')


def test_near_without_a_radius_prefers_what_is_closer_and_excludes_nothing(engine: Engine) -> None:
    far = learn(engine, 'wet floor at gate 1', pose=Pose('map', 40.0, 0.0))
    near = learn(engine, 'wet floor at gate 2', pose=Pose('map', 1.0, 0.0))
    none = learn(engine, 'wet floor at gate 3')
    assert ids(engine, 'wet floor gate', near=Pose('map', 0.0, 0.0))[0] == near
    assert ids(engine, 'wet floor gate', near=Pose('map', 41.0, 0.0))[0] == far
    assert set(ids(engine, 'wet floor gate', near=Pose('map', 0.0, 0.0))) == {far, near, none}


def test_the_border_of_a_radius_is_exact(engine: Engine) -> None:
    """R*Tree boxes are 32-bit floats; the distance is checked again in full precision."""
    inside = learn(engine, 'just inside', pose=Pose('map', 1_000_000.0 + 0.999_999, 0.0))
    learn(engine, 'just outside the ring', pose=Pose('map', 1_000_000.0 + 1.000_001, 0.0))
    assert ids(engine, near=Pose('map', 1_000_000.0, 0.0), radius=1.0) == [inside]


def test_near_in_the_robots_own_frame_uses_the_tapped_pose(engine: Engine) -> None:
    wanted = learn(engine, 'shelf edge sticks out', pose=Pose('map', 10.0, 11.0))
    ahead = Pose('base_link', 1.0, 0.0)
    with pytest.raises(InvalidRequest, match='no pose of the robot'):
        engine.recall(RecallRequest(near=ahead, radius=0.1))
    half = math.sqrt(0.5)
    engine.observe_pose('amcl', Pose('map', 10.0, 10.0, quaternion=(0.0, 0.0, half, half)))
    assert ids(engine, near=ahead, radius=0.1) == [wanted]


def test_spatial_sort_orders_by_the_position_in_the_context(engine: Engine) -> None:
    """FIL-04: valid positions by distance; malformed ones raise nothing and come last or fall out of range."""

    def at(text: str, position: object) -> int:
        return learn(engine, text, context=json.dumps({'position': position}))

    far, near = at('cup on shelf', [3.0, 0.0, 0.0]), at('cup on table', [1.5, 0.0, 0.0])
    flat, none = at('cup in sink', [1.0, 0.0]), learn(engine, 'cup somewhere')
    sort = {'field': 'position', 'target': [1.0, 0.0, 0.0]}
    answer = ids(engine, 'cup', spatial_sort=json.dumps(sort))
    assert answer[:2] == [near, far]
    assert set(answer[2:]) == {flat, none}
    assert ids(engine, 'cup', spatial_sort=json.dumps({**sort, 'max_distance': 2})) == [near, far]
    result = engine.recall(RecallRequest(spatial_sort=json.dumps({**sort, 'max_distance': 1})))
    assert ([m.id for m in result.memories], result.mode) == ([near], 'spatial')


def test_nothing_crosses_a_collection(engine: Engine) -> None:
    learn(engine, 'the safe code is 1234', collection='a')
    assert ids(engine, 'safe code', collection='b') == []
    assert ids(engine, 'safe code') == []


@pytest.mark.parametrize(
    ('request_', 'field'),
    [
        (RecallRequest('x', n=0), 'n'),
        (RecallRequest('x', n=-(2**31)), 'n'),
        (RecallRequest(''), 'query'),
        (RecallRequest(' \n'), 'query'),
        (RecallRequest('x', min_confidence=math.nan), 'min_confidence'),
        (RecallRequest('x', radius=-1.0), 'radius'),
        (RecallRequest('x', radius=1.0), 'radius'),
        (RecallRequest('x', type='fcat'), 'type'),
        (RecallRequest('x', context_filter='{"a": {"$regex": "b"}}'), 'context_filter'),
        (RecallRequest('x', context_filter='[1]'), 'context_filter'),
        (RecallRequest('x', spatial_sort='{}'), 'spatial_sort'),
        (RecallRequest('x', since_ns=2, until_ns=1), 'since'),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused(engine: Engine, request_: RecallRequest, field: str) -> None:
    """CLI-04, FTS-05: zero means zero, nothing is guessed."""
    with pytest.raises(InvalidRequest) as refused:
        engine.recall(request_)
    assert refused.value.field.startswith(field)


def test_n_is_capped_and_the_cap_is_said(engine: Engine) -> None:
    """CLI-04."""
    learn(engine, 'one memory')
    assert 'capped to 1000' in engine.recall(RecallRequest('memory', n=2**31 - 1)).warning


def test_zero_confidence_means_zero(engine: Engine) -> None:
    """CLI-04: a caller can have the faintest memory."""
    faint = learn(engine, 'maybe the hatch was open', confidence=0.1)
    assert ids(engine, 'hatch') == []
    assert ids(engine, 'hatch', min_confidence=0.0) == [faint]


@pytest.mark.parametrize(('confidence', 'found'), [(0.2996, False), (0.3, True), (0.1 + 0.2, True)])
def test_the_confidence_shown_is_the_one_compared(engine: Engine, confidence: float, found: bool) -> None:
    """CLI-05."""
    learn(engine, 'hatch was open', confidence=confidence)
    assert [m.confidence for m in engine.recall(RecallRequest('hatch')).memories] == ([confidence] if found else [])


def test_a_faded_memory_is_not_returned_whether_or_not_a_tick_ran(engine: Engine, clock: ManualClock) -> None:
    """FIL-02."""
    learn(engine, 'hall is noisy at noon', confidence=0.35)
    clock.advance(days=40)
    assert ids(engine, 'noisy hall') == []
    while engine.tick():
        pass
    assert ids(engine, 'noisy hall') == []
    (memory,) = engine.recall(RecallRequest('noisy hall', min_confidence=0.0)).memories
    assert memory.confidence == pytest.approx(0.35 * 0.99**40)


def test_protected_memories_stay_above_the_recall_threshold(engine: Engine, clock: ManualClock) -> None:
    """DEC-06."""
    rule = learn(engine, 'never lift above 5 kg', category='constraint', confidence=0.95)
    learn(engine, 'never seen anyone lift here', category='observation', confidence=0.95)
    clock.advance(days=400)
    assert ids(engine, 'lift') == [rule]


def test_a_new_memory_stands_against_old_ones_often_used(engine: Engine, clock: ManualClock) -> None:
    """DEC-02."""
    for i in range(5):
        learn(engine, f'lift number {i} works fine on floor {i}')
    for _ in range(10):
        clock.advance(days=1)
        engine.recall(RecallRequest('works fine'))
        engine.flush()
    new = learn(engine, 'lift is broken')
    assert ids(engine, 'lift is broken')[0] == new


def test_being_popular_does_not_bury_the_relevant(engine: Engine, clock: ManualClock) -> None:
    """DEC-04: 500 look-ups at 10 Hz change nothing in the order; within a minute they count once."""
    m1, m2 = learn(engine, 'dock charger needs a reset'), learn(engine, 'dock charger paint is blue')
    for _ in range(500):
        clock.advance(seconds=0.1)
        engine.recall(RecallRequest('blue paint', n=1))
    engine.flush()
    assert ids(engine, 'dock charger reset')[0] == m1
    (memory,) = engine.recall(RecallRequest('blue paint', n=1, reinforce=False)).memories
    assert (memory.id, memory.use_count) == (m2, 1)


def test_looking_without_reinforcing_leaves_no_trace(engine: Engine, clock: ManualClock) -> None:
    learn(engine, 'blue paint on the dock')
    clock.advance(days=3)
    engine.recall(RecallRequest('paint', reinforce=False))
    engine.flush()
    (memory,) = engine.recall(RecallRequest('paint', reinforce=False)).memories
    assert (memory.use_count, memory.last_accessed_ns) == (0, 0)


def test_the_real_robots_memories_weigh_more_than_the_simulators(engine: Engine) -> None:
    learn(engine, 'cup slips at the handle today', context='{"env": {"sim_or_real": "sim"}}')
    real = learn(engine, 'cup slips at the handle yesterday', context='{"env": {"sim_or_real": "real"}}')
    assert ids(engine, 'cup slips handle')[0] == real


@hypothesis_settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(range(6)))
def test_ranking_does_not_depend_on_the_order_of_learning(tmp_path: Path, clock: ManualClock, order: list[int]) -> None:
    texts = ['dock one is near', 'dock two is far away', 'the dock', 'no word of it', 'docks dock', 'near and far']

    def scores(arrangement: Sequence[int]) -> dict[str, float]:
        path = str(tmp_path / f'{uuid.uuid4().hex}.db')
        engine = Engine(Store.open(path, Settings().store), clock, HashEmbedder, Settings())
        for i in arrangement:
            learn(engine, texts[i])
        found = engine.recall(RecallRequest('dock far', n=6)).memories
        engine.close()
        assert [m.score for m in found] == sorted((m.score for m in found), reverse=True)
        return {m.content: round(m.score, 9) for m in found}

    assert scores(order) == scores(range(6))


def test_a_neighbour_of_the_same_session_gives_context(text_engine: Engine) -> None:
    """Contract 8: of two equal matches the one comes first whose neighbour in its session also matches."""
    session = text_engine.start_session().session_id
    learn(text_engine, 'we looked at the conveyor belt', session_id=session)
    beside = learn(text_engine, 'the motor was very hot today', session_id=session)
    learn(text_engine, 'we looked at the conveyor belt of line two')
    apart = learn(text_engine, 'the motor was very warm today')
    assert [i for i in ids(text_engine, 'conveyor belt motor', n=4) if i in (beside, apart)] == [beside, apart]
    off = replace(text_engine.settings, recall=replace(text_engine.settings.recall, context_weight=0.0))
    text_engine.configure(off)
    assert [i for i in ids(text_engine, 'conveyor belt motor', n=4) if i in (beside, apart)] == [apart, beside]


def test_what_only_the_words_found_has_its_cosine_too(engine: Engine) -> None:
    """Contract 8: a memory that a full list of nearest ones leaves out is not taken for one without meaning."""
    engine.configure(replace(engine.settings, recall=replace(engine.settings.recall, candidates=10)))
    wanted = learn(engine, 'grey pallet beside the gate, marked with chalk in hall nine after lunch')
    for number in range(12):
        learn(engine, f'pallet gate chalk number {number}')
    answer = {m.id: m for m in engine.recall(RecallRequest('pallet gate chalk lunch', n=10)).memories}
    assert answer[wanted].score_vector > engine.settings.recall.min_cosine
