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
from robotmem_ros.related import context_vector, related_memories
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import collections, memories, sessions, statistics, usage
from robotmem_ros.store.sessions import SessionRow
from robotmem_ros.store.tx import Tx


def start_session(rt: Runtime, context: str, collection: str) -> SessionStarted:
    """Begin an episode.

    :param context: JSON object that describes it, may be empty.
    :raises InvalidRequest: naming the field, its limit and what came.
    """
    context = check_json_object(context, 'context')
    name, session_id = rt.collection(check_name(collection, 'collection')), uuid.uuid4().hex
    now = rt.time.stamp().utc_ns
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
    context, moment = context_vector(rt, session_id), rt.time.stamp()
    with rt.store.write() as tx:
        row = sessions.get(tx, session_id)
        if row is None:
            raise NotFound('session', session_id, 'no such session was started')
        if row.ended_at_ns:
            return _repeated(rt, tx, row, outcome_score, moment.now_ns)
        merged = consolidation.consolidate(tx, row, rt.settings, moment.anchor_ns)
        decayed = statistics.decayed_count(tx, row.collection_id, moment.now_ns, rt.settings.decay)
        related = related_memories(rt, tx, row, moment.now_ns, context)
        ended = record_end(tx, row, moment.utc_ns, outcome_score, merged, decayed, related)
        _promote(rt, tx, session_id, outcome_score)
    rt.usage.forget_session(session_id)
    return ended


def record_end(
    tx: Tx, row: SessionRow, now_ns: int, outcome_score: float | None, merged: consolidation.Merged, decayed_count: int,
    related: tuple[Memory, ...], *, by_tick: bool = False,
) -> SessionEnded:
    """Close a session, with what its end answers: a second end repeats it."""
    result = {**asdict(merged), 'decayed_count': decayed_count}
    summary = {
        'session_id': row.id, 'collection': row.collection, 'context': json.loads(row.context or '{}'),
        'started_at_ns': row.started_at_ns, 'ended_at_ns': now_ns, 'outcome_score': outcome_score,
        'facts': row.fact_count, **result, 'related_ids': [m.id for m in related], 'ended_by_tick': by_tick,
    }
    stored = {**result, 'related': summary['related_ids'], 'summary': summary}
    sessions.end(tx, row.id, now_ns, outcome_score, _as_json(stored))
    return SessionEnded(**result, related_memories=related, summary=summary)


def _repeated(rt: Runtime, tx: Tx, row: SessionRow, outcome_score: float | None, now_ns: int) -> SessionEnded:
    """Answer as the first end did. Only a session that the tick ended still takes the outcome that nobody had given."""
    stored = json.loads(row.result)
    if stored['summary']['ended_by_tick'] and row.outcome_score is None and outcome_score is not None:
        stored['summary']['outcome_score'] = outcome_score
        sessions.set_outcome(tx, row.id, outcome_score, _as_json(stored))
        _promote(rt, tx, row.id, outcome_score)
    ids, summary = stored.pop('related'), stored.pop('summary')
    found = memories.load(tx, ids, Filters(collection=row.collection, now_ns=now_ns), rt.settings.decay)
    return SessionEnded(**stored, related_memories=tuple(found[i] for i in ids if i in found), summary=summary)


def _promote(rt: Runtime, tx: Tx, session_id: str, outcome_score: float | None) -> None:
    rules = rt.settings.promotion
    if rules.automatic and outcome_score is not None and outcome_score >= rules.good_outcome:
        usage.promote_successful(tx, session_id, rules.good_outcome, rules.good_sessions)


def _as_json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
