"""One drive over the recorded tour: what is learned on the way, and what the memory says unasked."""

import json
import queue
from typing import Any

from geometry_msgs.msg import PoseStamped
from player import Player
from rclpy.qos import DurabilityPolicy, QoSProfile
from recording import Recording, stamp_ns
from report import Report, clock, place
from robot import Robot
from std_msgs.msg import String
from story import POSE_TOPIC, TASK, TASK_TOPIC, Insight

PROGRESS_NS = 500_000_000


class Drive:
    """Plays the tour once inside a session; keeps the ids that were learned and the hits that came."""

    def __init__(self, robot: Robot, recording: Recording, report: Report, name: str, later_ns: int) -> None:
        self._robot, self._recording, self._report = robot, recording, report
        self._name, self._later_ns = name, later_ns
        self._position: PoseStamped | None = None
        self._session_id = ''
        self._waiting: list[Insight] = []
        self.ids: dict[Insight, int] = {}
        self.hits: list[Any] = []
        self.memories_shown: dict[int, int] = {}

    def go(self, player: Player, insights: tuple[Insight, ...] = ()) -> Any:
        """Drive the whole tour, learning ``insights`` where and when they are due; gives EndSession's answer."""
        self._waiting = sorted(insights, key=lambda insight: insight.at_s)
        started = self._robot.call('start_session', context=json.dumps({'task': TASK, 'drive': self._name}))
        self._session_id = started.session_id
        task = self._robot.node.create_publisher(
            String, TASK_TOPIC, QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        )
        task.publish(String(data=TASK))
        player.play(self._later_ns, self._at_step, self._heard)
        self._report.end_progress()
        self._robot.node.destroy_publisher(task)
        return self._robot.call('end_session', session_id=self._session_id, has_outcome_score=True, outcome_score=0.9)

    def _heard(self, topic: str, message: Any) -> None:
        if topic == POSE_TOPIC:
            self._position = PoseStamped(header=message.header, pose=message.pose.pose)

    def _at_step(self, now_ns: int) -> None:
        while self._waiting and now_ns >= self._waiting[0].at_s * 1e9:
            self._learn(self._waiting.pop(0))
        while True:
            try:
                self._show(self._robot.hits.get_nowait())
            except queue.Empty:
                break
        if now_ns % PROGRESS_NS == 0:
            self._report.progress(self._name, now_ns / 1e9, self._recording.duration_ns / 1e9)

    def _learn(self, insight: Insight) -> None:
        # The main program waits for the answer, and simulated time with it: no drive is faster than its memory.
        answer = self._robot.call('learn', session_id=self._session_id, pose=self._position, **insight.request())
        self.ids[insight] = answer.memory_id
        self._report.say(f'{clock(insight.at_s)}  {self._where()}  learns: "{insight.text}"', 2, 6)

    def _show(self, hit: Any) -> None:
        self.hits.append(hit)
        for memory in hit.memories:
            self.memories_shown[memory.id] = self.memories_shown.get(memory.id, 0) + 1
        if not hit.memories:
            return  # recognised, but nothing to say: counted, not printed
        at_s = (stamp_ns(hit.header.stamp) - self._recording.start_ns - self._later_ns) / 1e9
        known = 'for the second time: a scene emerges' if hit.created else f'visit {hit.strength}'
        self._report.say(f'{clock(at_s)}  {self._where()}  recognises {hit.key} ({known}) and is told:', 2, 6)
        for memory in hit.memories:
            self._report.memory(memory, 8)

    def _where(self) -> str:
        position = self._position.pose.position
        return place(position.x, position.y)
