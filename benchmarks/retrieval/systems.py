"""The ways to make one order of two lists that are compared, each behind the engine's own port (``ports.Fusion``)."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass

from robotmem_ros.core.ranking import fuse, normalised
from robotmem_ros.ports import Fusion
from robotmem_ros.settings import RecallSettings

CANDIDATES = RecallSettings().candidates
RRF_K = 60
"""The usual constant (Cormack, Clarke, Büttcher 2009)."""


@dataclass(frozen=True)
class System:
    """``with_context``: whether neighbours of a session count, as they do when the node runs."""

    name: str
    fusion: Fusion
    with_context: bool = False


def text_only(
    text: Mapping[int, float], vector: Mapping[int, float], text_weight: float  # noqa: ARG001
) -> dict[int, float]:
    return normalised(text)


def vector_only(
    text: Mapping[int, float], vector: Mapping[int, float], text_weight: float  # noqa: ARG001
) -> dict[int, float]:
    return normalised(as_found(vector))


def reciprocal_ranks(
    text: Mapping[int, float], vector: Mapping[int, float], text_weight: float  # noqa: ARG001
) -> dict[int, float]:
    fused: dict[int, float] = {}
    for arm in (text, as_found(vector)):
        for place, key in enumerate(sorted(arm, key=lambda key: (-arm[key], -key)), 1):
            fused[key] = fused.get(key, 0.0) + 1.0 / (RRF_K + place)
    return fused


def half_and_half(
    text: Mapping[int, float], vector: Mapping[int, float], text_weight: float  # noqa: ARG001
) -> dict[int, float]:
    """Add both lists as they were found, each divided by its maximum."""
    return fuse(text, as_found(vector), 0.5)


def as_found(vector: Mapping[int, float]) -> dict[int, float]:
    """Leave out the cosines of what only the words found: the engine adds them, and none is above the last found."""
    return dict(heapq.nlargest(CANDIDATES, vector.items(), key=lambda item: item[1]))


BASELINE = 'half and half'
OURS = 'robotmem_ros'
SYSTEMS = (
    System('BM25 only', text_only), System('vectors only', vector_only), System('RRF, k = 60', reciprocal_ranks),
    System(BASELINE, half_and_half), System('… with neighbours', half_and_half, True),
    System('… with every cosine', fuse), System(OURS, fuse, True),
)
