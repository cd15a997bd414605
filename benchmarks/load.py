"""`python -m benchmarks.load`: how slow services become beside much else, and how many perceptions a second are stored.

Through the node: eight callers, each with one recall a second and a learn every four, 200 perceptions a second from a
process of their own, and a tick every second; against one caller alone. What counts is the ratio of the two p95.
Perceptions are counted in the engine, in batches as the node makes them, each commit durable.
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks import one_thread  # noqa: F401  before numpy is loaded
from benchmarks.corpus import facts, news, questions
from benchmarks.filling import fill
from benchmarks.measure import Times
from demo.node_process import free_domain
from robotmem_ros.clock import SystemClock
from robotmem_ros.embed.loading import load
from robotmem_ros.engine import Engine
from robotmem_ros.model import PerceptionInput
from robotmem_ros.settings import Settings
from robotmem_ros.store.store import Store

CALLERS, RECALL_EVERY_S, LEARN_EACH = 8, 1.0, 4
PERCEPTIONS_HZ = 200.0
BATCH, BATCHES = 100, 50
READY_S = 60.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--memories', type=int, default=10_000, help='in the file')
    parser.add_argument('--seconds', type=float, default=30.0, help='of each of the two measurements')
    parser.add_argument('--send', action='store_true', help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.send:
        send_perceptions()
        return
    os.environ |= {'ROS_DOMAIN_ID': str(free_domain()), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    with tempfile.TemporaryDirectory() as name:
        print(f'  {"perceptions stored a second":34} {stored_per_second(Path(name)):10.0f}')
        path = str(Path(name) / 'memory.db')
        store = Store.open(path)
        fill(store, load(cache_size=0), facts(), options.memories, time.time_ns())
        store.close()
        quiet, loaded = recall_times(path, options.seconds)
    for which, times in (('quiet', quiet), ('loaded', loaded)):
        print(f'  {f"recall {which} p50, p95 ms":34} {times.p50:10.2f} {times.p95:10.2f}   {len(times.ms)} calls')
    print(f'  {"recall loaded over quiet, p95":34} {loaded.p95 / quiet.p95:10.2f}')


def stored_per_second(folder: Path) -> float:
    """Store perceptions with features, a batch at a time."""
    store = Store.open(str(folder / 'perceptions.db'))
    engine = Engine(store, SystemClock(), lambda: None, Settings())
    begun = time.perf_counter()
    for first in range(0, BATCH * BATCHES, BATCH):
        results = engine.save_perceptions([perceived(first + i) for i in range(BATCH)])
        assert all(isinstance(each, int) for each in results)
    took_s = time.perf_counter() - begun
    engine.close()
    return BATCH * BATCHES / took_s


def perceived(number: int) -> PerceptionInput:
    """Give one of many that a camera sees."""
    return PerceptionInput(
        description=f'crate {number} goes by', source='camera', seq=number + 1, stamp_ns=1_700_000_000_000_000_000,
        features=(('place', f'p{number // 500}'), ('object', f'o{number % 9}')))


def recall_times(path: str, seconds: float) -> tuple[Times, Times]:
    """Time recalls of one caller alone, then of eight beside everything else."""
    with processes(path) as begin_to_send, Callers() as callers:
        quiet = callers.call(1, seconds)
        begin_to_send()
        return quiet, callers.call(CALLERS, seconds)


@contextmanager
def processes(path: str) -> Iterator[Callable[[], None]]:
    """Run the node, and give what starts the sender of perceptions."""
    node = str(Path(sys.prefix) / 'bin' / 'memory_node')
    ros = ['--ros-args', '--log-level', 'warn', '-p', f'db_path:={path}', '-p', 'tick.period_s:=1.0']
    running = subprocess.Popen([node, *ros], start_new_session=True)
    senders: list[subprocess.Popen[bytes]] = []

    def begin_to_send() -> None:
        senders.append(subprocess.Popen([sys.executable, '-m', 'benchmarks.load', '--send']))
        time.sleep(3.0)  # until it sends

    try:
        yield begin_to_send
    finally:
        for sender in senders:
            sender.kill()
            sender.wait()
        running.send_signal(signal.SIGINT)
        running.wait(timeout=20)


class Callers:
    """A client of the node that is spun in the background, and is called from several threads."""

    def __enter__(self) -> Callers:
        import rclpy
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.qos import DurabilityPolicy, QoSProfile
        from robotmem_ros.msg import MemoryStatus
        from robotmem_ros.srv import Learn, Recall

        rclpy.init()
        self._recall_request, self._learn_request = Recall.Request, Learn.Request
        self._texts, self._asked = iter(news(5000, seed=1)), itertools.cycle(questions(200))
        node, ready = rclpy.create_node('bench_callers'), threading.Event()
        self._recall = node.create_client(Recall, '/robotmem/recall', qos_profile=QoSProfile(depth=100))
        self._learn = node.create_client(Learn, '/robotmem/learn', qos_profile=QoSProfile(depth=100))
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(MemoryStatus, '/robotmem/status', lambda s: s.ready and ready.set(), latched)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(node)
        self._spinner = threading.Thread(target=self._executor.spin, daemon=True)
        self._spinner.start()
        if not (ready.wait(READY_S) and self._recall.wait_for_service(READY_S)):
            raise RuntimeError(f'the node was not ready within {READY_S:.0f} s')
        return self

    def __exit__(self, *_: object) -> None:
        import rclpy

        self._executor.shutdown()
        self._spinner.join()
        rclpy.shutdown()

    def call(self, callers: int, seconds: float) -> Times:
        """Recall, and learn in between, from several threads that begin one after another; times of the recalls."""
        took_ms: list[float] = []
        threads = [
            threading.Thread(target=self._go_on, args=(i * RECALL_EVERY_S / callers, callers, seconds, took_ms))
            for i in range(callers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return Times(tuple(sorted(took_ms)))

    def _go_on(self, first_s: float, callers: int, seconds: float, took_ms: list[float]) -> None:
        every_s = RECALL_EVERY_S * callers / CALLERS  # one alone asks as often as all of them
        begun = time.perf_counter() + first_s
        for turn in range(int(seconds / every_s)):
            time.sleep(max(0.0, begun + turn * every_s - time.perf_counter()))
            asked = time.perf_counter()
            self._answer(self._recall, self._recall_request(query=next(self._asked)))
            took_ms.append((time.perf_counter() - asked) * 1e3)
            if turn % LEARN_EACH == 0 and callers > 1:
                self._answer(self._learn, self._learn_request(insight=next(self._texts)))

    @staticmethod
    def _answer(client: Any, request: Any) -> None:
        done = threading.Event()
        future = client.call_async(request)
        future.add_done_callback(lambda _: done.set())
        if not done.wait(30.0) or not future.result().success:
            raise RuntimeError(f'{client.srv_name}: {future.result().error if future.done() else "no answer"}')


def send_perceptions() -> None:
    """Send perceptions until this process is ended."""
    import rclpy
    from rclpy.qos import QoSProfile
    from robotmem_ros.msg import Perception, SituationFeature

    rclpy.init()
    publisher = rclpy.create_node('bench_camera').create_publisher(
        Perception, '/robotmem/perception', QoSProfile(depth=1000))
    begun = time.monotonic()
    for number in itertools.count():
        seen = perceived(number)
        features = [SituationFeature(kind=kind, value=value) for kind, value in seen.features]
        publisher.publish(Perception(
            seq=seen.seq, source=seen.source, description=seen.description, features=features))
        time.sleep(max(0.0, begun + number / PERCEPTIONS_HZ - time.monotonic()))


if __name__ == '__main__':
    main()
