"""config/robotmem.foxglove.json names panels that exist and topics that the node has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import robotmem_ros.msg as msg

PANELS = {'3D', 'DiagnosticSummary', 'DiagnosticStatusPanel', 'RawMessages', 'Table', 'StateTransitions', 'RosOut'}


@pytest.fixture(scope='module')
def layout(config: Path) -> Any:
    return json.loads((config / 'robotmem.foxglove.json').read_text('utf-8'))


def leaves(tree: Any) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
        return
    assert tree['direction'] in ('row', 'column') and 0 < tree['splitPercentage'] < 100
    yield from leaves(tree['first'])
    yield from leaves(tree['second'])


def paths(layout: Any) -> list[str]:
    found = [path for panel in layout['configById'].values() for path in (
        panel.get('topicPath'), panel.get('topicToRender'), *(p['value'] for p in panel.get('paths', ())),
        *panel.get('topics', ()))]
    return [path for path in found if path]


def test_each_panel_stands_in_the_window_once(layout: Any) -> None:
    shown = list(leaves(layout['layout']))
    assert sorted(shown) == sorted(layout['configById'])
    assert {name.split('!')[0] for name in shown} == PANELS


def test_its_paths_are_fields_of_topics_that_the_node_publishes(layout: Any, offer: Any) -> None:
    ours = [path for path in paths(layout) if path.startswith(('/robotmem/', '/diagnostics'))]
    assert {path.split('.')[0] for path in ours} == {
        '/robotmem/markers', '/robotmem/status', '/robotmem/scene_hit', '/diagnostics'}
    for path in ours:
        topic, *fields = path.split('.')
        name = offer.published[topic].split('/')[-1]
        if fields:
            assert fields[0] in getattr(msg, name).get_fields_and_field_types(), path


def test_diagnostics_are_filtered_by_this_node(layout: Any) -> None:
    assert layout['configById']['DiagnosticStatusPanel!part']['selectedHardwareId'] == '/robotmem'
    assert layout['configById']['DiagnosticStatusPanel!part']['selectedName'] == 'robotmem: memory'
