"""A signal ends the node cleanly, at any moment and however often it comes."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from typing import Any

import pytest
import robotmem_ros.msg as msg


def check(path: Any) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute('PRAGMA integrity_check').fetchone() == ('ok',)
    connection.close()


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('pause_s', [0.0, 0.05])
def test_a_second_signal_changes_nothing(world: Any, number: int, pause_s: float) -> None:
    """SHUT-02: perceptions stream in, a signal and another one: exit 0 within 5 s, no traceback, a sound file."""
    process = world.start()
    client = world.client()
    client.status()
    publisher = client.publisher(msg.Perception, 'perception')
    client.node.create_timer(0.01, lambda: publisher.publish(msg.Perception(description='a crate goes by')))
    client.status(lambda s: s.perceptions_stored > 0)
    process.send(number)
    # The second signal belongs into the middle of the stop, so here time itself is the input.
    threading.Event().wait(pause_s)
    assert process.stop(number, timeout_s=15.0) == 0, process.log
    assert 'Traceback' not in process.log
    check(process.database)


def test_ten_stops_by_a_terminal(world: Any) -> None:
    """SHUT-02: perceptions at 20 Hz, Ctrl-C to the whole process group as under launch, again 0.2 s later; ten runs."""
    client = None
    for run in range(10):
        process = world.start()
        client = client or world.client()
        client.statuses.clear()
        client.status(lambda s, path=str(process.database): s.ready and s.db_path == path)
        publisher = client.publisher(msg.Perception, 'perception')
        timer = client.node.create_timer(0.05, lambda p=publisher: p.publish(msg.Perception(description='a crate')))
        client.status(lambda s: s.perceptions_stored > 0)
        os.killpg(process.process.pid, signal.SIGINT)
        threading.Event().wait(0.2)
        if process.process.poll() is None:
            os.killpg(process.process.pid, signal.SIGINT)
        assert process.process.wait(5.0) == 0, (run, process.log)
        assert 'Traceback' not in process.log and 'rcl_shutdown' not in process.log, process.log
        timer.cancel()
        client.node.destroy_publisher(publisher)
        check(process.database)


def test_what_was_acknowledged_or_received_is_kept(world: Any) -> None:
    """A stop stores the perceptions that wait and the reinforcement that recalls have queued."""
    process = world.start(tick__period_s=3600.0)
    client = world.client()
    client.status()
    assert client.learn('the lift is slow').success
    assert client.recall('lift').memories[0].use_count == 0
    process.stop()
    connection = sqlite3.connect(process.database)
    assert connection.execute('SELECT use_count FROM memory').fetchone() == (1,)
    connection.close()


def test_a_signal_during_the_start_ends_it(world: Any) -> None:
    """SHUT-02: also while the process is still importing, a signal gives no traceback."""
    for moment_s in (0.15, 0.3, 0.5, 0.7):
        process = world.start()
        time.sleep(moment_s)
        assert process.stop(timeout_s=15.0) in (0, -signal.SIGINT), process.log
        assert 'Traceback' not in process.log


def test_a_signal_that_another_thread_gets_stops_it_too() -> None:
    """The system may hand a signal to any thread, as it does after SIGSTOP and SIGCONT; the main thread must move."""
    code = (
        'import signal, threading\n'
        'from robotmem_ros.ros.main import StopRequest\n'
        'stop = StopRequest()\n'
        'signal.signal(signal.SIGTERM, stop.make)\n'
        'threading.Timer(0.3, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM)).start()\n'
        'stop.wait()\n'
    )
    assert subprocess.run([sys.executable, '-c', code], timeout=10, check=False).returncode == 0
