"""Time, memory and size, measured the same way everywhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar('T')


@dataclass(frozen=True)
class Times:
    """Sorted durations of one kind of call, ms."""

    ms: tuple[float, ...]

    @property
    def p50(self) -> float:
        """The median."""
        return self.ms[len(self.ms) // 2]

    @property
    def p95(self) -> float:
        """Nineteen of twenty calls are not slower."""
        return self.ms[min(len(self.ms) - 1, int(len(self.ms) * 0.95))]


def timed(call: Callable[[T], object], arguments: Iterable[T]) -> Times:
    """Call once with each argument and give the durations."""
    durations = []
    for argument in arguments:
        begun = time.perf_counter()
        call(argument)
        durations.append((time.perf_counter() - begun) * 1e3)
    return Times(tuple(sorted(durations)))


def resident_mb(pid: int | str = 'self') -> float:
    """Give a process's resident memory without mapped file pages, MB (Linux: RssAnon)."""
    for line in Path(f'/proc/{pid}/status').read_text('utf-8').splitlines():
        if line.startswith('RssAnon:'):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f'no RssAnon for process {pid}')
