"""One drive over the recorded tour: what is learned on the way, and what the memory says unasked."""

import json
import queue
from typing import Any

from geometry_msgs.msg import PoseStamped
from player import Player
from recording import Recording, stamp_ns
from report import Report
from robot import Robot
from story import POSE_TOPIC, TASK, Insight

PROGRESS_NS = 500_000_000
KEEP_UP_NS = 500_000_000
"""How far simulated time may run ahead of the memory: a slow disk makes the drive slower, not different."""


class Drive:
    """Plays the tour once inside a session; keeps the ids that were learned and the hits that came."""

    def __init__(self, robot: Robot, recording: Recording, report: Report, name: str, later_ns: int) -> None:
        self._robot, self._recording, self._report = robot, recording, report
        self._name, self._later_ns = name, later_ns
        self._track: list[PoseStamped] = []
        self._session_id = ''
        self._waiting: list[Insight] = []
        self.ids: dict[Insight, int] = {}
        self.hits: list[Any] = []
        self.told: set[int] = set()

    def go(self, player: Player, insights: tuple[Insight, ...] = ()) -> Any:
        """Drive the whole tour, learning ``insights`` where and when they are due; gives EndSession's answer."""
        self._waiting = sorted(insights, key=lambda insight: insight.at_s)
        started = self._robot.call('start_session', context=json.dumps({'task': TASK, 'drive': self._name}))
        self._session_id = started.session_id
        self._robot.publish_task(TASK)
        player.play(self._later_ns, self._at_step, self._heard)
        self._report.end_progress()
        return self._robot.call('end_session', session_id=self._session_id, has_outcome_score=True, outcome_score=0.9)

    def _heard(self, topic: str, message: Any) -> None:
        if topic == POSE_TOPIC:
            self._track.append(PoseStamped(header=message.header, pose=message.pose.pose))

    def _at_step(self, now_ns: int) -> None:
        while self._waiting and now_ns >= self._waiting[0].at_s * 1e9:
            self._learn(self._waiting.pop(0))
        if now_ns % KEEP_UP_NS == 0:
            self._robot.wait_for_memory()
        while True:
            try:
                self._show(self._robot.hits.get_nowait())
            except queue.Empty:
                break
        if now_ns % PROGRESS_NS == 0:
            self._report.progress(self._name, now_ns / 1e9, self._recording.duration_ns / 1e9)

    def _learn(self, insight: Insight) -> None:
        # The main program waits for the answer, and simulated time with it: no drive is faster than its memory.
        answer = self._robot.call('learn', session_id=self._session_id, pose=self._track[-1], **insight.request())
        self.ids[insight] = answer.memory_id
        self._report.event(insight.at_s, self._place(self._track[-1]), f'learns "{insight.text}"')

    def _show(self, hit: Any) -> None:
        self.hits.append(hit)
        self.told.update(memory.id for memory in hit.memories)
        if not hit.memories:
            return  # recognised, but nothing to say: counted, not printed
        at_ns = stamp_ns(hit.header.stamp)
        visit = f'visit {hit.strength}, a scene emerges' if hit.created else f'visit {hit.strength}'
        told = [f'"{memory.content}"' for memory in hit.memories]
        self._report.event(
            (at_ns - self._recording.start_ns - self._later_ns) / 1e9, self._place_at(at_ns),
            f'recognises {hit.key} ({visit}) and is told', *told,
        )

    def _place_at(self, at_ns: int) -> tuple[float, float] | None:
        """Where the robot was when the hit was decided: the message itself comes a little later."""
        passed = (pose for pose in reversed(self._track) if stamp_ns(pose.header.stamp) <= at_ns)
        pose = next(passed, None)
        return self._place(pose) if pose is not None else None  # this drive has no pose yet

    @staticmethod
    def _place(pose: PoseStamped) -> tuple[float, float]:
        return pose.pose.position.x, pose.pose.position.y
