"""Managed: what each state does, again and again."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import robotmem_ros.msg as msg
import robotmem_ros.srv as srv
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.lifecycle import TransitionCallbackReturn

from robotmem_ros.errors import StoreError

CONFIGURE, CLEANUP = Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_CLEANUP
ACTIVATE, DEACTIVATE = Transition.TRANSITION_ACTIVATE, Transition.TRANSITION_DEACTIVATE


def change(client: Any, transition: int) -> bool:
    return client.call(ChangeState, 'change_state', transition=Transition(id=transition)).success


def perceive(publisher: Any, first: int) -> None:
    for seq in range(first, first + 5):
        publisher.publish(msg.Perception(seq=seq, source='camera', description=f'crate number {seq}'))


def test_only_the_active_node_stores_and_answers(world: Any) -> None:
    """LIF-01: configure, activate, deactivate, clean up and again; ten of twenty perceptions are stored."""
    process = world.start(autostart=False)
    client = world.client()
    client.status(lambda s: s.state == 'unconfigured' and not s.ready)
    publisher = client.publisher(msg.Perception, 'perception')
    assert change(client, CONFIGURE)
    client.status(lambda s: s.state == 'inactive' and not s.ready)
    perceive(publisher, 1)
    refused = client.recall('crate')
    assert not refused.success and 'inactive' in refused.error
    assert change(client, ACTIVATE)
    perceive(publisher, 6)
    client.status(lambda s: s.perceptions_stored == 5)
    assert change(client, DEACTIVATE)
    perceive(publisher, 11)
    client.status(lambda s: s.state == 'inactive')
    assert 'inactive' in client.learn('nothing is learned now').error
    assert change(client, CLEANUP)
    client.status(lambda s: s.state == 'unconfigured')
    assert 'unconfigured' in client.recall('crate').error
    with sqlite3.connect(shutil.copy(process.database, process.folder / 'copy.db')) as copy:
        assert copy.execute('PRAGMA integrity_check').fetchone() == ('ok',)
        assert copy.execute('SELECT count(*) FROM memory').fetchone() == (5,)
    copy.close()
    assert open_files(process.process.pid, process.database) == []
    assert change(client, CONFIGURE) and change(client, ACTIVATE)
    perceive(publisher, 16)
    client.status(lambda s: s.ready and s.perceptions_stored == 10)
    assert {m.content for m in client.recall('crate', n=100).memories} == {
        f'crate number {seq}' for seq in (*range(6, 11), *range(16, 21))
    }


def test_a_node_that_was_shut_down_says_so_to_who_comes_late(world: Any) -> None:
    """Contract 3: the status is latched in every state, the last one too; the file is closed."""
    process = world.start(status__period_s=60.0)
    client = world.client()
    assert client.status().ready
    assert change(client, Transition.TRANSITION_ACTIVE_SHUTDOWN)
    status = world.client().status(lambda s: s.state == 'finalized')
    assert (status.ready, status.mode, status.db_path) == (False, 'bm25_only', str(process.database))
    assert 'finalized' in status.reason and 'finalized' in client.learn('nothing is learned now').error
    assert open_files(process.process.pid, process.database) == []
    assert process.stop() == 0


def open_files(pid: int, path: Path) -> list[str]:
    names = []
    for entry in Path(f'/proc/{pid}/fd').iterdir():
        try:
            names.append(str(entry.readlink()))
        except FileNotFoundError:
            continue
    return [name for name in names if name.startswith(str(path))]


def test_a_file_that_cannot_be_used_keeps_the_node_unconfigured(world: Any, tmp_path: Path) -> None:
    """Contract 11: a foreign file is left as it is; status and services say why, and the node can be helped."""
    foreign = tmp_path / 'foreign.db'
    foreign.write_bytes(b'no database at all ' * 100)
    before = foreign.read_bytes()
    world.start(db_path=str(foreign))
    client = world.client()
    status = client.status(lambda s: 'foreign.db' in s.reason)
    assert status.state == 'unconfigured' and not status.ready
    assert 'foreign.db' in client.recall('x').error
    assert foreign.read_bytes() == before
    foreign.unlink()
    assert change(client, CONFIGURE) and change(client, ACTIVATE)
    assert client.status().db_path == str(foreign)


def test_an_activation_that_fails_goes_through_error_processing(meddled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A transition that raises leaves the node unconfigured and closed, with its reason in the status."""
    _, client, inside = meddled
    assert inside.node.trigger_deactivate() is TransitionCallbackReturn.SUCCESS

    def fail(*_: Any) -> None:
        raise StoreError('/x', 'gone')

    with monkeypatch.context() as patch:
        patch.setattr(inside.node._activity, 'start', fail)
        assert inside.node.trigger_activate() is TransitionCallbackReturn.ERROR
    assert client.status(lambda s: s.state == 'unconfigured' and 'gone' in s.reason)
    inside.node.start()
    assert client.status(lambda s: s.state == 'active')


def test_many_lives_in_one_process(meddled: Any) -> None:
    """SHUT-03: twenty lives with a tick every 10 ms and perceptions all the time; nothing reaches a closed file."""
    _, client, inside = meddled
    publisher = client.publisher(msg.Perception, 'perception')
    timer = client.node.create_timer(0.005, lambda: publisher.publish(msg.Perception(description='a crate on the way')))
    for life in range(20):
        inside.node.parameters.values['tick.period_s'] = 0.01
        assert client.learn(f'life {life} was short').success
        assert inside.node.trigger_deactivate() is TransitionCallbackReturn.SUCCESS
        assert inside.node.trigger_cleanup() is TransitionCallbackReturn.SUCCESS
        inside.node.start()
        client.status(lambda s: s.state == 'active')
    timer.cancel()
    assert client.call(srv.Stats, 'stats').facts == 20
    assert inside.node._facts.health.trouble == ''


def test_a_reason_is_one_line(meddled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Contract 3: rcl's own errors are drawings of several lines; answers and status carry one sentence."""
    _, client, inside = meddled
    assert inside.node.trigger_deactivate() is TransitionCallbackReturn.SUCCESS

    def fail(*_: Any) -> None:
        raise ValueError("Invalid topic name:\n  'not a topic!'\n      ^")

    with monkeypatch.context() as patch:
        patch.setattr(inside.node._activity, 'start', fail)
        inside.node.trigger_activate()
    assert client.status(lambda s: 'Invalid' in s.reason).reason == "ValueError: Invalid topic name: 'not a topic!' ^"
