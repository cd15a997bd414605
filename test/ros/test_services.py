"""Every request gets an answer, and bad ones get a sentence."""

from __future__ import annotations

from typing import Any

import pytest
import robotmem_ros.srv as srv
from geometry_msgs.msg import PoseStamped
from robotmem_ros.msg import Perception, SituationFeature

from robotmem_ros.ros.services import SERVICES

INSIGHT = 'don\'t say "stop" — 停止'
CONTEXT = r'{"params":{"force_n":{"value":12.5}},"tags":["a","b"],"note":"50% \\ path"}'


def test_text_and_json_come_back_sign_for_sign(shared: Any) -> None:
    """CLI-01: quotes, unicode, nested JSON and backslashes survive learn and recall."""
    learned = shared.learn(INSIGHT, context=CONTEXT, collection='signs')
    assert learned.success, learned.error
    found = shared.recall('停止', collection='signs')
    assert [(m.content, m.context) for m in found.memories] == [(INSIGHT, CONTEXT)]


def test_all_services_of_the_contract_exist_and_answer(shared: Any) -> None:
    """NAME-01: each name of the table lies under the node's own name and answers."""
    offered = dict(shared.node.get_service_names_and_types())
    for service in SERVICES:
        name = f'/shared_memory/{service.name}'
        assert offered[name] == [f'robotmem_ros/srv/{service.type.__name__}']
        response = shared.call(service.type, name)
        assert response.success or response.error, name
    assert shared.recall('anything').success


@pytest.mark.parametrize(('service', 'fields', 'field', 'limit'), [
    ('learn', {'insight': ''}, 'insight', ''),
    ('learn', {'insight': ' \u200b\n'}, 'insight', ''),
    ('learn', {'insight': 'x' * 65537}, 'insight', '64 KiB'),
    ('learn', {'insight': 'a fact', 'context': '{not json'}, 'context', ''),
    ('learn', {'insight': 'a fact', 'context': '[' * 5000 + ']' * 5000}, 'context', ''),
    ('learn', {'insight': 'a fact', 'confidence': 1.5}, 'confidence', '1'),
    ('learn', {'insight': 'a fact', 'confidence': float('nan')}, 'confidence', '1'),
    ('learn', {'insight': 'a fact', 'session_id': 'never started'}, 'session', ''),
    ('recall', {'query': 'x', 'n': 0}, 'n', '1'),
    ('recall', {'query': 'x', 'n': -2147483648}, 'n', '1'),
    ('recall', {'context_filter': '{"a": {"$near": 1}}'}, 'context_filter', ''),
    ('recall', {'spatial_sort': '5'}, 'spatial_sort', ''),
    ('recall', {'query': 'x', 'min_confidence': 2.0}, 'min_confidence', '1'),
    ('recall', {'query': 'x', 'radius': -1.0}, 'radius', '0'),
    ('recall', {'query': 'x', 'type': 'dream'}, 'type', 'fact'),
    ('end_session', {'session_id': 'never started'}, 'session', ''),
    ('end_session', {'session_id': ''}, 'session_id', ''),
    ('update', {'memory_id': 0, 'new_content': 'x'}, 'memory_id', ''),
    ('forget', {'memory_id': 999999, 'reason': 'wrong'}, 'memory', ''),
    ('declare_scene', {'key': ''}, 'key', ''),
    ('learn', {'insight': 'a fact', 'scene': 'kitchen'}, 'scene', 'kind:value'),
    ('recall', {'scene': 'kitchen'}, 'scene', 'kind:value'),
    ('list_scenes', {'prefix': 'kitchen'}, 'prefix', 'kind:value'),
    ('backup', {'path': '/proc/nowhere/copy.db'}, '/proc/nowhere', ''),
])
def test_a_bad_field_is_refused_by_name(
    shared: Any, service: str, fields: dict[str, Any], field: str, limit: str
) -> None:
    """Bad input: success is false, one sentence names field and limit, nothing is changed, the node lives on."""
    kind = next(entry.type for entry in SERVICES if entry.name == service)
    before = shared.call(srv.Stats, 'stats').total
    response = shared.call(kind, service, **fields)
    assert not response.success
    assert field in response.error and limit in response.error, response.error
    assert '\n' not in response.error and len(response.error) < 500 and 'internal' not in response.error
    assert shared.call(srv.Stats, 'stats').total == before


