"""Several threads and several processes on one file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import apsw
import pytest

from robotmem_ros.errors import StoreBusy, StoreError
from robotmem_ros.settings import StoreSettings
from robotmem_ros.store import collections, connection, fulltext, memories
from robotmem_ros.store.locks import WriterLock
from robotmem_ros.store.store import MAX_READERS, Store


def read_then_write(store: Store) -> None:
    with store.write() as tx:
        tx.execute('SELECT * FROM meta')
        tx.execute("INSERT INTO meta VALUES ('a', 'b')")


@pytest.fixture
def foreign_lock(path: str) -> Callable[[Callable[[], None]], None]:
    """Hold the write lock as another process would, while a function runs."""

    def run(body: Callable[[], None]) -> None:
        other = apsw.Connection(path)
        other.execute('BEGIN IMMEDIATE')
        try:
            body()
        finally:
            other.execute('ROLLBACK')
            other.close()

    return run


def test_beyond_the_limit_a_write_is_busy_and_changes_nothing(path: str, foreign_lock: Callable[..., None]) -> None:
    """SQL-05: also for a transaction that begins with a read; reads are not blocked."""
    store = Store.open(path, StoreSettings(busy_timeout_s=0.05))

    def body() -> None:
        with pytest.raises(StoreBusy, match='another process'):
            read_then_write(store)
        with store.read() as tx:
            assert tx.value("SELECT count(*) FROM meta WHERE key = 'a'") == 0

    foreign_lock(body)
    read_then_write(store)
    store.close()


def test_a_write_waits_for_another_process(path: str) -> None:
    """SQL-05: the lock is let go while the write waits, and the write succeeds."""
    store = Store.open(path)
    other = apsw.Connection(path)
    other.execute('BEGIN IMMEDIATE')
    done = threading.Event()

    def write() -> None:
        read_then_write(store)
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    assert not done.wait(0.2)
    other.execute('ROLLBACK')
    other.close()
    thread.join(5)
    assert done.is_set()
    store.close()


@pytest.mark.parametrize('refusals', [3, 10**9])
def test_turning_wal_on_is_tried_until_the_limit(path: str, monkeypatch: pytest.MonkeyPatch, refusals: int) -> None:
    """SQL-05: SQLite does not ask its busy handler there; of two first starts at once, one in ten was refused."""
    left, set_pragma = [refusals], connection.set_pragma

    def busy_at_first(opened: apsw.Connection, file: str, name: str, value: object) -> None:
        if name == 'journal_mode' and left[0]:
            left[0] -= 1
            raise apsw.BusyError('database is locked')
        set_pragma(opened, file, name, value)

    monkeypatch.setattr(connection, 'set_pragma', busy_at_first)
    if refusals == 3:
        Store.open(path).close()
    else:
        with pytest.raises(StoreBusy):
            Store.open(path, StoreSettings(busy_timeout_s=0.05))


def test_two_starts_on_one_new_file(path: str) -> None:
    """SQL-05: both want to make the tables; one does, the other finds them."""
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: Store.open(path), range(8)))
    for store in stores:
        with store.read() as tx:
            assert tx.value('SELECT count(*) FROM memory') == 0
    for store in stores:
        store.close()


def test_many_threads_read_and_write_at_once(path: str) -> None:
    """EXE-08: more threads than readers, no error of any kind, every write counted once."""
    store = Store.open(path)
    threads, each = 2 * MAX_READERS, 20

    def work(number: int) -> int:
        seen = 0
        for i in range(each):
            with store.write(background=number % 2 == 0, durable=False) as tx:
                collection = collections.collection_id(tx, 'c')
                memories.insert(tx, memories.NewMemory(collection, 'fact', f'dock {number} {i}', 1))
            with store.read() as tx:
                count = tx.value('SELECT count(*) FROM memory')
                assert len(fulltext.candidates(tx, [('dock',)], collection, 10_000)) == count, 'one snapshot'
                assert count >= seen + 1
                seen = count
        return seen

    with ThreadPoolExecutor(threads) as pool:
        assert max(pool.map(work, range(threads))) == threads * each
    store.close()


def test_a_transaction_is_useless_after_its_block(path: str) -> None:
    """EXE-08: its connection may belong to another thread by then."""
    store = Store.open(path)
    with store.read() as tx:
        pass
    with pytest.raises(StoreError, match='has ended'):
        tx.execute('SELECT 1')
    store.close()


def test_readers_cannot_write(path: str) -> None:
    store = Store.open(path)
    with store.read() as tx, pytest.raises(StoreError, match='cannot be written'):
        tx.execute("INSERT INTO meta VALUES ('a', 'b')")
    store.close()


def test_a_write_inside_a_write_is_refused_instead_of_hanging(path: str) -> None:
    store = Store.open(path)
    with store.write(), pytest.raises(RuntimeError, match='inside a write'), store.write():
        pass
    with store.write() as tx:
        tx.execute("INSERT INTO meta VALUES ('a', 'b')")
    store.close()


def test_background_work_waits_behind_requests() -> None:
    """The tick never stands before a user; each queue is first come, first served."""
    lock, order = WriterLock(), []
    queued = threading.Semaphore(0)

    def take(name: str, background: bool) -> None:
        queued.release()
        with lock.held(background=background):
            order.append(name)

    threads = []
    with lock.held(background=False):
        for name, background in (('tick 1', True), ('user 1', False), ('tick 2', True), ('user 2', False)):
            threads.append(threading.Thread(target=take, args=(name, background)))
            threads[-1].start()
            queued.acquire()
            while lock.waiting() < len(threads):
                pass
        assert lock.user_waits()
    for thread in threads:
        thread.join(5)
    assert order == ['user 1', 'user 2', 'tick 1', 'tick 2']
    assert not lock.user_waits()


def test_a_request_that_came_later_writes_before_the_tick(path: str) -> None:
    """Contract 6: the tick writes through the one writer, behind the users' requests."""
    store, order = Store.open(path), []

    def write(name: str, background: bool) -> None:
        with store.write(background=background):
            order.append(name)

    threads = [threading.Thread(target=write, args=(name, name == 'tick')) for name in ('tick', 'user')]
    with store.write():
        for waiting, thread in enumerate(threads, 1):
            thread.start()
            while store.writers_waiting < waiting:
                pass
    for thread in threads:
        thread.join(5)
    store.close()
    assert order == ['user', 'tick']
