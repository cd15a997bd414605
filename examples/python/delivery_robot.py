"""
A robot's own node with a memory, to start yours from.

It learns something at a pose, asks what is known before each task, is told unasked when a task comes back that it
knows, and ends its session, also on Ctrl-C. With `make run` in one terminal, in another:

    .venv/bin/python examples/python/delivery_robot.py
"""

from __future__ import annotations

import signal
from typing import Any

import rclpy
from geometry_msgs.msg import PoseStamped
from memory_client import MemoryClient
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.task import Future
from robotmem_ros.msg import Perception, SceneHit, SituationFeature
from robotmem_ros.srv import EndSession, Learn, Recall, StartSession

TASK_S = 2.0
TASKS = {'deliver_parcel': (3.2, 1.0), 'charge': (0.4, 0.2)}
"""What this robot does, and where on its map (metres)."""
ROUND = ('deliver_parcel', 'charge', 'deliver_parcel', 'charge')
LESSON = 'The parcel shelf stands 0.4 m further left than on the map'


class DeliveryRobot(Node):
    """Drives one round; ``finished`` is done when its session has ended."""

    def __init__(self) -> None:
        super().__init__('delivery_robot')
        memory = self.declare_parameter('memory', '/robotmem').value
        self.memory = MemoryClient(self, memory)
        self.finished = Future()
        self.is_asked_to_leave = False
        self._session, self._is_waiting = '', False
        self._tasks = list(ROUND)
        self._perceptions = self.create_publisher(Perception, f'{memory}/perception', 10)
        self.create_subscription(SceneHit, f'{memory}/scene_hit', self._on_scene_hit, 10)
        self.create_timer(0.2, self._look)
        self._task_timer = self.create_timer(TASK_S, self._next_task, autostart=False)

    def _look(self) -> None:
        if self.is_asked_to_leave:
            self._end()
        elif not self._session and not self._is_waiting and self.memory.is_there():
            self._is_waiting = True
            self.memory.ask(StartSession.Request(context='{"shift": "parcels"}'), self._on_session)

    def _on_session(self, answer: Any) -> None:
        self._is_waiting = False
        if answer is not None:  # else the next look tries again
            self._session = answer.session_id
            self.get_logger().info(f'session {self._session}; {answer.active_memories_count} memories')
            self._task_timer.reset()

    def _next_task(self) -> None:
        if not self._tasks:
            self._end()
            return
        task = self._tasks.pop(0)
        # What holds now. Two of these visits make a scene, which brings back what was learned in it.
        features = [SituationFeature(kind='task', value=task)]
        self._perceptions.publish(Perception(source=self.get_name(), features=features))
        question = Recall.Request(query=task.replace('_', ' '), n=3, near=pose_at(*TASKS[task]))
        question.context_session = self._session  # what it recalled lately attracts what belongs to it
        self.memory.ask(question, lambda answer: self._on_recalled(task, answer))

    def _on_recalled(self, task: str, answer: Any) -> None:
        known = [memory.content for memory in answer.memories] if answer else []
        self.get_logger().info(f'before {task} I know: {"; ".join(known) or "nothing"}')
        if task == 'deliver_parcel':
            # Again and again the same: it becomes one more occurrence of the one memory.
            learned = Learn.Request(insight=LESSON, category='observation', session_id=self._session,
                                    context='{"task": "deliver_parcel"}', pose=pose_at(*TASKS[task]))
            self.memory.ask(learned, self._on_learned)

    def _on_learned(self, answer: Any) -> None:
        if answer is not None:
            self.get_logger().info(f'learned: {answer.status}, memory {answer.memory_id}')

    def _on_scene_hit(self, hit: SceneHit) -> None:
        told = '; '.join(memory.content for memory in hit.memories) or 'nothing yet'
        self.get_logger().info(f'unasked, visit {hit.strength} to {hit.key}: {told}')

    def _end(self) -> None:
        self._task_timer.cancel()
        if self._is_waiting:
            return  # for the session, or for its end
        if not self._session:
            self._on_ended(None)
        else:
            self._is_waiting = True
            ended = EndSession.Request(session_id=self._session, has_outcome_score=True, outcome_score=1.0)
            self.memory.ask(ended, self._on_ended)

    def _on_ended(self, answer: Any) -> None:
        if answer is not None:
            self.get_logger().info(f'session ended; what matters next: {len(answer.related_memories)} memories')
        if not self.finished.done():
            self.finished.set_result(True)


def pose_at(x: float, y: float) -> PoseStamped:
    """Give a pose on the map, metres."""
    pose = PoseStamped()
    pose.header.frame_id = 'map'
    pose.pose.position.x, pose.pose.position.y, pose.pose.orientation.w = x, y, 1.0
    return pose


def main() -> None:
    """Run one round."""
    # With rclpy's own handlers, nothing could be sent any more after Ctrl-C: the session would stay open.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    robot = DeliveryRobot()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: setattr(robot, 'is_asked_to_leave', True))
    rclpy.spin_until_future_complete(robot, robot.finished)
    robot.destroy_node()
    rclpy.shutdown()


if __name__ == '__main__':
    main()
