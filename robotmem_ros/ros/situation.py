"""What holds now: taps go in, scenes come out."""

from __future__ import annotations

from collections.abc import Callable

from robotmem_ros.engine import Engine
from robotmem_ros.errors import StoreError
from robotmem_ros.model import SceneHit
from robotmem_ros.ros.clock import RosClock
from robotmem_ros.ros.taps import Tap, TapInbox

SIMULATED_PAUSE_S = 0.02
"""Simulated time may run fast, so that nothing on a steady clock can be waited for: look this often."""
LONGEST_PAUSE_S = 0.5
"""Wall time may be set while something is waited for."""
SHORTEST_PAUSE_S = 0.005


class Situation:
    """
    The steps of the worker that feeds the situation and asks the engine to decide once it has settled.

    :param on_hit: is called with each scene that was entered.
    :param on_refused: is called with a tap and the reason when a message of it cannot be used.
    :param on_feature_refused: is told why, when a feature or a pose was left out, by whatever way it came.
    """

    def __init__(
        self, clock: RosClock, on_hit: Callable[[SceneHit], None], on_refused: Callable[[Tap, Exception], None],
        on_feature_refused: Callable[[str], None],
    ) -> None:
        self.inbox = TapInbox()
        self._clock = clock
        self._on_hit, self._on_refused, self._on_feature_refused = on_hit, on_refused, on_feature_refused
        self._refused = 0

    def step(self, engine: Engine) -> float | None:
        """Take in what taps have brought, decide what is due, and say in how many seconds to look again."""
        next_tap_s, next_decision_s = self._observe(engine), self._decide(engine)
        self._tell_refused(engine)
        return min((s for s in (next_tap_s, next_decision_s) if s is not None), default=None)

    def _observe(self, engine: Engine) -> float | None:
        taken, next_tap_s = self.inbox.take()
        for tap, message in taken:
            try:
                tap.observe(engine, message)
            except StoreError:
                self.inbox.put_back(tap, message)
                raise
            except Exception as error:  # noqa: BLE001  one bad message of one tap must not stop the others
                self._on_refused(tap, error)
        return next_tap_s

    def _tell_refused(self, engine: Engine) -> None:
        refused = engine.scenes.refused
        if refused > self._refused:
            self._on_feature_refused(engine.scenes.refusal)
        self._refused = refused  # less than before where the node was configured anew

    def _decide(self, engine: Engine) -> float | None:
        due = engine.scenes.due_ns()
        if due is not None and due <= self._clock.now_ns():
            for hit in engine.advance_scenes():
                self._on_hit(hit)
            due = engine.scenes.due_ns()
        if due is None:
            return None
        if self._clock.simulated:
            return SIMULATED_PAUSE_S
        return min(max((due - self._clock.now_ns()) / 1e9, SHORTEST_PAUSE_S), LONGEST_PAUSE_S)
