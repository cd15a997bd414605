"""The robot's program: talks to the memory node, and hears what it says unasked.

Nothing here waits inside a callback. Callbacks hand their message over and return; only the main
program, which is no callback, waits for an answer, while an executor spins in the background.
"""

import contextlib
import queue
import threading
import time
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.signals import SignalHandlerOptions
from recording import stamp_ns
from robotmem_ros.msg import MemoryStatus, SceneHit
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String
from story import TASK_TOPIC
from visualization_msgs.msg import MarkerArray

from robotmem_ros import srv

MEMORY = '/robotmem'
SERVICES = {
    'learn': srv.Learn, 'recall': srv.Recall, 'start_session': srv.StartSession, 'end_session': srv.EndSession,
    'list_scenes': srv.ListScenes, 'stats': srv.Stats,
}


class Silent(Exception):
    """The memory node does not answer, or refuses what the demo asks."""


class Robot:
    """A ROS node with clients of the memory node; a context manager."""

    def __init__(self, domain: int) -> None:
        self.context = rclpy.Context()
        rclpy.init(args=[], context=self.context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node('demo_robot', context=self.context, enable_rosout=False)
        self._clients = {name: self.node.create_client(kind, f'{MEMORY}/{name}') for name, kind in SERVICES.items()}
        self.hits: queue.SimpleQueue[SceneHit] = queue.SimpleQueue()
        self.status: MemoryStatus | None = None
        self.markers: list[Any] = []
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.node.create_subscription(SceneHit, f'{MEMORY}/scene_hit', self.hits.put, 50)
        self.node.create_subscription(MemoryStatus, f'{MEMORY}/status', self._keep_status, latched)
        self.node.create_subscription(MarkerArray, f'{MEMORY}/markers', self._keep_markers, latched)
        self._clock = self.node.create_publisher(Clock, '/clock', 10)
        self._task = self.node.create_publisher(String, TASK_TOPIC, latched)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def __enter__(self) -> 'Robot':
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()
        self.context.try_shutdown()
        self._thread.join(5.0)

    def _spin(self) -> None:
        with contextlib.suppress(ExternalShutdownException):  # the regular end
            self._executor.spin()

    def _keep_status(self, status: MemoryStatus) -> None:
        self.status = status

    def _keep_markers(self, array: MarkerArray) -> None:
        self.markers = array.markers

    def sees(self, namespace: str, ids: set[int], timeout_s: float = 20.0) -> bool:
        """Wait until the picture shows these markers; for the main program only."""
        until = time.monotonic() + timeout_s
        while time.monotonic() < until:
            if ids <= {marker.id for marker in self.markers if marker.ns == namespace}:
                return True
            time.sleep(0.05)
        return False

    def publish_clock(self, now_ns: int) -> None:
        """Tell all nodes what time it is, UTC nanoseconds."""
        message = Clock()
        message.clock.sec, message.clock.nanosec = divmod(now_ns, 10**9)
        self._clock.publish(message)

    def call(self, service: str, timeout_s: float = 30.0, **fields: Any) -> Any:
        """Call a service of the memory node and wait for the answer; for the main program only.

        :raises Silent: when there is none, or it is a refusal.
        """
        done = threading.Event()
        request = SERVICES[service].Request(**fields)
        future = self._clients[service].call_async(request)
        future.add_done_callback(lambda _: done.set())
        if not done.wait(timeout_s):
            raise Silent(f'{MEMORY}/{service} did not answer within {timeout_s:g} s')
        answer = future.result()
        if not answer.success:
            raise Silent(f'{MEMORY}/{service} refused: {answer.error}')
        return answer

    def wait_for_memory(self) -> None:
        """Wait until the memory node has had time for what it was sent; for the main program only."""
        self.call('list_scenes', prefix='task:none')

    def knows_the_time(self, now_ns: int) -> bool:
        """Whether the memory node has heard the clock."""
        return self.status is not None and stamp_ns(self.status.stamp) == now_ns

    def publish_task(self, task: str) -> None:
        """Tell all nodes what the robot is about."""
        self._task.publish(String(data=task))

    def is_connected(self) -> bool:
        """Whether every service that the demo calls has been discovered, and the memory node hears the task."""
        return self._task.get_subscription_count() > 0 and all(
            client.service_is_ready() for client in self._clients.values()
        )
