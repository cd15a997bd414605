"""SQL-01, SQL-05, SQL-08: two hundred kills, another process at the file, and an SQLite that is too old."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.errors import StoreError
from robotmem_ros.model import LearnRequest, PerceptionInput, RecallRequest
from robotmem_ros.settings import Settings, StoreSettings
from robotmem_ros.store.store import Store

ROOT = str(Path(__file__).parents[2])
KILLS = 200

# One process forks a learner for each kill: a new interpreter for each would take minutes.
KILLED = """
import os, sys, time, signal
sys.path.insert(0, sys.argv[2])
from robotmem_ros.clock import SystemClock
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest
from robotmem_ros.settings import Settings
from robotmem_ros.settings import Settings, StoreSettings
from robotmem_ros.store.store import Store

for number in range(int(sys.argv[3])):
    told, tell = os.pipe()
    child = os.fork()
    if not child:
        engine = Engine(Store.open(sys.argv[1]), SystemClock(), lambda: None, Settings())
        for repeat in range(1000):
            text = f'never enter bay {number} of hall {repeat}'
            engine.learn(LearnRequest(text))
            os.write(tell, (text + chr(10)).encode())
    os.close(tell)
    reader = os.fdopen(told)
    first = reader.readline()
    time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    print(first + reader.read(), end='', flush=True)
    reader.close()
"""


def test_two_hundred_kills_lose_nothing(path: str) -> None:
    """SQL-01: kill -9, 5 ms after an acknowledgement, 200 times on one file, in the middle of the next learns."""
    run = subprocess.run([sys.executable, '-c', KILLED, path, ROOT, str(KILLS)], capture_output=True, text=True,
                         timeout=110, check=False)
    assert run.returncode == 0, run.stderr
    acknowledged = run.stdout.splitlines()
    assert len(acknowledged) >= KILLS
    store = Store.open(path)
    with store.read() as tx:
        stored = {row[0] for row in tx.execute('SELECT content FROM memory')}
        assert tx.execute('PRAGMA integrity_check') == [('ok',)]
        found = tx.value("SELECT count(*) FROM memory_fts WHERE memory_fts MATCH 'bay'")
    store.close()
    assert set(acknowledged) <= stored and found == len(stored)


def levels_of_writes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note the ``synchronous`` of every write from now on."""
    levels: list[int] = []
    write = Store.write

    def watched(self: Store, **options: bool) -> object:
        context = write(self, **options)

        class Watched:
            def __enter__(self) -> object:
                tx = context.__enter__()
                levels.append(tx.value('PRAGMA synchronous'))
                return tx

            def __exit__(self, *error: object) -> object:
                return context.__exit__(*error)

        return Watched()

    monkeypatch.setattr(Store, 'write', watched)
    return levels


