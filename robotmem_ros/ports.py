"""What the engine is given from outside: time and meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
import numpy.typing as npt

from robotmem_ros.model import Pose

Vector = npt.NDArray[np.float32]
"""One embedding: shape (dim,), float32, L2 norm 1."""


class Clock(Protocol):
    """Two clocks: one that names moments, one that only measures."""

    def now_ns(self) -> int:
        """UTC, nanoseconds since 1970 (wall or simulated time); 0 while no time is known."""
        ...

    def steady_ns(self) -> int:
        """Nanoseconds of a clock that never jumps, and goes on while the machine sleeps; its zero means nothing."""
        ...

    @property
    def simulated(self) -> bool:
        """Whether moments come from a simulation or a recording, which may stand still, run fast, or repeat."""
        ...

    @property
    def boot(self) -> str:
        """Name of the run of the machine that ``steady_ns`` counts in."""
        ...


class Embedder(Protocol):
    """Turns a text into a point; equal fingerprints share one space."""

    @property
    def name(self) -> str:
        """Name for people, such as ``all-MiniLM-L6-v2 (dynamic int8)``."""
        ...

    @property
    def backend(self) -> str:
        """What computes the vectors: ``onnx``, ``numpy``."""
        ...

    @property
    def dim(self) -> int:
        """Length of every vector."""
        ...

    @property
    def fingerprint(self) -> str:
        """16 hex digits over weights, tokenizer and pooling: another value, another space."""
        ...

    def embed(self, text: str) -> Vector:
        """Embed one text.

        :raises EmbeddingFailed: if the model gives no usable vector.
        """
        ...


EmbedderSource = Callable[[], 'Embedder | None']
"""Gives the embedder once it is ready, ``None`` while it loads or when it is missing; never blocks."""


class FrameTree(Protocol):
    """Where frames are in one another: tf2, where it is installed."""

    def locate(self, frame: str, within: str, at_ns: int) -> Pose:
        """Give the pose of ``frame`` in the frame ``within``, metres; never waits.

        :param at_ns: the moment, UTC nanoseconds; 0 for the latest that is known.
        :raises NoTransform: if that is not known.
        """
        ...


class Fusion(Protocol):
    """Makes one score in [0, 1] of what both arms of a recall found; ``core.ranking.fuse`` is the one in use."""

    def __call__(
        self, text: Mapping[int, float], vector: Mapping[int, float], text_weight: float
    ) -> dict[int, float]:
        """Give every id of either arm its score; see ``core.ranking.fuse`` for the arguments."""
        ...
