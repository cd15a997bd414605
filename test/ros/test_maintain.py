"""~/maintain, ~/promote and ~/stats on the wire: defaults, counts, refusals."""

from __future__ import annotations

import json
from typing import Any

import pytest
import robotmem_ros.srv as srv

HERE = 'upkeep'


def maintain(client: Any, **fields: Any) -> Any:
    return client.call(srv.Maintain, 'maintain', collection=HERE, **fields)


def test_a_dry_run_says_what_a_pass_does(shared: Any) -> None:
    for i in range(3):
        assert shared.learn(f'note{i} about shelf{i}', collection=HERE).success
    assert (maintain(shared).gc_retired, maintain(shared).purged) == (0, 0), 'nothing has faded below 0.1 yet'
    planned = maintain(shared, dry_run=True, gc_threshold=1.0)
    assert planned.success, planned.error
    assert planned.gc_retired == 3 and planned.file_bytes > 0
    assert shared.call(srv.Stats, 'stats', collection=HERE).active == 3
    rule = shared.learn('never lift above 5 kg', category='constraint', collection=HERE).memory_id
    kept = shared.call(srv.Promote, 'promote', memory_id=shared.recall('note1', collection=HERE, n=1).memories[0].id)
    assert kept.success and kept.tier == 'ltm'
    done = maintain(shared, gc_threshold=1.0, cleanup_duplicates=True)
    assert done.success and done.gc_retired == 2, done
    stats = shared.call(srv.Stats, 'stats', collection=HERE)
    assert (stats.active, stats.forgotten, stats.stm, stats.ltm, stats.hidden) == (2, 2, 1, 1, 0)
    assert {m.id for m in shared.recall('never lift note1', collection=HERE).memories} >= {rule}
    assert maintain(shared, purge_after_days=1.0).purged == 0
    assert maintain(shared, purge_after_days=1e-9).purged == 2


@pytest.mark.parametrize(('field', 'value'), [
    ('gc_threshold', -0.5), ('gc_threshold', float('nan')), ('purge_after_days', -1.0),
    ('purge_after_days', float('inf')),
])
def test_what_cannot_be_is_refused(shared: Any, field: str, value: float) -> None:
    answer = maintain(shared, **{field: value})
    assert not answer.success and answer.error.startswith(field)


def test_stats_say_the_same_typed_and_as_json(shared: Any) -> None:
    """Seed 004: connected memories, average edges; contract 6: bands and what is hidden now."""
    ids = [shared.learn(f'thing{i} of bay{i}', collection='numbers').memory_id for i in range(3)]
    assert shared.call(srv.Link, 'link', memory_a=ids[0], memory_b=ids[1]).success
    session = shared.call(srv.StartSession, 'start_session', collection='numbers').session_id
    answer = shared.call(srv.Stats, 'stats', collection='numbers')
    told = json.loads(answer.stats_json)
    assert (answer.edges, answer.linked_memories, answer.average_edges) == (1, 2, 0.5)
    assert (told['edges'], told['linked_memories'], told['average_edges']) == (1, 2, 0.5)
    assert told['bands'] == {'faded': 0, 'danger': 0, 'healthy': 0, 'strong': 3} and answer.band_strong == 3
    assert (told['hidden'], answer.hidden, told['clock']) == (0, 0, [])
    assert (answer.sessions_open, answer.sessions_idle, told['idle_sessions']) == (1, 0, 0)
    assert shared.call(srv.EndSession, 'end_session', session_id=session).success
