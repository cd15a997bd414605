"""A large file, quickly: what a learn stores, without looking for duplicates and without waiting for the disk."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from robotmem_ros.model import FACT
from robotmem_ros.ports import Embedder
from robotmem_ros.store import collections, memories, occurrences, vectors
from robotmem_ros.store.memories import NewMemory
from robotmem_ros.store.occurrences import Occurrence
from robotmem_ros.store.store import Store

BATCH = 1000


def fill(store: Store, embedder: Embedder, texts: Iterator[str], count: int, now_ns: int) -> None:
    """Store ``count`` more facts with their vectors."""
    for begin in range(0, count, BATCH):
        with store.write(durable=False) as tx:
            vectors.ensure_space(tx, embedder.name, embedder.dim, embedder.fingerprint)
            collection = collections.collection_id(tx, 'default')
            for text in itertools.islice(texts, min(BATCH, count - begin)):
                memory = memories.insert(tx, NewMemory(collection, FACT, text, now_ns))
                occurrences.add(tx, memory, Occurrence(now_ns))
                vectors.put(tx, memory, collection, embedder.embed(text))
