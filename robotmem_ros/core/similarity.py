"""How alike two texts or two vectors are (seed 000, contract 4)."""

from __future__ import annotations

import re

import numpy as np

from robotmem_ros.core.text import FUNCTION_WORDS, tokens
from robotmem_ros.ports import Vector

_CATEGORIES = 'preference constraint decision observation code config pattern architecture root_cause tradeoff revert'
STOPWORDS = FUNCTION_WORDS | frozenset(_CATEGORIES.split())
"""Seed 000's list: words whose sharing says nothing of likeness, the names of categories included."""

_ROOT_CAUSE = re.compile(r'\broot_cause\b', re.IGNORECASE)


def content_tokens(text: str) -> frozenset[str]:
    """Give the distinct tokens of ``text`` that carry content.

    ``root_cause`` is two tokens, so it is taken out as a word before, as the list means it.
    """
    return frozenset(tokens(_ROOT_CAUSE.sub(' ', text))) - STOPWORDS


def jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    """Give |a ∩ b| / |a ∪ b|, in [0, 1]; 0 where both are empty, since nothing then speaks for likeness."""
    shared = len(a & b)
    return shared / (len(a) + len(b) - shared) if shared else 0.0


def cosine(a: Vector, b: Vector) -> float:
    """Give the true cosine of two vectors of shape (dim,), in [-1, 1]; 0 where one has no direction.

    :raises ValueError: if their shapes differ.
    """
    if a.shape != b.shape:
        raise ValueError(f'cosine of vectors of shapes {a.shape} and {b.shape}')
    x, y = a.astype(np.float64), b.astype(np.float64)
    lengths = float(np.linalg.norm(x) * np.linalg.norm(y))
    value = float(x @ y) / lengths if lengths > 0.0 else 0.0
    return min(1.0, max(-1.0, value)) if np.isfinite(value) else 0.0
