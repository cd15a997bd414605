"""Correct, retire, promote, link: what a person or a program says about one memory."""

from __future__ import annotations

import math

from robotmem_ros.core.guard import guard
from robotmem_ros.core.payload import check_insight, check_json_object, check_query
from robotmem_ros.core.text import content_hash
from robotmem_ros.errors import Conflict, InvalidRequest, NotFound
from robotmem_ros.model import ACTIVE, FACT, FORGOTTEN, LTM
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import edges, lifecycle, memories, occurrences, vectors
from robotmem_ros.store.memory_row import MemoryRow
from robotmem_ros.store.occurrences import Occurrence
from robotmem_ros.store.tx import Tx
from robotmem_ros.validation import check_memory_id

MAX_REASON = 1000


def update(rt: Runtime, memory_id: int, new_content: str, context: str) -> str:
    """Replace a fact's text under the same id and give the old one, which is archived.

    :raises Conflict: with ``other_id`` if another active fact of the collection says this already.
    """
    check_memory_id(memory_id)
    check_insight(new_content, 'new_content')
    context = check_json_object(context, 'context')
    vector = rt.embed(new_content)
    now = rt.time.stamp().utc_ns
    with rt.store.write() as tx:
        row = _active(tx, memory_id)
        if row.type != FACT:
            raise InvalidRequest('memory_id', 'a fact; a perception is not corrected', memory_id)
        for other in memories.by_hash(tx, row.collection_id, content_hash(new_content)):
            if other.id != memory_id and other.type == FACT and guard(new_content, other.content).same:
                raise Conflict('new_content', f'memory {other.id} says this already', other.id)
        if new_content != row.content:  # the same text again is nothing to archive
            lifecycle.replace_text(tx, memory_id, new_content, now)
            if vector is not None:
                vectors.put(tx, memory_id, row.collection_id, vector)
        if context:
            newest = occurrences.newest(tx, memory_id)
            occurrences.add(tx, memory_id, Occurrence(
                at_ns=now, session_id=newest.session_id if newest else '', context=context,
                pose=newest.pose if newest else None, bucket=newest.bucket if newest else '',
                fingerprint=newest.fingerprint if newest else (),
            ))
    return row.content


def forget(rt: Runtime, memory_id: int, reason: str) -> None:
    """Retire a memory for good: no read path gives it again; its row stays, with the reason."""
    check_memory_id(memory_id)
    if not check_query(reason, 'reason'):
        raise InvalidRequest('reason', 'why it is forgotten', reason)
    if len(reason) > MAX_REASON:
        raise InvalidRequest('reason', f'at most {MAX_REASON} characters', reason)
    moment = rt.time.stamp()
    with rt.store.write() as tx:
        _active(tx, memory_id)
        lifecycle.set_status(tx, memory_id, FORGOTTEN, reason, moment.anchor_ns)


def promote(rt: Runtime, memory_id: int) -> str:
    """Move a memory to the long-term tier; promoting twice is no error. Gives the tier."""
    check_memory_id(memory_id)
    with rt.store.write() as tx:
        _active(tx, memory_id)
        memories.set_tier(tx, memory_id, LTM)
    return LTM


def link(rt: Runtime, memory_a: int, memory_b: int, weight: float) -> float:
    """Record a co-occurrence by hand and give the edge's weight, brought to now.

    :raises InvalidRequest: for one memory with itself, another collection, or a weight outside (0, 100].
    """
    check_memory_id(memory_a)
    check_memory_id(memory_b)
    if memory_a == memory_b:
        raise InvalidRequest('memory_b', 'another memory than memory_a', memory_b)
    if not (math.isfinite(weight) and 0.0 < weight <= 100.0):
        raise InvalidRequest('weight', 'above 0 and at most 100', weight)
    moment = rt.time.stamp()
    with rt.store.write() as tx:
        a, b = _active(tx, memory_a), _active(tx, memory_b)
        if a.collection_id != b.collection_id:
            raise Conflict('memory_b', f'memories {memory_a} and {memory_b} belong to different collections')
        return edges.add(tx, memory_a, memory_b, weight, moment.anchor_ns, rt.settings.hebbian)


def _active(tx: Tx, memory_id: int) -> MemoryRow:
    row = memories.get_row(tx, memory_id)
    if row is None:
        raise NotFound('memory', memory_id, 'no such id')
    if row.status != ACTIVE:
        why = f'superseded by {memories.live_id(tx, memory_id)}' if row.superseded_by else row.status
        raise NotFound('memory', memory_id, why)
    return row
