"""Edges between memories that were recalled together."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robotmem_ros.core.hebbian import effective_weight
from robotmem_ros.errors import StoreError
from robotmem_ros.settings import HebbianSettings
from robotmem_ros.store import edges, lifecycle

DAY = 86_400 * 10**9
MINUTE = 60 * 10**9
SETTINGS = HebbianSettings()


def strengthen(shelf: Any, *pairs: tuple[int, int], later: int = 0, settings: HebbianSettings = SETTINGS) -> None:
    with shelf.store.write() as tx:
        edges.strengthen(tx, pairs, shelf.now + later, settings)


def weight(shelf: Any, a: int, b: int, later: int = 0) -> float:
    with shelf.store.read() as tx:
        return edges.weight_of(tx, a, b, shelf.now + later, SETTINGS.half_life_days)


def rows(shelf: Any) -> list[tuple[Any, ...]]:
    with shelf.store.read() as tx:
        return list(tx.execute('SELECT memory_a, memory_b FROM co_occurrence ORDER BY 1, 2'))


def test_a_pair_is_one_edge_whatever_its_order(shelf: Any) -> None:
    """HEB-02: [A, B], later [B, A], later [A, A]."""
    a, b = shelf.add('a'), shelf.add('b')
    strengthen(shelf, (a, b))
    strengthen(shelf, (b, a), later=MINUTE)
    strengthen(shelf, (a, a), later=2 * MINUTE)
    assert rows(shelf) == [(a, b)]
    assert weight(shelf, a, b, 2 * MINUTE) == pytest.approx(2, rel=1e-3)
    with shelf.store.write() as tx, pytest.raises(StoreError, match='CHECK'):
        tx.execute('INSERT INTO co_occurrence VALUES (?, ?, 1, 1, 1)', (a, a))


def test_repeats_within_a_minute_count_once(shelf: Any) -> None:
    """Contract 7."""
    a, b = shelf.add('a'), shelf.add('b')
    for second in range(0, 60, 5):
        strengthen(shelf, (a, b), later=second * 10**9)
    assert weight(shelf, a, b) == pytest.approx(1, rel=1e-3)
    strengthen(shelf, (a, b), later=MINUTE)
    assert weight(shelf, a, b, MINUTE) == pytest.approx(2, rel=1e-3)


@pytest.mark.parametrize('end', ['forgotten', 'superseded', 'retired', 'purged'])
def test_edges_end_with_their_memories(shelf: Any, end: str) -> None:
    """HEB-03: nothing leads to a memory that is gone, and a new memory has no edges."""
    a, b = shelf.add('a'), shelf.add('b')
    strengthen(shelf, (a, b))
    with shelf.store.write() as tx:
        if end == 'purged':
            tx.execute('DELETE FROM memory WHERE id = ?', (b,))  # by the foreign key alone
        else:
            lifecycle.set_status(tx, b, end, 'test', shelf.now)
    assert rows(shelf) == []
    strengthen(shelf, (a, b))
    assert rows(shelf) == [], 'and it gets none again'
    assert shelf.add('new') > b


def test_an_edge_halves_every_thirty_days_and_not_at_every_run(shelf: Any) -> None:
    """HEB-04: weight 8 is 4 after thirty days, however often it is read; +1 then gives 2.5 after sixty."""
    a, b = shelf.add('a'), shelf.add('b')
    with shelf.store.write() as tx:
        assert edges.add(tx, b, a, 8.0, shelf.now, SETTINGS) == 8.0
    for _ in range(100):
        assert weight(shelf, a, b, 30 * DAY) == pytest.approx(4.0)
        with shelf.store.write() as tx:
            edges.expire(tx, shelf.now + 30 * DAY, SETTINGS, 100)
    strengthen(shelf, (a, b), later=30 * DAY)
    assert weight(shelf, a, b, 30 * DAY) == pytest.approx(5.0)
    assert weight(shelf, a, b, 60 * DAY) == pytest.approx(2.5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(by=st.floats(0.01, 100), age=st.integers(-DAY, 400 * DAY))
def test_sql_and_core_agree(shelf: Any, by: float, age: int) -> None:
    a, b = shelf.add('a'), shelf.add('b')
    with shelf.store.write() as tx:
        edges.add(tx, a, b, by, shelf.now, SETTINGS)
    assert weight(shelf, a, b, age) == pytest.approx(effective_weight(by, max(0, age), SETTINGS.half_life_days))


def test_no_edge_leaves_a_collection(shelf: Any) -> None:
    """HEB-06."""
    a, b, c = shelf.add('a'), shelf.add('b', collection='other'), shelf.add('c')
    strengthen(shelf, (a, b), (a, c), (a, 9999))
    assert rows(shelf) == [(a, c)]
    with shelf.store.write() as tx:
        assert edges.add(tx, a, b, 1.0, shelf.now, SETTINGS) == 0.0


def test_the_weakest_edges_of_a_memory_with_too_many_go(shelf: Any) -> None:
    few = HebbianSettings(max_edges=3)
    hub, *others = [shelf.add(f'text {i}') for i in range(7)]
    for i, other in enumerate(others):
        with shelf.store.write() as tx:
            edges.add(tx, hub, other, 10.0 + i, shelf.now, SETTINGS)
    strengthen(shelf, (hub, others[0]), settings=few, later=MINUTE)
    with shelf.store.read() as tx:
        left = edges.neighbours(tx, [hub], shelf.now, SETTINGS.half_life_days)
    assert {other for _, other, _ in left} == set(others[-3:])


def test_the_weakest_now_is_not_the_one_that_was_written_lightest(shelf: Any) -> None:
    """Contract 7: what counts is the effective weight; of equal ones the older goes."""
    one = HebbianSettings(max_edges=1)
    hub, old, new, newer = (shelf.add(name) for name in ('hub', 'old', 'new', 'newer'))
    with shelf.store.write() as tx:
        edges.add(tx, hub, old, 3.0, shelf.now - 90 * DAY, one)
        edges.add(tx, hub, new, 0.5, shelf.now - MINUTE, SETTINGS)
        edges.prune(tx, hub, shelf.now, one)
    assert rows(shelf) == [(hub, new)]
    with shelf.store.write() as tx:
        edges.add(tx, hub, newer, 1.0, 0, SETTINGS)
        tx.execute('UPDATE co_occurrence SET weight = ?, last_updated = ? - (memory_b = ?)',
                   (1.0, shelf.now + DAY, new))
        edges.prune(tx, hub, shelf.now, one)
    assert rows(shelf) == [(hub, newer)]


@pytest.mark.parametrize('turned', [False, True])
def test_an_edge_made_by_hand_takes_the_place_of_the_weakest(shelf: Any, turned: bool) -> None:
    """Contract 7: bounded also by hand, in whatever order the pair is named."""
    few = HebbianSettings(max_edges=2)
    first, second, third, hub = (shelf.add(f'text {i}') for i in range(4))
    with shelf.store.write() as tx:
        for weight, other in ((5.0, first), (4.0, second)):
            edges.add(tx, hub, other, weight, shelf.now, few)
        pair = (third, hub) if turned else (hub, third)
        assert edges.add(tx, *pair, 0.5, shelf.now, few) == pytest.approx(0.5)
    assert rows(shelf) == [(first, hub), (third, hub)]


def test_neighbours_and_degrees(shelf: Any) -> None:
    a, b, c = (shelf.add(name) for name in 'abc')
    strengthen(shelf, (a, b), (b, c))
    with shelf.store.read() as tx:
        assert sorted(edges.neighbours(tx, [b, c], shelf.now, 30.0)) == [(b, a, 1.0), (b, c, 1.0), (c, b, 1.0)]
        assert edges.degrees(tx, [a, b, 999], shelf.now, 30.0) == {a: 1.0, b: 2.0, 999: 0.0}
        assert edges.neighbours(tx, [], shelf.now, 30.0) == []


def test_faded_edges_are_found_by_their_date_alone(shelf: Any) -> None:
    """Contract 6: nothing is due before; then it goes; with a longer half-life it is dated anew."""
    a, b, c = (shelf.add(name) for name in 'abc')
    strengthen(shelf, (a, b))
    with shelf.store.write() as tx:
        edges.add(tx, a, c, 100.0, shelf.now, SETTINGS)
        assert not edges.any_due(tx, shelf.now + 129 * DAY)
        faded = shelf.now + 130 * DAY
        assert edges.any_due(tx, faded)
        assert edges.expire(tx, faded, HebbianSettings(half_life_days=300.0), 10) == 1
        assert not edges.any_due(tx, faded)
        assert edges.expire(tx, faded + 2000 * DAY, SETTINGS, 10) == 2
        assert tx.value('SELECT count(*) FROM co_occurrence') == 0


def test_the_longest_half_life_fits_the_file(shelf: Any) -> None:
    a, b = shelf.add('a'), shelf.add('b')
    longest = HebbianSettings(half_life_days=1e6)
    strengthen(shelf, (a, b), settings=longest)
    strengthen(shelf, (a, b), settings=longest, later=DAY)
    assert weight(shelf, a, b, DAY) > 1.9
