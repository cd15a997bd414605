"""Two nodes and one file: a double launch, or an old process that has not gone yet."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import Any

import robotmem_ros.srv as srv
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState

ROBOTMEM = [sys.executable, '-m', 'robotmem_ros.cli.main']


def test_the_second_node_says_who_has_the_file_and_takes_over_when_it_is_gone(world: Any) -> None:
    """SHUT-04: never two that forget and associate in one file; the first one's end is the second one's chance."""
    first = world.start('first')
    one = world.client('/first')
    one.status()
    assert one.learn('the bay door sticks in winter').success
    second = world.start('second', db_path=str(first.database), store__busy_timeout_s=0.2)
    other = world.client('/second')
    status = other.status(lambda s: s.state == 'unconfigured' and 'owned' in s.reason)
    assert f'is owned by process {first.process.pid} ' in status.reason
    refused = other.learn('nobody may write this')
    assert not refused.success and f'process {first.process.pid} ' in refused.error
    assert one.recall('bay door').total == 1
    first.send(signal.SIGKILL)
    first.process.wait(10)
    assert second.process.poll() is None
    for transition in (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE):
        assert other.call(ChangeState, 'change_state', transition=Transition(id=transition)).success
    other.status()
    assert [m.content for m in other.recall('bay door').memories] == ['the bay door sticks in winter']


def test_a_file_is_asked_beside_its_node(world: Any) -> None:
    """The command line reads the file that a node owns, and leaves changes to the node."""
    process = world.start()
    client = world.client()
    client.status()
    client.learn('the bay door sticks in winter')
    asked = subprocess.run(
        [*ROBOTMEM, 'stats', '--file', str(process.database)], capture_output=True, text=True, timeout=60, check=False)
    assert '1 active' in asked.stdout, asked.stderr
    changed = subprocess.run(
        [*ROBOTMEM, 'promote', '1', '--file', str(process.database)], capture_output=True, text=True, timeout=60,
        check=False)
    assert (changed.returncode, f'process {process.process.pid} ' in changed.stderr) == (1, True)
    assert client.call(srv.Promote, 'promote', memory_id=1).success
