"""What a ranked answer is worth, and whether a difference between two systems is more than chance."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]
FIRST = 10


def recall_at(ranked: Sequence[int], evidence: Collection[int]) -> float:
    """Give the share of the evidence that stands among the first ten."""
    return len(set(ranked[:FIRST]) & set(evidence)) / len(evidence)


def reciprocal_rank(ranked: Sequence[int], evidence: Collection[int]) -> float:
    """Give 1 over the place of the first evidence among the first ten, 0 where there is none."""
    return next((1.0 / place for place, item in enumerate(ranked[:FIRST], 1) if item in evidence), 0.0)


def interval(ours: Values, theirs: Values, draws: int = 10_000, seed: int = 0) -> tuple[float, float, float]:
    """Give the mean difference over the same questions and its 95 % interval (paired bootstrap; Efron 1979).

    :param ours: one value a question, shape (n,).
    :param theirs: of another system, for the same questions.
    """
    differences = ours - theirs
    generator = np.random.default_rng(seed)
    means = np.array([
        generator.choice(differences, len(differences)).mean() for _ in range(draws)
    ])
    low, high = np.quantile(means, [0.025, 0.975])
    return float(differences.mean()), float(low), float(high)
