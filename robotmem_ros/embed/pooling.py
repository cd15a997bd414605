"""From the model's token vectors to one sentence vector: windows, mean pooling, L2 norm."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from robotmem_ros.errors import EmbeddingFailed
from robotmem_ros.ports import Vector

POOLING_VERSION = 1
"""Raised whenever this file would give another vector for a text; part of the fingerprint."""

MAX_WINDOWS = 8
"""About 1 800 tokens are seen whole; a longer text is sampled evenly (docs/decisions/0002)."""
MAX_UNKNOWN_SHARE = 0.5
"""Above it a text has no vector: an English model gives all Chinese sentences of a length the same one."""
OVERLAP_SHARE = 8
"""Neighbouring windows share one eighth of their width, so that no phrase is seen only in halves."""


def mean_pool(tokens: npt.NDArray[np.floating], mask: npt.NDArray[np.integer]) -> npt.NDArray[np.float32]:
    """
    Average the token vectors under the mask (Reimers and Gurevych 2019, Sentence-BERT, section 3).

    Positions with mask 0 are padding and count for nothing, wherever they stand.

    :param tokens: shape (batch, sequence, dim).
    :param mask: shape (batch, sequence), 1 for a token and 0 for padding.
    :returns: shape (batch, dim), not normalised; zeros where the mask is all zero.
    """
    weights = mask[..., None].astype(np.float32)
    # where(), not a product alone: a model may leave NaN in padding, and 0 * NaN is NaN.
    total = np.where(weights > 0, tokens, 0).sum(axis=1, dtype=np.float32)
    return np.asarray(total / np.maximum(weights.sum(axis=1), 1), dtype=np.float32)


def normalise(vector: npt.NDArray[np.floating]) -> Vector:
    """
    Scale ``vector``, shape (dim,), to L2 norm 1 as read-only float32.

    :raises EmbeddingFailed: if it is zero or not finite, so that it has no direction.
    """
    wide = vector.astype(np.float64)
    norm = math.sqrt(float(wide @ wide))
    if not math.isfinite(norm):
        raise EmbeddingFailed('the model gave a vector that is not finite')
    if norm < 1e-12:
        raise EmbeddingFailed('the model gave a zero vector')
    unit = (wide / norm).astype(np.float32)
    unit.setflags(write=False)
    return unit


def window_starts(count: int, width: int, limit: int) -> list[int]:
    """
    Say where the windows over a long text begin; all have the same ``width``.

    They are spread evenly from the first token to the last and overlap by at least an eighth, so
    that every token is in one. Where that would take more than ``limit`` windows, ``limit`` of them
    are spread over the whole text with gaps between: a sample from everywhere, not only its beginning.

    :param count: tokens of the text, special tokens not counted.
    :param width: tokens of a window, at least 8.
    :param limit: most windows, at least 2.
    """
    if count <= width:
        return [0]
    overlap = width // OVERLAP_SHARE
    windows = min(-(-(count - overlap) // (width - overlap)), limit)
    return [i * (count - width) // (windows - 1) for i in range(windows)]
