"""Every part of the node says how it is, in every state, and warns while it matters."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from lifecycle_msgs.srv import ChangeState

from robotmem_ros.disk import Disk, disk_of, megabytes
from robotmem_ros.embed.background import BackgroundEmbedder
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.errors import StoreError
from robotmem_ros.ros.diagnostics import FRESH_S, Diagnosis, Part, shown
from robotmem_ros.ros.gate import Gate
from robotmem_ros.ros.health import Counters, Health, TickMeter
from robotmem_ros.ros.perception import PerceptionIntake
from robotmem_ros.ros.status import Facts, readiness

OK, WARN, ERROR, STALE = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR, DiagnosticStatus.STALE
NAMES = ['memory', 'database', 'model', 'queue', 'disk', 'clock', 'tick', 'scenes']
ROOMY = Disk(10**12, 5 * 10**11)


class Instead:
    """An engine of which some attributes are what a test says."""

    def __init__(self, engine: Engine, **instead: Any) -> None:
        self._engine = engine
        self.__dict__.update(instead)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)


class Robot:
    """A node's facts over a real file, with a time and a disk that a test moves."""

    def __init__(self, engine: Engine, path: str) -> None:
        self.now_s, self.disk, self.simulated = 1000.0, ROOMY, False
        self.health = Health(lambda: None)
        self.health.watch(path)
        self.intake = PerceptionIntake(10, 10, lambda *_: None)
        self.counters = Counters()
        self.model = BackgroundEmbedder(HashEmbedder)
        self.model.start()
        assert self.model.wait(10.0)
        self.watch = SimpleNamespace(notes=list, step_count=0, is_known=True)
        self.engine = Instead(engine, mode='hybrid', time=self.watch)
        store = engine._rt.store
        assembly = SimpleNamespace(store=store, engine=self.engine, model=self.model, path=path)
        self.facts = Facts(
            Gate('active'), self.health, self.counters, self.intake, path, 'default', assembly, 'active',
            counts={'active': 3, 'pending_vectors': 0}, disk_of=self.look,
        )
        self.ticks = TickMeter(lambda: self.now_s)
        self.settings = engine.settings
        self.diagnosis = Diagnosis(
            '/r1/robotmem', self.facts, self.ticks, lambda: self.settings, lambda: self.simulated, lambda: self.now_s)

    def look(self, path: str) -> Disk:
        if isinstance(self.disk, OSError):
            raise self.disk
        return self.disk

    def part(self, name: str) -> Part:
        return next(part for part in self.diagnosis.parts() if part.name == name)


@pytest.fixture
def robot(engine: Engine, db_path: str) -> Robot:
    return Robot(engine, db_path)


def test_all_is_well(robot: Robot) -> None:
    assert [(part.name, part.level) for part in robot.diagnosis.parts()] == [(name, OK) for name in NAMES]
    assert all(part.message for part in robot.diagnosis.parts())


def test_two_robots_differ_by_name_and_hardware(robot: Robot) -> None:
    statuses = robot.diagnosis.statuses()
    assert [status.name for status in statuses] == [f'r1/robotmem: {name}' for name in NAMES]
    assert {status.hardware_id for status in statuses} == {'/r1/robotmem'}
    assert all(isinstance(pair.value, str) for status in statuses for pair in status.values)


@pytest.mark.parametrize(('state', 'reason', 'levels'), [
    ('unconfigured', '', {'memory': WARN, **dict.fromkeys(('database', 'model', 'clock', 'tick', 'scenes'), STALE)}),
    ('unconfigured', 'database /x: damaged', {'memory': ERROR, 'database': ERROR, 'model': STALE, 'tick': STALE}),
])
def test_a_closed_file_is_stale_and_one_that_cannot_be_opened_an_error(
    robot: Robot, state: str, reason: str, levels: dict[str, bytes]
) -> None:
    robot.facts.assembly, robot.facts.state, robot.facts.reason = None, state, reason
    found = {part.name: part for part in robot.diagnosis.parts()}
    assert list(found) == NAMES and {name: found[name].level for name in levels} == levels
    assert found['disk'].level == OK == found['queue'].level
    assert reason in found['database'].message


