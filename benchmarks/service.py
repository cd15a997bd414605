"""The same calls over DDS: the real node in its own process, a client that is spun in the background."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import resident_mb, timed
from demo.node_process import free_domain

READY_S = 60.0
READY = 'answers are by words and meaning'
"""What the node's log says once the model is there, too."""


def service_times(db_path: str, asked: list[str], texts: list[str]) -> dict[str, float]:
    """Time recalls and learns through the node's services on an existing file."""
    os.environ |= {'ROS_DOMAIN_ID': str(free_domain()), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    node = subprocess.Popen(_command(db_path, 'warn'), start_new_session=True)
    try:
        return _measured(node, asked, texts)
    finally:
        node.send_signal(signal.SIGINT)
        node.wait(timeout=20)


def starts_s(paths: Sequence[str], times: int) -> list[float]:
    """
    Start the node on each file in turn, several times; give each one's shortest time from process start until ready.

    Ready is with the model loaded, and the log tells, since a client may take seconds to discover a node that is ready.
    """
    os.environ |= {'ROS_DOMAIN_ID': str(free_domain()), 'RCUTILS_LOGGING_BUFFERED_STREAM': '0'}
    rounds = [[_start_s(path) for path in paths] for _ in range(times)]
    return [min(taken) for taken in zip(*rounds, strict=True)]


def _start_s(db_path: str) -> float:
    begun = time.monotonic()
    node = subprocess.Popen(_command(db_path, 'info'), start_new_session=True, stderr=subprocess.PIPE, text=True)
    guard = threading.Timer(READY_S, node.kill)
    guard.start()
    try:
        for line in node.stderr or ():
            if READY in line:
                return time.monotonic() - begun
        raise RuntimeError(f'the node was not ready within {READY_S:.0f} s')
    finally:
        guard.cancel()
        node.send_signal(signal.SIGINT)
        node.communicate(timeout=20)


def _command(db_path: str, log_level: str) -> list[str]:
    program = str(Path(sys.prefix) / 'bin' / 'memory_node')
    return [program, '--ros-args', '--log-level', log_level, '-p', f'db_path:={db_path}']


def _measured(node: subprocess.Popen[bytes], asked: list[str], texts: list[str]) -> dict[str, float]:
    import rclpy
    from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from robotmem_ros.msg import MemoryStatus
    from robotmem_ros.srv import Learn, Recall

    rclpy.init()
    client = rclpy.create_node('bench_client')
    executor = SingleThreadedExecutor()
    executor.add_node(client)
    hybrid = threading.Event()

    def on_status(status: MemoryStatus) -> None:
        if status.ready and status.mode == 'hybrid':
            hybrid.set()

    def spin() -> None:
        try:
            executor.spin()
        except ExternalShutdownException:
            return

    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    client.create_subscription(MemoryStatus, '/robotmem/status', on_status, latched)
    recall, learn = (
        client.create_client(kind, f'/robotmem/{name}') for kind, name in ((Recall, 'recall'), (Learn, 'learn'))
    )
    spinner = threading.Thread(target=spin)
    spinner.start()
    try:
        if not (hybrid.wait(READY_S) and recall.wait_for_service(READY_S) and learn.wait_for_service(READY_S)):
            raise RuntimeError(f'the node was not ready within {READY_S:.0f} s')
        recalls = timed(lambda query: _answer(recall, Recall.Request(query=query, reinforce=False)), asked)
        learns = timed(lambda text: _answer(learn, Learn.Request(insight=text)), texts)
        resident = resident_mb(node.pid)
    finally:
        rclpy.shutdown()
        spinner.join()
    return {
        'service_recall_p50_ms': recalls.p50,
        'service_recall_p95_ms': recalls.p95,
        'service_learn_p50_ms': learns.p50,
        'service_learn_p95_ms': learns.p95,
        'node_resident_mb': resident,
    }


def _answer(client: Any, request: Any) -> Any:
    done = threading.Event()
    future = client.call_async(request)
    future.add_done_callback(lambda _: done.set())
    if not done.wait(30.0):
        raise RuntimeError(f'no answer from {client.srv_name} within 30 s')
    answer = future.result()
    if not answer.success:
        raise RuntimeError(answer.error)
    return answer
