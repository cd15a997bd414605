"""What was acknowledged survives, and the log beside the file stays small."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from robotmem_ros.store import connection
from robotmem_ros.store.store import Store

ROOT = str(Path(__file__).parents[2])

LEARNER = """
import sys
sys.path.insert(0, sys.argv[2])
from robotmem_ros.store import collections, memories
from robotmem_ros.store.store import Store
store = Store.open(sys.argv[1])
for i in range(10_000):
    with store.write() as tx:
        collection = collections.collection_id(tx, 'c')
        memories.insert(tx, memories.NewMemory(collection, 'fact', f'never enter bay {i}', i + 1))
    print(i, flush=True)
"""


@pytest.mark.parametrize('acknowledged', [1, 40, 200])
def test_a_killed_process_loses_nothing_that_it_acknowledged(path: str, acknowledged: int) -> None:
    """SQL-01: kill -9 at an acknowledgement; every row that was acknowledged is there, and the file is whole."""
    command = [sys.executable, '-c', LEARNER, path, ROOT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) + 1 == acknowledged:
                os.kill(process.pid, signal.SIGKILL)
                break
        last = max([int(line), *map(int, process.stdout.read().split())])
    assert process.returncode == -signal.SIGKILL
    store = Store.open(path)
    with store.read() as tx:
        texts = {row[0] for row in tx.execute('SELECT content FROM memory')}
        found = tx.value("SELECT count(*) FROM memory_fts WHERE memory_fts MATCH 'bay'")
        assert tx.execute('PRAGMA integrity_check') == [('ok',)]
    store.close()
    assert texts >= {f'never enter bay {i}' for i in range(last + 1)}
    assert found == len(texts)


def test_pragmas_of_the_live_connections(path: str) -> None:
    """SQL-01: read back from the connections that are in use, not from the settings."""
    store = Store.open(path)
    with store.write() as tx:
        assert tx.value('PRAGMA journal_mode') == 'wal'
        assert tx.value('PRAGMA synchronous') == 2
        assert tx.value('PRAGMA foreign_keys') == 1
        assert tx.value('PRAGMA busy_timeout') == 5000
        assert tx.value('PRAGMA journal_size_limit') == connection.WAL_LIMIT_BYTES
    with store.write(durable=False) as tx:
        assert tx.value('PRAGMA synchronous') == 1
    with store.write() as tx:
        assert tx.value('PRAGMA synchronous') == 2, 'the next acknowledged write waits for the disk again'
    with store.read() as tx:
        assert tx.value('PRAGMA foreign_keys') == 1
        assert tx.value('PRAGMA query_only') == 1
    store.close()


def test_the_wal_stays_small_while_readers_come_and_go(path: str) -> None:
    """SQL-06: many commits with reads between them; no read leaves a snapshot behind that keeps the log growing."""
    store = Store.open(path)
    for i in range(300):
        with store.write(durable=False) as tx:
            tx.execute('INSERT OR REPLACE INTO meta VALUES (?, ?)', (f'k{i % 10}', 'x' * 60_000))
        with store.read() as tx:
            assert tx.execute('SELECT * FROM meta')  # an unread rest would pin the log
    assert Path(path + '-wal').stat().st_size < 8 << 20
    store.close()
    assert not Path(path + '-wal').exists()


def test_a_truncating_checkpoint_empties_the_wal(path: str) -> None:
    """SQL-06."""
    store = Store.open(path)
    with store.write() as tx:
        tx.execute("INSERT INTO meta VALUES ('a', 'b')")
    assert Path(path + '-wal').stat().st_size > 0
    store.checkpoint(truncate=True)
    assert Path(path + '-wal').stat().st_size == 0
    store.close()


def test_a_failed_block_changes_nothing(path: str) -> None:
    store = Store.open(path)

    def fail() -> None:
        with store.write() as tx:
            tx.execute("INSERT INTO meta VALUES ('a', 'b')")
            raise KeyError('stop')

    with pytest.raises(KeyError):
        fail()
    with store.read() as tx:
        assert tx.value("SELECT count(*) FROM meta WHERE key = 'a'") == 0
    store.close()
