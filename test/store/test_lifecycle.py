"""Merging, retiring, purging: what stays, what goes, and where it goes."""

from __future__ import annotations

from typing import Any

import pytest

from robotmem_ros.model import Condition, Feature, Pose
from robotmem_ros.settings import HebbianSettings
from robotmem_ros.store import edges, fulltext, lifecycle, memories, occurrences, usage, vectors
from robotmem_ros.store.occurrences import Occurrence

SETTINGS = HebbianSettings()
DAY = 86_400 * 10**9


def merge(shelf: Any, absorbed: int, keeper: int) -> None:
    with shelf.store.write() as tx:
        lifecycle.inherit(tx, absorbed, keeper, shelf.now, SETTINGS)
        lifecycle.set_status(tx, absorbed, 'superseded', 'consolidated', shelf.now, superseded_by=keeper)


def test_the_keeper_inherits_everything(shelf: Any) -> None:
    """CON-03: A (cup, two recalls, edge to D of 3, a tag, a scene, a place) is merged into B."""
    a = shelf.add('A', tags=('x', 'y'), occurrence=Occurrence(
        shelf.now, context='{"object":"cup"}', pose=Pose('map', 5, 5), bucket='place:hall'))
    b, d = shelf.add('B', tags=('y',)), shelf.add('D')
    with shelf.store.write() as tx:
        usage.reinforce(tx, [a], shelf.now)
        usage.reinforce(tx, [a, b], shelf.now + DAY)
        edges.add(tx, a, d, 3.0, shelf.now, SETTINGS)
        edges.add(tx, b, d, 1.0, shelf.now, SETTINGS)
        edges.add(tx, a, b, 9.0, shelf.now, SETTINGS)
        tx.execute("INSERT INTO scene VALUES (1, 1, 'place:hall', 'emergent', 0, 1, 0)")
        tx.execute('INSERT INTO scene_ref VALUES (1, ?, 0.5, 1)', (a,))
    merge(shelf, a, b)
    assert shelf.found(context=(Condition(('object',), 'eq', 'cup'),)) == {b}
    assert shelf.found(near=Pose('map', 5, 5), radius_m=1) == {b}
    assert shelf.found(tags=('x', 'y')) == {b}
    assert shelf.found(scene_key='place:hall') == {b}
    with shelf.store.read() as tx:
        assert edges.weight_of(tx, b, d, shelf.now, 30.0) == pytest.approx(4.0)
        assert tx.execute('SELECT memory_a, memory_b FROM co_occurrence') == [(b, d)]
        row = memories.get_row(tx, b)
        assert row is not None
        assert row.use_count == 3
        assert memories.live_id(tx, a) == b
        assert tx.value('SELECT count(*) FROM occurrence WHERE memory_id = ?', (b,)) == 2
    merge(shelf, a, b)
    with shelf.store.read() as tx:
        assert edges.weight_of(tx, b, d, shelf.now, 30.0) == pytest.approx(4.0), 'given once, not twice'


@pytest.mark.parametrize('status', ['superseded', 'forgotten', 'retired'])
def test_a_retired_memory_is_found_by_nothing(shelf: Any, status: str) -> None:
    """COR: one way out for all three; the row and its reason stay."""
    memory = shelf.add('dock', vector=(1, 0, 0, 0), tags=('t',))
    with shelf.store.write() as tx:
        lifecycle.set_status(tx, memory, status, 'because', shelf.now)
    assert shelf.found() == shelf.found(tags=('t',)) == set()
    with shelf.store.read() as tx:
        assert fulltext.candidates(tx, [('dock',)], 1, 5) == []
        assert tx.value("SELECT count(*) FROM memory_fts WHERE memory_fts MATCH 'dock'") == 0
        assert vectors.get(tx, memory) is None
        assert vectors.pending(tx, 5) == []
        row = memories.get_row(tx, memory)
        assert row is not None
        assert (row.content, row.status, row.status_reason) == ('dock', status, 'because')
        assert not memories.is_active(tx, memory)
    with shelf.store.write() as tx, pytest.raises(ValueError, match='does not come back'):
        lifecycle.set_status(tx, memory, 'active', '', shelf.now)


def test_a_chain_of_merges_ends_at_the_live_one(shelf: Any) -> None:
    a, b, c = (shelf.add(name) for name in 'abc')
    merge(shelf, a, b)
    merge(shelf, b, c)
    with shelf.store.write() as tx:
        assert [memories.live_id(tx, i) for i in (a, b, c)] == [c, c, c]
        tx.execute('UPDATE memory SET superseded_by = ? WHERE id = ?', (a, c))
        assert memories.live_id(tx, a) in (a, b, c), 'a cycle in a damaged file is not followed for ever'