def test_what_a_user_is_told_is_stored_waits_for_the_disk(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQL-01: by synchronous=FULL; what a recall leaves behind does not (contract 6)."""
    engine.learn(LearnRequest('the first write of a boot also notes the clock'))
    levels = levels_of_writes(monkeypatch)
    fact = engine.learn(LearnRequest('never enter bay 9')).memory_id
    other = engine.learn(LearnRequest('the lift is slow')).memory_id
    engine.update(fact, 'never enter bay 8')
    engine.promote(fact)
    engine.link(fact, other)
    engine.forget(other, 'repaired')
    engine.save_perception(PerceptionInput(description='a red crate'))
    engine.end_session(engine.start_session().session_id)
    assert len(levels) >= 9 and set(levels) == {2}
    levels.clear()
    engine.recall(RecallRequest('bay'))
    engine.flush()
    assert levels and set(levels) == {1}


def test_a_parameter_relaxes_it_for_perceptions_only(
    open_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contract 4: ``store.perceptions_durable`` false; what is learned waits for the disk all the same."""
    engine = open_engine(None, Settings(store=StoreSettings(perceptions_durable=False)))
    engine.learn(LearnRequest('the first write of a boot also notes the clock'))
    levels = levels_of_writes(monkeypatch)
    engine.save_perception(PerceptionInput(description='a red crate'))
    engine.learn(LearnRequest('never enter bay 9'))
    assert levels == [1, 2]


def test_a_scene_hit_waits_for_no_disk(
    open_engine: Callable[..., Engine], clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contract 9: within 50 ms, also where the disk takes longer; a visit is acknowledged to nobody."""
    engine = open_engine(None)
    levels = levels_of_writes(monkeypatch)
    hits = []
    for place in ('dock', 'hall', 'dock', 'hall'):
        engine.observe('camera', [('place', place), ('object', 'shelf')])
        clock.advance(seconds=60)
        hits += engine.advance_scenes()
    assert hits
    assert levels and set(levels) == {1}


def test_the_tick_waits_for_no_disk(
    open_engine: Callable[..., Engine], clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contract 6: ``synchronous=NORMAL``, also where a model is taken into use and a forgotten session is ended."""
    first = open_engine(None)
    session = first.start_session().session_id
    for text in ('red lamp', 'loud fan', 'wet dock'):
        first.learn(LearnRequest(text, session_id=session))
    first.close()
    levels = levels_of_writes(monkeypatch)
    engine = open_engine(HashEmbedder())
    clock.advance(days=400)
    engine.recall(RecallRequest('lamp', min_confidence=0.0))
    while engine.tick():
        pass
    assert engine.stats()['open_sessions'] == engine.stats()['pending_vectors'] == 0
    assert len(levels) >= 4 and set(levels) == {1}


HOLDER = """
import sys, time, apsw
other = apsw.Connection(sys.argv[1])
other.execute('BEGIN IMMEDIATE')
print('held', flush=True)
time.sleep(float(sys.argv[2]))
other.execute('ROLLBACK')
"""


def test_another_process_holds_the_file_for_two_seconds(open_engine: Callable[..., Engine], db_path: str) -> None:
    """SQL-05: learn and update wait and succeed, recalls go on meanwhile."""
    engine = open_engine(HashEmbedder())
    fact = engine.learn(LearnRequest('the ramp is steep')).memory_id
    with subprocess.Popen([sys.executable, '-c', HOLDER, db_path, '2.0'], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == 'held\n'
        began, done = time.monotonic(), []
        threads = [
            threading.Thread(target=lambda: done.append(engine.learn(LearnRequest('the lift is slow')).status)),
            threading.Thread(target=lambda: done.append(engine.update(fact, 'the ramp is very steep'))),
        ]
        for thread in threads:
            thread.start()
        for _ in range(20):
            before = time.monotonic()
            assert engine.recall(RecallRequest('ramp', reinforce=False)).memories
            assert time.monotonic() - before < 1.0
        assert not done, 'the writes wait'
        for thread in threads:
            thread.join(10.0)
        assert time.monotonic() - began > 1.0
    assert sorted(done) == ['created', 'the ramp is steep']


OPENER = """
import sys
sys.path.insert(0, sys.argv[2])
from robotmem_ros.store import collections
from robotmem_ros.settings import Settings, StoreSettings
from robotmem_ros.store.store import Store
print('ready', flush=True)
sys.stdin.readline()
store = Store.open(sys.argv[1])
for i in range(100):
    with store.write() as tx:
        tx.execute('SELECT * FROM meta')
        tx.execute('INSERT INTO meta VALUES (?, ?)', (f'{sys.argv[3]} {i}', 'x'))
store.close()
"""


def test_four_processes_read_and_then_write(path: str) -> None:
    """SQL-05: on a new file, all at once: a read that becomes a write is never turned away."""
    processes = [
        subprocess.Popen([sys.executable, '-c', OPENER, path, ROOT, str(n)], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for n in range(4)
    ]
    for process in processes:
        assert process.stdout is not None and process.stdout.readline() == 'ready\n'
    for process in processes:
        assert process.stdin is not None
        process.stdin.write('go\n')
        process.stdin.flush()
    for process in processes:
        assert process.communicate(timeout=60)[1] == ''
    store = Store.open(path)
    with store.read() as tx:
        assert tx.value("SELECT count(*) FROM meta WHERE value = 'x'") == 400
    store.close()


def test_an_older_sqlite_is_refused_by_its_version(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQL-08: Ubuntu 22.04's 3.37.2, where a distribution builds apsw against its own; and no file is made."""
    monkeypatch.setattr(apsw, 'sqlite_lib_version', lambda: '3.37.2')
    with pytest.raises(StoreError, match=r'needs SQLite >= 3\.45.*found 3\.37\.2'):
        Store.open(path)
    assert not Path(path).exists()


def test_a_connection_that_loads_no_extensions_is_text_mode(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """VEC-07, SQL-08: apsw built without loadable extensions, as some vendors' sqlite3 is."""
    import sqlite_vec

    monkeypatch.setattr(sqlite_vec, 'loadable_path', lambda: '/nowhere/vec0')
    store = Store.open(path)
    assert not store.vectors_available and 'cannot be loaded' in store.vectors_reason
    with store.write() as tx:
        tx.execute("INSERT INTO meta VALUES ('a', 'b')")
    store.close()
