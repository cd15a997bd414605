"""Perceptions from the topic: stored in batches, losses counted, bad ones refused one by one."""

from __future__ import annotations

import resource
from typing import Any

import pytest
import robotmem_ros.msg as msg
import robotmem_ros.srv as srv
from rclpy.qos import QoSProfile, ReliabilityPolicy

from robotmem_ros.ros.perception import PerceptionIntake


class Recorder:
    """An engine that keeps what it is given."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def save_perceptions(self, batch: Any) -> list[int]:
        self.batches.append(len(batch))
        return list(range(1, len(batch) + 1))


def test_one_bad_perception_does_not_end_the_others(world: Any) -> None:
    """EXE-03: of five, two are malformed: three are stored, two refused and named once each, the node goes on."""
    process = world.start()
    client = world.client()
    client.status()
    publisher = client.publisher(msg.Perception, 'perception')
    for seq, fields in enumerate((
        {'description': 'a red crate'}, {'description': 'a blue crate', 'data': '{not json'},
        {'description': 'a green crate'},
        {'description': 'ab'}, {'description': 'a grey crate'},
    ), start=1):
        publisher.publish(msg.Perception(seq=seq, source='camera', **fields))
    status = client.status(lambda s: s.perceptions_stored == 3 and s.perceptions_refused == 2)
    assert status.ready and status.perceptions_dropped == 0
    lines = [line for line in process.log.splitlines() if 'refused seq' in line]
    assert len(lines) == 2
    for line, seq, field in zip(lines, (2, 4), ('data', 'description')):
        assert '/robotmem/perception' in line and f'seq {seq} ' in line and f'{field}: expected' in line
    for seq in range(100, 150):
        publisher.publish(msg.Perception(seq=seq, source='lidar', description='ab'))
    client.status(lambda s: s.perceptions_refused == 52)
    assert process.log.count('refused seq') == 2


def test_gaps_and_overflow_are_counted() -> None:
    """QOS-03 in small: what the queue drops and what seq says is missing, per source; a restart is no loss."""
    intake, engine = PerceptionIntake(3, 2, lambda *_: None), Recorder()
    for source, seq in (('a', 1), ('b', 7), ('a', 2), ('a', 5), ('b', 8), ('b', 1), ('a', 0)):
        intake.offer(msg.Perception(source=source, seq=seq, description='a crate'))
    assert intake.dropped == 2 + 4
    assert [intake.store(engine) for _ in range(3)] == [1, 0, 0]
    assert engine.batches == [2, 1] and intake.stored == 3


def test_a_feature_that_is_left_out_is_named_once(world: Any) -> None:
    """SCN-11: the rest of its perception is taken, so that nothing but the log and /diagnostics can say so."""
    process = world.start()
    client = world.client()
    client.status()
    publisher = client.publisher(msg.Perception, 'perception')
    features = [msg.SituationFeature(kind='place', value='dock'), msg.SituationFeature(kind='temp', value='nan')]
    for seq in range(1, 21):
        publisher.publish(msg.Perception(seq=seq, source='camera', description='a red crate', features=features))
    client.status(lambda s: s.perceptions_stored == 20)
    client.wait(lambda: 'left out' in process.log)
    line = next(line for line in process.log.splitlines() if 'left out' in line)
    assert "of 'camera': features: expected a text or a finite number;" in line and "got 'temp: nan'" in line
    assert process.log.count('left out') == 1


def test_large_perceptions_do_not_fill_the_memory() -> None:
    """PAY-02: 5 MB of data at a rate that the disk cannot follow: the oldest go."""
    intake = PerceptionIntake(1000, 100, lambda *_: None)
    for seq in range(1, 31):
        intake.offer(msg.Perception(seq=seq, data='x' * 5_000_000, description='a cloud'))
    assert len(intake) == 13 and intake.dropped == 17


def test_a_full_disk_is_reported_and_gets_over(world: Any) -> None:
    """LIF-02: the disk refuses every byte; status and answers say so; once it takes them again, so does the node."""
    process = world.start()
    client = world.client()
    client.status()
    assert client.learn('the disk is healthy').success
    _, hard = resource.prlimit(process.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(process.process.pid, resource.RLIMIT_FSIZE, (0, hard))
    refused = client.learn('this finds no room')
    assert not refused.success and 'memory.db' in refused.error
    failing = client.status(lambda s: not s.ready)
    assert failing.state == 'active' and 'memory.db' in failing.reason
    assert [m.content for m in client.recall('disk healthy').memories] == ['the disk is healthy']
    client.publisher(msg.Perception, 'perception').publish(msg.Perception(description='seen on a full disk'))
    resource.prlimit(process.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
    client.status(lambda s: s.ready and s.perceptions_stored == 1)
    assert client.learn('this finds room again').success


def test_a_file_that_was_removed_is_noticed(world: Any) -> None:
    """LIF-02: what is written to a file without a name is lost; the status says so."""
    process = world.start()
    client = world.client()
    client.status()
    process.database.rename(process.folder / 'elsewhere.db')
    assert 'nothing more is stored' in client.status(lambda s: not s.ready).reason
    (process.folder / 'elsewhere.db').rename(process.database)
    client.status()


@pytest.mark.parametrize('threads', [1, 4])
def test_four_clients_at_once(world: Any, threads: int) -> None:
    """EXE-08: forty learns from four clients, with four threads and with one: all are served."""
    world.start(executor__threads=threads)
    clients = [world.client() for _ in range(4)]
    clients[0].status()
    futures = [
        clients[n % 4].future(srv.Learn, 'learn', insight=f'shelf {n} carries {n * 11} kg of load') for n in range(40)
    ]
    answers = [clients[0].result(future, 10.0) for future in futures]
    assert all(answer.success for answer in answers), [a.error for a in answers if not a.success]
    assert clients[0].call(srv.Stats, 'stats').facts == 40


@pytest.mark.parametrize('reliability', ['auto', 'reliable'])
def test_a_best_effort_publisher_is_heard_or_named(world: Any, reliability: str) -> None:
    """QOS-02: by default it is heard; where reliable is forced, status and log say that it is not."""
    process = world.start(perception__reliability=reliability)
    client = world.client()
    client.status()
    best_effort = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
    publisher = client.publisher(msg.Perception, 'perception', best_effort, matched=False)
    timer = client.node.create_timer(0.1, lambda: publisher.publish(msg.Perception(description='seen in passing')))
    if reliability == 'auto':
        assert client.status(lambda s: s.perceptions_stored > 0).incompatible_qos == 0
    else:
        assert client.status(lambda s: s.incompatible_qos > 0).perceptions_stored == 0
        client.wait(lambda: '/robotmem/perception gives less reliability' in process.log)
    timer.cancel()
