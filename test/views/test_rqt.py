"""config/robotmem.perspective opens the three windows that one needs, on this node."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope='module')
def plugins(config: Path) -> Any:
    return json.loads((config / 'robotmem.perspective').read_text('utf-8'))['groups']['pluginmanager']


def test_the_three_windows_run(plugins: Any) -> None:
    running = ast.literal_eval(plugins['keys']['running-plugins']['repr'])
    assert running == {
        'rqt_robot_monitor/RobotMonitor': [1], 'rqt_topic/TopicPlugin': [1], 'rqt_service_caller/ServiceCaller': [1]}
    named = {f'plugin__{name.replace("/", "__")}__{number}' for name, numbers in running.items() for number in numbers}
    assert set(plugins['groups']) == named


def test_the_caller_begins_with_a_service_of_the_node(plugins: Any, offer: Any) -> None:
    keys = plugins['groups']['plugin__rqt_service_caller__ServiceCaller__1']['groups']['plugin']['keys']
    assert {key: type(ast.literal_eval(value['repr'])) for key, value in keys.items()} == {
        'splitter_orientation': int, 'current_service_name': str}
    assert ast.literal_eval(keys['current_service_name']['repr']) in offer.services
