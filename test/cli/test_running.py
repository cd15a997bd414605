"""The way of a running node down to a closed file and back, also of one that is on its way, refuses, or ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')

from robotmem_ros.cli.client import NoAnswer  # noqa: E402
from robotmem_ros.cli.running import NodeTrouble, RunningNode  # noqa: E402

AFTER = {1: 'inactive', 2: 'unconfigured', 3: 'active', 4: 'inactive'}


class Wire:
    """Takes the place of a connection: a node that changes its state as it is told, unless a test says otherwise."""

    def __init__(self, state: str) -> None:
        self.states, self.asked = [state], []
        self.refused: set[int] = set()
        self.is_gone = False

    def listen(self, *_: Any, **__: Any) -> None:
        """The test sets the status itself."""

    def wait(self, what: Callable[[], object], timeout_s: float) -> bool:
        return bool(what())

    def call(self, service: str, _type: Any, fields: Mapping[str, Any], *_: float) -> Any:
        if self.is_gone:
            raise NoAnswer(f'{service} went away before it answered.')
        if service.endswith('/get_state'):
            state = self.states[0] if len(self.states) == 1 else self.states.pop(0)
            return SimpleNamespace(current_state=SimpleNamespace(label=state))
        transition = fields['transition']['id']
        self.asked.append(transition)
        if transition not in self.refused:
            self.states = [AFTER[transition]]
        return SimpleNamespace(success=transition not in self.refused)


def node_on(wire: Wire, path: str = '/x/memory.db', reason: str = '') -> RunningNode:
    node = RunningNode(wire, '/far/robotmem')
    node.status = SimpleNamespace(db_path=path, state=wire.states[-1], reason=reason)
    return node


@pytest.mark.parametrize(('state', 'asked'), [
    ('active', [4, 2, 1, 3]), ('inactive', [2, 1]), ('unconfigured', []), ('finalized', []),
])
def test_it_goes_down_and_comes_back(state: str, asked: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    wire = Wire(state)
    with node_on(wire).paused(shown=False):
        assert wire.states == ['unconfigured' if asked else state]
    assert (wire.states, wire.asked) == ([state], asked)
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_transition_that_goes_on_is_waited_for() -> None:
    """A node that was only just started is on its way up: it is to come back as an active one."""
    wire = Wire('configuring')
    wire.states = ['configuring', 'activating', 'active']
    with node_on(wire).paused(shown=False):
        assert wire.states == ['unconfigured']
    assert wire.states == ['active']


def test_a_node_that_does_not_let_go_is_as_it_was() -> None:
    wire = Wire('active')
    wire.refused = {2}
    node = node_on(wire, reason='the disk is full')
    with pytest.raises(NodeTrouble, match='stays inactive instead of unconfigured'), node.paused(shown=False):
        pytest.fail('its file is still open')
    assert wire.states == ['active']


def test_what_was_wrong_is_not_hidden_by_a_node_that_stays_away(capsys: pytest.CaptureFixture[str]) -> None:
    wire = Wire('active')
    wire.refused = {1}
    with pytest.raises(ValueError, match='mine'), node_on(wire).paused(shown=False):
        raise ValueError('mine')
    said = capsys.readouterr().err
    assert 'was active and is not any more' in said and '`ros2 lifecycle set /far/robotmem configure`' in said


def test_a_node_that_ended_is_to_be_started_again() -> None:
    wire = Wire('active')
    with pytest.raises(NodeTrouble, match='was active and answers no more: start it again'), \
            node_on(wire).paused(shown=False):
        wire.is_gone = True


def test_a_file_that_is_not_here_is_refused_in_a_sentence(tmp_path: Path) -> None:
    """The node runs on another machine, which may have a file of the same name."""
    path = tmp_path / 'memory.db'
    node = node_on(Wire('active'), str(path))
    with pytest.raises(NodeTrouble, match='does not exist on this machine: run the command where'):
        node.check_reachable()
    path.touch()
    with pytest.raises(NodeTrouble, match=r'no process on this machine has: .*--file'):
        node.check_reachable()
    node.status.state = 'unconfigured'
    node.check_reachable()
    path.unlink()
    with pytest.raises(NodeTrouble, match='unconfigured, and may not have made it yet'):
        node.check_reachable()


def test_the_reason_of_the_status_is_named() -> None:
    wire = Wire('active')
    wire.refused = {1}
    node = node_on(wire, reason='database /x/memory.db: damaged')
    node.status.state = 'unconfigured'
    with pytest.raises(NodeTrouble, match=r'stays unconfigured instead of active: database /x/memory\.db: damaged'), \
            node.paused(shown=False):
        assert wire.states == ['unconfigured']
