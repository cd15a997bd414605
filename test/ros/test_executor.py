"""The executor lets its threads begin."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

import rclpy
from rclpy.executors import MultiThreadedExecutor

from robotmem_ros.ros import executor as module

pytestmark = pytest.mark.ros


class Handler:
    """Stands for what rclpy gives to a thread."""


def test_what_is_given_again_waits_until_a_thread_had_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Handler(), Handler()
    given = iter([first, second, second, first, Handler()])
    pauses: list[float] = []
    monkeypatch.setattr(
        MultiThreadedExecutor, 'wait_for_ready_callbacks', lambda self, *_: (next(given), None, None))
    monkeypatch.setattr(module, 'time', SimpleNamespace(sleep=pauses.append))
    context = rclpy.Context()
    rclpy.init(args=[], context=context)
    executor = module.PatientExecutor(2, context=context)
    waited = []
    for _ in range(5):
        before = len(pauses)
        executor.wait_for_ready_callbacks()
        waited.append(len(pauses) - before)
    executor.shutdown()
    context.try_shutdown()
    assert waited == [0, 0, 1, 1, 0]
