"""The machine's own clocks, for use without ROS."""

from __future__ import annotations

import time


class SystemClock:
    """``ports.Clock`` over the operating system: UTC wall time, and a monotonic clock."""

    def now_ns(self) -> int:
        """UTC, nanoseconds since 1970."""
        return time.time_ns()

    def steady_ns(self) -> int:
        """Nanoseconds that only grow."""
        return time.monotonic_ns()


class ManualClock:
    """A clock that stands still until it is moved: for tests, and for playing years in a second."""

    def __init__(self, now_ns: int = 1_780_000_000 * 10**9) -> None:
        self.now, self.steady = now_ns, 0

    def now_ns(self) -> int:
        """The moment that was set, UTC nanoseconds."""
        return self.now

    def steady_ns(self) -> int:
        """Nanoseconds that the clock was moved on."""
        return self.steady

    def advance(self, *, days: float = 0.0, seconds: float = 0.0) -> None:
        """Let time pass on both clocks."""
        step = round((days * 86_400 + seconds) * 1e9)
        self.now += step
        self.steady += step
