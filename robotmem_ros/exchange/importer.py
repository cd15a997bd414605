"""What comes in: records in bounded transactions. What is here already is recognised, so a second import adds nothing.

A memory is *known* where one of the same text, type, collection and time of creation was ever stored, whatever
became of it: what was forgotten stays forgotten. Else the duplicate pipeline decides, as for any learn; only the
records of one export are never duplicates of each other, since they stood side by side where they come from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import islice

from robotmem_ros import duplicates
from robotmem_ros.core.decay import age_ns, effective_confidence
from robotmem_ros.core.scene_key import normalise_key
from robotmem_ros.errors import Conflict, InvalidRequest
from robotmem_ros.exchange.lines import Line
from robotmem_ros.model import FACT, PROTECTED_CATEGORIES
from robotmem_ros.ports import Vector
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import collections, intake, memories, scenes, vectors
from robotmem_ros.store.occurrences import Occurrence
from robotmem_ros.store.records import (
    EdgeRecord,
    EvidenceRecord,
    MemoryRecord,
    PlaceRecord,
    Record,
    SceneRecord,
    SessionRecord,
)
from robotmem_ros.store.tx import Tx

BATCH = 200
"""Records in one transaction: few enough that a node's own writes get their turn."""
KEPT_REFUSALS = 1000


@dataclass
class Summary:
    """What an import did.

    :ivar known: memories that had been here before; ``joined``: those that say what one here says.
    :ivar left_out: what its source had retired.
    :ivar faded: of the created, those so old that their confidence is below the recall threshold already.
    :ivar refusals: the first thousand, as (where, reason).
    """

    created: int = 0
    known: int = 0
    joined: int = 0
    edges: int = 0
    scenes: int = 0
    places: int = 0
    sessions: int = 0
    left_out: int = 0
    faded: int = 0
    refused: int = 0
    refusals: list[tuple[str, str]] = field(default_factory=list)

    def refuse(self, where: str, reason: str) -> None:
        """Count what could not be taken in."""
        self.refused += 1
        if len(self.refusals) < KEPT_REFUSALS:
            self.refusals.append((where, reason))