def test_an_inactive_node_keeps_no_house(robot: Robot) -> None:
    robot.facts.state = 'inactive'
    assert robot.part('tick').level == STALE and robot.part('memory').level == WARN
    assert robot.part('database').level == OK


def test_a_file_that_cannot_be_written_is_an_error(robot: Robot, db_path: str) -> None:
    robot.health.failed('housekeeping', StoreError(db_path, 'the disk is full'))
    for name in ('memory', 'database', 'tick'):
        assert robot.part(name).level == ERROR and 'the disk is full' in robot.part(name).message
    robot.health.went_well('housekeeping')
    assert robot.part('database').level == OK


def test_the_database_shows_its_path_bytes_and_version(robot: Robot, db_path: str, engine: Engine) -> None:
    values = robot.part('database').values
    assert values['path'] == db_path and values['schema version'] == 1 and values['writers waiting'] == 0
    assert values['bytes'] >= Path(db_path).stat().st_size > 0
    assert values['wal bytes'] == Path(db_path + '-wal').stat().st_size


def test_a_wal_that_only_grows_warns(robot: Robot, db_path: str) -> None:
    with open(db_path + '-wal', 'ab') as wal:  # noqa: PTH123  a sparse tail, which SQLite does not read
        before = wal.tell()
        os.truncate(wal.fileno(), 300 * 2**20)
        assert robot.part('database').level == WARN and '315 MB' in robot.part('database').message
        os.truncate(wal.fileno(), before)


@pytest.mark.parametrize(('total', 'free', 'level'), [
    (10**12, 2 * 10**11, OK), (10**10, 10**9, OK), (10**12, 9 * 10**10, WARN), (10**9, 499 * 10**6, WARN),
    (10**9, 49 * 10**6, ERROR), (0, 0, ERROR), (10**12, 50 * 10**6, WARN),
])
def test_disk_space(robot: Robot, total: int, free: int, level: bytes) -> None:
    """Warns below a tenth or 500 MB, an error below 50 MB: a memory that cannot be stored is lost."""
    robot.disk = Disk(total, free)
    assert robot.part('disk').level == level
    assert robot.part('disk').values['free bytes'] == free


@pytest.mark.parametrize(('free', 'is_ready', 'says'), [
    (8000, False, '8 kB free on its disk: large memories find no room'), (10**7, True, '10 MB free on its disk'),
    (50 * 10**6, True, ''),
])
def test_a_nearly_full_disk_is_no_secret_of_diagnostics(robot: Robot, free: int, is_ready: bool, says: str) -> None:
    """LIF-02: a small memory may still find room where a large one does not, so what was stored last proves nothing."""
    robot.disk = Disk(10**9, free)
    ready, reason = readiness(robot.facts)
    assert (ready, reason.endswith(says), bool(reason)) == (is_ready, True, bool(says)), reason
    assert robot.part('memory').level == (WARN if says else OK)


def test_all_that_is_missing_is_said_in_one_order(robot: Robot, db_path: str) -> None:
    """LIF-02: of several reasons none hides another, and one that is not over keeps the node from being ready."""
    robot.facts.assembly.model = BackgroundEmbedder(HashEmbedder)
    robot.engine.clock_trouble = 'no time is known'
    ready, reason = readiness(robot.facts)
    assert (ready, reason.split('; ')[:2]) == (False, ['no time is known', 'the embedding model is loading'])
    robot.facts.assembly.model = robot.model
    assert readiness(robot.facts) == (True, 'no time is known')
    robot.disk = Disk(10**9, 10**7)
    robot.health.failed('services', StoreError(db_path, 'broken'))
    ready, reason = readiness(robot.facts)
    assert not ready and [part in each for part, each in zip(
        ('broken', '10 MB free', 'no time is known'), reason.split('; '), strict=True)] == [True] * 3


def test_a_disk_that_cannot_be_seen_is_an_error(robot: Robot) -> None:
    robot.disk = OSError(5, 'Input/output error')
    assert readiness(robot.facts) == (True, '')
    assert robot.part('disk').level == ERROR and 'Input/output error' in robot.part('disk').message


