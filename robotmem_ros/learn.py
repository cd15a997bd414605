"""The write pipeline: validate → embed → find a duplicate → insert → attach to scenes, in one transaction.

The text is embedded before the writer is taken, so that a slow model never blocks another write;
the duplicate check runs inside the transaction, so that two equal texts at one moment cannot both pass.
"""

from __future__ import annotations

from dataclasses import replace

from robotmem_ros import duplicates
from robotmem_ros.core.payload import check_insight, check_json_object, check_name, check_unit
from robotmem_ros.core.scene_key import normalise_key
from robotmem_ros.model import FACT, LearnRequest, LearnResult
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import collections, memories, occurrences, scenes, vectors
from robotmem_ros.store.memories import NewMemory
from robotmem_ros.store.occurrences import Occurrence
from robotmem_ros.store.tx import Tx
from robotmem_ros.validation import check_pose, check_tags, open_session


def learn(rt: Runtime, request: LearnRequest) -> LearnResult:
    """Store one insight, or add one more occurrence to the memory that it repeats.

    :raises InvalidRequest: naming the field, its limit and what came; nothing is changed.
    :raises NotFound: for a session that was never started or has ended.
    :raises Conflict: for a session of another collection.
    """
    request = _checked(request)
    collection = rt.collection(request.collection)
    vector = rt.embed(request.insight)
    moment = rt.time.stamp()
    now = moment.utc_ns
    with rt.store.write() as tx:
        open_session(tx, request.session_id, collection)
        collection_id = collections.collection_id(tx, collection)
        candidate = duplicates.Candidate(
            request.insight, collection, collection_id, request.session_id, vector, now, rt.settings.learn
        )
        finding = duplicates.find(tx, candidate)
        memory_id = finding.memory_id or _insert(tx, candidate, request, moment.anchor_ns)
        occurrences.add(tx, memory_id, _occurrence(rt, request, collection, now))
        memories.add_tags(tx, memory_id, request.tags)
        keys, is_declared = _attach(rt, tx, collection, collection_id, memory_id, request.scene, now)
    if is_declared and collection == rt.scenes.collection:
        rt.scenes.reload()
    return LearnResult(
        status='duplicate' if finding.memory_id else 'created', memory_id=memory_id, method=finding.method,
        similarity=finding.similarity, similar=finding.top_similar(), scenes=keys,
    )


def _checked(request: LearnRequest) -> LearnRequest:
    return replace(
        request,
        insight=check_insight(request.insight),
        context=check_json_object(request.context, 'context'),
        category=check_name(request.category, 'category'),
        session_id=check_name(request.session_id, 'session_id'),
        collection=check_name(request.collection, 'collection'),
        confidence=check_unit(request.confidence, 'confidence', 0.0, 1.0),
        strength=check_unit(request.strength, 'strength', 1.0, 2.0),
        tags=check_tags(request.tags),
        pose=check_pose(request.pose, 'pose'),
    )


def _insert(tx: Tx, new: duplicates.Candidate, request: LearnRequest, anchor_ns: int) -> int:
    memory_id = memories.insert(tx, NewMemory(
        collection_id=new.collection_id, type=FACT, content=request.insight, category=request.category,
        confidence=request.confidence, strength=request.strength, session_id=request.session_id,
        created_at_ns=new.now_ns, anchor_ns=anchor_ns,
    ))
    if new.vector is not None:
        vectors.put(tx, memory_id, new.collection_id, new.vector)
    return memory_id


def _occurrence(rt: Runtime, request: LearnRequest, collection: str, now: int) -> Occurrence:
    here = collection == rt.scenes.collection
    return Occurrence(
        at_ns=now, observed_at_ns=request.observed_at_ns, session_id=request.session_id, context=request.context,
        pose=request.pose or (rt.scenes.last_pose() if here else None),
        bucket=rt.scenes.bucket(now) if here else '', fingerprint=rt.scenes.situation(now) if here else (),
    )


def _attach(
    rt: Runtime, tx: Tx, collection: str, collection_id: int, memory_id: int, scene: str, now: int
) -> tuple[tuple[str, ...], bool]:
    """Hang the memory on the scene in force and on the one that the request names.

    :return: their keys, and whether the named one was new and is declared now.
    """
    ids, is_declared = {}, False
    here = rt.scenes.here(now) if collection == rt.scenes.collection else None
    if here is not None:
        ids[here.key] = here.id
    if scene:
        key = normalise_key(scene, rt.settings.scenes.weights, field='scene')
        known = scenes.id_of(tx, collection_id, key)  # one that emerged goes on learning
        is_declared = known is None
        ids[key] = scenes.declare(tx, collection_id, key, now)[0].id if known is None else known
    scenes.attach(tx, tuple(ids.values()), memory_id, now)
    return tuple(ids), is_declared