class Importer:
    """Takes records in, in their order; use one for one source.

    :param collection: where everything goes; empty: where each record says, else the engine's own.
    """

    def __init__(self, rt: Runtime, collection: str = '') -> None:
        self._rt, self._collection = rt, collection
        self.summary = Summary()
        self._ids: dict[str, int] = {}
        self._made: set[int] = set()
        with rt.store.read() as tx:
            self._known = intake.signatures(tx)
            self._empty = not self._known

    def run(self, lines: Iterable[Line], on_line: Callable[[int], None] = lambda _count: None) -> Summary:
        """Take all lines in, ``BATCH`` in each transaction; what was committed stays if a later one fails.

        :param on_line: is told how many lines are done.
        """
        done, stream = 0, iter(lines)
        while batch := list(islice(stream, BATCH)):
            self._take(batch)
            done += len(batch)
            on_line(done)
        self._rt.scenes.reload()
        return self.summary

    def _take(self, batch: list[Line]) -> None:
        meanings = [self._meaning(line.record) for line in batch]
        with self._rt.store.write(background=True) as tx:
            for line, meaning in zip(batch, meanings):
                if line.refusal:
                    self.summary.refuse(line.where, line.refusal)
                elif line.record is None:
                    self.summary.left_out += 1
                else:
                    try:
                        self._put(tx, line.record, meaning)
                    except (InvalidRequest, Conflict) as error:
                        self.summary.refuse(line.where, str(error))

    def _meaning(self, record: Record | None) -> Vector | None:
        """Embed what the duplicate pipeline will ask about, before the writer is taken."""
        needed = isinstance(record, MemoryRecord) and record.type == FACT and not (record.complete and self._empty)
        return self._rt.embed(record.content) if needed and isinstance(record, MemoryRecord) else None

    def _put(self, tx: Tx, record: Record, meaning: Vector | None) -> None:
        if isinstance(record, MemoryRecord):
            self._memory(tx, record, meaning)
        elif isinstance(record, EdgeRecord):
            self._edge(tx, record)
        else:
            self._frame(tx, record, self._collection_id(tx, record.collection))

    def _frame(
        self, tx: Tx, record: SessionRecord | SceneRecord | PlaceRecord | EvidenceRecord, collection_id: int
    ) -> None:
        if isinstance(record, SessionRecord):
            self.summary.sessions += intake.put_session(tx, collection_id, record, self._ids)
        elif isinstance(record, SceneRecord):
            self.summary.scenes += intake.put_scene(tx, collection_id, record)
        elif isinstance(record, PlaceRecord):
            self.summary.places += intake.put_place(tx, collection_id, record)
        else:
            intake.put_evidence(tx, collection_id, record)

    def _memory(self, tx: Tx, record: MemoryRecord, meaning: Vector | None) -> None:
        now, collection_id = self._rt.clock.now_ns(), self._collection_id(tx, record.collection)
        same = self._known.get(
            intake.signature(collection_id, record.type, record.created_at_ns, record.content)) or []
        if same:
            memory_id = same.pop(0)  # of several that are quite the same, each one that comes is the next of them
            self.summary.known += 1
        else:
            memory_id = self._duplicate(tx, record, collection_id, meaning, now)
            self.summary.joined += memory_id > 0
        if not memory_id:
            memory_id = self._insert(tx, record, collection_id, meaning, now)
        elif not memories.is_active(tx, memory_id):
            memory_id = memories.live_id(tx, memory_id)
        elif record.created_at_ns:
            self._declare_missing(tx, collection_id, record, now)
            intake.enrich(tx, collection_id, memory_id, record)
        if record.origin:
            self._ids[record.origin] = memory_id

    def _insert(self, tx: Tx, record: MemoryRecord, collection_id: int, meaning: Vector | None, now: int) -> int:
        memory_id = intake.insert(tx, collection_id, record, now)
        at = record.created_at_ns or now
        items = record.occurrences or (Occurrence(at, session_id=record.session_id),)
        record = replace(record, occurrences=tuple(replace(item, at_ns=item.at_ns or at) for item in items))
        self._declare_missing(tx, collection_id, record, now)
        intake.enrich(tx, collection_id, memory_id, record)
        if meaning is not None:
            vectors.put(tx, memory_id, collection_id, meaning)
        self._made.add(memory_id)
        self.summary.faded += self._has_faded(record, now)
        self.summary.created += 1
        return memory_id

    def _has_faded(self, record: MemoryRecord, now: int) -> bool:
        decay = self._rt.settings.decay
        since = record.anchor_ns or max(record.created_at_ns, record.last_accessed_ns) or now
        floor = decay.recall_threshold if record.category in PROTECTED_CATEGORIES else 0.0
        left = effective_confidence(record.confidence, decay.rate_per_day, age_ns(now, since), floor)
        return left < decay.recall_threshold

    def _duplicate(self, tx: Tx, record: MemoryRecord, collection_id: int, meaning: Vector | None, now: int) -> int:
        if record.type != FACT or (record.complete and self._empty):
            return 0
        collection = self._collection or self._rt.collection(record.collection)
        candidate = duplicates.Candidate(
            record.content, collection, collection_id, record.session_id, meaning, now, self._rt.settings.learn)
        found = duplicates.find(tx, candidate).memory_id
        return 0 if record.complete and found in self._made else found

    def _declare_missing(self, tx: Tx, collection_id: int, record: MemoryRecord, now: int) -> None:
        """Let the scenes exist that a memory hangs on, where its source does not bring them (a single note)."""
        for tie in record.scenes:
            if not intake.has_scene(tx, collection_id, tie.key):
                scenes.declare(tx, collection_id, normalise_key(tie.key, self._rt.settings.scenes.weights), now)

    def _edge(self, tx: Tx, record: EdgeRecord) -> None:
        a, b = self._ids.get(record.a, 0), self._ids.get(record.b, 0)
        if not a or not b:
            raise InvalidRequest('edge', 'two memories of the same source', f'{record.a} and {record.b}')
        at = record.last_updated_ns or self._rt.clock.now_ns()
        self.summary.edges += intake.put_edge(tx, a, b, record.weight, at, self._rt.settings.hebbian)

    def _collection_id(self, tx: Tx, name: str) -> int:
        return collections.collection_id(tx, self._collection or self._rt.collection(name))