def test_a_real_disk_is_looked_at_before_the_folder_is_made(tmp_path: Path) -> None:
    assert disk_of(str(tmp_path / 'not' / 'made' / 'memory.db')).total > 0


@pytest.mark.parametrize('lose', [
    lambda robot, n: setattr(robot.intake, 'dropped', n), lambda robot, n: setattr(robot.intake, 'refused', n),
    lambda robot, n: robot.facts.counts.update(dropped_uses=n),
])
def test_losses_warn_for_a_minute_and_stay_in_the_values(robot: Robot, lose: Callable[[Robot, int], None]) -> None:
    assert robot.part('queue').level == OK
    lose(robot, 2)
    assert robot.part('queue').level == WARN and '2 ' in robot.part('queue').message
    robot.now_s += FRESH_S - 1
    assert robot.part('queue').level == WARN
    robot.now_s += 2
    assert robot.part('queue').level == OK and 2 in robot.part('queue').values.values()
    lose(robot, 3)
    assert robot.part('queue').level == WARN


def test_a_publisher_that_is_not_heard_warns_as_long_as_the_node_runs(robot: Robot) -> None:
    """QOS: DDS is silent about it, so that this is the only place where one sees it later."""
    robot.counters.incompatible_qos = 1
    robot.part('queue')
    robot.now_s += 10 * FRESH_S
    assert robot.part('queue').level == WARN and 'QoS' in robot.part('queue').message


def test_no_clock_warns_and_says_so(robot: Robot) -> None:
    robot.simulated = True
    assert robot.part('clock').level == OK and robot.part('clock').message == 'simulated time runs'
    robot.watch.is_known, robot.watch.notes = False, lambda: ['no time is known']
    part = robot.part('clock')
    assert (part.level, part.message, part.values['time known']) == (WARN, 'no time is known', False)


def test_a_step_of_the_clock_warns_for_a_minute(robot: Robot) -> None:
    robot.watch.step_count, robot.watch.notes = 1, lambda: ['the clock stepped forward by 9.0 s']
    assert robot.part('clock').level == WARN and '9.0 s' in robot.part('clock').message
    robot.now_s += FRESH_S + 1
    part = robot.part('clock')
    assert part.level == OK and part.values['note 1'] == 'the clock stepped forward by 9.0 s'


def test_housekeeping_that_stands_still_warns(robot: Robot) -> None:
    robot.now_s += 39.0
    assert robot.part('tick').level == OK
    robot.now_s += 2.0
    assert robot.part('tick').level == WARN and '41 s' in robot.part('tick').message
    with robot.ticks.slice():
        robot.now_s += 0.25
    part = robot.part('tick')
    assert (part.level, part.values['longest slice [ms]'], part.values['last run [s ago]']) == (OK, '250.0', '0.0')
    with robot.ticks.slice():
        robot.now_s += 0.001
    assert robot.part('tick').values['longest slice [ms]'] == '250.0'
    assert robot.part('tick').values['last slice [ms]'] == '1.0' and robot.part('tick').values['slices'] == 2


def test_a_slice_that_fails_is_no_run(robot: Robot) -> None:
    robot.now_s += 50.0
    with pytest.raises(ValueError, match='broken'), robot.ticks.slice():
        raise ValueError('broken')
    assert robot.part('tick').level == WARN


def test_a_missing_model_warns_with_its_reason(robot: Robot) -> None:
    def fail() -> Any:
        raise OSError('no such file')

    missing = BackgroundEmbedder(fail)
    missing.start()
    assert missing.wait(10.0)
    robot.facts.assembly.model = missing
    part = robot.part('model')
    assert part.level == WARN and 'no such file' in part.message and part.values['backend'] == 'none'
    robot.facts.assembly.model = BackgroundEmbedder(fail)
    assert robot.part('model').level == WARN and robot.part('model').message == 'idle'


