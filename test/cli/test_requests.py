"""Each command fills the request that its options describe, and nothing else."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest


def test_recall_without_options_sends_the_defaults(node: Any, robotmem: Any) -> None:
    from robotmem_ros.srv import Recall

    assert robotmem('recall').status == 0
    assert node.requests == [Recall.Request()]


def test_recall_passes_every_filter(node: Any, robotmem: Any) -> None:
    given = (
        'recall', 'door', '-n', '7', '--min-confidence', '0', '--near', '-3.5', '1', '--radius', '2',
        '--map-id', 'hall',
        '--session', 's1', '--context-session', 's2', '--category', 'gotcha', '--type', 'fact', '--tag', 'a',
        '--tag', 'b', '--context-filter', '{"force": {"$lt": 5}}', '--scene', 'place:x', '--collection', 'c',
        '--no-reinforce', '--since', '1970-01-01T00:01Z',
    )
    assert robotmem(*given).status == 0
    request = node.requests[0]
    point = request.near.pose.position
    assert (request.query, request.n, request.min_confidence, request.radius) == ('door', 7, 0.0, 2.0)
    assert (point.x, point.y, request.near.header.frame_id, request.map_id) == (-3.5, 1.0, 'map', 'hall')
    assert (request.session_id, request.context_session) == ('s1', 's2')
    assert (request.category, request.type) == ('gotcha', 'fact')
    assert (request.tags, request.context_filter) == (['a', 'b'], '{"force": {"$lt": 5}}')
    assert (request.scene, request.collection, request.reinforce, request.since.sec) == ('place:x', 'c', False, 60)


def test_learn_sends_a_pose_only_where_one_is_given(node: Any, robotmem: Any) -> None:
    robotmem('learn', 'x')
    robotmem('learn', 'x', '--at', '3.2', '-1', '--frame', 'odom', '--confidence', '0.5')
    assert node.requests[0].pose.header.frame_id == ''
    assert (node.requests[1].pose.header.frame_id, node.requests[1].pose.pose.position.y) == ('odom', -1.0)
    assert (node.requests[0].confidence, node.requests[1].confidence) == (0.9, 0.5)


def test_since_counts_back_from_now(node: Any, robotmem: Any) -> None:
    robotmem('recall', '--since', '2h')
    assert time.time() - 7300 < node.requests[0].since.sec <= time.time() - 7199


@pytest.mark.parametrize(('arguments', 'expected'), [
    (['scenes', 'place:dock'], {'prefix': 'place:dock'}),
    (['stats', '--collection', 'lab'], {'collection': 'lab'}),
    (['promote', '7'], {'memory_id': 7}),
    (['recall', 'x', '--plain'], {'query': 'x', 'plain': True}),
    (['gc', '--threshold', '0.2', '--dry-run'], {'gc_threshold': 0.2, 'dry_run': True, 'purge_after_days': 0.0}),
    (['link', '7', '9', '--weight', '2'], {'memory_a': 7, 'memory_b': 9, 'weight': 2.0}),
    (['update', '7', 'new text'], {'memory_id': 7, 'new_content': 'new text', 'context': ''}),
    (['forget', '7', 'wrong'], {'memory_id': 7, 'reason': 'wrong'}),
    (['backup'], {'path': ''}),
    (['sessions', 'start', '--context', '{"a": 1}'], {'context': '{"a": 1}', 'collection': ''}),
    (['sessions', 'end', 's1'], {'session_id': 's1', 'has_outcome_score': False}),
    (['sessions', 'end', 's1', '--outcome', '0'], {'has_outcome_score': True, 'outcome_score': 0.0}),
])
def test_the_other_commands(node: Any, robotmem: Any, arguments: list[str], expected: dict[str, Any]) -> None:
    result = robotmem(*arguments)
    assert result.status == 0, result.err
    assert {name: getattr(node.requests[0], name) for name in expected} == expected


def test_backup_means_the_folder_of_the_caller(
    node: Any, robotmem: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The node runs in another folder: a relative path would end up there."""
    monkeypatch.chdir(tmp_path)
    robotmem('backup', 'copy.db')
    assert node.requests[0].path == str(tmp_path / 'copy.db')
