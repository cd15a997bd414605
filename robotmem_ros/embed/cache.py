"""Remembers the vectors of the last texts: robots ask the same question many times."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from robotmem_ros.ports import Embedder, Vector

LONGEST_TEXT = 1024
"""Characters; longer texts are insights, hardly ever repeated, and would make the cache large."""


class CachedEmbedder:
    """
    Embedder that keeps the vectors of the most recently used short texts; thread-safe.

    :param inner: the embedder that is asked for all others.
    :param size: texts to keep, at least 1; 256 take about 0.5 MB at 384 dimensions.
    """

    def __init__(self, inner: Embedder, size: int = 256) -> None:
        self._inner, self._size = inner, size
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._lock = Lock()

    @property
    def name(self) -> str:
        """Name of the inner embedder."""
        return self._inner.name

    @property
    def backend(self) -> str:
        """What computes the inner embedder's vectors."""
        return self._inner.backend

    @property
    def dim(self) -> int:
        """Length of every vector."""
        return self._inner.dim

    @property
    def fingerprint(self) -> str:
        """Vector space of the inner embedder."""
        return self._inner.fingerprint

    def embed(self, text: str) -> Vector:
        """
        Embed one text; the vector is shared between callers and therefore read-only.

        :raises EmbeddingFailed: as the inner embedder does; failures are not kept.
        """
        with self._lock:
            known = self._vectors.get(text)
            if known is not None:
                self._vectors.move_to_end(text)
                return known
        # Outside the lock: the model takes milliseconds, and other threads have other texts.
        vector = self._inner.embed(text)
        vector.setflags(write=False)
        if len(text) <= LONGEST_TEXT:
            with self._lock:
                self._vectors[text] = vector
                self._vectors.move_to_end(text)
                while len(self._vectors) > self._size:
                    self._vectors.popitem(last=False)
        return vector
