"""SHUT-04: of several processes that would write one file, the first owns it, until it ends in whatever way."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from robotmem_ros.errors import StoreError, StoreOwned
from robotmem_ros.settings import StoreSettings
from robotmem_ros.store import collections, ownership
from robotmem_ros.store.store import Store

AT_ONCE = StoreSettings(busy_timeout_s=0.0)
HOLD = (
    'import sys, time; from robotmem_ros.store.store import Store; store = Store.open(sys.argv[1], owner=True)\n'
    'print("mine", flush=True); sys.stdin.read()'
)


@pytest.fixture
def holder(path: str):
    """Another process that owns the file."""
    process = subprocess.Popen([sys.executable, '-c', HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b'mine\n'
    yield process
    process.kill()
    process.communicate()


def test_the_second_owner_is_refused_and_told_who_is_the_first(path: str, holder: subprocess.Popen) -> None:
    """SHUT-04."""
    with pytest.raises(StoreOwned, match=f'process {holder.pid} ') as caught:
        Store.open(path, AT_ONCE, owner=True)
    assert (caught.value.pid, caught.value.path) == (holder.pid, path)
    assert ownership.owner_of(path).pid == holder.pid


def test_everybody_may_read_meanwhile(path: str, holder: subprocess.Popen) -> None:
    store = Store.open_to_read(path)
    with store.read() as tx:
        assert collections.names(tx) == []
    with pytest.raises(StoreError, match='reading only'), store.write():
        pass
    store.close()
    assert holder.poll() is None


def test_ownership_dies_with_its_process(path: str, holder: subprocess.Popen) -> None:
    """SHUT-04: after kill -9 nothing stale is in the way, whatever the lock file says."""
    holder.send_signal(signal.SIGKILL)
    holder.wait(10)
    assert Path(path + '.lock').read_bytes()
    assert ownership.owner_of(path) is None
    Store.open(path, AT_ONCE, owner=True).close()


def test_an_owner_that_is_just_ending_is_waited_for(path: str) -> None:
    """SHUT-04: launch respawns a node before the old process has gone."""
    first = Store.open(path, owner=True)
    timer = threading.Timer(0.2, first.close)
    timer.start()
    Store.open(path, StoreSettings(busy_timeout_s=10.0), owner=True).close()
    timer.join()


def test_one_process_cannot_own_a_file_twice_either(path: str) -> None:
    first = Store.open(path, owner=True)
    with pytest.raises(StoreOwned, match=f'process {os.getpid()} '):
        Store.open(path, AT_ONCE, owner=True)
    first.close()
    first.close()
    Store.open(path, AT_ONCE, owner=True).close()


def test_a_link_to_the_file_is_the_same_file(path: str, tmp_path: Path) -> None:
    first = Store.open(path, owner=True)
    (tmp_path / 'link.db').symlink_to(path)
    with pytest.raises(StoreOwned):
        Store.open(str(tmp_path / 'link.db'), AT_ONCE, owner=True)
    first.close()


def test_a_refused_file_is_not_kept_from_others(path: str) -> None:
    Path(path).write_bytes(b'no database' * 100)
    for _ in range(2):
        with pytest.raises(StoreError, match='not an SQLite database'):
            Store.open(path, AT_ONCE, owner=True)


def test_the_lock_file_is_ours_alone(path: str) -> None:
    Store.open(path, owner=True).close()
    assert stat.S_IMODE(Path(path + '.lock').stat().st_mode) == 0o600


def test_looking_at_a_file_makes_and_migrates_nothing(path: str) -> None:
    with pytest.raises(StoreError, match='does not exist'):
        Store.open_to_read(path)
    assert not Path(path).exists()
    Path(path).touch()
    with pytest.raises(StoreError, match='is empty; start the node'):
        Store.open_to_read(path)
    assert Path(path).stat().st_size == 0
