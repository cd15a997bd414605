"""Sessions, the counts that people look at, and copies of the file."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robotmem_ros.errors import InvalidRequest
from robotmem_ros.settings import HebbianSettings
from robotmem_ros.store import collections, edges, lifecycle, sessions, statistics

DAY = 86_400 * 10**9


def test_a_session_ends_once(shelf: Any) -> None:
    with shelf.store.write() as tx:
        c = collections.collection_id(tx, 'c')
        assert collections.collection_id(tx, 'c') == c
        sessions.create(tx, 's', c, '{"task":1}', 5)
        assert sessions.open_count(tx, c) == 1
        sessions.end(tx, 's', 9, 0.0, '{"a":1}')
        sessions.end(tx, 's', 10, 1.0, '{"b":1}')
        row = sessions.get(tx, 's')
        assert row is not None
        assert (row.collection, row.context, row.started_at_ns, row.ended_at_ns) == ('c', '{"task":1}', 5, 9)
        assert (row.outcome_score, row.result) == (0.0, '{"a":1}')
        assert sessions.open_count(tx, c) == 0
        assert sessions.get(tx, 'none') is None
        assert collections.names(tx) == ['c']


def test_facts_of_a_session_are_those_that_it_created(shelf: Any) -> None:
    first, second = shelf.add('a', session_id='s'), shelf.add('b', session_id='s')
    shelf.add('c')
    shelf.add('seen', session_id='s', type='perception')
    gone = shelf.add('d', session_id='s')
    with shelf.store.write() as tx:
        lifecycle.set_status(tx, gone, 'forgotten', 'x', shelf.now)
        assert [row.id for row in sessions.facts(tx, 's')] == [first, second]
        assert sessions.facts(tx, '') == []


def test_counts(shelf: Any) -> None:
    """CLI-02, OBS-02: each number against what was put in; the bands by the same formula as core.decay."""
    ages = [0, 1, 2, 4, 5, 6, 8, 9, 20]
    ids = [shelf.add(f'text {age}', created_at_ns=shelf.now - age * DAY) for age in ages]
    ltm = shelf.add('long', tier='ltm', created_at_ns=shelf.now - 9 * DAY)
    shelf.add('seen', type='perception')
    shelf.add('elsewhere', collection='other')
    gone = shelf.add('gone')
    with shelf.store.write() as tx:
        lifecycle.set_status(tx, gone, 'forgotten', 'x', shelf.now)
        edges.strengthen(tx, [(ids[0], ids[1]), (ids[1], ltm)], shelf.now, HebbianSettings())
        tx.execute("INSERT INTO scene VALUES (1, 1, 'place:a', 'emergent', 3, 1, 1)")
        tx.execute("INSERT INTO scene VALUES (2, 1, 'place:b', 'declared', 0, 1, 0)")
        tx.execute("INSERT INTO scene_feature VALUES (1, 'place', 'a', 1), (1, 'peer', 'x', 1), (2, 'place', 'b', 1)")
        sessions.create(tx, 's', 1, '', 1)
        found = statistics.counts(tx, 'c', shelf.now, shelf.decay)
        assert statistics.decayed_count(tx, 1, shelf.now + 60 * DAY, shelf.decay) == 3, 'those of 9, 9 and 20 days'
    # Seed 004: 0.15, 0.35 and 0.65 part them; a half-life of 3 days gets there in 8.2, 4.5 and 1.9 days.
    assert found.pop('bands') == {'faded': 2, 'danger': 3, 'healthy': 2, 'strong': 4}
    assert found == {
        'collection': 'c', 'total': 12, 'by_status': {'active': 11, 'forgotten': 1}, 'by_tier': {'ltm': 1, 'stm': 10},
        'by_type': {'fact': 10, 'perception': 1}, 'edges': 2, 'linked_memories': 3, 'average_edges': 2 / 3, 'hidden': 0,
        'scenes': {'emergent': 1, 'declared': 1}, 'empty_scenes': 1, 'feature_kinds': {'place': 2, 'peer': 1},
        'occurrences': 11, 'open_sessions': 1, 'ended_sessions': 0, 'pending_vectors': 12,
    }


def test_counts_of_a_collection_that_was_never_used(shelf: Any) -> None:
    with shelf.store.read() as tx:
        found = statistics.counts(tx, 'none', shelf.now, shelf.decay)
    assert found['total'] == found['edges'] == found['open_sessions'] == 0


def test_a_backup_is_whole_and_stands_alone(shelf: Any, open_shelf: Callable[..., Any], tmp_path: Path) -> None:
    """SQL-09: taken while the store is in use, opened without a log beside it."""
    for i in range(20):
        shelf.add(f'memory {i}')
    copy = tmp_path / 'copies' / 'copy.db'
    copy.parent.mkdir()
    size = shelf.store.backup(str(copy))
    shelf.add('after the backup')
    assert [entry.name for entry in copy.parent.iterdir()] == ['copy.db']
    assert size == copy.stat().st_size
    assert copy.read_bytes()[18:20] == bytes([1, 1]), 'readable where no log can be made beside it'
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    other = open_shelf(str(copy), space=False)
    assert len(other.found()) == 20
    with other.store.read() as tx:
        assert tx.value('PRAGMA integrity_check') == 'ok'


def test_a_backup_overwrites_nothing(shelf: Any, tmp_path: Path) -> None:
    (tmp_path / 'mine.txt').write_text('mine')
    for taken in (shelf.store.path, str(tmp_path / 'mine.txt'), str(tmp_path)):
        with pytest.raises(InvalidRequest):
            shelf.store.backup(taken)
    assert (tmp_path / 'mine.txt').read_text() == 'mine'
    assert not list(tmp_path.glob('*.part'))


def test_a_backup_makes_no_folder(shelf: Any, tmp_path: Path) -> None:
    """SQL-09: where /mnt/stick is not mounted, the copy would lie on the disk that it is to outlive."""
    with pytest.raises(InvalidRequest, match=r'^path: expected a file in a folder that exists, got .*stick/copy\.db'):
        shelf.store.backup(str(tmp_path / 'stick' / 'copy.db'))
    assert not (tmp_path / 'stick').exists()


def test_file_bytes_counts_the_log(shelf: Any) -> None:
    shelf.add('text')
    assert shelf.store.file_bytes() == sum(
        Path(shelf.store.path + suffix).stat().st_size for suffix in ('', '-wal', '-shm'))
