"""What is observable now, and since when: the settling of features before they decide.

A *slot* holds the latest values of one kind from one source, until that source replaces them, withdraws
them or, where they have a time to live, until they expire. Values of dominant kinds count once they stood still for
the settling time; what comes within that time from other sources is waited for, so that sources of
different rates meet. A slot that swings back and forth must stand still for longer with each
swing of the last seconds (hysteresis), so that noise at a border decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from robotmem_ros.core.scene_key import is_dominant, ordered
from robotmem_ros.model import Feature

MAX_SLOTS = 256
MAX_FEATURES = 64
"""Features of one situation; the lightest are left out."""
PATIENCE = 3
"""After so many settling times what has settled decides, even if another slot still moves."""
SWING_MEMORY = 20
"""Settling times for which a swing is remembered."""
MAX_SWINGS = 7
"""A restless slot has to stand still for at most 1 + 7 settling times."""

Values = tuple[Feature, ...]


@dataclass(slots=True)
class Slot:
    """Values of one kind from one source: as they came last (``raw``) and as they count (``settled``)."""

    dominant: bool
    raw: Values = ()
    settled: Values = ()
    since_ns: int = 0
    expires_ns: int | None = None
    swings: list[int] = field(default_factory=list)

    @property
    def is_pending(self) -> bool:
        """Whether something came that does not count yet."""
        return self.raw != self.settled

    def has_expired(self, now_ns: int) -> bool:
        """Whether the values are past their time to live."""
        return self.expires_ns is not None and now_ns >= self.expires_ns


class Situation:
    """The slots of all sources. Not thread-safe; every method takes the time, in nanoseconds.

    :param settle_ns: how long a dominant slot must stand still.
    """

    def __init__(self, settle_ns: int, weights: Mapping[str, float], dominant_weight: float) -> None:
        self.settle_ns, self._weights, self._dominant_weight = settle_ns, weights, dominant_weight
        self._slots: dict[tuple[str, str], Slot] = {}
        self._pending: dict[tuple[str, str], Slot] = {}

    def put(
        self, source: str, kind: str, values: Iterable[Feature], now_ns: int, expires_ns: int | None = None
    ) -> bool:
        """Take the values of a kind from a source, none to withdraw them; say whether anything changed."""
        name, came = (source, kind), tuple(dict.fromkeys(values))
        slot = self._slots.get(name)
        if slot is None:
            if not came:
                return False
            slot = self._new_slot(name)
        slot.expires_ns = expires_ns
        if slot.raw == came:
            return False
        slot.raw = came
        if not slot.dominant:
            slot.settled = came
            self._drop_if_empty(name, slot)
        elif slot.is_pending:
            slot.since_ns = now_ns
            self._pending[name] = slot
        else:
            slot.swings = [*slot.swings[-MAX_SWINGS + 1:], now_ns]
            self._pending.pop(name, None)
        return True

    def hasten(self, source: str, kind: str, progress: float, now_ns: int) -> None:
        """Let a place count now that would be behind the robot before it had settled, as if it had stood still.

        :param progress: share of its radius that the robot has gone in it; it is fast where half a radius would be
            gone within the settling time.
        """
        slot = self._pending.get((source, kind))
        if slot is not None and 2 * progress * self.settle_ns >= now_ns - slot.since_ns:
            slot.since_ns = min(slot.since_ns, now_ns - self.settle_ns)

    def configure(self, settle_ns: int, dominant_weight: float) -> None:
        """Take another settling time, and another border of dominance for slots to come."""
        self.settle_ns, self._dominant_weight = settle_ns, dominant_weight

    def weak_due_ns(self, kind: str, now_ns: int) -> int | None:
        """Give when a change of this kind is worth a look though it does not settle; ``None`` for dominant kinds."""
        is_settling = is_dominant(kind, self._weights, self._dominant_weight)
        return None if is_settling else now_ns + self.settle_ns

    def due_ns(self) -> int | None:
        """Give the time at which `settle` has something to do, ``None`` while nothing is pending."""
        if not self._pending:
            return None
        ready = [self._ready_ns(slot) for slot in self._pending.values()]
        waited = min(slot.since_ns for slot in self._pending.values()) + PATIENCE * self.settle_ns
        return min(max(ready), max(waited, min(ready)))

    def settle(self, now_ns: int) -> bool:
        """Let what stood still long enough count; say whether that changed anything.

        Expired values go with the first change: their expiry alone is not leaving.
        """
        due = self.due_ns()
        if due is None or now_ns < due:
            return False
        for name, slot in list(self._pending.items()):
            if self._ready_ns(slot) <= now_ns:
                slot.settled = slot.raw
                del self._pending[name]
        for name, slot in list(self._slots.items()):
            if slot.has_expired(now_ns) and not slot.is_pending:
                slot.raw = slot.settled = ()
            self._drop_if_empty(name, slot)
        return True

    def features(self, now_ns: int) -> Values:
        """Give what is observable now, settled or not, in the order of a key."""
        slots = self._slots.values()
        return self._bounded(each for slot in slots if not slot.has_expired(now_ns) for each in slot.raw)

    def held(self) -> Values:
        """Give what counts, also past its time to live: what has not been left."""
        return self._bounded(each for slot in self._slots.values() for each in slot.settled)

    def arriving(self, now_ns: int) -> Values:
        """Give what will count if nothing moves any more: the situation to which belongs what is learned now."""
        slots, moving = self._slots.values(), bool(self._pending)
        return self._bounded(each for slot in slots if not (moving and slot.has_expired(now_ns)) for each in slot.raw)

    def rebase(self, then_ns: int, now_ns: int) -> None:
        """Follow a clock that went back from ``then_ns``: settling starts again, the time left to live stays."""
        for slot in self._slots.values():
            slot.since_ns, slot.swings = now_ns, []
            if slot.expires_ns is not None:
                slot.expires_ns += now_ns - then_ns

    def _new_slot(self, name: tuple[str, str]) -> Slot:
        if len(self._slots) >= MAX_SLOTS:
            oldest = next(iter(self._slots))
            del self._slots[oldest]
            self._pending.pop(oldest, None)
        slot = self._slots[name] = Slot(is_dominant(name[1], self._weights, self._dominant_weight))
        return slot

    def _drop_if_empty(self, name: tuple[str, str], slot: Slot) -> None:
        if not slot.raw and not slot.settled:
            self._slots.pop(name, None)

    def _ready_ns(self, slot: Slot) -> int:
        swings = sum(1 for at in slot.swings if slot.since_ns - at <= SWING_MEMORY * self.settle_ns)
        return slot.since_ns + self.settle_ns * (1 + swings)

    def _bounded(self, features: Iterable[Feature]) -> Values:
        return ordered(features, self._weights)[:MAX_FEATURES]
