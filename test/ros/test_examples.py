"""EXE-05: the examples that a robot's own node starts from run against a real node, and wait nowhere."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / 'examples' / 'python'
ROBOT = EXAMPLES / 'delivery_robot.py'
WAITS = {'call', 'sleep', 'spin', 'spin_once', 'spin_until_future_complete', 'wait_for_service', 'wait'}

Start = Callable[[], 'Robot']


class Robot:
    """The example as a process, and what it has said."""

    def __init__(self, log: Path) -> None:
        self._log = log
        # As a user starts it: the folder of a script is on its path.
        env = {name: value for name, value in os.environ.items() if name != 'PYTHONSAFEPATH'}
        with log.open('w') as output:
            self.process = subprocess.Popen(
                [sys.executable, ROBOT], stdout=output, stderr=subprocess.STDOUT, env={**env, 'PYTHONUNBUFFERED': '1'}
            )

    @property
    def said(self) -> str:
        return self._log.read_text()

    def ended(self, timeout_s: float) -> int:
        return self.process.wait(timeout_s)


@pytest.fixture
def start(ros: None, tmp_path: Path) -> Iterator[Start]:
    """Starts the example."""
    robots: list[Robot] = []

    def start() -> Robot:
        robots.append(Robot(tmp_path / f'robot{len(robots)}.txt'))
        return robots[-1]

    yield start
    for robot in robots:
        robot.process.kill()
        robot.process.wait()


def sessions(client: Any) -> tuple[int, int]:
    """Sessions that are open, and that have ended."""
    from robotmem_ros.srv import Stats

    counts = client.call(Stats, 'stats')
    return counts.sessions_open, counts.sessions_ended


def test_a_round_is_learned_from_recalled_told_unasked_and_ended(world: Any, start: Start) -> None:
    world.start()
    client = world.client()
    client.status()
    robot = start()
    assert robot.ended(40.0) == 0, robot.said
    assert 'ERROR' not in robot.said and 'Traceback' not in robot.said
    assert 'learned: created' in robot.said and 'learned: duplicate' in robot.said
    assert 'before deliver_parcel I know: The parcel shelf' in robot.said
    assert 'unasked, visit 2 to task:deliver_parcel: The parcel shelf' in robot.said
    assert sessions(client) == (0, 1)
    (memory,) = client.recall('parcel shelf').memories
    assert memory.has_pose and memory.pose.pose.position.x == 3.2 and memory.scenes == ['task:deliver_parcel']


def test_it_ends_its_session_when_it_is_interrupted(world: Any, start: Start) -> None:
    """SHUT-01: Ctrl-C in the middle of a round loses nothing."""
    world.start()
    client = world.client()
    client.status()
    robot = start()
    client.wait(lambda: 'session ' in robot.said)
    robot.process.send_signal(signal.SIGINT)
    assert robot.ended(10.0) == 0, robot.said
    assert sessions(client) == (0, 1)


def test_a_memory_that_does_not_answer_does_not_stop_its_robot(world: Any, start: Start) -> None:
    memory = world.start()
    client = world.client()
    client.status()
    robot = start()
    client.wait(lambda: 'session ' in robot.said)
    memory.send(signal.SIGSTOP)
    try:
        client.wait(lambda: 'Recall: no answer within 5 s' in robot.said, timeout_s=20.0)
        robot.process.send_signal(signal.SIGINT)
        assert robot.ended(15.0) == 0, robot.said
    finally:
        memory.send(signal.SIGCONT)


def test_without_a_memory_it_waits_and_leaves_when_it_is_asked_to(start: Start, world: Any) -> None:
    robot = start()
    with pytest.raises(subprocess.TimeoutExpired):
        robot.ended(3.0)
    robot.process.send_signal(signal.SIGTERM)
    assert robot.ended(5.0) == 0, robot.said


@pytest.mark.parametrize('path', sorted(EXAMPLES.glob('*.py')), ids=lambda path: path.name)
def test_nothing_in_a_class_waits(path: Path) -> None:
    """All callbacks are methods: only main, which is no callback, spins."""
    for part in ast.parse(path.read_text('utf-8')).body:
        if isinstance(part, ast.ClassDef):
            called = {node.func.attr for node in ast.walk(part)
                      if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
            assert not called & WAITS
