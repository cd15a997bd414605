"""What no search can be much faster than: one product of all stored vectors with a question, in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import Times, timed
from robotmem_ros.model import Filters
from robotmem_ros.ports import Vector
from robotmem_ros.settings import DecaySettings
from robotmem_ros.store import memories, vectors
from robotmem_ros.store.store import Store

NEAREST = 10


@dataclass(frozen=True)
class Stored:
    """All memories of a file. ``vectors`` have length 1, shape (n, dim), and lie in a file, not in memory."""

    ids: tuple[int, ...]
    texts: tuple[str, ...]
    vectors: NDArray[np.float32]

    @classmethod
    def of(cls, store: Store, last_id: int, folder: Path) -> Stored:
        """Read the memories with ids from 1 to ``last_id``."""
        with store.read() as tx:
            rows = memories.rows(tx, range(1, last_id + 1))
            found = {i: vector for i in rows if (vector := vectors.get(tx, i)) is not None}
        matrix = np.stack(list(found.values()))
        np.save(folder / 'vectors.npy', matrix / np.linalg.norm(matrix, axis=1, keepdims=True))
        return cls(tuple(found), tuple(rows[i].content for i in found), np.load(folder / 'vectors.npy', mmap_mode='r'))

    def product(self, asked: Sequence[Vector]) -> Times:
        """Time the bare product."""
        return timed(lambda question: self.vectors @ question, asked)

    def found(self, store: Store, asked: Sequence[Vector], now_ns: int) -> float:
        """Give the share of the exact ten nearest that the engine's search by vectors finds."""
        shares = []
        filters = Filters(collection='default', now_ns=now_ns)
        with store.read() as tx:
            for question in asked:
                cosines = self.vectors @ (question / np.linalg.norm(question))
                nearest = {self.ids[i] for i in np.argsort(-cosines)[:NEAREST]}
                hits = vectors.nearest(tx, question, filters, DecaySettings(), NEAREST)
                shares.append(len(nearest & {memory for memory, _ in hits}) / NEAREST)
        return sum(shares) / len(shares)
