"""What the node does by itself while it is active: store perceptions, follow the situation, keep house."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from robotmem_ros.engine import Engine
from robotmem_ros.errors import NotActive
from robotmem_ros.msg import Perception
from robotmem_ros.ros.gate import Gate
from robotmem_ros.ros.health import Health, TickMeter
from robotmem_ros.ros.perception import PerceptionIntake
from robotmem_ros.ros.situation import Situation
from robotmem_ros.ros.taps import Tap
from robotmem_ros.ros.worker import Worker

DRAIN_S = 3.0
"""Longest time that the end spends on storing what has already come in."""
LEFT_OVER_S = 2.0
"""How long after the start messages may still be handed over that had arrived before it."""
STORING_REST = 4.0
"""The writer is others' for four times as long as a batch of perceptions took: what comes meanwhile is one batch, and
on a slow disk one wait for it instead of many."""
SLICE_PAUSE_S = 0.005
"""Pause between two slices of housekeeping, in which everything else runs."""

TIMELESS_PAUSE_S = 0.2
"""Pause between two looks at a simulated clock that has not begun."""

OnTrouble = Callable[[str, Exception], None]


class Activity:
    """
    Three workers and what they work on. The callbacks of the node only hand over, and return at once.

    :param gate: the way to the engine; opened by :meth:`start` and shut by :meth:`stop`.
    :param health: is told what went well and what did not.
    :param period_s: gives the time between two passes of housekeeping, seconds.
    :param on_trouble: is called with what was being done and the error, when a step failed.
    """

    def __init__(
        self, gate: Gate, health: Health, intake: PerceptionIntake, situation: Situation, period_s: Callable[[], float],
        on_trouble: OnTrouble,
    ) -> None:
        self._gate, self._health, self._intake, self._situation = gate, health, intake, situation
        self._period_s, self._on_trouble = period_s, on_trouble
        self._taking = False
        self.ticks = TickMeter()
        self._started_s, self._started_ns = 0.0, 0
        self._storing = self._worker('storing perceptions', self._store, rest=STORING_REST)
        self._following = self._worker('following the situation', situation.step)
        self._keeping = self._worker('housekeeping', self._keep_house)

    def _worker(self, doing: str, step: Callable[[Engine], float | None], rest: float = 0.0) -> Worker:
        def watched_step() -> float | None:
            try:
                with self._gate.enter() as engine:
                    pause = step(engine)
            except NotActive:
                return None
            self._health.went_well(doing)
            return pause

        def failed(error: Exception) -> None:
            self._health.failed(doing, error)
            self._on_trouble(doing, error)

        return Worker(doing, watched_step, failed, rest)

    def start(self, engine: Engine) -> None:
        """Let callers in to ``engine``, and begin."""
        self._gate.open(engine)
        self._started_s, self._started_ns = time.monotonic(), time.time_ns()
        self._taking = True
        self.ticks.start()
        for worker in (self._storing, self._following, self._keeping):
            worker.start()

    def stop(self, state: str) -> None:
        """Take nothing more in, store what has come, end, and shut the gate behind the last caller."""
        self._taking = False
        for worker in (self._storing, self._following, self._keeping):
            worker.stop()
        self._drain()
        self._gate.shut(state)

    def perceived(self, perception: Perception, info: Mapping[str, int]) -> None:
        """Take a perception from the topic; nothing while not active, nor what had arrived before."""
        if self._taking and not self._is_left_over(info['received_timestamp']):
            self._intake.offer(perception)
            self._storing.wake()

    def _is_left_over(self, received_ns: int) -> bool:
        """
        Whether a message was received while the node was not active, and only handed over now.

        Asked for a moment after the start only: arrival is stamped by the wall clock, which may be set back later.
        """
        return time.monotonic() < self._started_s + LEFT_OVER_S and received_ns < self._started_ns

    def tapped(self, tap: Tap, message: Any) -> None:
        """Take a message of a tap; while not active it waits, until a newer one comes."""
        self._situation.inbox.put(tap, message)
        self._following.wake()

    def follow(self) -> None:
        """Look at the situation now, since something other than a tap has changed it."""
        self._following.wake()

    def keep_house(self) -> None:
        """Begin a pass of housekeeping now."""
        self._keeping.wake()

    def _store(self, engine: Engine) -> float | None:
        left = self._intake.store(engine)
        self._following.wake()
        if left >= self._intake.batch:
            return 0.0
        return SLICE_PAUSE_S if left else None

    def _keep_house(self, engine: Engine) -> float | None:
        with self.ticks.slice():
            more = engine.tick()
        if engine.clock_trouble:  # what is stored meanwhile is dated by the first time that is seen
            return min(TIMELESS_PAUSE_S, self._period_s())
        return SLICE_PAUSE_S if more else self._period_s()

    def _drain(self) -> None:
        until = time.monotonic() + DRAIN_S
        try:
            with self._gate.enter() as engine:
                while self._intake.store(engine) and time.monotonic() < until:
                    pass
        except NotActive:
            return
        except Exception as error:  # noqa: BLE001  the way to a clean end must not end here
            self._on_trouble('storing the last perceptions', error)
        self._intake.clear()
