"""What each criterion means, alone and together. ``shelf.found`` asks every reading path and compares them."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robotmem_ros.core.decay import effective_confidence
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.model import Condition, Pose, SpatialSort
from robotmem_ros.store import filters as filters_sql
from robotmem_ros.store import lifecycle, memories, occurrences, usage
from robotmem_ros.store.occurrences import Occurrence

DAY = 86_400 * 10**9


def context(shelf: Any, text: str) -> int:
    return int(shelf.add(text or 'none', occurrence=Occurrence(shelf.now, context=text)))


def matching(shelf: Any, *conditions: tuple[str | tuple[str, ...], str, Any]) -> set[int]:
    tests = tuple(Condition((path,) if isinstance(path, str) else path, op, value) for path, op, value in conditions)
    return set(shelf.found(context=tests))


class TestContext:
    """FIL-03."""

    def test_dots_in_a_key_are_not_a_path(self, shelf: Any) -> None:
        key = context(shelf, '{"params":{"grip.force":12}}')
        path = context(shelf, '{"params":{"grip":{"force":12}}}')
        assert matching(shelf, (('params', 'grip.force'), 'eq', 12)) == {key}
        assert matching(shelf, (('params', 'grip', 'force'), 'eq', 12)) == {path}

    def test_truth_text_and_numbers_are_different(self, shelf: Any) -> None:
        values = [
            (True, 'true'), (False, 'false'), ('true', '"true"'), (1, '1'), ('1', '"1"'), (0, '0'), (None, 'null')]
        ids = {(type(v), v): context(shelf, f'{{"success":{text}}}') for v, text in values}
        real = context(shelf, '{"success":1.0}')
        nothing = context(shelf, '')
        for (kind, value), memory in ids.items():
            also = real if value == 1 and kind is int else nothing if value is None else memory
            wanted = {memory, also}
            assert matching(shelf, ('success', 'eq', value)) == wanted, value
            everything = {*ids.values(), real, nothing}
            assert matching(shelf, ('success', 'ne', value)) == everything - wanted, value

    def test_a_missing_key_is_null(self, shelf: Any) -> None:
        there = context(shelf, '{"missing":0}')
        ids = {context(shelf, text) for text in ('', '{}', '{"missing":null}', '{"other":{"missing":1}}')}
        assert matching(shelf, ('missing', 'eq', None)) == ids
        assert matching(shelf, ('missing', 'ne', None)) == {there}

    def test_sql_in_a_key_is_only_a_key(self, shelf: Any) -> None:
        context(shelf, '{"x":1}')
        injected = ("x') OR 1=1 --", "x' OR '1'='1", 'x"."y', '\\', 'x\\"')
        for key in (*injected, '$', '$.x', 'x[0]', '*', '#', ':now', '', '\n'):
            assert matching(shelf, (key, 'eq', 1)) == set(), key

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
    @given(
        key=st.text(st.characters(exclude_categories=['Cs'], exclude_characters='\0'), max_size=10),
        escaped=st.booleans(),
    )
    def test_any_key_is_found_by_itself(self, shelf: Any, key: str, escaped: bool) -> None:
        memory = context(shelf, json.dumps({key: {key: 5}}, ensure_ascii=escaped))
        assert memory in matching(shelf, ((key, key), 'eq', 5))

    @pytest.mark.parametrize(
        ('op', 'wanted'), [('lt', {3, 4}), ('lte', {3, 4, 5}), ('gt', {6, 7.5}), ('gte', {5, 6, 7.5})])
    def test_order_compares_numbers_with_numbers(self, shelf: Any, op: str, wanted: set[float]) -> None:
        ids = {n: context(shelf, f'{{"n":{n}}}') for n in (3, 4, 5, 6, 7.5)}
        for text in ('"5"', '"9"', 'true', 'null', '[9]', '{"a":9}'):
            context(shelf, f'{{"n":{text}}}')
        context(shelf, '')
        assert matching(shelf, ('n', op, 5)) == {ids[n] for n in wanted}

    def test_order_compares_texts_with_texts(self, shelf: Any) -> None:
        a, b = context(shelf, '{"n":"a"}'), context(shelf, '{"n":"b"}')
        context(shelf, '{"n":1}')
        assert matching(shelf, ('n', 'gte', 'b')) == {b}
        assert matching(shelf, ('n', 'lt', 'b')) == {a}

    def test_one_of(self, shelf: Any) -> None:
        one, text, null = (context(shelf, f'{{"n":{v}}}') for v in ('1', '"x"', 'null'))
        context(shelf, '{"n":true}')
        assert matching(shelf, ('n', 'in', (1, 'x'))) == {one, text}
        assert matching(shelf, ('n', 'in', (None, 7))) == {null}
        assert matching(shelf, ('n', 'in', ())) == set()

    def test_an_unknown_operator_is_an_error(self, shelf: Any) -> None:
        with pytest.raises(InvalidRequest, match='context_filter'):
            matching(shelf, ('n', 'regex', 'x'))
        with pytest.raises(InvalidRequest, match='context_filter'):
            matching(shelf, ('n', 'eq', {'a': 1}))

    def test_positions_in_a_context(self, shelf: Any) -> None:
        """FIL-04: malformed positions are no error and do not match."""
        near, far = context(shelf, '{"p":[1,0,0.5]}'), context(shelf, '{"p":[9,0,0]}')
        for position in ('[1,0]', '["1",0,0]', '"here"', '[1,0,null]', '{"x":1}', '[1,0,[0]]'):
            context(shelf, f'{{"p":{position}}}')
        context(shelf, '')
        sort = SpatialSort(('p',), (1.0, 0.0, 0.0), 2.0)
        assert shelf.found(spatial=sort) == {near}
        assert shelf.found(spatial=SpatialSort(('p',), (1.0, 0.0, 0.0), 100.0)) == {near, far}
        assert len(shelf.found(spatial=SpatialSort(('p',), (1.0, 0.0, 0.0)))) == 9, 'without a limit it only orders'


class TestConfidence:
    def test_the_value_that_is_shown_is_the_value_that_was_compared(self, shelf: Any) -> None:
        """CLI-05: 0.2996 is out, 0.3 and 0.1 + 0.2 are in."""
        below, exact, sum_ = (shelf.add(f'text {c}', confidence=c) for c in (0.2996, 0.3, 0.1 + 0.2))
        assert shelf.found(min_confidence=0.3) == {exact, sum_}
        with shelf.store.read() as tx:
            found = memories.load(tx, [below, exact, sum_], shelf.filters(), shelf.decay)
        assert [found[i].confidence for i in (below, exact, sum_)] == [0.2996, 0.3, 0.30000000000000004]

    def test_it_is_the_effective_one(self, shelf: Any) -> None:
        """FIL-02: stored 0.35, forty days old, rate 0.01: no tick has run, and it is out all the same."""
        memory = shelf.add('old', confidence=0.35)
        shelf.now += 40 * DAY
        assert shelf.found(min_confidence=0.3) == set()
        assert shelf.found(min_confidence=0.23) == {memory}
        with shelf.store.read() as tx:
            found = memories.load(tx, [memory], shelf.filters(), shelf.decay)[memory]
        assert found.confidence == pytest.approx(0.35 * 0.99**40)
        assert (found.stored_confidence, found.age_ns) == (0.35, 40 * DAY)

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100, deadline=None)
    @given(
        confidence=st.floats(0, 1), age=st.integers(-DAY, 4000 * DAY),
        category=st.sampled_from(['', 'constraint', 'gotcha']), threshold=st.floats(0, 1),
    )
    def test_sql_and_core_agree(self, shelf: Any, confidence: float, age: int, category: str, threshold: float) -> None:
        """FIL-02: the filter, the answer and ``core.decay`` are one formula; protected ones stay above the floor."""
        memory = shelf.add('text', confidence=confidence, category=category)
        floor = shelf.decay.recall_threshold if category else 0.0
        expected = effective_confidence(confidence, shelf.decay.rate_per_day, max(0, age), floor)
        criteria = shelf.filters(now_ns=shelf.now + age, min_confidence=threshold)
        with shelf.store.read() as tx:
            found = memories.load(tx, [memory], shelf.filters(now_ns=shelf.now + age), shelf.decay)[memory]
            shown = memory in memories.load(tx, [memory], criteria, shelf.decay)
        assert found.confidence == pytest.approx(expected, rel=1e-12, abs=1e-300)
        assert shown == (found.confidence >= threshold)

    def test_it_ages_from_the_last_use(self, shelf: Any) -> None:
        memory = shelf.add('used', confidence=0.35)
        shelf.now += 40 * DAY
        with shelf.store.write() as tx:
            usage.reinforce(tx, [memory], shelf.now)
        assert shelf.found(min_confidence=0.35) == {memory}

    def test_unknown_time_ages_nothing(self, shelf: Any) -> None:
        memory = shelf.add('text', confidence=0.9, created_at_ns=0)
        assert shelf.found(min_confidence=0.9) == {memory}
        shelf.now = 0
        assert shelf.found(min_confidence=0.9) == {memory}


class TestOneOccurrence:
    def test_criteria_hold_through_one_occurrence(self, shelf: Any) -> None:
        """Contract 4: confirmed at two docks in two sessions; no mixture of the two matches."""
        first = Occurrence(shelf.now, session_id='s1', context='{"dock":1}', pose=Pose('map', 0, 0))
        second = Occurrence(shelf.now + DAY, session_id='s2', context='{"dock":2}', pose=Pose('map', 10, 0))
        memory = shelf.add('the dock slips', occurrence=first)
        with shelf.store.write() as tx:
            occurrences.add(tx, memory, second)
        dock1, dock2 = ((Condition(('dock',), 'eq', n),) for n in (1, 2))
        at1, at2 = ({'near': Pose('map', x, 0), 'radius_m': 1.0} for x in (0, 10))
        assert shelf.found(session_id='s1', context=dock1, until_ns=shelf.now, **at1) == {memory}
        assert shelf.found(session_id='s2', context=dock2, since_ns=shelf.now + 1, **at2) == {memory}
        assert shelf.found(session_id='s1', context=dock2) == set()
        assert shelf.found(context=dock1, **at2) == set()
        assert shelf.found(session_id='s2', until_ns=shelf.now) == set()

    def test_the_answer_shows_the_one_that_matched(self, shelf: Any) -> None:
        memory = shelf.add('slips', session_id='s1', occurrence=Occurrence(
            shelf.now, 7, 's1', '{"dock":1}', Pose('map', 1, 2, 3, (0, 0, 1, 0), 'hall')))
        with shelf.store.write() as tx:
            occurrences.add(tx, memory, Occurrence(shelf.now + 1, session_id='s2', context='{"dock":2}'))

        def shown(**criteria: Any) -> tuple[str, str, Pose | None]:
            with shelf.store.read() as tx:
                found = memories.load(tx, [memory], shelf.filters(**criteria), shelf.decay)[memory]
            return found.session_id, found.context, found.pose

        assert shown() == ('s2', '{"dock":2}', None)
        pose = Pose('map', 1, 2, 3, (0, 0, 1, 0), 'hall', 7)
        assert shown(session_id='s1') == ('s1', '{"dock":1}', pose)
        assert shown(map_id='hall') == ('s1', '{"dock":1}', pose)


class TestNear:
    def test_frame_and_map_must_be_the_same(self, shelf: Any) -> None:
        here = shelf.add('a', occurrence=Occurrence(shelf.now, pose=Pose('map', 0, 0, map_id='hall')))
        other_map = shelf.add('b', occurrence=Occurrence(shelf.now, pose=Pose('map', 0, 0, map_id='yard')))
        shelf.add('c', occurrence=Occurrence(shelf.now, pose=Pose('odom', 0, 0, map_id='hall')))
        shelf.add('d')
        assert shelf.found(near=Pose('map', 0, 0), radius_m=1) == {here, other_map}
        assert shelf.found(near=Pose('map', 0, 0, map_id='hall'), radius_m=1) == {here}
        assert shelf.found(near=Pose('map', 0, 0), map_id='hall', radius_m=1) == {here}
        assert len(shelf.found(near=Pose('map', 0, 0))) == 4, 'radius 0 excludes nothing'

    def test_height_counts(self, shelf: Any) -> None:
        shelf.add('shelf above', occurrence=Occurrence(shelf.now, pose=Pose('map', 0, 0, 2.5)))
        assert shelf.found(near=Pose('map', 0, 0), radius_m=2.4) == set()
        assert len(shelf.found(near=Pose('map', 0, 0), radius_m=2.5)) == 1

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80, deadline=None)
    @given(
        x=st.floats(-5e6, 5e6), y=st.floats(-5e6, 5e6), dx=st.floats(-3, 3), dy=st.floats(-3, 3),
        radius=st.floats(1e-6, 4),
    )
    def test_distance_is_exact_where_the_tree_is_coarse(
        self, shelf: Any, x: float, y: float, dx: float, dy: float, radius: float
    ) -> None:
        """Contract 8: 32-bit floats are half a metre apart at 5 000 km (UTM northings); the answer is not."""
        memory = shelf.add('here', occurrence=Occurrence(shelf.now, pose=Pose('map', x + dx, y + dy)))
        near = Pose('map', x, y)
        away = math.sqrt((x + dx - x) ** 2 + (y + dy - y) ** 2)
        ids = shelf.found(near=near, radius_m=radius)
        assert (memory in ids) == (away <= radius)
        with shelf.store.write() as tx:
            lifecycle.purge(tx, [memory])


def test_collections_do_not_meet(shelf: Any) -> None:
    own = shelf.add('dock', tags=('t',), session_id='s')
    shelf.add('dock', collection='other', tags=('t',), session_id='s')
    for criteria in ({}, {'tags': ('t',)}, {'session_id': 's'}, {'type': 'fact'}):
        assert shelf.found(**criteria) == {own}
    assert shelf.found(collection='never used') == set()


@pytest.mark.parametrize(
    ('criterion', 'index'),
    [({'session_id': 's'}, 'occurrence_session'), ({'tags': ('a',)}, 'memory_tag_tag'),
     ({'scene_key': 'place:hall'}, 'scene'),
     ({'near': Pose('map', 0.0, 0.0), 'radius_m': 1.0}, 'VIRTUAL TABLE INDEX 2')],
)
def test_a_rare_criterion_is_looked_up_in_its_index(shelf: Any, criterion: dict[str, Any], index: str) -> None:
    where = filters_sql.compile_filters(shelf.filters(**criterion), shelf.decay)
    with shelf.store.read() as tx:
        plan = [row[3] for row in tx.execute(
            f'EXPLAIN QUERY PLAN SELECT m.id FROM {where.source} WHERE {where.sql}', where.args)]  # noqa: S608
    first = next(step for step in plan if step.startswith(('SCAN', 'SEARCH')))
    assert index in first and ('SEARCH' in first or 'VIRTUAL' in first), plan


def test_all_tags_must_be_there(shelf: Any) -> None:
    both, one = shelf.add('a', tags=('x', 'y', "z'")), shelf.add('b', tags=('x',))
    assert shelf.found(tags=('x',)) == {both, one}
    assert shelf.found(tags=('x', 'y')) == {both}
    assert shelf.found(tags=("z'",)) == {both}
    assert shelf.found(tags=('x', 'none')) == set()


def test_a_scene_carries_what_lies_under_it_and_not_its_namesake(shelf: Any) -> None:
    """Contract 9: place:hall gives place:hall/peer:x, never place:hall2."""
    ids = [shelf.add(f'text {i}') for i in range(4)]
    with shelf.store.write() as tx:
        for i, key in enumerate(('place:hall', 'place:hall/peer:x', 'place:hall2', 'place:hall-b')):
            tx.execute("INSERT INTO scene VALUES (?, 1, ?, 'declared', 0, 1, 0)", (i + 1, key))
            tx.execute('INSERT INTO scene_ref VALUES (?, ?, 1, 1)', (i + 1, ids[i]))
    assert shelf.found(scene_key='place:hall') == set(ids[:2])
    assert shelf.found(scene_key='place:hall/peer:x') == {ids[1]}
    assert shelf.found(scene_key='place') == set()


def test_nothing_of_a_user_stands_in_the_sql(shelf: Any) -> None:
    poison = "x' OR 1=1 --"
    criteria = shelf.filters(
        collection=poison, session_id=poison, category=poison, type=poison, tags=(poison,), map_id=poison,
        scene_key=poison, exclude_session=poison, context=(Condition((poison,), 'eq', poison),),
        near=Pose(poison, 0, 0), radius_m=1,
    )
    where = filters_sql.compile_filters(criteria, shelf.decay)
    assert '1=1' not in where.sql + where.source + where.occurrence
