"""Merge what one session said several times over (contract 5; seed 000).

Greedy clusters of one category in which *every* pair overlaps and passes the guard, so that A→B→C
cannot drift; the keeper inherits what the others had, and they become superseded by it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from robotmem_ros.core.guard import guard, signature
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
    similarities: list[float] = field(default_factory=list)

    def dissolve(self) -> None:
        """Let it be no group: a fact of it has changed since it was compared."""
        del self.members[1:]
        self.similarities.clear()


def consolidate(tx: Tx, session: SessionRow, settings: Settings, now_ns: int) -> Merged:
    """Merge the session's repeated facts; running it again changes nothing."""
    clustering = Clustering(sessions.facts(tx, session.id), settings.consolidation)
    clustering.run(tx)
    for cluster in clustering.groups():
        merge(tx, cluster.members, settings.hebbian, now_ns)
    return clustering.merged()


def is_mergeable(row: MemoryRow) -> bool:
    """Tell whether a memory may be merged at all: an active, unprotected fact."""
    return (
        row.status == ACTIVE and row.type == FACT and row.category not in PROTECTED_CATEGORIES
        and row.confidence < PROTECTED_CONFIDENCE
    )


class Clustering:
    """Puts facts into clusters, a few at a time: each joins the first cluster in which it resembles every member.

    Only facts of one category and one signature (``core.guard``) can be the same, so only those are compared: a
    thousand sentences of one form cost no more than a thousand of different forms.
    """

    def __init__(self, facts: Iterable[MemoryRow], settings: ConsolidationSettings) -> None:
        mergeable = [row for row in facts if is_mergeable(row)]
        self._count = len(mergeable)
        self._waiting = mergeable[::-1] if len(mergeable) >= LEAST_FACTS else []
        self._settings = settings
        self._tokens: dict[int, frozenset[str]] = {}
        self._verdicts: dict[tuple[str, str], bool] = {}
        self._clusters: dict[tuple[str, ...], list[Cluster]] = defaultdict(list)

    def run(self, tx: Tx, is_time_up: Callable[[], bool] = lambda: False) -> bool:
        """Take facts until all are in a cluster or time is up; tells whether some are left."""
        while self._waiting:
            self._take(tx, self._waiting.pop())
            if is_time_up():
                break
        return bool(self._waiting)

    def groups(self) -> list[Cluster]:
        """Give the clusters that have something to merge."""
        return [cluster for clusters in self._clusters.values() for cluster in clusters if len(cluster.members) > 1]

    def merged(self) -> Merged:
        """Say what merging all groups comes to."""
        groups = self.groups()
        superseded = sum(len(c.members) - 1 for c in groups)
        similarities = [s for c in groups for s in c.similarities]
        return Merged(
            len(groups), superseded, superseded / self._count if superseded else 0.0,
            sum(similarities) / len(similarities) if similarities else 0.0,
        )

    def _take(self, tx: Tx, row: MemoryRow) -> None:
        kind = (row.category, *signature(row.content))
        clusters = self._clusters[kind]
        for cluster in clusters:
            similarities = self._all_alike(tx, row, cluster)
            if similarities:
                cluster.members.append(row)
                cluster.similarities += similarities
                return
        clusters.append(Cluster([row]))

    def _all_alike(self, tx: Tx, row: MemoryRow, cluster: Cluster) -> list[float]:
        similarities = []
        for member in cluster.members:
            alike = self._similarity(tx, row, member)
            if not alike:
                return []
            similarities.append(alike)
        return similarities

    def _similarity(self, tx: Tx, a: MemoryRow, b: MemoryRow) -> float:
        """Give the pair's similarity, 0 where the two must stay apart; the guard is asked last, since it costs most."""
        alike = jaccard(self._tokens_of(a), self._tokens_of(b))
        if alike <= self._settings.jaccard_threshold:
            alike = self._cosine(tx, a, b)
            if not self._settings.semantic_threshold or alike < self._settings.semantic_threshold:
                return 0.0
        return alike if self._same(a.content, b.content) else 0.0

    def _same(self, a: str, b: str) -> bool:
        verdict = self._verdicts.get((a, b))
        if verdict is None:
            verdict = self._verdicts[a, b] = guard(a, b).same
        return verdict

    def _tokens_of(self, row: MemoryRow) -> frozenset[str]:
        tokens = self._tokens.get(row.id)
        if tokens is None:
            tokens = self._tokens[row.id] = content_tokens(row.content)
        return tokens

    def _cosine(self, tx: Tx, a: MemoryRow, b: MemoryRow) -> float:
        if not self._settings.semantic_threshold:
            return 0.0
        first, second = vectors.get(tx, a.id), vectors.get(tx, b.id)
        return 0.0 if first is None or second is None else cosine(first, second)


def keeper_first(members: Sequence[MemoryRow]) -> list[MemoryRow]:
    """Order by who is kept: highest confidence, then most used, then newest."""
    return sorted(members, key=lambda r: (-r.confidence, -r.use_count, -r.created_at_ns, -r.id))


def merge(tx: Tx, members: Sequence[MemoryRow], settings: HebbianSettings, now_ns: int) -> None:
    """Keep one of a cluster."""
    keeper, *others = keeper_first(members)
    for row in others:
        supersede(tx, row.id, keeper.id, 'consolidated', settings, now_ns)


def supersede(tx: Tx, old_id: int, keep_id: int, reason: str, settings: HebbianSettings, now_ns: int) -> None:
    """Let one memory inherit all that hangs on another, which becomes superseded by it."""
    lifecycle.inherit(tx, old_id, keep_id, now_ns, settings)
    lifecycle.set_status(tx, old_id, SUPERSEDED, reason, now_ns, superseded_by=keep_id)
