"""The engine on a file, without a node: to look at it whoever writes it, or to change it where nobody else does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from robotmem_ros.clock import SystemClock
from robotmem_ros.embed.loading import MODELS, load
from robotmem_ros.engine import Engine
from robotmem_ros.errors import ModelUnavailable, StoreError
from robotmem_ros.ports import Embedder
from robotmem_ros.runtime import Progress, Report, silent, unseen
from robotmem_ros.settings import Settings, StoreSettings
from robotmem_ros.store import collections, ownership, paths, vectors
from robotmem_ros.store.store import Store

WAIT = StoreSettings(busy_timeout_s=1.0)
"""A person waits for the answer; a node that is just ending is gone within a second."""


@contextmanager
def to_read(
    path: str, *, model: bool = False, report: Report = silent, progress: Progress = unseen
) -> Iterator[Engine]:
    """Open a file to look at it; what a recall would leave behind is not left.

    :param model: load the model of the file's vectors, so that recall understands meaning.
    :raises StoreError: if it is missing, damaged, or of another version.
    """
    store = Store.open_to_read(path, WAIT)
    try:
        yield _engine(store, model, report, progress)
    finally:
        store.close()


@contextmanager
def to_write(
    path: str, *, model: bool = False, create: bool = False, report: Report = silent, progress: Progress = unseen,
    settings: Settings | None = None,
) -> Iterator[Engine]:
    """Own a file and open it to change it.

    :param create: make it where it is missing.
    :param progress: is told how far long work is.
    :param settings: of the node whose file it is, if they are known; else only the collection is the file's own.
    :raises StoreOwned: if a node owns it.
    :raises StoreError: if it is missing (without ``create``), damaged, or too new.
    """
    full = paths.resolve(path)
    if not create and not paths.size(full):
        owner = ownership.owner_of(full)
        raise StoreError(full, 'does not exist' if owner is None else f'is being made by {owner}')
    store = Store.open(full, WAIT, owner=True)
    try:
        engine = _engine(store, model, report, progress, settings)
    except BaseException:
        store.close()
        raise
    try:
        yield engine
    finally:
        engine.close()


def _engine(
    store: Store, model: bool, report: Report, progress: Progress, settings: Settings | None = None
) -> Engine:
    embedder = model_of(store, report) if model else None
    settings = settings or Settings(collection=own_collection(store, report))
    return Engine(store, SystemClock(), lambda: embedder, settings, report, progress=progress)


def own_collection(store: Store, report: Report = silent) -> str:
    """Give the collection that is meant where none is named: the default one, or the only one that the file has."""
    usual = Settings().collection
    with store.read() as tx:
        names = collections.names(tx)
    if not names or usual in names:
        return usual
    if len(names) > 1:
        report(f'the file has no collection {usual!r}, but {", ".join(names)}: --collection names one')
        return usual
    return names[0]


def model_of(store: Store, report: Report = silent) -> Embedder | None:
    """Load the model that made the file's vectors, of those that come along; any other would drop them.

    :return: ``None``, and a sentence to ``report``, where that model is not there.
    """
    with store.read() as tx:
        space = vectors.space(tx)
    missing = []
    for name in MODELS:
        try:
            embedder = load(model=name)
        except ModelUnavailable as error:
            missing.append(str(error))
            continue
        if space is None or embedder.fingerprint == space[2]:
            return embedder
    report(f'by words alone: the model of its vectors, {space[0]}, is not among those here' if space else
           f'by words alone: {missing[0] if missing else "no model"}')
    return None
