"""``monitor.launch.py`` opens what is installed, on the node that it starts, and says what is not."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

launch = pytest.importorskip('launch', reason='ros2 launch is not installed')
pytest.importorskip('launch_ros', reason='launch_ros is not installed')


@pytest.fixture
def module(config: Path) -> Any:
    spec = importlib.util.spec_from_file_location('monitor', config.parent / 'launch' / 'monitor.launch.py')
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def windows(module: Any, **arguments: str) -> tuple[list[Any], list[str]]:
    """Nodes that would be started, and lines that would be said."""
    from launch.utilities import perform_substitutions

    context = launch.LaunchContext()
    values = {'name': 'robotmem', 'namespace': '', 'rviz': 'true', 'rqt': 'false', 'use_sim_time': 'false', **arguments}
    context.launch_configurations.update(values)
    actions = module.open_windows(context)
    nodes = [action for action in actions if type(action).__name__ == 'Node']
    said = [perform_substitutions(context, action.msg) for action in actions if type(action).__name__ == 'LogInfo']
    return nodes, said


def text(parts: Any) -> str:
    return ''.join(getattr(part, 'text', str(part)) for part in parts)


def test_without_rviz_one_line_says_so(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, 'is_installed', lambda package: False)
    nodes, said = windows(module)
    assert nodes == []
    assert said == ['no window of rviz2: it is not installed (sudo apt install ros-$ROS_DISTRO-rviz2)']


def test_rviz_shows_the_markers_of_this_very_node(module: Any, monkeypatch: pytest.MonkeyPatch, config: Path) -> None:
    monkeypatch.setattr(module, 'is_installed', lambda package: True)
    (rviz,), said = windows(module, name='memory', namespace='/r1/')
    assert said == []
    assert [tuple(map(text, pair)) for pair in rviz._Node__remappings] == [('/robotmem/markers', '/r1/memory/markers')]
    assert rviz._Node__arguments[1] == str(config / 'robotmem.rviz') and Path(rviz._Node__arguments[1]).is_file()


def test_rqt_hears_diagnostics_without_an_aggregator(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, 'is_installed', lambda package: True)
    (rqt,), _ = windows(module, rviz='false', rqt='true')
    assert [tuple(map(text, pair)) for pair in rqt._Node__remappings] == [('/diagnostics_agg', '/diagnostics')]
    assert Path(rqt._Node__arguments[1]).is_file()


def test_a_package_that_nobody_has_is_not_installed(module: Any) -> None:
    assert not module.is_installed('no_such_package_anywhere')
    assert module.is_installed('std_msgs')


def test_it_takes_every_argument_of_the_nodes_launch_file(module: Any, config: Path) -> None:
    from launch.launch_description_sources import PythonLaunchDescriptionSource

    node = PythonLaunchDescriptionSource(str(config.parent / 'launch' / 'robotmem.launch.py'))
    of_node = node.get_launch_description(launch.LaunchContext()).get_launch_arguments()
    mine = module.generate_launch_description().get_launch_arguments()
    assert {argument.name for argument in of_node} <= {argument.name for argument in mine}
    assert {'node', 'rviz', 'rqt', 'use_sim_time'} <= {argument.name for argument in mine}