def test_a_model_without_vector_search_warns(robot: Robot) -> None:
    robot.facts.assembly.store.vectors_reason = 'sqlite-vec is not installed'
    assert robot.part('model').level == WARN and 'sqlite-vec is not installed' in robot.part('model').message


def test_texts_without_a_vector_warn_for_a_minute(robot: Robot) -> None:
    assert robot.part('model').values['name'] == HashEmbedder().name
    robot.facts.counts['embedding_failures'] = 1
    assert robot.part('model').level == WARN
    robot.now_s += FRESH_S + 1
    assert robot.part('model').level == OK


def test_scenes_show_what_is_in_force_and_what_was_refused(robot: Robot, engine: Engine) -> None:
    robot.counters.scene_hits, robot.counters.empty_scene_hits = 5, 2
    part = robot.part('scenes')
    assert part.message == 'no scene in force' and (part.values['hits'], part.values['empty hits']) == (5, 2)
    engine.observe('tap', [('', 'nothing')])
    part = robot.part('scenes')
    assert part.level == WARN and part.values['features refused'] == 1
    assert part.message.endswith("the last of 'tap': features: expected a kind of 1 to 32 signs, got ': nothing'")


def test_values_are_written_for_people() -> None:
    assert [shown(True), shown(0.5), shown('a\0b')] == ['true', '0.5', 'a\ufffdb']
    assert [megabytes(n) for n in (4096, 49 * 10**6, 2 * 10**10)] == ['4 kB', '49 MB', '20.0 GB']


# ---- over the wire

def heard(client: Any) -> list[DiagnosticArray]:
    arrays: list[DiagnosticArray] = []
    client.node.create_subscription(DiagnosticArray, '/diagnostics', arrays.append, 10)
    return arrays


def level(array: DiagnosticArray, name: str) -> tuple[bytes, str]:
    return next((status.level, status.message) for status in array.status if status.name == name)


def test_a_running_node_reports_in_every_state(world: Any) -> None:
    """LIF: rqt_robot_monitor sees the node before it is configured, while it runs, and after."""
    world.start(autostart=False, diagnostics__period_s=0.1)
    client = world.client()
    arrays = heard(client)
    client.wait(lambda: arrays and level(arrays[-1], 'robotmem: database')[0] == STALE)

    def change(number: int) -> None:
        request = ChangeState.Request()
        request.transition.id = number
        assert client.call(ChangeState, 'change_state', transition=request.transition).success

    change(1)
    client.wait(lambda: level(arrays[-1], 'robotmem: database')[0] == OK)
    client.wait(lambda: level(arrays[-1], 'robotmem: tick') == (STALE, 'the node is inactive'))
    change(3)
    client.wait(lambda: level(arrays[-1], 'robotmem: tick')[0] == OK)
    client.wait(lambda: 'no-model' in level(arrays[-1], 'robotmem: model')[1])
    change(4), change(2)
    client.wait(lambda: level(arrays[-1], 'robotmem: database') == (STALE, 'closed'))
    assert all(array.header.stamp.sec > 0 for array in arrays)


def test_a_file_that_cannot_be_opened_is_told_for_as_long_as_it_is_so(world: Any, tmp_path: Path) -> None:
    (tmp_path / 'notes.db').write_text('no database at all, but a text that somebody keeps here')
    world.start(db_path=str(tmp_path / 'notes.db'), diagnostics__period_s=0.1)
    client = world.client()
    arrays = heard(client)
    found = client.wait(lambda: arrays and level(arrays[-1], 'robotmem: database')[0] == ERROR and arrays[-1])
    assert 'notes.db' in level(found, 'robotmem: database')[1]
    assert level(found, 'robotmem: memory')[0] == ERROR


def test_the_period_is_a_parameter(world: Any) -> None:
    world.start(diagnostics__period_s=0.1)
    client = world.client()
    arrays = heard(client)
    client.wait(lambda: len(arrays) >= 6)
    stamps = [array.header.stamp.sec + array.header.stamp.nanosec / 1e9 for array in arrays]
    assert 0.05 < (stamps[-1] - stamps[0]) / (len(stamps) - 1) < 0.8
