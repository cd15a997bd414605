"""What decides an answer is read for many memories; the answer itself for a few; both see the same memory."""

from __future__ import annotations

import dataclasses

import pytest

from robotmem_ros.model import Pose
from robotmem_ros.store import candidates, memories
from robotmem_ros.store.occurrences import Occurrence


def test_a_candidate_is_the_memory_in_short(shelf) -> None:
    """Filters, occurrence and effective confidence are those of the answer."""
    day = 86_400 * 10**9
    kept = shelf.add('lift is broken', occurrence=Occurrence(shelf.now, context='{"a": 1}', pose=Pose('map', 1.0, 2.0)),
                     created_at_ns=shelf.now - 5 * day, tier='ltm', strength=1.5)
    other = shelf.add('lift works', occurrence=Occurrence(shelf.now, context='{"a": 2}'))
    filters = shelf.filters()
    with shelf.store.read() as tx:
        short = candidates.load(tx, [other, kept, kept, 999], filters, shelf.decay)
        full = memories.load(tx, [kept, other], filters, shelf.decay)
    assert set(short) == set(full) == {kept, other}
    for memory_id, item in short.items():
        for field in dataclasses.fields(item):
            assert getattr(item, field.name) == getattr(full[memory_id], field.name)
    assert short[kept].confidence < short[other].confidence


def test_a_candidate_satisfies_the_filters(shelf) -> None:
    first, second = shelf.add('one', category='hazard'), shelf.add('two')
    with shelf.store.read() as tx:
        assert set(candidates.load(tx, [first, second], shelf.filters(category='hazard'), shelf.decay)) == {first}
        assert candidates.load(tx, [], shelf.filters(), shelf.decay) == {}


def test_before_is_the_memory_made_just_before_in_the_session(shelf) -> None:
    """Sessions that run side by side do not mix, and what belongs to none has no neighbour."""
    one = shelf.add('one', session_id='s')
    elsewhere = shelf.add('elsewhere', session_id='other')
    alone, alone_too = shelf.add('alone'), shelf.add('alone too')
    two = shelf.add('two', session_id='s')
    three = shelf.add('three', session_id='s')
    with shelf.store.read() as tx:
        assert candidates.before(tx, [three, one, elsewhere, alone, alone_too, two]) == {three: two, two: one}
        assert candidates.before(tx, []) == {}


@pytest.mark.parametrize('read', [memories.load, candidates.load])
def test_reading_a_few_memories_does_not_touch_the_others(shelf, read) -> None:
    """An answer of five costs as much among a hundred memories as among a hundred thousand."""
    ids = [shelf.add(f'memory {i}') for i in range(4)]
    with shelf.store.read() as tx:
        plans: list[str] = []

        class Explained:
            def execute(self, sql, args=()):
                plans.extend(str(row[3]) for row in tx.execute('EXPLAIN QUERY PLAN ' + sql, args))
                return []

        read(Explained(), ids[:2], shelf.filters(), shelf.decay)
    assert 'SEARCH m USING INTEGER PRIMARY KEY (rowid=?)' in plans
