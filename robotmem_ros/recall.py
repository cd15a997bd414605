"""The read pipeline: candidates from every arm, fused, tied in by association, weighed by retention.

Every filter is applied inside each arm, so a memory that satisfies them cannot be lost behind others
that do not. Nothing is written: what a recall leaves behind is queued for the tick.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from robotmem_ros import association
from robotmem_ros.core.decay import bounded_factor, retention
from robotmem_ros.core.ranking import final_score, fuse, place
from robotmem_ros.core.spatial import distance_at
from robotmem_ros.model import LTM, Filters, Memory, RecallRequest, RecallResult, SpatialSort
from robotmem_ros.ports import Vector
from robotmem_ros.question import Question, parse
from robotmem_ros.runtime import Runtime
from robotmem_ros.settings import Settings
from robotmem_ros.store import fulltext, memories, scenes, spatial, vectors
from robotmem_ros.store.tx import Tx

COUNT_LIMIT = 1000
"""``total`` is counted up to here: what an answer needs to say "many"."""


def recall(rt: Runtime, request: RecallRequest) -> RecallResult:
    """Answer a question with the memories that matter, best first.

    :raises InvalidRequest: naming the field, its limit and what came.
    """
    begun = rt.clock.steady_ns()
    question = parse(rt, request, rt.clock.now_ns())
    settings = rt.settings
    vector = rt.embed(question.query) if question.phrases else None
    with rt.store.read() as tx:
        if question.phrases:
            answer, mode = _by_words(rt, tx, question, settings, vector)
        elif question.query.strip():
            answer, mode = [], 'bm25_only'
        else:
            answer, mode = _by_criteria(tx, question, settings)
        total = memories.count(tx, question.filters, settings.decay, COUNT_LIMIT)
    answer = answer[: question.n]
    _leave_behind(rt, question, answer)
    took_ms = (rt.clock.steady_ns() - begun) / 1e6
    return RecallResult(tuple(answer), max(total, len(answer)), mode, took_ms, question.warning)


def _by_words(
    rt: Runtime, tx: Tx, question: Question, settings: Settings, vector: Vector | None
) -> tuple[list[Memory], str]:
    limit = max(settings.recall.candidates, question.n)
    text = dict(fulltext.search(tx, question.phrases, question.filters, settings.decay, limit))
    nearest = [] if vector is None else vectors.nearest(tx, vector, question.filters, settings.decay, limit)
    meaning = {i: cosine for i, cosine in nearest if cosine >= settings.recall.min_cosine}
    fused = fuse(text, meaning, settings.recall.text_weight if vector is not None else 1.0)
    lately = rt.usage.recent(question.context_session)
    tie = association.with_context(tx, lately, question.filters, settings.hebbian)
    reached = association.reach(tx, lately, fused, question.filters, settings)
    found = memories.load(tx, [*fused, *reached], question.filters, settings.decay)
    direct = [
        _scored(found[i], fused[i] + _proximity(found[i], question.filters, settings), text.get(i, 0.0), meaning.get(i, 0.0),
                tie.get(i, 0.0), settings)
        for i in fused if i in found
    ]
    answer = _ordered(direct, question.spatial)
    answer += _reached_over([found[i] for i in reached if i in found], reached, answer, settings)
    mode = 'bm25_only' if vector is None else 'hybrid' if text else 'vec_only'
    return answer, mode


def _by_criteria(tx: Tx, question: Question, settings: Settings) -> tuple[list[Memory], str]:
    """No words: the scene's own, the nearest, or the newest of those that satisfy the criteria."""
    filters, limit = question.filters, question.n
    if question.spatial is not None:
        ids, mode = spatial.by_context(tx, filters, settings.decay, question.spatial, limit), 'spatial'
    elif filters.near is not None:
        ids, mode = spatial.by_pose(tx, filters, settings.decay, filters.near, limit), 'spatial'
    elif filters.scene_key:
        ids, mode = scenes.memory_ids(tx, filters, settings.decay), 'scene'
    else:
        ids, mode = memories.recent(tx, filters, settings.decay, limit), 'recent'
    found = memories.load(tx, ids, filters, settings.decay)
    answer = [_scored(found[i], found[i].confidence, 0.0, 0.0, 0.0, settings) for i in ids if i in found]
    return (by_worth(answer) if mode == 'scene' else answer), mode


def by_worth(items: Sequence[Memory]) -> list[Memory]:
    """Order by score, then newer first, then id: equal scores have a stable order."""
    return sorted(items, key=lambda m: place(m.score, m.created_at_ns, m.id))


def _ordered(direct: list[Memory], sort: SpatialSort | None) -> list[Memory]:
    """By worth; where a spatial sort is asked for by distance, those without a position last."""
    ranked = by_worth(direct)
    if sort is None:
        return ranked
    away = {m.id: distance_at(m.context, sort.path, sort.target) for m in ranked}
    return sorted(ranked, key=lambda m: (away[m.id] is None, away[m.id] or 0.0))


def _scored(memory: Memory, base: float, text: float, vector: float, tie: float, settings: Settings) -> Memory:
    kept = retention_of(memory, settings)
    factor = bounded_factor(kept, settings.recall.retention_bound)
    source = settings.recall.source_weight if _is_real(memory.context) else 1.0
    return replace(
        memory, score=final_score(base, tie, settings.hebbian.boost, source, factor), score_text=text, score_vector=vector,
        score_hebbian=tie, retention=kept,
    )


def _proximity(memory: Memory, filters: Filters, settings: Settings) -> float:
    """Where ``near`` is given without a radius, what is closer weighs more: up to ``near_weight``, half of it at 1 m."""
    near, pose = filters.near, memory.pose
    if near is None or filters.radius_m or pose is None or pose.frame_id != near.frame_id:
        return 0.0
    map_id = filters.map_id or near.map_id
    if map_id and pose.map_id != map_id:
        return 0.0
    away = math.dist((near.x, near.y, near.z), (pose.x, pose.y, pose.z))
    return settings.recall.near_weight / (1.0 + away)


def retention_of(memory: Memory, settings: Settings) -> float:
    """Give the memory's retention: its use against its age, by the half-life of its tier (seed 004)."""
    decay = settings.decay
    half_life = decay.ltm_half_life_days if memory.tier == LTM else decay.stm_half_life_days
    return retention(memory.use_count, memory.age_ns, half_life, memory.strength, decay.use_exponent)


def _is_real(context: str) -> bool:
    """Tell whether the context says ``env.sim_or_real`` is ``real``; most contexts never mention it."""
    if '"sim_or_real"' not in context:
        return False
    env = json.loads(context).get('env')
    return isinstance(env, dict) and env.get('sim_or_real') == 'real'


def _reached_over(
    items: Sequence[Memory], strength: Mapping[int, float], direct: Sequence[Memory], settings: Settings
) -> list[Memory]:
    """Neighbours over edges come after every direct match, strongest first, and score below the last."""
    ceiling = min((m.score for m in direct), default=1.0)
    return by_worth([
        replace(m, score=min(settings.hebbian.boost * strength[m.id], ceiling * 0.999), score_hebbian=strength[m.id],
                retention=retention_of(m, settings))
        for m in items
    ])


def _leave_behind(rt: Runtime, question: Question, answer: Sequence[Memory]) -> None:
    ids = [m.id for m in answer]
    rt.usage.remember(question.context_session, ids)
    if question.reinforce:
        rt.usage.add(ids, question.filters.now_ns)
