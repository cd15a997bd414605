"""What matters after an episode: memories from outside of it, for its context, scenes and insights."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from robotmem_ros.core.ranking import fuse
from robotmem_ros.core.text import query_phrases
from robotmem_ros.model import Filters, Memory
from robotmem_ros.ports import Vector
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import fulltext, memories, scenes, sessions, vectors
from robotmem_ros.store.sessions import SessionRow
from robotmem_ros.store.tx import Tx

MOST = 5
MAX_PROBES = 8
"""Insights of the session that are asked with: the newest ones."""


def context_vector(rt: Runtime, session_id: str) -> Vector | None:
    """Embed what the context of an open session says: before the writer is taken, which a slow model must not hold."""
    with rt.store.read() as tx:
        session = sessions.get(tx, session_id)
    text = ' '.join(_words(session.context)) if session is not None and not session.ended_at_ns else ''
    return rt.embed(text) if query_phrases(text) else None


def related_memories(
    rt: Runtime, tx: Tx, session: SessionRow, now_ns: int, context: Vector | None
) -> tuple[Memory, ...]:
    """Give at most five memories of other sessions, best first; not reinforced.

    :param context: from :func:`context_vector`; the session's insights have their vectors in the file.
    """
    settings = rt.settings
    filters = Filters(
        collection=session.collection,
        now_ns=now_ns,
        min_confidence=settings.decay.recall_threshold,
        exclude_session=session.id,
    )
    facts = sessions.facts(tx, session.id)
    worth: dict[int, float] = {}
    probes = [(' '.join(_words(session.context)), context)]
    probes += [(fact.content, vectors.get(tx, fact.id)) for fact in facts[-MAX_PROBES:]]
    for text, vector in probes:
        phrases = query_phrases(text)
        if not phrases:
            continue
        by_text = dict(fulltext.search(tx, phrases, filters, settings.decay, 2 * MOST))
        nearest = [] if vector is None else vectors.nearest(tx, vector, filters, settings.decay, 2 * MOST)
        meaning = {i: c for i, c in nearest if c >= settings.learn.similar_from}
        for memory_id, score in fuse(by_text, meaning, settings.recall.text_weight).items():
            worth[memory_id] = max(worth.get(memory_id, 0.0), score)
    for memory_id in scenes.sharing(tx, [fact.id for fact in facts], MOST):
        worth[memory_id] = worth.get(memory_id, 0.0) + 0.5
    best = sorted(worth, key=lambda i: (-worth[i], -i))[: 4 * MOST]
    found = memories.load(tx, best, filters, settings.decay)
    return tuple(found[i] for i in best if i in found)[:MOST]


def _words(context: str) -> Iterator[str]:
    """Give the texts that stand in a session's context, at any depth."""
    stack: list[Any] = [json.loads(context)] if context.strip() else []
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
