"""What the robot learns on its first drive, and what it is asked at the end.

The times are seconds into the recording; the places follow from where the robot then is. The drive
goes along a corridor, through a door at its end, turns round at a shelf and comes back the same way.
"""

import json
from dataclasses import dataclass, field
from typing import Any

TASK = 'deliver_parcel'
POSE_TOPIC, TASK_TOPIC = '/amcl_pose', '/task/current'


@dataclass(frozen=True)
class Insight:
    """Something that a program on the robot, or a person beside it, has to say about a place."""

    at_s: float
    text: str
    category: str
    context: dict[str, Any] = field(default_factory=dict, compare=False)
    confidence: float = 0.9

    def request(self) -> dict[str, Any]:
        """Fields of Learn.srv that hold what is said here."""
        return {
            'insight': self.text, 'category': self.category, 'confidence': self.confidence,
            'context': json.dumps(self.context, ensure_ascii=False),
        }


WIFI = Insight(7.5, 'Wi-Fi drops out here: hold video uploads back until the corner',
               'observation', {'task': TASK, 'rssi_dbm': -84})
FLOOR = Insight(20.0, 'The floor is slippery after the cleaning: drive at most 0.3 m/s',
                'constraint', {'task': TASK, 'speed_limit_m_s': 0.3})
GLASS = Insight(33.5, 'The lidar does not see the glass wall: keep 0.6 m away from it',
                'gotcha', {'task': TASK, 'sensor': 'lidar', 'clearance_m': 0.6})
DOOR = Insight(42.0, 'The door opens by itself, but slowly: wait three seconds',
               'observation', {'task': TASK, 'wait_s': 3})
SHELF = Insight(51.0, 'Parcels for the second floor go on the upper shelf',
                'observation', {'task': TASK, 'shelf': 'B2'})
COFFEE = Insight(84.0, 'People queue at the coffee machine around noon: ask before passing',
                 'observation', {'task': TASK, 'hours': [11.5, 13.0]}, 0.8)
CHARGER = Insight(94.0, '充电桩在左侧墙边，要倒着慢慢对接', 'observation', {'task': TASK, 'approach': 'reverse'})
INSIGHTS = (WIFI, FLOOR, GLASS, DOOR, SHELF, COFFEE, CHARGER)


@dataclass(frozen=True)
class Question:
    """A recall, what it shows, and the insight that the answer must hold."""

    kind: str
    expected: Insight
    query: str = ''
    near: tuple[float, float] | None = None
    radius_m: float = 0.0
    needs_model: bool = False


QUESTIONS = (
    Question('by words', FLOOR, query='slippery floor'),
    Question('by meaning, in other words', FLOOR, query='where could the wheels lose their grip?', needs_model=True),
    Question('by place', DOOR, near=(18.7, 8.3), radius_m=1.5),
    Question('by words and place', GLASS, query='keep a distance', near=(16.0, 7.0), radius_m=3.0),
    Question('in Chinese (to charge)', CHARGER, query='充电'),
)
