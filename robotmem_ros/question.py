"""A recall request, checked and parsed into what the search works with."""

from __future__ import annotations

from dataclasses import dataclass, replace

from robotmem_ros.core.filters import parse_context_filter, parse_spatial_sort
from robotmem_ros.core.payload import check_choice, check_name, check_query, check_unit
from robotmem_ros.core.scene_key import normalise_key
from robotmem_ros.core.text import SILENT_IN_QUESTIONS, is_blank, query_phrases
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.model import FACT, PERCEPTION, Filters, RecallRequest, SpatialSort
from robotmem_ros.near import resolved
from robotmem_ros.runtime import Runtime
from robotmem_ros.validation import check_tags

MAX_N = 1000
MAX_RADIUS_M = 1e9


@dataclass(frozen=True, slots=True)
class Question:
    """``phrases`` are empty where the query holds no word; ``filters`` hold in every arm of the search."""

    query: str
    phrases: tuple[tuple[str, ...], ...]
    filters: Filters
    n: int
    spatial: SpatialSort | None
    context_session: str
    reinforce: bool
    plain: bool
    warning: str


def parse(rt: Runtime, request: RecallRequest, now_ns: int) -> Question:
    """Check every field of the request.

    :raises InvalidRequest: naming the field, its limit and what came.
    """
    n, warning = _count(request.n)
    request = _named(request)
    request = replace(request, query=check_query(request.query))
    spatial = parse_spatial_sort(request.spatial_sort)
    near, remark = resolved(rt, request.near, rt.collection(request.collection))
    filters = Filters(
        collection=rt.collection(request.collection),
        now_ns=now_ns,
        min_confidence=check_unit(request.min_confidence, 'min_confidence', 0.0, 1.0),
        session_id=request.session_id,
        category=request.category,
        type=request.type,
        tags=check_tags(request.tags),
        context=parse_context_filter(request.context_filter),
        near=near,
        radius_m=check_unit(request.radius, 'radius', 0.0, MAX_RADIUS_M),
        map_id=request.map_id,
        since_ns=request.since_ns,
        until_ns=request.until_ns,
        scene_key=normalise_key(request.scene, rt.settings.scenes.weights, field='scene') if request.scene else '',
        spatial=spatial,
    )
    if filters.since_ns and filters.until_ns and filters.since_ns > filters.until_ns:
        raise InvalidRequest('since', 'a time not after until', f'{filters.since_ns} ns after {filters.until_ns} ns')
    if filters.radius_m and filters.near is None:
        raise InvalidRequest('radius', 'near.header.frame_id to be set with it', request.radius)
    if is_blank(request.query) and not has_criterion(filters):
        raise InvalidRequest(
            'query', 'words, or another criterion (scene, near, time, session, tags, ...)', request.query
        )
    return Question(
        request.query,
        query_phrases(request.query, SILENT_IN_QUESTIONS),
        filters,
        n,
        spatial,
        request.context_session,
        request.reinforce,
        request.plain,
        '; '.join(filter(None, (warning, remark))),
    )


def has_criterion(filters: Filters) -> bool:
    """Tell whether anything but the collection and the confidence narrows the search."""
    return any(
        (
            filters.session_id,
            filters.category,
            filters.type,
            filters.tags,
            filters.context,
            filters.near,
            filters.map_id,
            filters.since_ns,
            filters.until_ns,
            filters.scene_key,
            filters.spatial,
        )
    )


def _count(n: int) -> tuple[int, str]:
    if n <= 0:
        raise InvalidRequest('n', f'1 to {MAX_N}', n)
    return min(n, MAX_N), f'n: {n} was capped to {MAX_N}' if n > MAX_N else ''


def _named(request: RecallRequest) -> RecallRequest:
    return replace(
        request,
        type=check_choice(request.type, 'type', (FACT, PERCEPTION)),
        session_id=check_name(request.session_id, 'session_id'),
        context_session=check_name(request.context_session, 'context_session'),
        collection=check_name(request.collection, 'collection'),
        category=check_name(request.category, 'category'),
        map_id=check_name(request.map_id, 'map_id'),
    )

