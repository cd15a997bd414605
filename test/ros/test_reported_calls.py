"""Reported trouble between a robot's programs and the node: callers that wait, large texts, kills, copies, paths."""

from __future__ import annotations

import shlex
import shutil
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import rclpy
import robotmem_ros.msg as msg
import robotmem_ros.srv as srv
import yaml
from builtin_interfaces.msg import Time
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from robotmem_ros.clock import SystemClock
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest
from robotmem_ros.settings import Settings
from robotmem_ros.store.store import Store

README = (Path(__file__).resolve().parents[2] / 'README.md').read_text('utf-8')
INSIGHT = 'don\'t say "stop" — 停止'
CONTEXT = r'{"params":{"force_n":{"value":12.5}},"tags":["a","b"],"note":"50% \\ path"}'


def fields_of(text: str, request: Any) -> Any:
    """Give a request with the fields of a YAML text, as ``ros2 service call`` makes it."""
    for name, value in yaml.safe_load(text).items():
        setattr(request, name, type(getattr(request, name))(value))
    return request


def test_a_request_in_yaml_arrives_sign_for_sign(shared: Any, tmp_path: Path) -> None:
    """CLI-01: from a YAML file, and JSON inside YAML inside a shell (what the README shows: test_readme_calls.py)."""
    file = tmp_path / 'request.yaml'
    file.write_text(yaml.safe_dump({'insight': INSIGHT, 'context': CONTEXT, 'collection': 'yaml'}, allow_unicode=True))
    from_file = fields_of(file.read_text(), srv.Learn.Request())
    quoted = "{insight: 'don''t say \"stop\" — 停止', context: '" + CONTEXT + "', collection: shell}"
    from_shell = fields_of(shlex.split('ros2 service call /x y ' + shlex.quote(quoted))[-1], srv.Learn.Request())
    for request in (from_file, from_shell):
        assert (request.insight, request.context) == (INSIGHT, CONTEXT)
        assert shared.learn(INSIGHT, context=request.context, collection=request.collection).success
        found = shared.recall('停止', collection=request.collection)
        assert [(m.content, m.context) for m in found.memories] == [(INSIGHT, CONTEXT)]


@pytest.mark.parametrize('n', [0, -1, -2147483648])
def test_not_even_minus_one_is_all(shared: Any, n: int) -> None:
    """CLI-04: what SQL takes for no limit is refused."""
    answer = shared.recall('squeak', n=n)
    assert not answer.success and answer.error.startswith('n: expected') and not answer.memories


def test_a_stamp_that_no_clock_gives(shared: Any) -> None:
    """SQL-11: 2147483647 s and 4294967295 ns, in a filter and in a header; and ids at the ends of int64."""
    odd = Time(sec=2147483647, nanosec=4294967295)
    answer = shared.recall('x', since=odd)
    assert not answer.success and 'since' in answer.error
    seen = msg.Perception(description='a red crate', seq=1)
    seen.header.stamp = odd
    stored = shared.call(srv.SavePerception, 'save_perception', perception=seen)
    assert stored.success or 'stamp' in stored.error
    last = msg.Perception(description='a red crate', seq=2)
    last.header.stamp = Time(sec=2147483647, nanosec=999_999_999)
    assert shared.call(srv.SavePerception, 'save_perception', perception=last).success
    assert shared.recall('red crate').success
    for memory_id in (0, -1, 2**63 - 1, -(2**63)):
        for kind, name, fields in (
            (srv.Forget, 'forget', {'reason': 'x'}), (srv.Update, 'update', {'new_content': 'x'}),
        ):
            refused = shared.call(kind, name, memory_id=memory_id, **fields)
            assert not refused.success and str(memory_id) in refused.error and 'internal' not in refused.error


def test_a_caller_that_waits_inside_its_callback_stops_only_itself(shared: Any) -> None:
    """EXE-05: a synchronous call in a callback of a single-threaded executor; everyone else is answered meanwhile."""
    shared.learn('the ramp is steep', collection='waits')
    caller, executor = rclpy.create_node('caller'), SingleThreadedExecutor()
    # A client is sent the answers to all callers: with the default depth those of others push out its own.
    client = caller.create_client(srv.Recall, f'{shared.target}/recall', qos_profile=QoSProfile(depth=1000))
    entered, left, answers = threading.Event(), threading.Event(), []

    def wrong(_: String) -> None:
        entered.set()
        future = client.call_async(srv.Recall.Request(query='ramp', collection='waits'))
        future.add_done_callback(lambda done: answers.append(done.result().success))
        until = time.monotonic() + 1.0
        while not future.done() and time.monotonic() < until:
            threading.Event().wait(0.01)
        assert not future.done(), 'its own executor would have to take the answer'
        left.set()

    caller.create_subscription(String, '/go', wrong, 10)
    executor.add_node(caller)
    thread = threading.Thread(target=executor.spin, daemon=True)
    thread.start()
    try:
        assert client.wait_for_service(10.0)
        shared.publisher(String, '/go').publish(String(data='go'))
        assert entered.wait(10.0)
        while not left.is_set():
            assert shared.call(srv.Recall, 'recall', query='ramp', collection='waits').memories
            threading.Event().wait(0.02)
        shared.wait(lambda: answers == [True])  # it was answered all the time
    finally:
        executor.shutdown()
        thread.join(5.0)
        caller.destroy_node()


