"""What the edges between memories add to a recall (contract 7; Hebb, seed 004).

Two things, both bounded: memories tied to what the caller's session recalled lately gain score, and a
strong neighbour may enter the answer without matching the words (bridging), below every direct match.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from robotmem_ros.core.hebbian import association
from robotmem_ros.model import Filters
from robotmem_ros.settings import HebbianSettings, Settings
from robotmem_ros.store import candidates, edges
from robotmem_ros.store.tx import Tx

SEEDS = 3
"""Best direct matches from which the recall reaches over edges."""
MAX_REACHED = 5
STRONG = 0.2
"""Least association of a neighbour that may enter without matching the words."""


def with_context(tx: Tx, lately: Sequence[int], filters: Filters, settings: HebbianSettings) -> dict[int, float]:
    """Give how strongly memories are tied to those in ``lately``: id → [0, 1]."""
    if not lately:
        return {}
    ties: dict[int, dict[int, float]] = defaultdict(dict)
    for source, neighbour, weight in edges.neighbours(tx, lately, filters.now_ns, settings.half_life_days):
        ties[neighbour][source] = weight
    degrees = edges.degrees(tx, list(ties), filters.now_ns, settings.half_life_days)
    return {i: association(weights, degrees.get(i, 0.0)) for i, weights in ties.items()}


def reach(
    tx: Tx, lately: Sequence[int], matches: Mapping[int, float], filters: Filters, settings: Settings
) -> dict[int, float]:
    """Give the strong neighbours of the best direct matches that are no match themselves: id → [0, 1]."""
    seeds = sorted(matches, key=lambda i: (-matches[i], -i))[:SEEDS]
    ties = with_context(tx, list(dict.fromkeys([*seeds, *lately])), filters, settings.hebbian)
    strong = {i: tie for i, tie in ties.items() if tie >= STRONG and i not in matches}
    # Before the cut: a neighbour that satisfies the filters must not be lost behind others that do not.
    strong = {i: strong[i] for i in candidates.load(tx, strong, filters, settings.decay)}
    best = sorted(strong, key=lambda i: (-strong[i], -i))[:MAX_REACHED]
    return {i: strong[i] for i in best}
