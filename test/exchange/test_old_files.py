"""SQL-10 d: a file of robotmem 0.1.3 is refused by name where a database is wanted, and imported where one asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

from robotmem_ros.errors import StoreCorrupt
from robotmem_ros.exchange.sources import open_source
from robotmem_ros.exchange.times import ns_of
from robotmem_ros.model import RecallRequest
from robotmem_ros.store.store import Store

TABLES = (Path(__file__).resolve().parents[1] / 'data' / 'robotmem_0_1_3.sql').read_text('utf-8')


@pytest.fixture
def old(tmp_path: Path) -> str:
    path = str(tmp_path / 'old.db')
    connection = apsw.Connection(path)
    connection.execute(TABLES)
    connection.close()
    return path


def test_it_is_refused_by_name_and_left_alone(old: str) -> None:
    before = Path(old).read_bytes()
    with pytest.raises(StoreCorrupt, match=r'robotmem 0\.1 .*robotmem import'):
        Store.open(old)
    assert Path(old).read_bytes() == before


def test_it_comes_in_with_its_sessions_and_tags(old: str, empty: Any) -> None:
    before = Path(old).read_bytes()
    summary = empty.engine.import_records(open_source(old).lines)
    assert Path(old).read_bytes() == before
    assert (summary.created, summary.sessions, summary.left_out) == (4, 2, 1)
    assert [where for where, _ in summary.refusals] == ['memory 6']
    assert 'soon' in summary.refusals[0][1]
    (force,) = empty.engine.recall(
        RecallRequest('grip force', min_confidence=0, reinforce=False, tags=('grip',))
    ).memories
    assert (force.category, force.stored_confidence, force.use_count, force.session_id) == ('code', 0.85, 3, '448834c2')
    assert force.context == '{"source": "learn_tool", "params": {"force_n": {"value": 12.5}}}'
    assert force.created_at_ns == ns_of('2026-02-15T08:00:01.432Z', '')
    assert force.age_ns == empty.clock.now_ns() - ns_of('2026-02-18', ''), 'its confidence was lowered on that day'
    rows = {row[2]: row for row in empty.rows()['memory']}
    assert rows['the floor is wet near dock 2'][5] == '{"a": 1}'
    assert rows['the spare battery is in locker 2'][0] == 'site'
    assert empty.rows()['session'] == [
        ('448834c2', '{"task": "push"}', ns_of('2026-02-15T08:00:00.434Z', ''), ns_of('2026-02-15T09:00Z', ''), 0.8),
        ('9b1e77aa', '', ns_of('2026-02-16T08:00Z', ''), 0, None),
    ]
    assert empty.engine.end_session('448834c2').merged_groups == 0
    assert empty.engine.end_session('9b1e77aa').merged_groups == 0


def test_a_context_that_is_no_object_is_kept_as_a_text(old: str, empty: Any) -> None:
    """CLI-02: never stored and then crashing a later recall."""
    empty.engine.import_records(open_source(old).lines)
    (stop,) = empty.engine.recall(RecallRequest('停止', min_confidence=0, reinforce=False)).memories
    assert stop.context == '{"text": "not json"}'


def test_twice_adds_nothing(old: str, empty: Any) -> None:
    empty.engine.import_records(open_source(old).lines)
    before = empty.rows()
    assert empty.engine.import_records(open_source(old).lines).created == 0
    assert empty.rows() == before


def test_other_databases_are_not_imported(full: Any, tmp_path: Path) -> None:
    other = str(tmp_path / 'other.db')
    connection = apsw.Connection(other)
    connection.execute('CREATE TABLE notes (text)')
    connection.close()
    with pytest.raises(StoreCorrupt, match=r'not one of robotmem 0\.1'):
        open_source(other)
    with pytest.raises(StoreCorrupt, match='export it'):
        open_source(full.path)
