"""JSONL of others: seed 004's record, and lines that cannot be taken in."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from robotmem_ros.exchange import jsonl
from robotmem_ros.exchange.importer import BATCH
from robotmem_ros.exchange.times import ns_of
from robotmem_ros.model import RecallRequest

SEED = {
    'id': '0a8d',
    'content': '量化交易 needs a stop loss',
    'embedding': [0.1, 0.2],
    'use_count': 5,
    'last_used': '2026-02-19',
    'strength': 1.5,
    'created_at': '2026-02-15',
    'tags': ['daily-log', 'finding'],
}


def lines(*values: Any) -> bytes:
    return b''.join((value if isinstance(value, bytes) else json.dumps(value).encode()) + b'\n' for value in values)


def recalled(world: Any, query: str) -> Any:
    (memory,) = world.engine.recall(RecallRequest(query, min_confidence=0, reinforce=False)).memories
    return memory


def test_the_record_of_seed_004(empty: Any) -> None:
    assert empty.take(lines(SEED)).created == 1
    memory = recalled(empty, '量化交易')
    assert (memory.content, memory.tags, memory.use_count, memory.strength, memory.tier) == (
        SEED['content'],
        ('daily-log', 'finding'),
        5,
        1.5,
        'stm',
    )
    assert (memory.created_at_ns, memory.last_accessed_ns) == (ns_of('2026-02-15', ''), ns_of('2026-02-19', ''))
    assert memory.age_ns == empty.clock.now_ns() - ns_of('2026-02-19', '')
    before = empty.rows()
    assert empty.take(lines(SEED, SEED)).created == 0
    assert empty.rows() == before


def test_a_text_that_is_here_becomes_one_more_occurrence(empty: Any) -> None:
    """The duplicate pipeline decides, once."""
    empty.learn('the bay door sticks in winter')
    again = {**SEED, 'content': 'The bay door sticks in winter'}
    assert empty.take(lines(again)).joined == 1
    assert empty.take(lines(again)).joined == 1
    assert next(row[1] for row in empty.rows()['occurrence']) == ns_of('2026-02-15', '')
    assert len(empty.rows()['occurrence']) == 2
    other = {**SEED, 'content': 'the bay door does not stick in winter'}
    assert empty.take(lines(other)).created == 1


def test_two_records_of_one_export_never_merge(empty: Any) -> None:
    """Where they come from they stood side by side, whatever today's thresholds say."""
    empty.learn('something else')
    own = {'kind': 'memory', 'created_at': '2026-02-15', 'tags': []}
    data = lines(
        {**own, 'id': '1', 'content': 'the bay door sticks in winter'},
        {**own, 'id': '2', 'content': 'The  bay door sticks in winter'},
    )
    for _ in range(2):
        empty.take(data)
        assert len(empty.rows()['memory']) == 3


@pytest.mark.parametrize(
    ('line', 'reason'),
    [
        (b'{"id": 1, "content": ""}', 'content'),
        (b'{"id": 1}', 'content'),
        (b'[1]', 'a JSON object'),
        (b'{"id"', 'a JSON object'),
        (b'\xff\xfe', 'UTF-8'),
        ({**SEED, 'strength': 'x'}, 'strength'),
        ({**SEED, 'strength': 7}, 'strength'),
        ({**SEED, 'tags': 'a'}, 'tags'),
        ({**SEED, 'tags': [1]}, 'tags'),
        ({**SEED, 'created_at': 'yesterday'}, 'created_at'),
        ({**SEED, 'created_at': '2026-13-45'}, 'created_at'),
        ({**SEED, 'use_count': -1}, 'use_count'),
        ({**SEED, 'use_count': True}, 'use_count'),
        ({**SEED, 'content': 'x' * 70_000}, 'content'),
        (b'{"id": "1", "content": "x", "confidence": NaN, "kind": "memory"}', 'NaN'),
        ({'kind': 'what'}, 'kind'),
        (b'{"id": "1", "content": "\\ud800"}', 'content'),
        ({'kind': 'edge', 'a': '1', 'b': '2'}, 'edge'),
        ({'kind': 'place', 'name': 'p', 'frame': 'map', 'position': [1, 2]}, 'position'),
        ({'kind': 'memory', 'id': 1, 'content': 'x', 'occurrences': [{'context': '[1]'}]}, 'context'),
        ({'kind': 'scene', 'key': 'a:b', 'features': [['a', 'b']]}, 'features'),
        (b'[' * 100_000, 'a JSON object'),
        ({'kind': 'robotmem', 'version': 2}, 'version'),
        ({'kind': 'session', 'context': ''}, 'id'),
    ],
)
def test_a_bad_line_is_refused_by_number_and_the_others_go_on(empty: Any, line: Any, reason: str) -> None:
    summary = empty.take(lines(SEED, line, b'', {**SEED, 'content': 'another fact'}))
    assert (summary.created, summary.refused) == (2, 1)
    ((where, sentence),) = summary.refusals
    assert where == 'line 2' and reason in sentence and len(sentence) < 400


def test_a_line_beyond_all_measure_is_refused_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its beginning and its end must not be taken for a shorter record."""
    monkeypatch.setattr(jsonl, 'MAX_LINE', 1000)
    data = lines(SEED, {**SEED, 'content': 'x' * 5000}, b'{"id": 1, "content": "' + b'x' * 5000 + b'"}', SEED)
    found = list(jsonl.read(io.BytesIO(data)))
    assert [(line.where, bool(line.refusal)) for line in found] == [
        ('line 1', False), ('line 2', True), ('line 3', True), ('line 4', False)]


def test_a_failure_keeps_the_batches_before_it(empty: Any) -> None:
    """Bounded transactions: what was committed stays, and a second import goes on from there."""
    many = [{**SEED, 'id': i, 'content': f'bay {i} has shelf {i}'} for i in range(BATCH + 50)]

    def broken() -> Any:
        yield from jsonl.read(io.BytesIO(lines(*many)))
        raise OSError('gone')

    with pytest.raises(OSError, match='gone'):
        empty.engine.import_records(broken())
    assert len(empty.rows()['memory']) == BATCH
    summary = empty.take(lines(*many))
    assert (summary.known, summary.created) == (BATCH, 50)


def test_a_place_of_the_same_name_elsewhere_is_refused(full: Any) -> None:
    place = {'kind': 'place', 'name': 'p1', 'frame': 'map', 'map': 'hall', 'position': [0, 0, 0]}
    summary = full.take(lines(place))
    assert summary.refused == 1 and 'lies elsewhere' in summary.refusals[0][1]


def test_progress_is_told_after_each_batch(empty: Any) -> None:
    told: list[int] = []
    many = [{**SEED, 'id': i, 'content': f'bay {i} has shelf {i}'} for i in range(BATCH + 1)]
    empty.engine.import_records(jsonl.read(io.BytesIO(lines(*many))), on_line=told.append)
    assert told == [BATCH, BATCH + 1]
