"""What the log says at the start, for whoever looks there first: a line on the file, and one on the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from robotmem_ros.ros.assembly import Assembly
from robotmem_ros.store import statistics

SWITCHES = ('taps.names', 'gc.automatic', 'promotion.automatic', 'store.perceptions_durable', 'tf.listen')
"""Parameters that make the node do something by itself; those that are off are named."""


def file_line(assembly: Assembly, collection: str, taps: Sequence[str], values: Mapping[str, Any]) -> str:
    """
    Say which file it is, what it holds, what feeds the situation, and what is off.

    :param taps: names of those that are listened to.
    :param values: the node's parameters.
    """
    with assembly.store.read() as tx:
        memories, scenes = statistics.headline(tx, collection)
    off = [name for name in SWITCHES if not values.get(name, True)]
    said = [f'memory in {assembly.path}, collection {collection!r}: {memories} memories, {scenes} scenes']
    said += [f'feature taps: {", ".join(taps)}'] if taps else []
    said += [f'off: {", ".join(off)}'] if off else []
    return '; '.join(said)


def model_line(assembly: Assembly) -> tuple[str, bool]:
    """Say how questions are answered now that the model is there or known to be missing, and whether that is all well.

    Empty where the file cannot hold vectors: the engine has said so.
    """
    embedder = assembly.model.get()
    if assembly.model.state == 'missing':
        return f'{assembly.model.reason}; answers are by words alone', False
    if embedder is None or not assembly.store.vectors_available:
        return '', True
    return f'answers are by words and meaning: {embedder.name}, {embedder.backend}, {embedder.dim} dimensions', True
