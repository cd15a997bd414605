"""A real node in a process of its own, and a client of it whose executor runs in the background."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / 'programs'
READY_S = 30.0
"""How long a test waits for what must come; what comes ends the wait, so a slow machine is given its time."""

rclpy = pytest.importorskip('rclpy', reason='ROS 2 is not installed')

from rclpy.event_handler import PublisherEventCallbacks  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy  # noqa: E402

ANSWERS = QoSProfile(depth=100, reliability=ReliabilityPolicy.RELIABLE)
"""Every client of a service is sent the answers to all of them: with the default depth of 10 they push out its own."""
LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.fixture(scope='session')
def ros(ros_domain: int) -> Iterator[None]:
    """ROS for this session of tests alone: a domain of its own, on this machine only."""
    os.environ.update(ROS_DOMAIN_ID=str(ros_domain), ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST')
    rclpy.init()
    yield
    rclpy.try_shutdown()


class NodeProcess:
    """``memory_node`` as a process, with its home, its database and its log under ``folder``."""

    def __init__(
        self, folder: Path, parameters: dict[str, Any], name: str, namespace: str, remaps: tuple[str, ...]
    ) -> None:
        self.folder = folder
        self.database = folder / 'memory.db'
        values = {
            'db_path': str(self.database), 'embed.model_path': str(folder / 'no-model'), 'status.period_s': 0.2,
            **parameters,
        }
        base, program = values.pop('params_file', None), values.pop('program', None)
        values = {key: value for key, value in values.items() if value is not None}
        params_file = folder / 'parameters.yaml'
        params_file.write_text(yaml.safe_dump({'/**': {'ros__parameters': values}}))
        program = [str(PROGRAMS / program)] if program else ['-m', 'robotmem_ros.ros.main']
        command = [sys.executable, *program, '--ros-args']
        for file in filter(None, (base, params_file)):
            command += ['--params-file', str(file)]
        for remap in (f'__node:={name}', f'__ns:={namespace or "/"}', *remaps):
            command += ['-r', remap]
        self._log = (folder / 'stderr.txt').open('a')
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment(folder), stdout=self._log, stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    @property
    def resident_mb(self) -> float:
        """Memory of its own that it holds, mebibytes."""
        lines = Path(f'/proc/{self.process.pid}/status').read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith('RssAnon')) / 1024

    @property
    def log(self) -> str:
        """All that the node has printed."""
        return (self.folder / 'stderr.txt').read_text()

    def send(self, number: int = signal.SIGINT) -> None:
        """Send a signal."""
        self.process.send_signal(number)

    def stop(self, number: int = signal.SIGINT, timeout_s: float = 10.0) -> int:
        """Stop it by a signal and give its exit status."""
        if self.process.poll() is None:
            self.send(number)
        try:
            return self.process.wait(timeout_s)
        finally:
            self.kill()

    def kill(self) -> None:
        """End it whatever it does."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._log.close()


def environment(folder: Path) -> dict[str, str]:
    """Give the environment of a node: its home under ``folder``, the source tree first on the path."""
    path = os.pathsep.join(p for p in (str(ROOT), os.environ.get('PYTHONPATH', '')) if p)
    homes = {'HOME': str(folder), 'ROS_HOME': str(folder / 'ros')}
    return {**os.environ, **homes, 'PYTHONPATH': path, 'PYTHONUNBUFFERED': '1'}


