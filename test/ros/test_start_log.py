"""The log of a start says what one looks for: the file, what it holds, how questions are answered, what is off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robotmem_ros.clock import SystemClock
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest
from robotmem_ros.ros import assembly
from robotmem_ros.ros import node as node_module
from robotmem_ros.settings import Settings
from robotmem_ros.store.store import Store


def test_one_line_on_the_file_and_one_on_the_model(world: Any, tmp_path: Path) -> None:
    path = str(tmp_path / 'known.db')
    engine = Engine(Store.open(path), SystemClock(), lambda: None, Settings())
    engine.learn(LearnRequest('the dock is cold', collection='lab'))
    engine.learn(LearnRequest('the ramp is steep'))
    engine.declare_scene('place:dock', 'lab')
    engine.close()
    process = world.start(
        db_path=path, collection='lab', gc__automatic=True, promotion__automatic=False,
        taps__names=['amcl', 'task', 'broken'], taps__amcl__kind='place', taps__amcl__topic='/amcl_pose',
        taps__amcl__type='geometry_msgs/msg/PoseWithCovarianceStamped', taps__task__kind='task',
        taps__task__topic='/task', taps__task__type='std_msgs/msg/String', taps__task__field='data')
    client = world.client()
    client.status()
    client.wait(lambda: 'by words alone' in process.log)
    line, = (line for line in process.log.splitlines() if 'memory in' in line)
    assert line.endswith(f"memory in {path}, collection 'lab': 1 memories, 1 scenes; feature taps: amcl, task; "
                         'off: promotion.automatic')
    line, = (line for line in process.log.splitlines() if 'by words alone' in line)
    assert 'no-model' in line and '[WARN]' in line


def test_what_is_off_by_default_is_named(world: Any) -> None:
    process = world.start()
    world.client().status()
    assert "collection 'default': 0 memories, 0 scenes; off: taps.names, gc.automatic\n" in process.log


def test_the_model_is_named_once_it_is_there(
    meddled: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    _, client, inside = meddled
    monkeypatch.setattr(assembly, 'load_model', lambda _: HashEmbedder())
    inside.node.trigger_deactivate()
    inside.node.trigger_cleanup()
    inside.node.start()
    client.status(lambda s: s.ready and s.mode == 'hybrid')
    model = HashEmbedder()
    said = f'answers are by words and meaning: {model.name}, {model.backend}, {model.dim} dimensions'
    assert capfd.readouterr().err.count(said) == 1


def test_a_start_that_breaks_off_leaves_the_file_to_the_next(meddled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """SHUT-04: an unconfigured node owns no file, or it would meet itself."""
    _, client, inside = meddled
    inside.node.trigger_deactivate()
    inside.node.trigger_cleanup()
    with monkeypatch.context() as patch:
        patch.setattr(node_module, 'file_line', lambda *_: 1 / 0)
        inside.node.trigger_configure()
        client.status(lambda s: s.state == 'unconfigured' and 'ZeroDivisionError' in s.reason)
    inside.node.start()
    client.status()
