"""Perceptions from the topic: queued by the callback, stored in batches by a worker."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable

import robotmem_ros.msg as msg
from robotmem_ros.engine import Engine
from robotmem_ros.errors import RobotMemError, StoreError
from robotmem_ros.model import PerceptionInput
from robotmem_ros.ros.convert import perception_from_msg

MAX_SOURCES = 1000
MAX_BYTES = 64 * 1024 * 1024
"""Text that waits at most: a thousand messages of some megabytes each would be the end of a small computer."""
RESTART_GAP = 2**31
"""A gap of this size is a source that started again, not a loss."""


class PerceptionIntake:
    """
    A bounded queue between the topic and the file, and the count of what was lost. Thread-safe.

    The callback must be quick, whatever the disk does; so it only converts and queues. When the queue is
    full the oldest goes: what holds now matters more.

    :param size: perceptions that wait at most.
    :param batch: perceptions that are stored in one transaction.
    :param on_refused: is called with a perception's sequence number, source and reason when it is refused.
    """

    def __init__(self, size: int, batch: int, on_refused: Callable[[int, str, Exception], None]) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[PerceptionInput] = deque()
        self._size, self.batch, self._on_refused = size, batch, on_refused
        self._last_seq: OrderedDict[str, int] = OrderedDict()
        self._bytes = 0
        self.stored = self.refused = self.dropped = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def offer(self, perception: msg.Perception) -> None:
        """Take one message from the topic."""
        with self._lock:
            self._count_gap(perception.source, perception.seq)
        try:
            item = perception_from_msg(perception)
        except RobotMemError as error:
            self._refuse(perception.seq, perception.source, error)
            return
        with self._lock:
            self._waiting.append(item)
            self._bytes += size_of(item)
            while len(self._waiting) > self._size or self._bytes > MAX_BYTES:
                self._pop()
                self.dropped += 1

    def _pop(self) -> PerceptionInput:
        item = self._waiting.popleft()
        self._bytes -= size_of(item)
        return item

    def store(self, engine: Engine) -> int:
        """
        Store the next batch and give how many are left.

        :raises StoreError: if the file cannot be written; the batch then waits again.
        """
        with self._lock:
            batch = [self._pop() for _ in range(min(self.batch, len(self._waiting)))]
        if not batch:
            return 0
        try:
            results = engine.save_perceptions(batch)
        except StoreError:
            with self._lock:
                self._waiting.extendleft(reversed(batch))
                self._bytes += sum(map(size_of, batch))
            raise
        except Exception as error:
            for item in batch:
                self._refuse(item.seq, item.source, error)
            raise
        for item, result in zip(batch, results, strict=True):
            if isinstance(result, RobotMemError):
                self._refuse(item.seq, item.source, result)
            elif result:
                self.stored += 1
        return len(self._waiting)

    def clear(self) -> None:
        """Give up what waits, and count it as dropped."""
        with self._lock:
            self.dropped += len(self._waiting)
            self._waiting.clear()
            self._bytes = 0

    def _refuse(self, seq: int, source: str, error: Exception) -> None:
        with self._lock:
            self.refused += 1
        self._on_refused(seq, source, error)

    def _count_gap(self, source: str, seq: int) -> None:
        if seq == 0:
            return
        last = self._last_seq.pop(source, None)
        self._last_seq[source] = seq
        if len(self._last_seq) > MAX_SOURCES:
            self._last_seq.popitem(last=False)
        if last is not None and last + 1 < seq < last + RESTART_GAP:
            self.dropped += seq - last - 1


def size_of(item: PerceptionInput) -> int:
    """Give roughly the bytes that a perception holds."""
    return 1024 + len(item.description) + len(item.data)
