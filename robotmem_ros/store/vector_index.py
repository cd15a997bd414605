"""The file's vectors in memory, compressed, so that a search reads a hundred of them and not all (decision 15).

Two looks, each keeping what may be near: at signs (one bit a number; what differs is counted), then at 8-bit numbers.
Whoever searches compares what is left with the vectors of the file itself. Nothing here knows SQL or transactions: a
vector under an id never changes and an id is never used again, so an entry can be superfluous, but never wrong.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from robotmem_ros.ports import Vector

Space = tuple[int, str]
"""Dimension and fingerprint of the model."""
NO_SPACE: Space = (0, '')
BLOCK = 4096
"""Vectors of a full block: an array is copied when it grows, so it must not grow for ever."""
LEAST_COARSE = 4096
"""Vectors that the look at the signs keeps, at least: of 100 000, these hold the nearest 50 but for one in 5000."""
COARSE_SHARE = 24
"""And one in so many of a larger collection."""
MOST_CLOSE = 512
"""Vectors that are compared exactly, at most, since rounding hides which are nearer: 10 us each."""
SURE = 1.5
"""Scales by which rounding moves a cosine at most: five standard deviations (see ``_best``)."""
FAR = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Block:
    """
    Vectors of one collection, by rising id; never changed once made.

    :ivar ids: shape (n,).
    :ivar signs: shape (words, n): bit i of a vector is whether its number i is above 0.
    :ivar numbers: shape (n, dim), int8: a unit vector's numbers over its ``scales``, shape (n,).
    """

    ids: NDArray[np.int64]
    signs: NDArray[np.uint64]
    numbers: NDArray[np.int8]
    scales: NDArray[np.float32]

    @classmethod
    def of(cls, ids: Sequence[int], vectors: NDArray[np.float32]) -> Block:
        """Compress vectors of shape (n, dim), none of them zero."""
        scales = np.abs(vectors).max(axis=1) / 127.0
        numbers = np.rint(vectors / scales[:, None]).astype(np.int8)
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
        return cls(np.asarray(ids, np.int64), signs_of(vectors), numbers, (scales / lengths).astype(np.float32))

    def joined(self, other: Block) -> Block:
        """Give one block of both, ``other`` behind."""
        return Block(
            np.concatenate((self.ids, other.ids)), np.concatenate((self.signs, other.signs), axis=1),
            np.concatenate((self.numbers, other.numbers)), np.concatenate((self.scales, other.scales)))

    def only(self, kept: NDArray[np.bool_]) -> Block:
        """Give the block without those that are not ``kept``, shape (n,)."""
        return Block(self.ids[kept], self.signs[:, kept], self.numbers[kept], self.scales[kept])

    def distances(self, signs: NDArray[np.uint64]) -> NDArray[np.uint16]:
        """Count for each vector the signs that differ from a query's, shape (words, 1)."""
        counts = ones(self.signs ^ signs)
        differing: NDArray[np.uint16] = counts[0].astype(np.uint16)
        for more in counts[1:]:
            differing += more
        return differing

    def at(
        self, places: NDArray[np.int64] | slice
    ) -> tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.float32]]:
        """Give ids, numbers and scales of some of the vectors."""
        return self.ids[places], self.numbers[places], self.scales[places]


