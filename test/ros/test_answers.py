"""Contract 3: every field of a request reaches the engine, and every field of a response is filled by it."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import pytest
from builtin_interfaces.msg import Time
from robotmem_ros.msg import SituationFeature
from robotmem_ros.srv import Recall

from robotmem_ros.model import (
    Feature,
    LearnResult,
    Memory,
    RecallResult,
    Scene,
    SessionEnded,
    SessionStarted,
    Similar,
)
from robotmem_ros.ros import convert
from robotmem_ros.ros.services import SERVICES
from robotmem_ros.upkeep import Upkeep

MEMORY = Memory(7, 'text', 'c')
SCENE = Scene(1, 'place:hall', 'c', 'declared', 4, (Feature('place', 'hall'),), 5, 16)
COUNTS = {
    'collection': 'c', 'total': 1, 'by_status': {'active': 2, 'superseded': 3, 'forgotten': 4, 'retired': 10},
    'by_tier': {'stm': 5, 'ltm': 6}, 'by_type': {'fact': 7, 'perception': 8}, 'occurrences': 9, 'edges': 11,
    'linked_memories': 12, 'average_edges': 0.5, 'scenes': {'emergent': 13, 'declared': 14}, 'open_sessions': 15,
    'idle_sessions': 16, 'ended_sessions': 17, 'bands': {'faded': 18, 'danger': 19, 'healthy': 20, 'strong': 21},
    'hidden': 22, 'pending_vectors': 23, 'db_bytes': 24, 'db_path': '/m.db', 'empty_scenes': 25,
    'feature_kinds': {'place': 26},
}
GIVEN: dict[str, Any] = {
    'start_session': SessionStarted('s', 'c', 3), 'end_session': SessionEnded(1, 2, 0.25, 0.5, 3, (MEMORY,), {'a': 1}),
    'learn': LearnResult('duplicate', 7, 'jaccard', 0.75, (Similar(8, 'other', 0.5),), ('place:hall',)),
    'update': 'old', 'forget': None, 'recall': RecallResult((MEMORY,), 9, 'hybrid', 1.5), 'save_perception': 7,
    'promote': 'ltm', 'declare_scene': ('place:hall', True), 'list_scenes': [SCENE], 'rebuild_scenes': ('/copy.db', 3),
    'link': 1.5, 'maintain': Upkeep(1, 2, 3, 4, 5, 6, 7, 8, 9.5), 'stats': COUNTS, 'backup': ('/copy.db', 4096),
}
WANTED: dict[str, dict[str, Any]] = {
    'start_session': {'session_id': 's', 'collection': 'c', 'active_memories_count': 3},
    'end_session': {
        'merged_groups': 1, 'superseded_count': 2, 'compression_ratio': 0.25, 'avg_similarity': 0.5,
        'decayed_count': 3, 'related_memories': [7], 'summary_json': '{"a": 1}'},
    'learn': {
        'status': 'duplicate', 'memory_id': 7, 'method': 'jaccard', 'similarity': 0.75, 'similar': [8],
        'scenes': ['place:hall']},
    'update': {'old_content': 'old', 'duplicate_of': 0},
    'forget': {},
    'recall': {'memories': [7], 'total': 9, 'mode': 'hybrid', 'query_ms': 1.5},
    'save_perception': {'memory_id': 7},
    'promote': {'tier': 'ltm'},
    'declare_scene': {'key': 'place:hall', 'created': True},
    'list_scenes': {'scenes': ['place:hall']},
    'rebuild_scenes': {'backup_path': '/copy.db', 'removed': 3},
    'link': {'weight': 1.5},
    'maintain': {
        'gc_retired': 1, 'purged': 2, 'duplicates_superseded': 3, 'edges_pruned': 4, 'scene_refs_pruned': 5,
        'scenes_merged': 6, 'vectors_made': 7, 'file_bytes': 8, 'elapsed_ms': 9.5},
    'stats': {
        'collection': 'c', 'total': 1, 'active': 2, 'superseded': 3, 'forgotten': 14, 'stm': 5, 'ltm': 6, 'facts': 7,
        'perceptions': 8, 'occurrences': 9, 'edges': 11, 'linked_memories': 12, 'average_edges': 0.5,
        'scenes_emergent': 13, 'scenes_declared': 14, 'sessions_open': 15, 'sessions_idle': 16, 'sessions_ended': 17,
        'band_fading': 18, 'band_danger': 19, 'band_healthy': 20, 'band_strong': 21, 'hidden': 22,
        'pending_vectors': 23, 'file_bytes': 24, 'db_path': '/m.db'},
    'backup': {'path': '/copy.db', 'bytes': 4096},
}


def plain(value: Any) -> Any:
    """Give a list of messages as what tells them apart."""
    if not isinstance(value, list):
        return value
    return [getattr(each, 'id', None) or getattr(each, 'key', None) or each for each in value]


@pytest.mark.parametrize('service', SERVICES, ids=lambda service: service.name)
def test_a_response_holds_what_the_engine_gave(service: Any) -> None:
    """No field is left empty, and none stands for another: each has a value of its own."""
    engine = SimpleNamespace(**{service.name: lambda *_, **__: GIVEN[service.name]})
    response = service.type.Response()
    service.handler(engine, service.type.Request(), response)
    names = set(response.get_fields_and_field_types()) - {'success', 'error', 'warning'}
    answered = {name: plain(getattr(response, name)) for name in names - {'stats_json'}}
    assert answered == WANTED[service.name]
    assert 'stats_json' not in names or '"empty_scenes": 25' in response.stats_json


def filled(message: Any, start: int = 1) -> list[Any]:
    """Set every field that is no truth value to one of its own; gives the values."""
    values: list[Any] = []
    for name, kind in message.get_fields_and_field_types().items():
        number = start + len(values)
        if kind == 'sequence<robotmem_ros/SituationFeature>':
            setattr(message, name, [SituationFeature(kind=f'k{number}', value=f'v{number}')])
            values += [f'k{number}', f'v{number}']
        elif kind == 'builtin_interfaces/Time':
            setattr(message, name, Time(sec=number))
            values.append(number * 10**9)
        elif '/' in kind:
            values += filled(getattr(message, name), number)
        elif kind != 'boolean':
            value = {'string': f'text {number}', 'sequence<string>': [f'text {number}'], 'double': number + 0.5}.get(
                kind, number)
            setattr(message, name, value)
            values.append(value[0] if isinstance(value, list) else value)
    return values


def leaves(value: Any) -> list[Any]:
    """Give all values of what the engine was called with."""
    if is_dataclass(value):
        return [leaf for each in fields(value) for leaf in leaves(getattr(value, each.name))]
    if isinstance(value, (list, tuple)):
        return [leaf for each in value for leaf in leaves(each)]
    return leaves(list(value.values())) if isinstance(value, dict) else [value]


def flags(message: Any, prefix: str = '') -> list[str]:
    """Give the truth values of a message, by dotted name."""
    kinds = message.get_fields_and_field_types()
    inner = [flag for name, kind in kinds.items() if kind == 'robotmem_ros/Perception'
             for flag in flags(getattr(message, name), f'{name}.')]
    return [prefix + name for name, kind in kinds.items() if kind == 'boolean'] + inner


def handed_on(service: Any, *turned: str) -> tuple[list[Any], list[Any]]:
    """Give what a request holds, and what the engine is asked with."""
    request, asked = service.type.Request(), []
    given = filled(request)
    for flag in (*(flag for flag in flags(request) if '.has_' in f'.{flag}'), *turned):
        holder = attrgetter(flag.rpartition('.')[0])(request) if '.' in flag else request
        name = flag.rpartition('.')[2]
        setattr(holder, name, not getattr(holder, name))

    def engine(*args: Any, **named: Any) -> Any:
        asked.extend(leaves([args, named]))
        return GIVEN[service.name]

    service.handler(SimpleNamespace(**{service.name: engine}), request, service.type.Response())
    return given, asked


@pytest.mark.parametrize('service', SERVICES, ids=lambda service: service.name)
def test_a_request_is_handed_on_whole(service: Any) -> None:
    """No field is dropped on the way to the engine, and each truth value makes a difference."""
    given, asked = handed_on(service)
    assert [value for value in given if value not in asked] == []
    for flag in flags(service.type.Request()):
        assert handed_on(service, flag)[1] != asked, flag


def test_a_map_is_asked_for_without_a_place() -> None:
    """Beside a place it would arrive with that, too."""
    assert convert.recall_from_msg(Recall.Request(map_id='hall')).map_id == 'hall'
