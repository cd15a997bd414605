"""What leaves a file: all of it as records, in the order in which they can come in again."""

from __future__ import annotations

from collections.abc import Iterator

from robotmem_ros.store import dump
from robotmem_ros.store.records import MemoryRecord, Record
from robotmem_ros.store.tx import Tx


def frame(tx: Tx, collection: str = '') -> Iterator[Record]:
    """Give what memories hang on: places and scenes, and the visits of situations that are no scene yet."""
    yield from dump.places(tx, collection)
    yield from dump.scenes(tx, collection)
    yield from dump.evidence(tx, collection)


def everything(tx: Tx, collection: str = '', tier: str = '') -> Iterator[Record]:
    """Give all records: the frame, the active memories, their edges, and the sessions.

    :param tier: memories of this tier only, and the edges between them; empty: both.
    """
    yield from frame(tx, collection)
    given: set[str] = set()
    for memory in dump.memories(tx, collection, tier):
        given.add(memory.origin)
        yield memory
    for edge in dump.edges(tx, collection):
        if edge.a in given and edge.b in given:
            yield edge
    yield from dump.sessions(tx, collection)


def memories(tx: Tx, collection: str = '', tier: str = '') -> Iterator[MemoryRecord]:
    """Give the active memories."""
    return dump.memories(tx, collection, tier)