@dataclass(frozen=True, slots=True)
class View:
    """
    What the index held at one moment; never changes.

    :ivar last: of the space's vectors, all that got an id up to here are held, but for those deleted since.
    """

    space: Space = NO_SPACE
    last: int = 0
    blocks: Mapping[int, tuple[Block, ...]] = field(default_factory=dict)

    def count(self, collection_id: int | None = None) -> int:
        """Count the vectors of one collection, or of all."""
        chosen = self.blocks.values() if collection_id is None else (self.blocks.get(collection_id, ()),)
        return sum(len(block.ids) for blocks in chosen for block in blocks)

    def search(
        self, collection_id: int, vector: Vector, k: int, among: Sequence[int] | None = None
    ) -> dict[int, float]:
        """
        Give the ids of the ``k`` nearest vectors of a collection and of those that may be as near.

        :param among: look at these ids only, whatever their number.
        :return: 2 ``k`` + 16 ids at least, where there are so many, with the greatest cosine that each may have;
            the greatest first.
        """
        blocks = self.blocks.get(collection_id, ())
        parts = [block.at(places) for block, places in zip(blocks, self._places(blocks, vector, k, among), strict=True)]
        if not parts:
            return {}
        query = (vector / np.linalg.norm(vector.astype(np.float64))).astype(np.float32)
        # einsum and not @: BLAS would start threads, and wait for them where the other cores are busy.
        cosines = np.concatenate([np.einsum('ij,j->i', numbers, query) * scales for _, numbers, scales in parts])
        ids, scales = np.concatenate([part[0] for part in parts]), np.concatenate([part[2] for part in parts])
        best = _best(cosines, scales, k)
        ids, most = ids[best], cosines[best] + SURE * scales[best]
        order = np.argsort(-most)
        return dict(zip(ids[order].tolist(), most[order].tolist(), strict=True))

    def _places(
        self, blocks: Sequence[Block], vector: Vector, k: int, among: Sequence[int] | None
    ) -> Sequence[NDArray[np.int64] | slice]:
        """Give for each block the positions that are worth a closer look."""
        count = sum(len(block.ids) for block in blocks)
        wanted = max(LEAST_COARSE, 16 * k, count // COARSE_SHARE)
        if among is not None:
            asked = np.sort(np.asarray(among, np.int64))
            return [np.flatnonzero(_are_in(block.ids, asked)) for block in blocks]
        if count <= wanted:
            return [slice(None)] * len(blocks)
        signs = signs_of(vector[None])
        return _fewest_differing([block.distances(signs) for block in blocks], wanted)


class VectorIndex:
    """The index of one open file; any thread may call any method."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._view, self._turn = View(), 0

    def view(self, space: Space) -> View:
        """Give what is held of ``space``: nothing, where it holds another one."""
        view = self._view
        return view if view.space == space else View(space)

    def extend(self, view: View, last: int, rows: Sequence[tuple[int, int, bytes]]) -> None:
        """
        Add the vectors with ids above ``view.last`` and up to ``last``; nothing where another thread was faster.

        :param view: what was held when ``rows`` were read; that of another space takes the place of what is held.
        :param rows: (id, collection id, float32 vector) by rising id, all of them committed.
        """
        with self._lock:
            if self.view(view.space).last != view.last:
                return
            blocks = dict(view.blocks)
            for collection_id in {row[1] for row in rows}:
                own = [row for row in rows if row[1] == collection_id]
                vectors = np.frombuffer(b''.join(row[2] for row in own), np.float32).reshape(len(own), -1)
                new = Block.of([row[0] for row in own], vectors)
                blocks[collection_id] = _appended(blocks.get(collection_id, ()), new)
            self._view = View(view.space, last, blocks)

    def retain(self, collection_id: int, first: int, last: int, ids: Iterable[int]) -> None:
        """Let go of a collection's vectors with ids from ``first`` to ``last`` other than ``ids``."""
        alive = np.sort(np.fromiter(ids, np.int64))
        with self._lock:
            view, kept = self._view, []
            for block in view.blocks.get(collection_id, ()):
                stays = (block.ids < first) | (block.ids > last) | _are_in(block.ids, alive)
                kept.append(block if stays.all() else block.only(stays))
            blocks = {**view.blocks, collection_id: tuple(block for block in kept if len(block.ids))}
            self._view = View(view.space, view.last, blocks)

    def next_block(self) -> tuple[int, Block] | None:
        """Give each block in turn, with its collection; ``None`` where there is none."""
        with self._lock:
            blocks = [(collection_id, block) for collection_id, own in self._view.blocks.items() for block in own]
            self._turn += 1
            return blocks[self._turn % len(blocks)] if blocks else None

    def give_up(self, space: Space) -> None:
        """Hold nothing of ``space`` from now on."""
        with self._lock:
            self._view = View(space, FAR)


def signs_of(vectors: NDArray[np.float32]) -> NDArray[np.uint64]:
    """Give the signs of vectors of shape (n, dim) as bits, shape (words, n), filled up with zeros."""
    packed = np.packbits(vectors > 0, axis=1)
    filled = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return np.ascontiguousarray(filled.view(np.uint64).T)


def ones(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Count the bits set in each word (numpy before 2.0, that of Jazzy's Ubuntu, cannot do it itself)."""
    if hasattr(np, 'bitwise_count'):
        return np.bitwise_count(words)
    return ones_by_table(words)


def ones_by_table(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Count the bits set in each word, sixteen at a time."""
    parts = _ones_of_16_bits()[words.view(np.uint16)].reshape(*words.shape, 4)
    counts: NDArray[np.uint8] = parts.sum(axis=-1, dtype=np.uint8)
    return counts


@cache
def _ones_of_16_bits() -> NDArray[np.uint8]:
    bits = np.unpackbits(np.arange(1 << 16, dtype=np.uint16).view(np.uint8)).reshape(1 << 16, 16)
    ones_of: NDArray[np.uint8] = bits.sum(axis=1, dtype=np.uint8)
    return ones_of


def _appended(blocks: tuple[Block, ...], new: Block) -> tuple[Block, ...]:
    """Add a block; one that is not longer than what comes behind is joined with it, so that few stay small."""
    kept = list(blocks)
    while kept and len(kept[-1].ids) <= len(new.ids) and len(kept[-1].ids) + len(new.ids) <= BLOCK:
        new = kept.pop().joined(new)
    return (*kept, new)


def _best(cosines: NDArray[np.float32], scales: NDArray[np.float32], k: int) -> NDArray[np.int64] | slice:
    """Give the positions of the ``k`` greatest, and of those that may be as great but for the rounding of numbers.

    Rounding moves a cosine by a third of the scale or less, as a rule (uniform errors, of scale / sqrt(12) together).
    """
    wide = 2 * k + 16
    if len(cosines) <= wide:
        return slice(None)
    most = min(len(cosines), wide + MOST_CLOSE)
    best = np.argpartition(-cosines, most - 1)[:most]
    ordered = np.sort(cosines[best])[::-1]
    least = min(ordered[wide - 1], ordered[k - 1] - 2.0 * scales[best].max())
    kept: NDArray[np.int64] = best[cosines[best] >= least]
    return kept


def _are_in(ids: NDArray[np.int64], ordered: NDArray[np.int64]) -> NDArray[np.bool_]:
    if not len(ordered):
        return np.zeros(len(ids), np.bool_)
    at = np.minimum(np.searchsorted(ordered, ids), len(ordered) - 1)
    found: NDArray[np.bool_] = ordered[at] == ids
    return found


def _fewest_differing(distances: Sequence[NDArray[np.uint16]], wanted: int) -> list[NDArray[np.int64]]:
    """Give for each block the positions of the ``wanted`` least distances of all blocks, and of those equal to them."""
    limit = np.partition(np.concatenate(distances), wanted - 1)[wanted - 1]
    return [np.flatnonzero(each <= limit) for each in distances]
