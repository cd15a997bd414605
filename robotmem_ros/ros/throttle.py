"""Says a thing once, not a thousand times."""

from __future__ import annotations

import threading
import time

MAX_KEYS = 256


class Throttle:
    """
    Lets one message of a kind through per period and counts the rest. Thread-safe.

    rclpy's own throttling goes by the calling line; here the kind of trouble decides.

    :param period_s: shortest time between two messages of one kind, seconds of the steady clock.
    """

    def __init__(self, period_s: float = 10.0) -> None:
        self._period_s = period_s
        self._lock = threading.Lock()
        self._next: dict[str, float] = {}
        self._held: dict[str, int] = {}

    def held(self, kind: str) -> int | None:
        """Give how many of this kind were held back since the last one, or ``None`` if this one is to be held, too."""
        now = time.monotonic()
        with self._lock:
            if now < self._next.get(kind, 0.0):
                self._held[kind] = self._held.get(kind, 0) + 1
                return None
            if len(self._next) >= MAX_KEYS:
                self._next.clear()
                self._held.clear()
            self._next[kind] = now + self._period_s
            return self._held.pop(kind, 0)

    def text(self, kind: str, message: str) -> str | None:
        """Give ``message``, with a note on those held back, or ``None`` if it is to be held."""
        held = self.held(kind)
        if held is None:
            return None
        return f'{message} ({held} more of this kind since the last message)' if held else message
