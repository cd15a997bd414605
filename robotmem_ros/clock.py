"""The machine's own clocks, for use without ROS."""

from __future__ import annotations

import itertools
import time
import uuid
from pathlib import Path

BOOT_ID = Path('/proc/sys/kernel/random/boot_id')
_PROCESS = uuid.uuid4().hex
_numbers = itertools.count()


def steady_ns() -> int:
    """Nanoseconds that only grow; where the system can, those that it slept are counted, for sleeping is no step."""
    clock = getattr(time, 'CLOCK_BOOTTIME', None)
    return time.monotonic_ns() if clock is None else time.clock_gettime_ns(clock)


def boot_id() -> str:
    """Name this run of the machine; where it cannot be told, the run of this process."""
    try:
        return BOOT_ID.read_text(encoding='ascii').strip() or _PROCESS
    except (OSError, UnicodeDecodeError):
        return _PROCESS


class SystemClock:
    """``ports.Clock`` over the operating system: UTC wall time, and a steady clock."""

    simulated = False

    def __init__(self) -> None:
        self.boot = boot_id()

    def now_ns(self) -> int:
        """UTC, nanoseconds since 1970."""
        return time.time_ns()

    def steady_ns(self) -> int:
        """Nanoseconds that only grow."""
        return steady_ns()


class ManualClock:
    """A clock that stands still until it is moved: for tests, and for playing years in a second."""

    def __init__(self, now_ns: int = 1_780_000_000 * 10**9, *, simulated: bool = False) -> None:
        self.now, self.steady, self.simulated = now_ns, 0, simulated
        self.boot = f'manual-{next(_numbers)}'

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

    def set(self, *, days: float = 0.0, seconds: float = 0.0) -> None:
        """Put the clock forward, or back: no time passes."""
        self.now += round((days * 86_400 + seconds) * 1e9)

    def reboot(self) -> None:
        """Begin another run of the machine: the steady clock starts anew."""
        self.steady, self.boot = 0, f'manual-{next(_numbers)}'
