"""Puts store, model and engine together when the node is configured, and takes them apart again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from robotmem_ros.embed.background import BackgroundEmbedder
from robotmem_ros.embed.loading import load
from robotmem_ros.engine import Engine
from robotmem_ros.ports import Clock, Embedder, FrameTree
from robotmem_ros.settings import Settings
from robotmem_ros.store.probe import probe
from robotmem_ros.store.store import Store


@dataclass(frozen=True)
class Assembly:
    """What exists between configure and cleanup."""

    store: Store
    engine: Engine
    model: BackgroundEmbedder
    path: str

    def try_write(self) -> None:
        """Write a little.

        :raises StoreError: if the file cannot be written.
        """
        with self.store.write(background=True) as tx:
            probe(tx)

    def close(self) -> None:
        """Write what is queued, close the file and let go of the model."""
        try:
            self.engine.close()
        finally:
            self.model.release()


def assemble(
    path: str, settings: Settings, clock: Clock, on_model: Callable[[], None], report: Callable[[str], None],
    frames: FrameTree | None = None,
) -> Assembly:
    """
    Open the file; the caller starts ``model`` once it is ready to be told.

    :param on_model: is called from another thread once the model is there or known to be missing.
    :param report: takes a sentence for the log, from any thread, on what the file needed or lacks.
    :param frames: knows where frames of the robot are, where anybody does.
    :raises StoreError: if the file cannot be used.
    """
    store = Store.open(path, settings.store, owner=True)
    model = BackgroundEmbedder(lambda: load_model(settings), on_model)
    try:
        engine = Engine(store, clock, model.get, settings, report, frames=frames)
    except BaseException:
        store.close()
        raise
    return Assembly(store, engine, model, path)


def load_model(settings: Settings) -> Embedder:
    """Load the model that the settings name."""
    embed = settings.embed
    return load(embed.model_path, embed.threads, model=embed.model)