def test_a_listener_that_learns_from_each_of_fifty_hits(world: Any) -> None:
    """EXE-05: the hit's own callback calls learn (with a future); no hit and no answer is lost.

    SCN-08: hits that carry nothing are counted in the status; once something is learned there they carry it.
    """
    world.start(scenes__settle_s=0.02, taps__names=[''])
    client = world.client()
    client.status()
    for place in 'ab':
        assert client.call(srv.DeclareScene, 'declare_scene', key=f'place:{place}').success
    answers: list[Any] = []

    def learn(hit: msg.SceneHit) -> None:
        number = len(client.hits)
        client.future(srv.Learn, 'learn', insight=f'visit {number} to shelf {number}').add_done_callback(
            lambda done: answers.append(done.result()))

    publisher = client.publisher(msg.Perception, 'perception')

    def enter(number: int) -> None:
        told = len(client.hits)
        here = msg.SituationFeature(kind='place', value='ab'[number % 2])
        publisher.publish(msg.Perception(source='test', features=[here]))
        client.wait(lambda: len(client.hits) > told, 10.0)

    enter(0)
    enter(1)
    assert client.status(lambda s: s.empty_scene_hits == 2)
    client.future(srv.Learn, 'learn', insight='warm up')  # its client exists before a callback asks for it
    client.node.create_subscription(msg.SceneHit, f'{client.target}/scene_hit', learn, 60)
    client.wait(lambda: client.node.count_subscribers(f'{client.target}/scene_hit') >= 2)
    for number in range(2, 54):
        enter(number)
    client.wait(lambda: len(answers) >= 50)
    assert all(answer.success for answer in answers)
    assert client.hits[-1].memory_count > 0 and client.hits[-1].memories
    assert client.status(lambda s: s.scene_hits == 54).empty_scene_hits == 2 + client_empties(client.hits[2:])


def client_empties(hits: list[msg.SceneHit]) -> int:
    return sum(not hit.memories for hit in hits)


def test_a_publisher_that_is_not_heard_is_named_once(world: Any) -> None:
    """QOS-02: within five seconds, with topic, policy and the publisher's node; the status counts it."""
    process = world.start(perception__reliability='reliable')
    client = world.client()
    client.status()
    publisher = client.publisher(
        msg.Perception, 'perception', QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT), matched=False)
    for _ in range(10):
        publisher.publish(msg.Perception(description='seen in passing'))
        threading.Event().wait(0.1)
    assert client.status(lambda s: s.incompatible_qos >= 1).perceptions_stored == 0
    client.wait(lambda: 'gives less reliability' in process.log, 5.0)
    lines = [line for line in process.log.splitlines() if 'reliability' in line and 'WARN' in line]
    assert len(lines) == 1, process.log
    assert '/robotmem/perception' in lines[0] and client.node.get_name() in lines[0]


def test_the_latch_alone_tells_a_late_listener(world: Any) -> None:
    """QOS-04: no periodic status for an hour: a latched listener has the real state at once, a volatile one nothing."""
    world.start(status__period_s=3600.0)
    first = world.client()
    first.status()
    heard: list[Any] = []
    late = world.client()
    status = late.status()
    assert (status.ready, status.embed_backend, status.mode) == (True, 'none', 'bm25_only')
    late.node.create_subscription(msg.MemoryStatus, '/robotmem/status', heard.append, 10)
    threading.Event().wait(1.0)
    assert heard == []


def test_a_copy_by_the_node_has_all_that_was_learned(world: Any, tmp_path: Path) -> None:
    """SQL-09: by the service that the README names, while the node runs; opened elsewhere, without a -wal."""
    process = world.start()
    client = world.client()
    client.status()
    for number in range(20):
        assert client.learn(f'shelf {number} carries {number * 11} kg').success
    made = client.call(srv.Backup, 'backup', path=str(process.folder / 'copy.db'))
    assert made.success, made.error
    elsewhere = shutil.copy(made.path, tmp_path / 'elsewhere.db')
    with sqlite3.connect(elsewhere) as copy:
        assert copy.execute('PRAGMA integrity_check').fetchone() == ('ok',)
        assert copy.execute('SELECT count(*) FROM memory').fetchone() == (20,)
    copy.close()
    assert '`~/backup`' in README and 'never `cp`' in README


