"""The function that a node's background thread calls to get its embedder."""

from __future__ import annotations

from robotmem_ros.embed.cache import CachedEmbedder
from robotmem_ros.embed.locate import find_model
from robotmem_ros.errors import InvalidRequest, ModelUnavailable
from robotmem_ros.ports import Embedder

MODELS = ('minilm', 'multilingual')
"""Models that come in packages, by the names that the parameter ``embed.model`` takes."""


def load(path: str = '', threads: int = 1, cache_size: int = 256, model: str = MODELS[0]) -> Embedder:
    """
    Find and load the sentence model; offline, from files only.

    :param path: folder or ONNX file of a model of the user's own; empty: ``model``, where ``minilm`` is
        searched for as :func:`robotmem_ros.embed.locate.find_model` says.
    :param threads: threads of one model run, at least 1.
    :param cache_size: texts whose vectors are kept; 0 gives the bare model, for measuring.
    :param model: one of ``MODELS``.
    :raises InvalidRequest: for another name, or for ``multilingual`` together with a path.
    :raises ModelUnavailable: names the missing or damaged file or package, and how to provide it.
    """
    if threads < 1:
        raise ValueError(f'threads: expected at least 1, got {threads}')
    if model not in MODELS:
        raise InvalidRequest('embed.model', f'one of {", ".join(MODELS)}', model)
    if path and model != MODELS[0]:
        raise InvalidRequest('embed.model_path', f'nothing beside embed.model {model}', path)
    embedder = _multilingual(threads) if model == 'multilingual' else _onnx(path, threads)
    return CachedEmbedder(embedder, cache_size) if cache_size > 0 else embedder


# Imported where they are used: half a second and 60 MB that text-only operation does not need.
def _onnx(path: str, threads: int) -> Embedder:
    files = find_model(path)
    try:
        from robotmem_ros.embed.onnx import OnnxEmbedder
    except ImportError as error:
        raise ModelUnavailable(f'{error.name or "onnxruntime"} cannot be imported ({error})',
                               'pip install onnxruntime tokenizers') from error
    return OnnxEmbedder(files, threads)


def _multilingual(threads: int) -> Embedder:
    from robotmem_ros.embed.multilingual import MultilingualEmbedder

    return MultilingualEmbedder(threads)
