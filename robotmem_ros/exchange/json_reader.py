"""JSON objects as records, each field checked as a request's would be: no other door lets in more than this one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from robotmem_ros.core.payload import check_choice, check_data, check_insight, check_json_object, check_name
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.exchange.fields import Fields
from robotmem_ros.exchange.json_form import feature_of
from robotmem_ros.exchange.session_result import result_of
from robotmem_ros.model import DECLARED, EMERGENT, FACT, LTM, PERCEPTION, PERCEPTION_TYPES, STM, Feature, Pose
from robotmem_ros.store import records
from robotmem_ros.store.occurrences import MOST, Occurrence
from robotmem_ros.validation import check_pose, check_tags

MAX_LINE = 64 * 1024 * 1024
MAX_KEY = 1000
MAX_WEIGHT = 1e6


def record_of_text(text: str) -> records.Record | None:
    """Read one line of JSONL; ``None`` for the header.

    :raises InvalidRequest: naming the field, what was expected and what came.
    """
    if len(text) > MAX_LINE:
        raise InvalidRequest('line', f'at most {MAX_LINE} characters', text)
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, ValueError) else 'nested too deeply'
        raise InvalidRequest('line', f'a JSON object ({reason})', text) from error
    if not isinstance(value, dict):
        raise InvalidRequest('line', 'a JSON object', text)
    return record_of(value)


def record_of(value: Mapping[str, Any]) -> records.Record | None:
    """Read one JSON object; ``None`` for the header of an export.

    :raises InvalidRequest: naming the field, what was expected and what came.
    """
    fields = Fields(value)
    kind = fields.text('kind', 'seed')
    if kind == 'robotmem':
        if fields.whole('version') != 1:
            raise InvalidRequest('version', '1', fields.whole('version'))
        return None
    if kind not in _READERS:
        raise InvalidRequest('kind', f'one of {", ".join(name for name in _READERS if name != "seed")}', kind)
    return _READERS[kind](fields)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f'{name} is no number')


def _memory(f: Fields) -> records.MemoryRecord:
    is_perception = check_choice(f.text('type', FACT), 'type', (FACT, PERCEPTION)) == PERCEPTION
    occurrences = tuple(_occurrence(each) for each in f.objects('occurrences', MOST))
    return records.MemoryRecord(
        origin=f.identity('id'), content=check_insight(f.text('content'), 'content'), collection=f.name('collection'),
        type=PERCEPTION if is_perception else FACT, category=f.name('category'),
        perception_type=check_choice(f.text('perception_type'), 'perception_type', ('', *PERCEPTION_TYPES)),
        data=check_data(f.text('data'), 'data'), source=f.name('source'), seq=f.whole('seq'),
        tier=check_choice(f.text('tier', STM), 'tier', (STM, LTM)), confidence=f.number('confidence', 0.9, 0.0, 1.0),
        strength=f.number('strength', 1.0, 1.0, 2.0), use_count=f.whole('use_count'), use_days=f.whole('use_days'),
        session_id=f.name('session'), created_at_ns=f.time('created_at'), last_accessed_ns=f.time('last_used'),
        anchor_ns=f.time('anchor'), tags=check_tags(tuple(f.items('tags', str, 64))), occurrences=occurrences,
        scenes=tuple(_tie(each) for each in f.objects('scenes')), complete=True,
        earlier=tuple((each.time('replaced_at'), check_insight(each.text('content'), 'earlier'))
                      for each in f.objects('earlier')))


def _seed(f: Fields) -> records.MemoryRecord:
    """Read a record of seed 004 (CortexGraph): its day is the time of its one occurrence."""
    created = f.time('created_at')
    return records.MemoryRecord(
        origin=f.identity('id'), content=check_insight(f.text('content'), 'content'), use_count=f.whole('use_count'),
        strength=f.number('strength', 1.0, 1.0, 2.0), created_at_ns=created, last_accessed_ns=f.time('last_used'),
        tags=check_tags(tuple(f.items('tags', str, 64))),
        occurrences=(Occurrence(created),) if created else ())


def _occurrence(f: Fields) -> Occurrence:
    return Occurrence(
        at_ns=f.time('at'), observed_at_ns=f.time('observed_at'), session_id=f.name('session'),
        context=check_json_object(f.text('context'), 'context'), pose=_pose(f), bucket=f.name('bucket', MAX_KEY),
        fingerprint=tuple(_feature(text) for text in f.items('features', str, 1000)))


def _pose(f: Fields) -> Pose | None:
    pose = f.inner('pose')
    if pose is None:
        return None
    quaternion = tuple(float(q) for q in pose.items('quaternion', (int, float), 4))
    x, y, z, w = quaternion if len(quaternion) == 4 else (0.0, 0.0, 0.0, 1.0)
    found = Pose(pose.name('frame'), *_position(pose), (x, y, z, w), pose.name('map'), f.time('observed_at'))
    return check_pose(found, 'pose')


def _position(f: Fields) -> tuple[float, float, float]:
    position = [float(each) for each in f.items('position', (int, float), 3)]
    if len(position) != 3:
        raise InvalidRequest('position', 'three numbers', position)
    return position[0], position[1], position[2]


def _tie(f: Fields) -> records.SceneTie:
    return records.SceneTie(f.name('key', MAX_KEY), f.number('weight', 1.0, 0.0, MAX_WEIGHT), f.time('last_updated'))


def _edge(f: Fields) -> records.EdgeRecord:
    weight = f.number('weight', 1.0, 1e-9, MAX_WEIGHT)
    return records.EdgeRecord(f.identity('a'), f.identity('b'), weight, f.time('last_updated'))


def _session(f: Fields) -> records.SessionRecord:
    if not f.name('id'):
        raise InvalidRequest('id', 'the id of the session', '')
    score = f.number('outcome_score', 0.0, 0.0, 1.0) if f.has('outcome_score') else None
    return records.SessionRecord(
        f.name('id'), f.name('collection'), check_json_object(f.text('context'), 'context'), f.time('started_at'),
        f.time('ended_at'), score, result_of(f.text('result'), f.time('ended_at') > 0))


def _scene(f: Fields) -> records.SceneRecord:
    return records.SceneRecord(
        f.name('key', MAX_KEY), check_choice(f.text('origin', DECLARED), 'origin', (EMERGENT, DECLARED)),
        f.name('collection'), f.whole('strength'), f.time('created_at'), f.time('last_hit'), _counts(f))


def _place(f: Fields) -> records.PlaceRecord:
    x, y, z = _position(f)
    pose = check_pose(Pose(f.name('frame'), x, y, z, map_id=f.name('map')), 'place')
    assert pose is not None
    return records.PlaceRecord(
        f.name('name'), pose.frame_id, x, y, z, pose.map_id, f.name('collection'), f.time('created_at'))


def _evidence(f: Fields) -> records.EvidenceRecord:
    return records.EvidenceRecord(
        f.name('bucket', MAX_KEY), f.whole('visits'), f.name('collection'), f.time('last_at'), _counts(f))


def _feature(text: str) -> Feature:
    return feature_of(check_name(text, 'features', MAX_KEY))


def _counts(f: Fields) -> tuple[tuple[Feature, int], ...]:
    triples = f.items('features', list, 100_000)
    for triple in triples:
        if [type(part) for part in triple] != [str, str, int]:
            raise InvalidRequest('features', 'lists of a kind, a value and a count', triple)
    return tuple((Feature(check_name(kind, 'features', MAX_KEY), check_name(value, 'features', MAX_KEY)), visits)
                 for kind, value, visits in triples)


_READERS: Mapping[str, Callable[[Fields], records.Record]] = {
    'seed': _seed, 'memory': _memory, 'edge': _edge, 'session': _session, 'scene': _scene, 'place': _place,
    'evidence': _evidence,
}
