"""The executor of the node: rclpy's, which lets its threads begin what it has given them."""

from __future__ import annotations

import time
from typing import Any
from weakref import WeakSet

from rclpy.executors import MultiThreadedExecutor

LET_BEGIN_S = 0.0005


class PatientExecutor(MultiThreadedExecutor):
    """
    Lets go of the interpreter while a callback that was given to a thread has not begun.

    rclpy gives a callback again and again until then, and each time looks through all that it has given: the more, the
    longer it keeps the interpreter from the threads that are to begin. Two cores with nothing else to do stayed so for
    minutes, with thousands of copies of one service call, under some hundred messages of ``/clock`` a second.
    """

    def __init__(self, num_threads: int, **options: Any) -> None:
        super().__init__(num_threads=num_threads, **options)
        self._given: WeakSet[Any] = WeakSet()

    def wait_for_ready_callbacks(self, *args: Any, **kwargs: Any) -> Any:
        """See rclpy."""
        found = super().wait_for_ready_callbacks(*args, **kwargs)
        if found[0] in self._given:
            time.sleep(LET_BEGIN_S)
        self._given.add(found[0])
        return found
