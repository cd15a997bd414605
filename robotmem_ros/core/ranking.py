"""From the candidates' scores to the order of an answer (contract 8)."""

from __future__ import annotations

import math
from collections.abc import Mapping


def fuse(text: Mapping[int, float], vector: Mapping[int, float], text_weight: float) -> dict[int, float]:
    """Give each candidate's fused score in [0, 1]; greater is better in both arms.

    :param text: memory id to BM25 score, positive (SQLite's is negative: its sign is turned before).
    :param vector: memory id to cosine.
    :param text_weight: weight of the text arm in [0, 1]; the vectors have the rest.

    Each arm is divided by its maximum, since BM25 has no scale of its own; an arm that found nothing
    leaves its weight to the other. A candidate that one arm does not know scores 0 there.
    """
    by_text, by_vector = normalised(text), normalised(vector)
    if not by_vector:
        text_weight = 1.0
    elif not by_text:
        text_weight = 0.0
    return {
        key: min(1.0, text_weight * by_text.get(key, 0.0) + (1.0 - text_weight) * by_vector.get(key, 0.0))
        for key in {**by_text, **by_vector}
    }


def in_context(fused: Mapping[int, float], before: Mapping[int, int], weight: float) -> dict[int, float]:
    """Let each candidate gain from the better of its two neighbours in the session it was learned in.

    :param fused: memory id to score in [0, 1].
    :param before: memory id to the one that was learned just before it in the same session.
    :param weight: most of what is missing to 1 that a neighbour can add, in [0, 1]; 0 changes nothing.
    :return: own + weight × (1 - own) × neighbour, in [0, 1], never below own.

    A short text seldom says what it is about: its neighbours do (Murdock and Croft 2005, "A Translation
    Model for Sentence Retrieval"; Doko, Štula, Šerić 2015, "Using Local Context in Sentence Retrieval").
    What is a good match by itself gains little, so that it stays ahead of what only stands beside one.
    """
    around = dict.fromkeys(fused, 0.0)
    for after, first in before.items():
        if after in fused and first in fused:
            around[after] = max(around[after], fused[first])
            around[first] = max(around[first], fused[after])
    return {key: own + weight * (1.0 - own) * around[key] for key, own in fused.items()}


def normalised(scores: Mapping[int, float]) -> dict[int, float]:
    """Divide by the maximum, into [0, 1]; what is negative or no number counts 0."""
    clean = {key: score if 0.0 < score < math.inf else 0.0 for key, score in scores.items()}
    best = max(clean.values(), default=0.0)
    return {key: score / best if best > 0.0 else 0.0 for key, score in clean.items()}


def final_score(
    fused: float, hebbian: float, boost: float, source_factor: float = 1.0, retention_factor: float = 1.0
) -> float:
    """Give (fused + boost × hebbian) × source × retention (seed 004's order: similarity, association, decay).

    :param fused: from ``in_context``, in [0, 1].
    :param hebbian: from ``hebbian.association``, in [0, 1].
    :param boost: weight of association, 0.3 by default.
    :param source_factor: 1, or more for what was made on the real robot.
    :param retention_factor: from ``decay.bounded_factor``.
    """
    return (fused + boost * hebbian) * source_factor * retention_factor


def place(score: float, created_at_ns: int, memory_id: int) -> tuple[float, int, int]:
    """Give the sort key of a memory in an answer: higher score first, then newer, then greater id.

    A total order, so that the answer does not depend on the order in which candidates were found; NaN is last.
    """
    return (math.inf if math.isnan(score) else -score, -created_at_ns, -memory_id)
