"""The read pipeline: candidates from every arm, fused, tied in by association, weighed by retention.

Every filter is applied inside each arm, so a memory that satisfies them cannot be lost behind others
that do not. Nothing is written: what a recall leaves behind is queued for the tick.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from robotmem_ros import association
from robotmem_ros.core.ranking import in_context
from robotmem_ros.core.spatial import distance_at
from robotmem_ros.model import Filters, Memory, RecallRequest, RecallResult, SpatialSort
from robotmem_ros.ports import Vector
from robotmem_ros.question import Question, parse
from robotmem_ros.runtime import Runtime
from robotmem_ros.scene_likeness import likened, likeness
from robotmem_ros.settings import Settings
from robotmem_ros.store import candidates, fulltext, memories, scenes, spatial, vectors
from robotmem_ros.store.candidates import Candidate
from robotmem_ros.store.tx import Tx
from robotmem_ros.timekeeping import Moment
from robotmem_ros.worth import Worth, closeness, ranked, retention_of, weigh

COUNT_LIMIT = 1000
"""``total`` is counted up to here: what an answer needs to say "many"."""


def recall(rt: Runtime, request: RecallRequest) -> RecallResult:
    """Answer a question with the memories that matter, best first.

    :raises InvalidRequest: naming the field, its limit and what came.
    """
    begun = rt.clock.steady_ns()
    moment = rt.time.now()
    question = parse(rt, request, moment.now_ns)
    settings = rt.settings
    vector = rt.embed(question.query) if question.phrases else None
    with rt.store.read() as tx:
        question = likened(tx, question, settings)
        if question.phrases:
            best, mode = _by_words(rt, tx, question, settings, vector)
        elif question.query.strip():
            best, mode = [], 'bm25_only'
        else:
            best, mode = _by_criteria(tx, question, settings)
        answer = _in_full(tx, best[: question.n], question.filters, settings)
        total = memories.count(tx, question.filters, settings.decay, COUNT_LIMIT)
    _leave_behind(rt, question, answer, moment)
    took_ms = (rt.clock.steady_ns() - begun) / 1e6
    return RecallResult(tuple(answer), max(total, len(answer)), mode, took_ms, question.warning)


def _by_words(
    rt: Runtime, tx: Tx, question: Question, settings: Settings, vector: Vector | None
) -> tuple[list[Worth], str]:
    filters = question.filters
    limit = max(settings.recall.candidates, question.n)
    text = dict(fulltext.search(tx, question.phrases, filters, settings.decay, limit))
    meaning = {} if vector is None else _by_meaning(tx, vector, text, filters, settings, limit)
    fused = rt.fusion(text, meaning, settings.recall.text_weight if vector is not None else 1.0)
    fused = in_context(fused, candidates.before(tx, fused), settings.recall.context_weight)
    tie: Mapping[int, float] = {}
    reached: Mapping[int, float] = {}
    matches: Mapping[int, float] = {}
    if not question.plain:
        lately = rt.usage.recent(question.context_session)
        tie = association.with_context(tx, lately, filters, settings.hebbian)
        matches = {i: score for i, score in fused.items() if _is_match(i, text, meaning, settings)}
        reached = association.reach(tx, lately, matches, filters, settings)
    found = candidates.load(tx, [*fused, *reached], filters, settings.decay)
    best = {
        i: weigh(found[i], likeness + closeness(found[i], filters, settings), settings, text=text.get(i, 0.0),
                 vector=meaning.get(i, 0.0), tie=tie.get(i, 0.0))
        for i, likeness in fused.items() if i in found
    }
    ceiling = min((w.score for i, w in best.items() if i in matches), default=1.0)
    for worth in _reached_over([found[i] for i in reached if i in found], reached, ceiling, settings):
        known = best.get(worth.candidate.id)
        if known is None or known.score < worth.score:
            best[worth.candidate.id] = worth
    mode = 'bm25_only' if vector is None else 'hybrid' if text else 'vec_only'
    return _ordered(list(best.values()), question.spatial), mode


def _is_match(memory_id: int, text: Collection[int], meaning: Mapping[int, float], settings: Settings) -> bool:
    """Tell whether a candidate matches directly: by a word, or clearly by meaning.

    The vectors have fifty nearest memories for any question; the faint ones among them are no match, and a strong
    neighbour of what does match may come before them.
    """
    return memory_id in text or meaning.get(memory_id, 0.0) >= settings.recall.match_cosine


def _by_meaning(
    tx: Tx, vector: Vector, text: Collection[int], filters: Filters, settings: Settings, limit: int
) -> dict[int, float]:
    """Give the cosines of the nearest memories, and of those that the words found.

    What a full list left out need not be far: without its own cosine it would count as if it had nothing in common.
    """
    nearest = dict(vectors.nearest(tx, vector, filters, settings.decay, limit))
    if len(nearest) >= limit:
        nearest |= vectors.cosines(tx, vector, [i for i in text if i not in nearest])
    return {i: cosine for i, cosine in nearest.items() if cosine >= settings.recall.min_cosine}


def _by_criteria(tx: Tx, question: Question, settings: Settings) -> tuple[list[Worth], str]:
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
    found = candidates.load(tx, ids, filters, settings.decay)
    alike = likeness(tx, ids, filters)
    answer = [weigh(found[i], found[i].confidence * alike.get(i, 1.0), settings) for i in ids if i in found]
    return (ranked(answer) if mode == 'scene' else answer), mode


def _in_full(tx: Tx, best: Sequence[Worth], filters: Filters, settings: Settings) -> list[Memory]:
    found = memories.load(tx, [w.candidate.id for w in best], filters, settings.decay)
    return [w.shown(found[w.candidate.id]) for w in best]


def _ordered(items: list[Worth], sort: SpatialSort | None) -> list[Worth]:
    """By worth; where a spatial sort is asked for by distance, those without a position last."""
    best = ranked(items)
    if sort is None:
        return best
    away = {w.candidate.id: distance_at(w.candidate.context, sort.path, sort.target) for w in best}
    return sorted(best, key=lambda w: (away[w.candidate.id] is None, away[w.candidate.id] or 0.0))


def _reached_over(
    items: Sequence[Candidate], strength: Mapping[int, float], ceiling: float, settings: Settings
) -> list[Worth]:
    """Weigh neighbours over edges: each scores below the last direct match, whose score is ``ceiling``."""
    return [
        Worth(item, min(settings.hebbian.boost * strength[item.id], ceiling * 0.999), tie=strength[item.id],
              retention=retention_of(item, settings))
        for item in items
    ]


def _leave_behind(rt: Runtime, question: Question, answer: Sequence[Memory], moment: Moment) -> None:
    ids = [m.id for m in answer]
    rt.usage.remember(question.context_session, ids)
    if question.reinforce:
        rt.usage.add(ids, moment)
