"""Housekeeping in slices: a few milliseconds at a time, in proportion to what is due, nothing when idle.

Nothing here changes what a confidence or an edge is worth: both are computed when they are read
(contract 6 and 7), so how often the tick ran never shows. The tick applies what recalls queued,
gives vectors to memories that have none, and removes what has come to its end. Each job looks on a
read connection first and takes the writer, behind the users' requests, only for work that is there.
"""

from __future__ import annotations

from collections.abc import Callable

from robotmem_ros.adoption import adopt_embedder
from robotmem_ros.automatic_gc import AutomaticGc
from robotmem_ros.closing import Closer
from robotmem_ros.core.hebbian import pairs
from robotmem_ros.errors import EmbeddingFailed
from robotmem_ros.ports import Embedder, Vector
from robotmem_ros.runtime import Runtime, comparable
from robotmem_ros.scene_upkeep import forget_situations, merge_twins
from robotmem_ros.store import edges, lifecycle, memories, usage, vectors

NO_DEADLINE = 2**63
USES_A_SLICE = 16
EDGES_A_SLICE = 100
PERCEPTIONS_A_SLICE = 100
TEXTS_A_LOOK = 16
VECTORS_A_SLICE = 512

Job = Callable[[Runtime, int], bool]
"""One job: works until about ``deadline`` (steady ns) and tells whether more of its work is due."""


class Housekeeper:
    """All jobs of one engine, in slices. Each slice goes on behind the last job: one that never ends starves none."""

    def __init__(self, rt: Runtime) -> None:
        self._rt, self._gc = rt, AutomaticGc()
        self._jobs: tuple[Job, ...] = (*JOBS, Closer().step, self._gc.step)
        self._next = 0

    def run_slice(self) -> bool:
        """Work for about ``tick.slice_ms`` and tell whether more is due."""
        clock = self._rt.clock
        deadline = clock.steady_ns() + int(self._rt.settings.tick.slice_ms * 1e6)
        more = keep_time(self._rt, deadline)
        for _ in self._jobs:
            if clock.steady_ns() >= deadline:
                return True
            job, self._next = self._jobs[self._next], (self._next + 1) % len(self._jobs)
            more = job(self._rt, deadline) or more
        return more

    def flush(self) -> None:
        """Write all queued uses, and what automatic GC knows, for a clean stop."""
        while self._rt.time.settle_steps() or apply_uses(self._rt, NO_DEADLINE):
            pass  # by turns: uses are not written while stamps are still to be moved
        self._gc.save(self._rt)


def work_off(rt: Runtime, job: Job) -> None:
    """Do all that one job has to do now."""
    while job(rt, NO_DEADLINE):
        pass


def keep_time(rt: Runtime, deadline: int) -> bool:  # noqa: ARG001
    """Store what the clock has shown, and move or make the dates that follow from it."""
    return rt.time.settle_steps() or rt.time.date_undated()


def apply_uses(rt: Runtime, deadline: int) -> bool:  # noqa: ARG001
    """Reinforce what recalls returned, tie together what one returned together, promote what is needed day by day."""
    if rt.time.is_moving:
        return True  # an edge whose date is still to be moved would lose its weight
    if not len(rt.usage):
        return False
    with rt.usage.taken(USES_A_SLICE) as uses, rt.store.write(background=True, durable=False) as tx:
        for use in uses:
            at = rt.time.corrected(use.at)
            usage.reinforce(tx, use.ids, at.utc_ns, rt.settings.decay.repeat_s, at.anchor_ns)
            together = pairs(use.ids, rt.settings.hebbian.linked_results)
            edges.strengthen(tx, together, at.anchor_ns, rt.settings.hebbian)
            if rt.settings.promotion.automatic:
                usage.promote_used(tx, use.ids, rt.settings.promotion.days)
    return len(rt.usage) > 0


def embed_pending(rt: Runtime, deadline: int) -> bool:
    """Give vectors to memories that have none yet: perceptions, and what came while there was no model."""
    embedder = rt.ready_embedder()
    if embedder is None:
        return False
    with rt.store.read() as tx:
        waiting = vectors.pending(tx, TEXTS_A_LOOK)
    done: list[tuple[int, int, str, Vector | None]] = []
    for memory_id, collection_id, text in waiting:
        if done and rt.clock.steady_ns() >= deadline:
            break
        done.append((memory_id, collection_id, text, _vector(rt, embedder, text)))
    if done:
        with rt.store.write(background=True, durable=False) as tx:
            for memory_id, collection_id, text, vector in done:
                if vector is None:
                    vectors.mark_unembeddable(tx, memory_id)
                else:  # a memory that was retired or corrected meanwhile does not take it
                    vectors.put(tx, memory_id, collection_id, vector, text)
    else:
        rt.replaced_model = ''
    return bool(waiting)


def _vector(rt: Runtime, embedder: Embedder, text: str) -> Vector | None:
    try:
        return comparable(embedder.embed(text), embedder.dim)
    except EmbeddingFailed as error:
        rt.usage.note_embedding_failure(str(error))
        return None


def expire_edges(rt: Runtime, deadline: int) -> bool:  # noqa: ARG001
    """Remove edges that have faded to nothing; an index on their due time finds them."""
    now = rt.time.now().now_ns
    with rt.store.read() as tx:
        if not edges.any_due(tx, now):
            return False
    with rt.store.write(background=True, durable=False) as tx:
        return edges.expire(tx, now, rt.settings.hebbian, EDGES_A_SLICE) == EDGES_A_SLICE


def trim_perceptions(rt: Runtime, deadline: int) -> bool:  # noqa: ARG001
    """Remove the oldest perceptions of a collection that holds more than ``store.max_perceptions``."""
    most = rt.settings.store.max_perceptions
    with rt.store.read() as tx:
        surplus = memories.surplus_perceptions(tx, most, PERCEPTIONS_A_SLICE)
    if surplus:
        with rt.store.write(background=True, durable=False) as tx:
            lifecycle.purge(tx, surplus)
    return len(surplus) == PERCEPTIONS_A_SLICE


def index_vectors(rt: Runtime, deadline: int) -> bool:  # noqa: ARG001
    """Hold in memory what searches compare: after a start all vectors of the file, later what has changed."""
    with rt.store.read() as tx:
        return vectors.index_some(tx, VECTORS_A_SLICE)


JOBS: tuple[Job, ...] = (
    adopt_embedder, apply_uses, embed_pending, expire_edges, trim_perceptions, merge_twins, forget_situations,
    index_vectors,
)
