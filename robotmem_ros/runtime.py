"""What every pipeline works with, handed over as one thing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from robotmem_ros.core.ranking import fuse
from robotmem_ros.errors import EmbeddingFailed
from robotmem_ros.ports import Clock, Embedder, EmbedderSource, FrameTree, Fusion, Vector
from robotmem_ros.scenes import SceneTracker
from robotmem_ros.settings import Settings
from robotmem_ros.store.store import Store
from robotmem_ros.timekeeping import Timekeeper
from robotmem_ros.usage import UsageQueue

Report = Callable[[str], None]
"""Takes one sentence for the log on what the file needed; may be called from any thread."""


Progress = Callable[[str, int, int], None]
"""Is told of long work: what is being done, how much of it is done, and of how much (0: not known)."""


def silent(sentence: str) -> None:
    """Report nothing."""


def unseen(doing: str, done: int, total: int) -> None:
    """Nobody looks how far it is."""


@dataclass
class Runtime:
    """The open file, the clock, the embedder, the settings in force, and what is kept in memory only.

    ``settings`` is replaced as a whole when a parameter changes; a pipeline reads it once.
    """

    store: Store
    clock: Clock
    embedder: EmbedderSource
    settings: Settings
    scenes: SceneTracker
    usage: UsageQueue = field(default_factory=UsageQueue)
    fusion: Fusion = fuse
    frames: FrameTree | None = None
    time: Timekeeper = field(init=False)
    report: Report = silent
    progress: Progress = unseen
    space: str = ''
    """Fingerprint of the vector space in the file; a vector of any other is never stored or asked."""
    scene_cursor: int = 0
    """Id of the last scene whose key was looked at, and whether the file was copied before keys were changed."""
    has_scene_backup: bool = False
    replaced_model: str = ''
    """Name of the model whose vectors are being made anew with the present one; '' once all are."""

    def __post_init__(self) -> None:
        self.time = Timekeeper(
            self.store, self.clock, lambda: int(self.settings.clock.step_s * 1e9), lambda said: self.report(said)
        )

    def collection(self, name: str) -> str:
        """Give the collection that a request means: the one it names, else the node's own."""
        return name or self.settings.collection

    def ready_embedder(self) -> Embedder | None:
        """Give the embedder if it is loaded and the file's vectors are of its space."""
        embedder = self.embedder()
        return embedder if embedder is not None and embedder.fingerprint == self.space else None

    def embed(self, text: str) -> Vector | None:
        """Embed ``text``; ``None`` in text mode and where the model has no vector for this text."""
        embedder = self.ready_embedder()
        if embedder is None:
            return None
        try:
            return comparable(embedder.embed(text), embedder.dim)
        except EmbeddingFailed as error:
            self.usage.note_embedding_failure(str(error))
            return None


def comparable(vector: Vector, dim: int) -> Vector:
    """Give ``vector`` as float32, of shape (dim,).

    :raises EmbeddingFailed: for one that cannot be compared: of another shape, zero, or not finite.
    """
    data = np.asarray(vector, dtype=np.float32)
    if data.shape != (dim,) or not np.isfinite(data).all() or not data.any():
        raise EmbeddingFailed(f'the model gave a vector of shape {data.shape} that cannot be compared')
    return data