def test_zero_means_zero_and_too_many_are_capped(shared: Any) -> None:
    """CLI-04: min_confidence 0 finds the doubtful memory, and n above 1000 is capped and said so."""
    shared.learn('the left wheel may squeak', confidence=0.1, collection='zero')
    assert shared.recall('squeak', collection='zero').memories == []
    assert len(shared.recall('squeak', collection='zero', min_confidence=0.0).memories) == 1
    many = shared.recall('squeak', collection='zero', min_confidence=0.0, n=2147483647)
    assert many.success and '1000' in many.warning
    one = shared.recall('squeak', collection='zero', min_confidence=0.0, n=1)
    assert len(one.memories) == 1 and not one.warning


def test_correcting_to_a_known_text_names_the_other(shared: Any) -> None:
    """An update to an existing text is refused with the id of the memory that has it."""
    first = shared.learn('the charger is in bay 3', collection='twins').memory_id
    second = shared.learn('gripper pads wear out weekly', collection='twins').memory_id
    response = shared.call(srv.Update, 'update', memory_id=second, new_content='the charger is in bay 3')
    assert not response.success
    assert response.duplicate_of == first


def test_a_declared_scene_is_named_by_its_one_spelling(shared: Any) -> None:
    """The answer has the normalised key; a prefix means whole parts; rebuilding leaves what was declared."""
    named = [shared.call(srv.DeclareScene, 'declare_scene', collection='named', key=key)
             for key in (' Peer:Ann/PLACE:Hall', 'place:hall/peer:ann', 'place:Hall2')]
    assert [(each.success, each.key, each.created) for each in named] == [
        (True, 'place:hall/peer:ann', True), (True, 'place:hall/peer:ann', False), (True, 'place:hall2', True)]
    listed = shared.call(srv.ListScenes, 'list_scenes', collection='named', prefix='place:HALL').scenes
    assert [(each.key, each.origin, each.strength) for each in listed] == [('place:hall/peer:ann', 'declared', 0)]
    kept = shared.learn('ann takes the cups', scene='peer:ann/place:hall', collection='named').memory_id
    found = shared.recall('', scene='place:hall', collection='named')
    assert (found.mode, [memory.id for memory in found.memories]) == ('scene', [kept])
    planned = shared.call(srv.RebuildScenes, 'rebuild_scenes', collection='named', dry_run=True)
    assert (planned.success, planned.removed, planned.backup_path) == (True, 0, '')


def test_a_session_from_start_to_end(shared: Any) -> None:
    """StartSession, learn in it, EndSession: typed answers, and a second end changes nothing."""
    started = shared.call(srv.StartSession, 'start_session', context='{"task": "sweep"}', collection='episode')
    assert started.success and started.session_id and started.collection == 'episode'
    assert shared.learn('sweep the corner twice', session_id=started.session_id, collection='episode').success
    session = {'session_id': started.session_id, 'has_outcome_score': True, 'outcome_score': 0.0}
    ended = shared.call(srv.EndSession, 'end_session', **session)
    again = shared.call(srv.EndSession, 'end_session', session_id=started.session_id)
    assert ended.success and again.success
    assert ended.summary_json == again.summary_json


def test_large_answers_are_bounded_and_arrive(shared: Any) -> None:
    """PAY-02: contexts that do not fit are left out, with a warning; larger input is refused."""
    blob = '{"blob": "%s"}' % ('x' * 1_000_000)
    for number in range(8):
        assert shared.learn(f'crate number {number} holds part {number * 7}', context=blob, collection='large').success
    found = shared.recall('crate part', collection='large', n=100)
    assert found.success and len(found.memories) == 8
    assert 0 < sum(bool(m.context) for m in found.memories) < 8
    assert 'left out' in found.warning
    refused = shared.learn('y' * 20_000_000)
    assert not refused.success and '64 KiB' in refused.error


def test_what_is_left_out_is_said(shared: Any) -> None:
    """A place without a frame and features that cannot be used were dropped without a word."""
    unplaced = PoseStamped()
    unplaced.pose.position.x = 3.0
    for answer, field in (
        (shared.learn('left out: a place', pose=unplaced, collection='words'), 'pose.header.frame_id'),
        (shared.recall('left out', near=unplaced, collection='words'), 'near.header.frame_id'),
    ):
        assert answer.success and field in answer.warning
    assert shared.learn('left out: nothing', collection='words').warning == ''

    for features, part in (([('', 'red'), ('task', 'charge')], 'features: 1 left out'), ([], 'nothing was taken in')):
        perception = Perception(collection='words', features=[SituationFeature(kind=k, value=v) for k, v in features])
        answer = shared.call(srv.SavePerception, '/shared_memory/save_perception', perception=perception)
        assert answer.success and part in answer.warning
