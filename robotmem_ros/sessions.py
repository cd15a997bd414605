"""Episodes: a session begins, and its end consolidates, counts what has faded, and says what matters next."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from robotmem_ros import consolidation
from robotmem_ros.core.payload import check_json_object, check_name, check_unit
from robotmem_ros.errors import InvalidRequest, NotFound
from robotmem_ros.model import Filters, Memory, SessionEnded, SessionStarted
from robotmem_ros.related import related_memories
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import collections, memories, sessions, statistics
from robotmem_ros.store.sessions import SessionRow


def start_session(rt: Runtime, context: str, collection: str) -> SessionStarted:
    """Begin an episode.

    :param context: JSON object that describes it, may be empty.
    :raises InvalidRequest: naming the field, its limit and what came.
    """
    context = check_json_object(context, 'context')
    name, session_id, now = rt.collection(check_name(collection, 'collection')), uuid.uuid4().hex, rt.clock.now_ns()
    with rt.store.write() as tx:
        collection_id = collections.collection_id(tx, name)
        sessions.create(tx, session_id, collection_id, context, now)
        active = memories.active_count(tx, collection_id)
    return SessionStarted(session_id, name, active)


def end_session(rt: Runtime, session_id: str, outcome_score: float | None) -> SessionEnded:
    """End an episode; a second end (a retry after a timeout) changes nothing and answers the same.

    :param outcome_score: how well it went, 0 to 1; ``None`` where the caller did not say.
    :raises NotFound: if no such session was started.
    """
    session_id = check_name(session_id, 'session_id')
    if not session_id:
        raise InvalidRequest('session_id', 'the id that start_session gave', session_id)
    if outcome_score is not None:
        check_unit(outcome_score, 'outcome_score', 0.0, 1.0)
    now = rt.clock.now_ns()
    with rt.store.write() as tx:
        row = sessions.get(tx, session_id)
        if row is None:
            raise NotFound('session', session_id, 'no such session was started')
        if row.ended_at_ns:
            return _repeated(rt, row, now)
        merged = consolidation.consolidate(tx, row, rt.settings, now)
        decayed = statistics.decayed_count(tx, row.collection_id, now, rt.settings.decay)
        result = {**asdict(merged), 'decayed_count': decayed}
        related = related_memories(rt, tx, row, now)
        summary = _summary(row, now, outcome_score, result, related)
        sessions.end(tx, session_id, now, outcome_score, json.dumps(
            {**result, 'related': [m.id for m in related], 'summary': summary}, ensure_ascii=False
        ))
    rt.usage.forget_session(session_id)
    return SessionEnded(**result, related_memories=related, summary=summary)


def _repeated(rt: Runtime, row: SessionRow, now: int) -> SessionEnded:
    stored = json.loads(row.result)
    ids, summary = stored.pop('related'), stored.pop('summary')
    with rt.store.read() as tx:
        found = memories.load(tx, ids, Filters(collection=row.collection, now_ns=now), rt.settings.decay)
    return SessionEnded(**stored, related_memories=tuple(found[i] for i in ids if i in found), summary=summary)


def _summary(
    row: SessionRow, now: int, outcome: float | None, result: Mapping[str, Any], related: tuple[Memory, ...]
) -> dict[str, Any]:
    return {
        'session_id': row.id, 'collection': row.collection, 'context': json.loads(row.context or '{}'),
        'started_at_ns': row.started_at_ns, 'ended_at_ns': now, 'outcome_score': outcome, 'facts': row.fact_count,
        **result, 'related_ids': [m.id for m in related],
    }