class Client:
    """A node that calls another one; its executor spins in a thread, so that any test can just wait."""

    def __init__(self, target: str) -> None:
        self.target = target.rstrip('/')
        self.node = rclpy.create_node(f'client_{threading.get_ident()}_{time.monotonic_ns()}')
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._clients: dict[str, Any] = {}
        self.statuses: list[Any] = []
        self.hits: list[Any] = []
        self._arrived = threading.Condition()
        from robotmem_ros.msg import MemoryStatus, SceneHit

        self.node.create_subscription(MemoryStatus, f'{self.target}/status', self._keeper(self.statuses), LATCHED)
        self.node.create_subscription(SceneHit, f'{self.target}/scene_hit', self._keeper(self.hits), 10)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def _keeper(self, kept: list[Any]) -> Callable[[Any], None]:
        def keep(message: Any) -> None:
            with self._arrived:
                kept.append(message)
                self._arrived.notify_all()
        return keep

    def wait(self, what: Callable[[], Any], timeout_s: float = READY_S) -> Any:
        """Wait until ``what()`` is true after a message has come, and give it."""
        until = time.monotonic() + timeout_s
        while not (found := what()):
            left = until - time.monotonic()
            assert left > 0.0, f'not within {timeout_s} s; last status: {self.statuses[-1:]}'
            with self._arrived:
                self._arrived.wait(min(left, 0.05))
        return found

    def status(self, fits: Callable[[Any], bool] = lambda status: status.ready, timeout_s: float = READY_S) -> Any:
        """Wait for a status that fits, and give it."""
        return self.wait(lambda: self.statuses[-1] if self.statuses and fits(self.statuses[-1]) else None, timeout_s)

    def future(self, kind: Any, name: str, **fields: Any) -> Any:
        """Send a request and give its future."""
        request = kind.Request()
        for field, value in fields.items():
            setattr(request, field, value)
        full = name if name.startswith('/') else f'{self.target}/{name}'
        if full not in self._clients:
            self._clients[full] = self.node.create_client(kind, full, qos_profile=ANSWERS)
        assert self._clients[full].wait_for_service(READY_S), f'no service {full}'
        return self._clients[full].call_async(request)

    def call(self, kind: Any, name: str, timeout_s: float = READY_S, **fields: Any) -> Any:
        """Call a service and give its response."""
        return self.result(self.future(kind, name, **fields), timeout_s, name)

    @staticmethod
    def result(future: Any, timeout_s: float = READY_S, name: str = '') -> Any:
        """Wait for a future and give its response."""
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        assert done.wait(timeout_s), f'no answer from {name} within {timeout_s} s'
        return future.result()

    def learn(self, insight: str, **fields: Any) -> Any:
        """Call ``learn``."""
        from robotmem_ros.srv import Learn

        return self.call(Learn, 'learn', insight=insight, **fields)

    def recall(self, query: str = '', **fields: Any) -> Any:
        """Call ``recall``."""
        from robotmem_ros.srv import Recall

        return self.call(Recall, 'recall', query=query, **fields)

    def seconds_of_calls(self, go_on: Callable[[], bool]) -> list[float]:
        """Learn and recall as long as ``go_on`` says; gives how long each call took, seconds, the slowest last."""
        took: list[float] = []
        while go_on():
            number = len(took)
            begun = time.monotonic()
            assert self.learn(f'shelf {number} holds box {number * 3}').success
            learned = time.monotonic()
            assert self.recall(f'shelf {number}').memories
            took += [learned - begun, time.monotonic() - learned]
            time.sleep(0.05)
        return sorted(took)

    def publisher(self, kind: Any, topic: str, qos: Any = 100, matched: bool = True) -> Any:
        """Give a publisher, by default once a subscription has been found."""
        publisher = self.node.create_publisher(
            kind, topic if topic.startswith('/') else f'{self.target}/{topic}', qos,
            # rclpy's own callback warns through a deprecated function, and a warning ends the spinning thread here.
            event_callbacks=PublisherEventCallbacks(use_default_callbacks=False),
        )
        if matched:
            self.wait(publisher.get_subscription_count)
        return publisher

    def close(self) -> None:
        """End the client."""
        self._executor.shutdown()
        self._thread.join(5.0)
        self.node.destroy_node()


class Camera:
    """A process that sends numbered perceptions: what a test learns of delays is then the node's, not its own."""

    def __init__(self, folder: Path, rate_hz: float, count: int, *options: str) -> None:
        command = [sys.executable, str(PROGRAMS / 'perception_sender.py'), '/robotmem/perception', *options]
        self._said = folder / 'camera.txt'
        with self._said.open('w') as said:
            self.process = subprocess.Popen(
                [*command, '--rate', str(rate_hz), '--count', str(count)], env=environment(folder), stdout=said)

    @property
    def lines(self) -> list[str]:
        """What it has said: that it begins, and how many seconds it took."""
        assert self.process.poll() is None, 'the sender has failed'
        return self._said.read_text().splitlines()


