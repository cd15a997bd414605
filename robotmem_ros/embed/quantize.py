"""Turns the shipped model (int8 weights, float arithmetic) into one that computes in int8."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import onnxruntime

from robotmem_ros.embed.onnx import session_options


def quantize(source: Path, target: Path) -> None:
    """
    Quantise ``source`` dynamically into ``target``; takes about 3 s. Needs the ``onnx`` package.

    The shipped graph widens its int8 weights to float at run time (Cast, Mul). onnxruntime's basic
    optimisation folds these into float weights, which ``quantize_dynamic`` then takes up. Per channel,
    because one scale per matrix loses four times as much. Seven bits, because the integer product of
    x86 cores without VNNI saturates at eight, and a database may move from one robot to another.
    The recipe is :data:`card.QUANTISED`.

    :raises ImportError: without ``onnx``.
    """
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        folded = Path(scratch) / 'folded.onnx'
        _fold(source, folded)
        with _quiet():
            quantize_dynamic(folded, target, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)


def _fold(source: Path, target: Path) -> None:
    options = session_options(threads=1)
    # Basic: the higher levels write operators that only this onnxruntime on this machine knows.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(target)
    onnxruntime.InferenceSession(str(source), options, providers=['CPUExecutionProvider'])


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the quantiser's advice to preprocess, already followed, off the root logger."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