def test_a_path_with_a_tilde_blanks_and_chinese(world: Any) -> None:
    """SQL-12: the folder is made under the home; no folder is named '~'."""
    process = world.start(db_path='~/robot mem/日志/m.db')
    world.client().status()
    assert (process.folder / 'robot mem' / '日志' / 'm.db').is_file()
    assert not (process.folder / '~').exists()


@pytest.mark.parametrize('path', ['/proc/x.db', '.', 'file:m.db?mode=ro', ':memory:', ':memory:x'])
def test_a_path_that_is_no_file_is_said_at_the_start(world: Any, path: str) -> None:
    """SQL-12: not ready, or ended, with one sentence that names the path."""
    process = world.start(db_path=path)
    client = world.client()
    named = str(process.folder) if path == '.' else path
    status = client.status(lambda s: named in s.reason)
    assert status.state == 'unconfigured' and 'Traceback' not in process.log
    assert not any(status.ready for status in client.statuses)
    assert named in client.learn('nothing can be kept').error
    assert not list(process.folder.glob('*memory:*')) and not list(process.folder.glob('file*'))


def test_a_session_goes_on_after_a_kill(world: Any) -> None:
    """SES-02: kill -9 between the fourth and the fifth fact."""
    process = world.start()
    client = world.client()
    client.status()
    session = client.call(srv.StartSession, 'start_session', context='{"task": "patrol"}').session_id
    for number in range(4):
        assert client.learn(f'note{number} on door{number}', session_id=session).success
    process.kill()
    again = world.start('second', db_path=str(process.database))
    client = world.client('/second')
    client.status()
    assert client.learn('note4 on door4', session_id=session).success
    ended = client.call(srv.EndSession, 'end_session', session_id=session)
    assert ended.success and '"facts": 5' in ended.summary_json
    assert again.stop() == 0


def test_a_perception_of_no_or_another_session_is_counted(shared: Any) -> None:
    """SES-03: on the topic: refused, counted, and nothing of it is stored."""
    session = shared.call(srv.StartSession, 'start_session', collection='a').session_id
    before = shared.status().perceptions_refused
    publisher = shared.publisher(msg.Perception, 'perception')
    for fields in ({'session_id': 'made-up'}, {'session_id': session, 'collection': 'b'}):
        publisher.publish(msg.Perception(description='seen in no session', source='camera', **fields))
    shared.status(lambda s: s.perceptions_refused == before + 2)
    for collection in ('', 'a', 'b'):
        assert not shared.recall('seen session', collection=collection, type='perception').memories


def resident_mb(process: Any) -> float:
    """Without mapped file pages, as contract 10 counts: those of a file of 100 MB can be given back."""
    lines = Path(f'/proc/{process.process.pid}/status').read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith('RssAnon')) / 1024


def test_large_strings_are_refused_and_large_answers_bounded(world: Any, tmp_path: Path) -> None:
    """PAY-02, PAY-01: 1 and 20 MB to learn, 5 MB of data at 10 Hz, 2 000 levels, n = 100 over contexts of 1 MB each."""
    path = tmp_path / 'large.db'
    engine = Engine(Store.open(str(path)), SystemClock(), lambda: None, Settings())
    blob = '{"blob": "%s"}' % ('x' * 1_000_000)
    for number in range(100):
        engine.learn(LearnRequest(f'crate{number} holds part{number * 7}', context=blob))
    engine.close()
    process = world.start(db_path=str(path))
    client = world.client()
    client.status()
    for size in (1_000_000, 20_000_000):
        refused = client.learn('y' * size)
        assert not refused.success and '64 KiB' in refused.error
    publisher = client.publisher(msg.Perception, 'perception', 10)
    deep = '{"a":' * 2000 + '1' + '}' * 2000
    for number, data in enumerate([deep, *['"%s"' % ('z' * 5_000_000)] * 20]):
        publisher.publish(msg.Perception(source='camera', seq=number, description='a cloud', data=data))
        threading.Event().wait(0.1)
    client.status(lambda s: s.perceptions_refused + s.perceptions_dropped >= 21)
    assert 'nested' in process.log or '64 levels' in process.log
    found = client.call(srv.Recall, 'recall', query='crate', n=100)
    assert found.success and 'left out' in found.warning
    assert len(found.memories) == 100 and sum(bool(m.context) for m in found.memories) < 10
    assert client.learn('the next call is fine').success
    assert resident_mb(process) < 500