@pytest.mark.parametrize('bad', [0, -1, 2**63 - 1, 2**63, -(2**63) - 1, 2**70])
def test_impossible_ids_are_not_found(shelf: Any, bad: int) -> None:
    """SQL-11."""
    shelf.add('text')
    with shelf.store.write() as tx:
        assert memories.get_row(tx, bad) is None
        assert memories.rows(tx, [bad]) == {}
        assert memories.load(tx, [bad], shelf.filters(), shelf.decay) == {}
        assert not memories.is_active(tx, bad)
        assert memories.live_id(tx, bad) == bad
        lifecycle.purge(tx, [bad])
        usage.reinforce(tx, [bad], shelf.now)


def test_after_the_greatest_id_there_is_an_error_and_no_random_id(shelf: Any) -> None:
    """SQL-11."""
    from robotmem_ros.errors import StoreError

    shelf.add('text')
    with shelf.store.write() as tx:
        tx.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'memory'", (2**63 - 1,))
    with pytest.raises(StoreError, match='no id is left'):
        shelf.add('one more')
    assert len(shelf.found()) == 1


def test_only_the_newest_occurrences_are_kept(shelf: Any) -> None:
    """Contract 4: at most 256, and their places go with them."""
    memory = shelf.add('text', occurrence=Occurrence(1, pose=Pose('map', 0, 0)))
    with shelf.store.write() as tx:
        for i in range(300):
            occurrences.add(tx, memory, Occurrence(2 + i, context=f'{{"i":{i}}}', pose=Pose('map', i, 0)))
        assert tx.execute('SELECT count(*), min(at), max(at) FROM occurrence') == [(256, 46, 301)]
        assert tx.value('SELECT count(*) FROM occurrence_place') == 256
        other = memories.insert(tx, memories.NewMemory(1, 'fact', 'other', 1))
        occurrences.add(tx, other, Occurrence(1000))
        occurrences.move(tx, memory, other)
        assert tx.execute('SELECT count(*), max(at) FROM occurrence WHERE memory_id = ?', (other,)) == [(256, 1000)]
        assert tx.value('SELECT count(*) FROM occurrence_place') == 255


def test_an_occurrence_comes_back_as_it_was(shelf: Any) -> None:
    item = Occurrence(5, 4, 's', '{"a": 1}', Pose('map', 1, 2, 3, (0, 0, 0, 1), 'hall', 4), 'place:x',
                      (Feature('place', 'x'), Feature('object', 'a:b')))
    memory = shelf.add('text', occurrence=item)
    with shelf.store.read() as tx:
        assert occurrences.newest(tx, memory) == item
        assert occurrences.newest(tx, 999) is None


def test_use_moves_the_anchor_and_counts_days(shelf: Any) -> None:
    a, b = shelf.add('a'), shelf.add('b')
    with shelf.store.write() as tx:
        lifecycle.set_status(tx, b, 'forgotten', 'x', shelf.now)
        for later in (0, 10 * 10**9, 61 * 10**9, DAY, 0):
            usage.reinforce(tx, [a, a, b], shelf.now + later, repeat_s=60.0)
        used = 'SELECT use_count, use_days, decay_anchor - ?, last_accessed - ? FROM memory WHERE id = ?'
        assert tx.execute(used, (shelf.now, shelf.now, a)) == [(4, 2, DAY, DAY)]  # a repeated time moves nothing back
        assert tx.value('SELECT use_count FROM memory WHERE id = ?', (b,)) == 0
        usage.reinforce(tx, [a], 0)
        assert tx.execute(used, (shelf.now, shelf.now, a))[0][2:] == (DAY, DAY)


def test_the_oldest_perceptions_are_the_surplus(shelf: Any) -> None:
    facts = [shelf.add(f'fact {i}') for i in range(3)]
    seen = [shelf.add(f'seen {i}', type='perception', created_at_ns=shelf.now + i) for i in range(5)]
    other = [shelf.add(f'seen {i}', type='perception', collection='other') for i in range(4)]
    with shelf.store.read() as tx:
        assert memories.surplus_perceptions(tx, 3, 10) == [*seen[:2], other[0]]
        assert memories.surplus_perceptions(tx, 3, 1) == seen[:1]
        assert memories.surplus_perceptions(tx, 5, 10) == []
    assert facts
