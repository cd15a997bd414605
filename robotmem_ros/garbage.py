"""Retiring what has faded, and removing what was retired long ago (contract 6): on request, or little by little.

Retired rows stay in the file, out of every search, until they are purged. Every step is a transaction of at most
``ROWS_A_WRITE`` rows, so that requests are served between two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from robotmem_ros.model import RETIRED
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import lifecycle, retention
from robotmem_ros.store.tx import Tx

ROWS_A_WRITE = 200

Item = TypeVar('Item')


def retirable(rt: Runtime, tx: Tx, collection_id: int, threshold: float, now_ns: int) -> list[int]:
    """Give what one pass of GC would retire; a memory whose use still waits to be written is in use."""
    in_use = rt.usage.waiting()
    found = retention.retirable(tx, collection_id, threshold, now_ns, rt.settings)
    return [i for i in found if i not in in_use]


def retire(rt: Runtime, ids: Sequence[int], threshold: float) -> int:
    """Retire those of ``ids`` of which it still holds that they have faded; gives how many."""
    def some(tx: Tx, part: list[int]) -> int:
        moment_ns = rt.time.now().now_ns
        return retire_in(tx, still_retirable(rt, tx, part, threshold, moment_ns), threshold, moment_ns)
    return _in_parts(rt, 'retiring', ids, some)


def still_retirable(rt: Runtime, tx: Tx, ids: list[int], threshold: float, now_ns: int) -> list[int]:
    """Give those of ``ids`` that have faded and that nobody has recalled, even a moment ago."""
    in_use = rt.usage.waiting()
    return [i for i in retention.still_retirable(tx, ids, threshold, now_ns, rt.settings) if i not in in_use]


def retire_in(tx: Tx, ids: Sequence[int], threshold: float, now_ns: int) -> int:
    """Retire ``ids`` inside a transaction."""
    for memory_id in ids:
        lifecycle.set_status(tx, memory_id, RETIRED, f'gc: retention below {threshold:g}', now_ns)
    return len(ids)


def purge(rt: Runtime, ids: Sequence[int]) -> int:
    """Remove retired rows for good with everything that hangs on them; gives how many."""
    def some(tx: Tx, part: list[int]) -> int:
        lifecycle.purge(tx, part)
        return len(part)
    return _in_parts(rt, 'removing', ids, some)


def _in_parts(rt: Runtime, doing: str, ids: Sequence[int], work: Callable[[Tx, list[int]], int]) -> int:
    done = 0
    for number, part in enumerate(parts(ids)):
        with rt.store.write(background=True) as tx:
            done += work(tx, part)
        rt.progress(doing, number * ROWS_A_WRITE + len(part), len(ids))
    return done


def parts(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Give ``items`` in lists of at most ``ROWS_A_WRITE``."""
    for start in range(0, len(items), ROWS_A_WRITE):
        yield list(items[start:start + ROWS_A_WRITE])
