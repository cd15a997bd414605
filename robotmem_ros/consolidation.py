"""Merge what one session said several times over (contract 5; seed 000).

Greedy clusters of one category in which *every* pair overlaps and passes the guard, so that A→B→C
cannot drift; the keeper inherits what the others had, and they become superseded by it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from robotmem_ros.core.guard import guard
from robotmem_ros.core.similarity import content_tokens, cosine, jaccard
from robotmem_ros.model import ACTIVE, FACT, PROTECTED_CATEGORIES, SUPERSEDED
from robotmem_ros.settings import ConsolidationSettings, HebbianSettings, Settings
from robotmem_ros.store import lifecycle, sessions, vectors
from robotmem_ros.store.memory_row import MemoryRow
from robotmem_ros.store.sessions import SessionRow
from robotmem_ros.store.tx import Tx

LEAST_FACTS = 3
PROTECTED_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Merged:
    """``compression_ratio``: superseded facts over mergeable ones; ``avg_similarity`` over the merged pairs."""

    merged_groups: int = 0
    superseded_count: int = 0
    compression_ratio: float = 0.0
    avg_similarity: float = 0.0


@dataclass(slots=True)
class Cluster:
    """Facts that all say the same, and the similarities of their pairs."""

    members: list[MemoryRow]
    similarities: list[float]


def consolidate(tx: Tx, session: SessionRow, settings: Settings, now_ns: int) -> Merged:
    """Merge the session's repeated facts; running it again changes nothing."""
    facts = [row for row in sessions.facts(tx, session.id) if is_mergeable(row)]
    if len(facts) < LEAST_FACTS:
        return Merged()
    by_category: dict[str, list[MemoryRow]] = defaultdict(list)
    for row in facts:
        by_category[row.category].append(row)
    pairing = Pairing(tx, settings.consolidation)
    groups = [c for rows in by_category.values() for c in _clusters(rows, pairing) if len(c.members) > 1]
    for cluster in groups:
        _supersede(tx, cluster.members, settings.hebbian, now_ns)
    superseded = sum(len(c.members) - 1 for c in groups)
    similarities = [s for c in groups for s in c.similarities]
    return Merged(
        len(groups), superseded, superseded / len(facts), sum(similarities) / len(similarities) if similarities else 0.0
    )


def is_mergeable(row: MemoryRow) -> bool:
    """Tell whether a memory may be merged at all: an active, unprotected fact."""
    return (
        row.status == ACTIVE and row.type == FACT and row.category not in PROTECTED_CATEGORIES
        and row.confidence < PROTECTED_CONFIDENCE
    )


class Pairing:
    """How alike two facts are, if they may merge at all; tokens and vectors are looked up once."""

    def __init__(self, tx: Tx, settings: ConsolidationSettings) -> None:
        self._tx, self._settings = tx, settings
        self._tokens: dict[int, frozenset[str]] = {}

    def similarity(self, a: MemoryRow, b: MemoryRow) -> float:
        """Give the pair's similarity, 0 where the two must stay apart."""
        overlap = jaccard(self._tokens_of(a), self._tokens_of(b))
        alike = overlap
        if overlap <= self._settings.jaccard_threshold:
            alike = self._cosine(a, b)
            if not self._settings.semantic_threshold or alike < self._settings.semantic_threshold:
                return 0.0
        return alike if guard(a.content, b.content).same else 0.0

    def _tokens_of(self, row: MemoryRow) -> frozenset[str]:
        tokens = self._tokens.get(row.id)
        if tokens is None:
            tokens = self._tokens[row.id] = content_tokens(row.content)
        return tokens

    def _cosine(self, a: MemoryRow, b: MemoryRow) -> float:
        if not self._settings.semantic_threshold:
            return 0.0
        first, second = vectors.get(self._tx, a.id), vectors.get(self._tx, b.id)
        return 0.0 if first is None or second is None else cosine(first, second)


def _clusters(rows: Sequence[MemoryRow], pairing: Pairing) -> list[Cluster]:
    """Each fact joins the first cluster in which it resembles every member (seed 000's greedy rule)."""
    clusters: list[Cluster] = []
    for row in rows:
        for cluster in clusters:
            similarities = _all_alike(row, cluster, pairing)
            if similarities:
                cluster.members.append(row)
                cluster.similarities += similarities
                break
        else:
            clusters.append(Cluster([row], []))
    return clusters


def _all_alike(row: MemoryRow, cluster: Cluster, pairing: Pairing) -> list[float]:
    similarities = []
    for member in cluster.members:
        alike = pairing.similarity(row, member)
        if not alike:
            return []
        similarities.append(alike)
    return similarities


def _supersede(tx: Tx, members: Sequence[MemoryRow], settings: HebbianSettings, now_ns: int) -> None:
    """The keeper: highest confidence, then most used, then newest; it inherits all that hangs on the others."""
    keeper, *others = sorted(members, key=lambda r: (-r.confidence, -r.use_count, -r.created_at_ns, -r.id))
    for row in others:
        lifecycle.inherit(tx, row.id, keeper.id, now_ns, settings)
        lifecycle.set_status(tx, row.id, SUPERSEDED, 'consolidated', now_ns, superseded_by=keeper.id)
