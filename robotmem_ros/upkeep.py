"""One maintenance pass on request: what ``~/maintain`` does now, or would do."""

from __future__ import annotations

from dataclasses import dataclass

from robotmem_ros import cleanup, garbage, maintenance, scene_upkeep
from robotmem_ros.core.decay import NS_PER_DAY
from robotmem_ros.core.payload import check_name, check_unit
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import collections, edges, retention, vectors

MAX_DAYS = 36_500.0


@dataclass(frozen=True)
class Wishes:
    """What a pass is asked for; see ``Maintain.srv``."""

    collection: str = ''
    gc_threshold: float = 0.1
    purge_after_days: float = 0.0
    cleanup_duplicates: bool = False


@dataclass(frozen=True)
class Upkeep:
    """What a pass did, or would do; see ``Maintain.srv``."""

    gc_retired: int
    purged: int
    duplicates_superseded: int
    edges_pruned: int
    scene_refs_pruned: int
    scenes_merged: int
    vectors_made: int
    file_bytes: int
    elapsed_ms: float


@dataclass(frozen=True)
class Plan:
    """What there is to do, all of it found in one snapshot."""

    retirable: list[int]
    gone: list[int]
    duplicates: list[cleanup.Operation]
    faded_edges: int
    faded_refs: int
    twins: int
    pending_vectors: int


def maintain(rt: Runtime, wishes: Wishes, *, dry_run: bool = False) -> Upkeep:
    """Do one pass, or with ``dry_run`` only count what it would do: both count the same, from one snapshot.

    Requests are served between its transactions of at most 200 rows. A pass that is broken off has done some of
    it; another one does the rest.

    :raises InvalidRequest: naming the field, its limit and what came; nothing is changed.
    """
    begun = rt.clock.steady_ns()
    collection = rt.collection(check_name(wishes.collection, 'collection'))
    threshold = check_unit(wishes.gc_threshold, 'gc_threshold', 0.0, 1.0)
    check_unit(wishes.purge_after_days, 'purge_after_days', 0.0, MAX_DAYS)
    if not dry_run:
        rt.time.stamp()  # what the clock changed is settled before ages are judged
    with rt.store.read() as tx:
        collection_id = collections.known_id(tx, collection) or 0
    rt.progress('looking for what has faded', 0, 0)
    plan = _plan(rt, collection_id, threshold, wishes)
    counts = _counted(plan) if dry_run else _done(rt, plan, threshold)
    return Upkeep(
        *counts, plan.faded_edges, plan.faded_refs, plan.twins, plan.pending_vectors, rt.store.file_bytes(),
        (rt.clock.steady_ns() - begun) / 1e6)


def _plan(rt: Runtime, collection_id: int, threshold: float, wishes: Wishes) -> Plan:
    now_ns = rt.time.now().now_ns
    before_ns = now_ns - int(wishes.purge_after_days * NS_PER_DAY)
    with rt.store.read() as tx:
        retirable = garbage.retirable(rt, tx, collection_id, threshold, now_ns)
        return Plan(
            retirable,
            retention.gone_before(tx, collection_id, before_ns) if wishes.purge_after_days else [],
            cleanup.find(tx, collection_id, without=frozenset(retirable)) if wishes.cleanup_duplicates else [],
            edges.faded_count(tx, now_ns, rt.settings.hebbian),
            scene_upkeep.faded_refs(rt, tx),
            scene_upkeep.twins(rt, tx),
            vectors.pending_count(tx) if rt.ready_embedder() is not None else 0,
        )


def _counted(plan: Plan) -> tuple[int, int, int]:
    return len(plan.retirable), len(plan.gone), len(plan.duplicates)


def _done(rt: Runtime, plan: Plan, threshold: float) -> tuple[int, int, int]:
    """Vectors, edges and scenes first: what is retired later takes its own with it, uncounted."""
    for doing, job in (
        ('embedding', maintenance.embed_pending), ('pruning edges', maintenance.expire_edges),
        ('merging scenes', scene_upkeep.merge_twins), ('forgetting situations', scene_upkeep.forget_situations),
    ):
        rt.progress(doing, 0, 0)
        maintenance.work_off(rt, job)
    return (
        garbage.retire(rt, plan.retirable, threshold), garbage.purge(rt, plan.gone),
        len(cleanup.apply(rt, plan.duplicates)),
    )
