"""Records as JSON objects and back. Fields with their default value are left out; ``kind`` says what it is.

A memory has the fields of seed 004's record (``id content use_count last_used strength created_at tags``) and
more; a record with no ``kind`` is one of those. An ``embedding`` is not read: this file's model makes its own.
"""

from __future__ import annotations

from typing import Any

from robotmem_ros.exchange.times import text_of
from robotmem_ros.model import Feature, Pose
from robotmem_ros.store import records
from robotmem_ros.store.occurrences import Occurrence

Json = dict[str, Any]


def to_json(record: records.Record) -> Json:
    """Give a record as a JSON object."""
    if isinstance(record, records.MemoryRecord):
        return _memory(record)
    if isinstance(record, records.EdgeRecord):
        return {'kind': 'edge', 'a': record.a, 'b': record.b, 'weight': record.weight,
                'last_updated': text_of(record.last_updated_ns)}
    if isinstance(record, records.SessionRecord):
        return _slim({
            'kind': 'session', 'id': record.id, 'collection': record.collection, 'context': record.context,
            'started_at': text_of(record.started_at_ns), 'ended_at': text_of(record.ended_at_ns),
            'outcome_score': record.outcome_score, 'result': record.result})
    if isinstance(record, records.SceneRecord):
        return _slim({
            'kind': 'scene', 'key': record.key, 'origin': record.origin, 'collection': record.collection,
            'strength': record.strength, 'created_at': text_of(record.created_at_ns),
            'last_hit': text_of(record.last_hit_ns), 'features': _counts(record.features)})
    if isinstance(record, records.PlaceRecord):
        return _slim({
            'kind': 'place', 'name': record.name, 'frame': record.frame_id, 'map': record.map_id,
            'position': [record.x, record.y, record.z], 'collection': record.collection,
            'created_at': text_of(record.created_at_ns)})
    return _evidence(record)


def _evidence(record: records.EvidenceRecord) -> Json:
    return _slim({
        'kind': 'evidence', 'bucket': record.bucket, 'visits': record.visits, 'collection': record.collection,
        'last_at': text_of(record.last_at_ns), 'features': _counts(record.features)})


def _memory(record: records.MemoryRecord) -> Json:
    created = text_of(record.created_at_ns)
    head = {'kind': 'memory', 'id': record.origin, 'content': record.content, 'created_at': created}
    usual = records.MemoryRecord('', '')
    same_name = ('type', 'category', 'perception_type', 'data', 'source', 'seq', 'tier', 'confidence', 'strength',
                 'use_count', 'use_days')
    return {**head, **_slim({
        'collection': record.collection,
        **{name: getattr(record, name) for name in same_name if getattr(record, name) != getattr(usual, name)},
        'session': record.session_id, 'last_used': text_of(record.last_accessed_ns),
        'anchor': text_of(record.anchor_ns),
        'tags': list(record.tags), 'occurrences': [_occurrence(item) for item in record.occurrences],
        'scenes': [_tie(tie) for tie in record.scenes],
        'earlier': [{'replaced_at': text_of(at), 'content': text} for at, text in record.earlier],
    })}


def _occurrence(item: Occurrence) -> Json:
    return _slim({
        'at': text_of(item.at_ns), 'observed_at': text_of(item.observed_at_ns), 'session': item.session_id,
        'context': item.context, 'pose': _pose(item.pose), 'bucket': item.bucket,
        'features': [str(feature) for feature in item.fingerprint]})


def _pose(pose: Pose | None) -> Json | None:
    if pose is None:
        return None
    return _slim({'frame': pose.frame_id, 'map': pose.map_id, 'position': [pose.x, pose.y, pose.z],
                  'quaternion': list(pose.quaternion)})


def _tie(tie: records.SceneTie) -> Json:
    return {'key': tie.key, 'weight': tie.weight, 'last_updated': text_of(tie.last_updated_ns)}


def _counts(features: records.Counts) -> list[list[Any]]:
    return [[feature.kind, feature.value, visits] for feature, visits in features]


def _slim(fields: Json) -> Json:
    """Leave out what is empty; zero and false say something."""
    return {name: value for name, value in fields.items() if value not in ('', None) and value != []}


def feature_of(text: str) -> Feature:
    """Read ``kind:value``."""
    kind, _, value = text.partition(':')
    return Feature(kind, value)
