"""Does a text repeat a memory? Three layers, each behind the guard (contract 4; seed 000).

exact → Jaccard over tokens → cosine. A layer only proposes: two texts that the guard tells apart
are different facts however alike they look, and go to the list of similar memories instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from robotmem_ros.core.guard import agreement, guard
from robotmem_ros.core.similarity import content_tokens, jaccard
from robotmem_ros.core.text import content_hash, query_phrases
from robotmem_ros.model import FACT, Filters, Similar
from robotmem_ros.ports import Vector
from robotmem_ros.settings import DecaySettings, LearnSettings
from robotmem_ros.store import fulltext, memories, vectors
from robotmem_ros.store.memory_row import MemoryRow
from robotmem_ros.store.tx import Tx

TEXT_CANDIDATES = 5
VECTOR_CANDIDATES = 20
MAX_SIMILAR = 5
NO_DECAY = DecaySettings()
"""A duplicate is looked for whatever its confidence has become, so no value of these is used."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """The text that is to be learned, with what the layers need of it."""

    text: str
    collection: str
    collection_id: int
    session_id: str
    vector: Vector | None
    now_ns: int
    settings: LearnSettings


@dataclass(slots=True)
class Finding:
    """``memory_id`` 0: no duplicate. ``similarity`` is the duplicate's, else the best one seen."""

    memory_id: int = 0
    method: str = 'none'
    similarity: float = 0.0
    similar: dict[int, Similar] = field(default_factory=dict)

    def note(self, row: MemoryRow, similarity: float) -> None:
        """List a memory that is alike but not the same; the higher of two similarities stays."""
        known = self.similar.get(row.id)
        if known is None or known.similarity < similarity:
            self.similar[row.id] = Similar(row.id, row.content, similarity)

    def top_similar(self) -> tuple[Similar, ...]:
        """Give the most similar memories, best first."""
        ranked = sorted(self.similar.values(), key=lambda s: (-s.similarity, s.id))
        return tuple(ranked[:MAX_SIMILAR])


def find(tx: Tx, new: Candidate) -> Finding:
    """Look for an active fact of the collection that says the same; the first layer that proves it wins."""
    finding = Finding()
    for layer in (_exact, _by_tokens, _by_meaning):
        layer(tx, new, finding)
        if finding.memory_id:
            finding.similar.pop(finding.memory_id, None)
            return finding
    finding.similarity = max((s.similarity for s in finding.similar.values()), default=0.0)
    return finding


def _exact(tx: Tx, new: Candidate, finding: Finding) -> None:
    for row in memories.by_hash(tx, new.collection_id, content_hash(new.text)):
        if row.type != FACT:
            continue
        if guard(new.text, row.content).same:
            finding.memory_id, finding.method, finding.similarity = row.id, 'exact', 1.0
            return
        finding.note(row, 1.0)
    for row in memories.keepers_by_hash(tx, new.collection_id, content_hash(new.text)):
        if row.type == FACT and guard(new.text, row.content).same:  # it may have been corrected since
            finding.memory_id, finding.method, finding.similarity = row.id, 'exact', 1.0
            return


def _by_tokens(tx: Tx, new: Candidate, finding: Finding) -> None:
    own = content_tokens(new.text)
    for row in fulltext.candidates(tx, query_phrases(new.text), new.collection_id, TEXT_CANDIDATES):
        overlap = jaccard(own, content_tokens(row.content))
        if overlap > new.settings.jaccard_duplicate and guard(new.text, row.content).same:
            finding.memory_id, finding.method, finding.similarity = row.id, 'jaccard', overlap
            return
        if overlap >= new.settings.similar_from:
            finding.note(row, overlap)


def _by_meaning(tx: Tx, new: Candidate, finding: Finding) -> None:
    if new.vector is None:
        return
    facts = Filters(collection=new.collection, now_ns=new.now_ns, type=FACT)
    nearest = vectors.nearest(tx, new.vector, facts, NO_DECAY, VECTOR_CANDIDATES)
    rows = memories.rows(tx, [i for i, _ in nearest])
    least = min(new.settings.cosine_proved, new.settings.cosine_duplicate)
    for memory_id, cosine in nearest:
        row = rows[memory_id]
        if cosine < min(new.settings.similar_from, new.settings.cosine_proved):
            return
        if cosine >= least and cosine >= _enough(new, row):
            method = 'session_cosine' if new.session_id and row.session_id == new.session_id else 'cosine'
            finding.memory_id, finding.method, finding.similarity = row.id, method, cosine
            return
        finding.note(row, cosine)


def _enough(new: Candidate, row: MemoryRow) -> float:
    """Give the cosine from which the memory is a duplicate; none suffices where the guard tells them apart."""
    same, proved = agreement(new.text, row.content)
    if not same:
        return math.inf
    return new.settings.cosine_proved if proved else new.settings.cosine_duplicate
