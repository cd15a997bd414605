"""A store on a real file, and a short way to put memories into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from robotmem_ros.model import Filters
from robotmem_ros.settings import DecaySettings
from robotmem_ros.store import collections, memories, occurrences, vectors
from robotmem_ros.store.memories import NewMemory
from robotmem_ros.store.occurrences import Occurrence
from robotmem_ros.store.store import Store

DAY = 86_400 * 10**9
NOW = 1_800_000_000 * 10**9
DIM = 4


@dataclass
class Shelf:
    """A store with the calls that most tests make."""

    store: Store
    now: int = NOW
    decay: DecaySettings = DecaySettings()

    def add(
        self, text: str, collection: str = 'c', vector: Any = None, occurrence: Occurrence | None = None,
        tags: tuple[str, ...] = (), **fields: Any,
    ) -> int:
        """Store one memory with one occurrence, and give its id."""
        with self.store.write() as tx:
            collection_id = collections.collection_id(tx, collection)
            given = {'type': 'fact', 'created_at_ns': self.now, **fields}
            new = NewMemory(collection_id=collection_id, content=text, **given)
            memory_id = memories.insert(tx, new)
            occurrences.add(tx, memory_id, occurrence or Occurrence(self.now, session_id=new.session_id))
            memories.add_tags(tx, memory_id, tags)
            if vector is not None:
                assert vectors.put(tx, memory_id, collection_id, np.asarray(vector, np.float32))
        return memory_id

    def filters(self, **fields: Any) -> Filters:
        """Criteria for collection ``c`` at the shelf's time."""
        return Filters(**{'collection': 'c', 'now_ns': self.now, **fields})

    def found(self, **fields: Any) -> set[int]:
        """Ids that satisfy the criteria, which every way of asking must agree on."""
        filters = self.filters(**fields)
        with self.store.read() as tx:
            ids = set(memories.recent(tx, filters, self.decay, 100_000))
            assert memories.count(tx, filters, self.decay, 100_000) == len(ids)
            everything = [row[0] for row in tx.execute('SELECT id FROM memory')]
            assert set(memories.load(tx, everything, filters, self.decay)) == ids
        return ids


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / 'memory.db')


@pytest.fixture
def open_shelf(path: str) -> Iterator[Callable[..., Shelf]]:
    """Open shelves; all are closed at the end."""
    opened: list[Store] = []

    def build(where: str = path, space: bool = True) -> Shelf:
        store = Store.open(where)
        opened.append(store)
        if space:
            with store.write() as tx:
                vectors.ensure_space(tx, 'm1', DIM, '1' * 16)
        return Shelf(store)

    yield build
    for store in opened:
        store.close()


@pytest.fixture
def shelf(open_shelf: Callable[..., Shelf]) -> Shelf:
    return open_shelf()
