"""The function that a node's background thread calls to get its embedder."""

from __future__ import annotations

from robotmem_ros.embed.cache import CachedEmbedder
from robotmem_ros.embed.locate import find_model
from robotmem_ros.errors import ModelUnavailable
from robotmem_ros.ports import Embedder


def load(path: str = '', threads: int = 1, cache_size: int = 256) -> Embedder:
    """
    Find and load the sentence model; offline, from files only.

    :param path: folder or ONNX file, see :func:`robotmem_ros.embed.locate.find_model`; empty: search.
    :param threads: threads of one model run, at least 1.
    :param cache_size: texts whose vectors are kept; 0 gives the bare model, for measuring.
    :raises ModelUnavailable: names the missing or damaged file and how to provide it.
    """
    if threads < 1:
        raise ValueError(f'threads: expected at least 1, got {threads}')
    files = find_model(path)
    try:
        # Here and not above: half a second and 60 MB that text-only operation does not need.
        from robotmem_ros.embed.onnx import OnnxEmbedder
    except ImportError as error:
        raise ModelUnavailable(f'{error.name or "onnxruntime"} cannot be imported ({error})',
                               'pip install onnxruntime tokenizers') from error
    embedder = OnnxEmbedder(files, threads)
    return CachedEmbedder(embedder, cache_size) if cache_size > 0 else embedder
