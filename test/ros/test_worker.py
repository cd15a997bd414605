"""The threads beside the executor: how long they rest, and that they end at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from robotmem_ros.ros import worker as module
from robotmem_ros.ros.worker import Worker


class Steps:
    """Three steps of 20 ms, each of which wants to be made again at once; when each began and ended."""

    STEP_S = 0.02

    def __init__(self, pause: float | None) -> None:
        self.pause, self.times, self.done = pause, [], threading.Event()
        self.wake: Callable[[], None] = lambda: None

    def __call__(self) -> float | None:
        begun = time.monotonic()
        time.sleep(self.STEP_S)
        self.times.append((begun, time.monotonic()))
        if len(self.times) == 3:
            self.done.set()
        self.wake()
        return self.pause

    def rests(self) -> list[float]:
        """Give the pauses between the steps, as multiples of the step before."""
        pairs = zip(self.times, self.times[1:], strict=False)
        return [(later[0] - ended) / (ended - begun) for (begun, ended), later in pairs]


def made(steps: Steps, rest: float) -> Worker:
    worker = Worker('stepping', steps, lambda error: None, rest)
    steps.wake = worker.wake
    worker.start()
    return worker


def test_a_worker_rests_in_proportion_to_its_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """QOS-03: whoever wakes it, storing perceptions leaves the writer to requests for a multiple of its own time."""
    monkeypatch.setattr(module, 'LONGEST_REST_S', 10.0)
    steps = Steps(pause=None)
    worker = made(steps, rest=3.0)
    assert steps.done.wait(20.0) and worker.stop()
    assert min(steps.rests()[:2]) >= 2.9


def test_its_rest_is_bounded() -> None:
    """A disk that hangs for a minute is no reason to rest for three."""
    steps = Steps(pause=None)
    worker = made(steps, rest=10_000.0)
    assert steps.done.wait(20.0) and worker.stop()


def test_it_does_not_rest_while_much_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, 'LONGEST_REST_S', 60.0)
    steps = Steps(pause=0.0)
    worker = made(steps, rest=10_000.0)
    assert steps.done.wait(20.0) and worker.stop()


def test_it_ends_while_it_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, 'LONGEST_REST_S', 60.0)
    steps = Steps(pause=None)
    worker = made(steps, rest=10_000.0)
    while not steps.times:
        time.sleep(0.001)
    assert worker.stop(20.0) and len(steps.times) == 1