class World:
    """Starts nodes and clients, and at the end stops them and looks at what they left."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.processes: list[NodeProcess] = []
        self._cameras: list[Camera] = []
        self._clients: list[Client] = []

    def start(
        self, name: str = 'robotmem', namespace: str = '', remaps: tuple[str, ...] = (), /, **parameters: Any
    ) -> NodeProcess:
        """Start a node; parameters are written with ``__`` for the dot, ``program`` is one of the folder programs."""
        folder = self._folder / f'node{len(self.processes)}'
        folder.mkdir()
        values = {key.replace('__', '.'): value for key, value in parameters.items()}
        process = NodeProcess(folder, values, name, namespace, remaps)
        self.processes.append(process)
        return process

    def camera(self, rate_hz: float, count: int, *options: str) -> Camera:
        """Have perceptions sent to the first node from now on; ``--rubbish`` makes one in ten bad."""
        self._cameras.append(Camera(self.processes[0].folder, rate_hz, count, *options))
        self._clients[0].wait(lambda: self._cameras[-1].lines, timeout_s=30.0)
        return self._cameras[-1]

    def client(self, target: str = '/robotmem') -> Client:
        """Give a new client."""
        client = Client(target)
        self._clients.append(client)
        return client

    def close(self) -> None:
        """End everything; a node that has not been stopped must stop cleanly now."""
        for client in self._clients:
            client.close()
        for camera in self._cameras:
            camera.process.kill()
            camera.process.wait()
        running = [p for p in self.processes if p.process.poll() is None]
        try:
            for process in running:
                assert process.stop() == 0, process.log
            for process in self.processes:
                assert 'Traceback' not in process.log, process.log
        finally:
            for process in self.processes:
                process.kill()


@pytest.fixture
def world(ros: None, tmp_path: Path) -> Iterator[World]:
    """Nodes and clients of one test."""
    world = World(tmp_path)
    yield world
    world.close()


@pytest.fixture(scope='module')
def shared(ros: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a node, ready in text mode, that the tests of a module share."""
    world = World(tmp_path_factory.mktemp('shared'))
    world.start('shared_memory')
    client = world.client('/shared_memory')
    client.status()
    yield client
    world.close()


class Meddler:
    """An engine that does something else where a test says so, and is the real one otherwise."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine
        self.instead: dict[str, Callable[..., Any]] = {}

    def __getattr__(self, name: str) -> Any:
        return self.instead.get(name) or getattr(self.engine, name)


class InProcess:
    """A node in this process, so that a test can meddle with its engine."""

    def __init__(self, folder: Path, **parameters: Any) -> None:
        from rclpy.parameter import Parameter

        from robotmem_ros.ros.executor import PatientExecutor
        from robotmem_ros.ros.node import MemoryNode

        values = {'db_path': str(folder / 'memory.db'), 'embed.model_path': str(folder / 'no-model')}
        values |= {key.replace('__', '.'): value for key, value in parameters.items()}
        self.node = MemoryNode(
            f'memory_{time.monotonic_ns()}', parameter_overrides=[Parameter(k, value=v) for k, v in values.items()]
        )
        self.name = self.node.get_fully_qualified_name()
        self.executor = PatientExecutor(num_threads=self.node.parameters.values['executor.threads'])
        self.executor.add_node(self.node)
        self._thread = threading.Thread(target=self.executor.spin, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the node, as its process would."""
        self.node.stop()
        self.executor.shutdown(timeout_sec=5.0)
        self._thread.join(5.0)
        self.node.destroy_node()


@pytest.fixture
def inside(ros: None, tmp_path: Path) -> Iterator[Callable[..., InProcess]]:
    """Start nodes in this process, active; parameters are written with ``__`` for the dot."""
    started: list[InProcess] = []

    def start(**parameters: Any) -> InProcess:
        started.append(InProcess(tmp_path, **parameters))
        started[-1].node.start()
        return started[-1]

    yield start
    for node in started:
        node.close()


@pytest.fixture
def meddled(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Meddler, Client, InProcess]]:
    """An active node in this process whose engine can be meddled with, and its client."""
    from robotmem_ros.ros import node as module

    made: list[Meddler] = []
    assemble = module.assemble

    def assemble_meddled(*args: Any) -> Any:
        assembly = assemble(*args)
        made.append(Meddler(assembly.engine))
        return dataclasses.replace(assembly, engine=made[-1])

    monkeypatch.setattr(module, 'assemble', assemble_meddled)
    inside = InProcess(tmp_path)
    inside.node.start()
    yield made[-1], world.client(inside.name), inside
    inside.close()
