"""What recalls leave behind: uses and co-occurrences, queued until the tick applies them.

A recall must not wait for the disk, so it only queues. What is lost in a crash is a reinforcement,
never a memory; a clean stop flushes.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from robotmem_ros.timekeeping import Moment

MAX_QUEUED = 10_000
"""Recalls kept until the next tick; beyond it the oldest are dropped and counted."""
MAX_SESSIONS = 256
RECENT_PER_SESSION = 20


@dataclass(frozen=True, slots=True)
class Use:
    """One recall: the memories it returned, best first, and when."""

    ids: tuple[int, ...]
    at: Moment


class UsageQueue:
    """Uses waiting to be written, and what each session recalled lately. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._uses: deque[Use] = deque()
        self._taken: list[list[Use]] = []
        self._recent: OrderedDict[str, deque[int]] = OrderedDict()
        self.dropped = 0
        self.embedding_failures = 0
        self.last_embedding_failure = ''

    def add(self, ids: Sequence[int], at: Moment) -> None:
        """Queue one recall."""
        if not ids:
            return
        with self._lock:
            if len(self._uses) >= MAX_QUEUED:
                self._uses.popleft()
                self.dropped += 1
            self._uses.append(Use(tuple(ids), at))

    def remember(self, session_id: str, ids: Sequence[int]) -> None:
        """Note what a session recalled, best first; the newest and best ``RECENT_PER_SESSION`` of all are kept."""
        if not session_id or not ids:
            return
        with self._lock:
            recent = self._recent.setdefault(session_id, deque(maxlen=RECENT_PER_SESSION))
            for memory_id in reversed(ids[:RECENT_PER_SESSION]):
                if memory_id in recent:
                    recent.remove(memory_id)
                recent.append(memory_id)
            self._recent.move_to_end(session_id)
            if len(self._recent) > MAX_SESSIONS:
                self._recent.popitem(last=False)

    def recent(self, session_id: str) -> tuple[int, ...]:
        """Give the memories that ``session_id`` recalled lately."""
        with self._lock:
            return tuple(self._recent.get(session_id, ()))

    def forget_session(self, session_id: str) -> None:
        """Drop what an ended session recalled."""
        with self._lock:
            self._recent.pop(session_id, None)

    @contextmanager
    def taken(self, most: int) -> Iterator[list[Use]]:
        """Take at most ``most`` uses, oldest first, to be written within the block.

        Until its end they wait; where it fails they are back, before those that came since.
        """
        with self._lock:
            uses = [self._uses.popleft() for _ in range(min(most, len(self._uses)))]
            self._taken.append(uses)
        try:
            yield uses
        except BaseException:
            with self._lock:
                self._uses.extendleft(reversed(uses))
            raise
        finally:
            with self._lock:
                self._taken.remove(uses)

    def waiting(self) -> frozenset[int]:
        """Give the memories of which a use is not written yet."""
        with self._lock:
            return frozenset(i for uses in (self._uses, *self._taken) for use in uses for i in use.ids)

    def note_embedding_failure(self, reason: str) -> None:
        """Count a text that the model could not embed, for status."""
        with self._lock:
            self.embedding_failures += 1
            self.last_embedding_failure = reason

    def __len__(self) -> int:
        return len(self._uses)
