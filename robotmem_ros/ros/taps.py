"""Feature taps: any field of any topic becomes a feature of the situation (contract 9)."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robotmem_ros.engine import Engine
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.ros.fields import FieldPath, message_type, pose_of, type_name, value_text


@dataclass(frozen=True)
class Tap:
    """One tap, checked: where to listen, what to take, and what to make of it."""

    name: str
    topic: str
    message: Any
    path: FieldPath
    kind: str
    frame_id: str
    map_id: str
    interval_s: float
    meanings: Mapping[str, str]
    step: float
    ttl_s: float

    @classmethod
    def from_parameters(cls, name: str, values: Mapping[str, Any]) -> Tap:
        """
        Read the parameters ``taps.<name>.*``.

        :raises InvalidRequest: naming the parameter that cannot be used, and why.
        """
        prefix = f'taps.{name}.'
        for needed in ('topic', 'type', 'kind'):
            if not values[prefix + needed].strip():
                raise InvalidRequest(prefix + needed, 'a value', values[prefix + needed])
        message = message_type(values[prefix + 'type'], prefix + 'type')
        path = FieldPath.parse(values[prefix + 'field'], message, prefix + 'field')
        tap = cls(
            name, values[prefix + 'topic'], message, path, values[prefix + 'kind'].strip().lower(),
            values[prefix + 'frame_id'], values[prefix + 'map_id'], 1.0 / values[prefix + 'rate_hz'],
            meanings_of(values[prefix + 'values'], prefix + 'values'), values[prefix + 'step'],
            values[prefix + 'ttl_s'],
        )
        if not path.reaches_into_lists:
            for value in path.values_in(message()):
                tap.check(value)
        return tap

    def check(self, value: Any) -> None:
        """Refuse a value that can feed no feature, or a pose that is to feed another kind than place."""
        if pose_of(value, value, self.frame_id, self.map_id) is None:
            try:
                value_text(value)
            except InvalidRequest as error:
                field, expected = f'taps.{self.name}.field', f'{error.expected} or a pose'
                raise InvalidRequest(field, expected, type_name(value)) from None
        elif self.kind != 'place':
            raise InvalidRequest(f'taps.{self.name}.kind', 'place, which is all that a pose can feed', self.kind)

    def observe(self, engine: Engine, message: Any) -> None:
        """Let one message into the situation; an empty text, or an empty list, withdraws what was said before."""
        found, source = self.path.values_in(message), f'tap:{self.name}'
        pose = pose_of(found[0], message, self.frame_id, self.map_id) if len(found) == 1 else None
        if pose is not None:
            engine.observe_pose(source, pose)
            return
        texts = dict.fromkeys(self.text_of(value) for value in found)
        engine.observe(source, [(self.kind, text) for text in texts if text] or [(self.kind, '')], self.ttl_s)

    def text_of(self, value: Any) -> str:
        """Give what a value of the field means: rounded to ``step``, then put into words."""
        if self.step > 0 and not isinstance(value, (str, bool, bytes)) and math.isfinite(value):
            value = round(float(value) / self.step) * self.step
        text = value_text(value)
        return self.meanings.get(text, text)


def meanings_of(pairs: str, field: str) -> dict[str, str]:
    """
    Read ``1=charging, 2=`` as what 1 and 2 mean; each ``=`` but the first belongs to the meaning.

    :raises InvalidRequest: if a pair has no ``=``, or nothing before it.
    """
    found: dict[str, str] = {}
    for pair in pairs.split(',') if pairs.strip() else ():
        value, sign, meaning = pair.partition('=')
        if not sign or not value.strip():
            raise InvalidRequest(field, 'pairs such as 1=charging, 2=full', pair)
        found[value.strip()] = meaning.strip()
    return found


def usable_taps(
    names: Sequence[str], values: Mapping[str, Any], refused: Mapping[str, InvalidRequest],
    report: Callable[[str], None],
) -> list[Tap]:
    """
    Give the taps that can be used; ``report`` gets one sentence on each of the others.

    :param refused: parameters whose given value could not be taken, and why.
    """
    taps = []
    for name in names:
        try:
            for parameter, error in refused.items():
                if parameter.startswith(f'taps.{name}.'):
                    raise error
            taps.append(Tap.from_parameters(name, values))
        except InvalidRequest as error:
            report(f'feature tap {name!r} is left out: {error}')
    return taps


class TapInbox:
    """
    The newest message of each tap, until the worker takes it.

    Only the newest counts: features describe now. It is kept while the node is inactive too, so
    that a robot that stands still knows where it stands when the node is activated.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: dict[str, tuple[Tap, Any]] = {}
        self._due_s: dict[str, float] = {}

    def put(self, tap: Tap, message: Any) -> None:
        """Replace what waits for this tap."""
        with self._lock:
            self._newest[tap.name] = (tap, message)

    def put_back(self, tap: Tap, message: Any) -> None:
        """Let a message wait again, unless a newer one has come."""
        with self._lock:
            self._newest.setdefault(tap.name, (tap, message))

    def take(self) -> tuple[list[tuple[Tap, Any]], float | None]:
        """Take what is due by the taps' rates; and the seconds until the next one is, or ``None``."""
        now = time.monotonic()
        with self._lock:
            due = [name for name in self._newest if self._due_s.get(name, 0.0) <= now]
            taken = [self._newest.pop(name) for name in due]
            for tap, _ in taken:
                self._due_s[tap.name] = now + tap.interval_s
            waiting = [self._due_s[name] - now for name in self._newest]
        return taken, min(waiting, default=None)
