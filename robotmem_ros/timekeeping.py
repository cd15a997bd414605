"""The engine's sense of time: what the clock says, and what of it makes memories older (``core.timeline``).

Reading never waits: until stamps of a wrong clock have been moved, ages are counted as if the clock had not
stepped yet. Writing finishes the moving first, so that no stamp is made that the moving would miss.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from robotmem_ros.core.timeline import Marks, Reading, Shift, Step, Timeline, observe
from robotmem_ros.ports import Clock
from robotmem_ros.store import clock as stored
from robotmem_ros.store.store import Store
from robotmem_ros.store.tx import Tx

IDS_A_SLICE = 200
UNDATED_A_SLICE = 100
READ_WITHIN_NS = 20_000_000
"""Both clocks are read within this time, or again: a thread that is put aside between them would see a step."""
NEVER_NS = 2**63
KEPT_STEPS = 8
NO_TIME = 'no time is known (use_sim_time, and no /clock yet): nothing ages until it comes'


class Moment(NamedTuple):
    """A moment: ``utc_ns`` for people, ``anchor_ns`` from where the age of something counts that happens now,
    ``now_ns`` to where ages are counted. All 0 while no time is known; nearly always they are the same.
    """

    utc_ns: int
    anchor_ns: int
    now_ns: int


class Timekeeper:
    """Watches the clock and keeps what it learns in the file. Thread-safe; not to be asked inside of a transaction.

    :param step_ns: gives the difference between the clocks from which on it is a step.
    :param report: takes a sentence for the log where the clock did what people should know.
    """

    def __init__(
        self, store: Store, clock: Clock, step_ns: Callable[[], int], report: Callable[[str], None] = lambda _: None
    ) -> None:
        self._store, self._clock, self._step_ns, self._report = store, clock, step_ns, report
        self._lock, self._settling = threading.Lock(), threading.Lock()
        self._moved: list[Shift] = []
        self._steps: deque[Step] = deque(maxlen=KEPT_STEPS)
        self._step_count = 0
        self._undated = 0
        self._is_missed = False
        self._first = Moment(0, 0, 0)
        self._reading = Reading(0, 0)
        with store.read() as tx:
            self._stored = self._timeline = stored.load(tx)
        self.now()

    def now(self) -> Moment:
        """Give the present; never waits."""
        reading = self._look()
        with self._lock:
            return self._moment(reading)

    def stamp(self) -> Moment:
        """Give the present to something that is about to be written, after all older stamps are right."""
        self._look()
        while self._unsettled():
            self.settle()
        return self.now()

    def settle_steps(self) -> bool:
        """Store a step that was seen and move some stamps, in the background; tells whether more is to be moved.

        That the machine was started is not stored before something else is: a robot that only looks writes nothing.
        """
        with self._lock:
            mine, there = self._timeline, self._stored
            is_due = mine is not None and (
                bool(mine.shifts) or mine.skipped_ns != (there.skipped_ns if there else 0)
                or (mine.has_stepped and (there is None or there.boot != mine.boot or not there.has_stepped)))
        return is_due and self.settle(background=True)

    def settle(self, *, background: bool = False) -> bool:
        """Store what was learned of the clock and move some stamps; tells whether more is to be moved."""
        with self._settling:  # two that begin at the same place would move the same stamps twice
            with self._lock:
                mine = self._timeline
            assert mine is not None
            with self._store.write(background=background, durable=False) as tx:
                timeline = _moved_on(tx, mine)
                stored.save(tx, timeline)
            with self._lock:
                self._stored = timeline
                self._timeline, _ = observe(timeline, self._reading, self._marks, self._step_ns())
                return bool(timeline.shifts)

    def date_undated(self) -> bool:
        """Give a date to rows without one, of a simulation whose time had not begun or of a bad row: from now on."""
        moment = self.now()
        if moment.utc_ns <= 0:
            return False
        with self._store.read() as tx:
            if not stored.any_undated(tx):
                return False
        with self._store.write(background=True, durable=False) as tx:
            dated = stored.date(tx, self._first.utc_ns, self._first.anchor_ns, UNDATED_A_SLICE)
        if dated and not self._undated and not self._clock.simulated:
            self._report('rows without a usable date were found: they count from now')
        self._undated += dated
        return True

    def corrected(self, moment: Moment) -> Moment:
        """Give a moment that was taken before a step as it really was."""
        for shift in self._moved:
            utc_ns = shift.corrected(moment.utc_ns)
            moment = Moment(utc_ns, moment.anchor_ns + utc_ns - moment.utc_ns, moment.now_ns)
        return moment

    @property
    def is_moving(self) -> bool:
        """Whether stamps of a wrong clock are still to be moved."""
        with self._lock:
            return self._timeline is not None and bool(self._timeline.shifts)

    @property
    def is_known(self) -> bool:
        """Whether there is a time at all: a simulation has none before its first ``/clock``."""
        return self._clock.now_ns() > 0

    @property
    def step_count(self) -> int:
        """How many steps of the clock were seen since the start."""
        with self._lock:
            return self._step_count

    def notes(self) -> list[str]:
        """Say what a person should know of the clock, one sentence each; nothing while all is well."""
        found = [] if self.is_known else [NO_TIME]
        with self._lock:
            found += map(str, self._steps)
        if self._undated and not self._clock.simulated:
            found.append(f'{self._undated} rows had no usable date: they count from now')
        return found

    def _look(self) -> Reading:
        _, utc_ns, steady_ns = self._read_both()
        reading = Reading(utc_ns, steady_ns, self._clock.simulated, self._clock.boot)
        with self._lock:
            self._reading = reading
            self._timeline, step = observe(self._timeline, reading, self._marks, self._step_ns())
            if step is not None:
                self._note(step)
            if utc_ns > 0 and not self._first.utc_ns:
                self._first = self._moment(reading)
            is_missed, self._is_missed = utc_ns <= 0 and not self._is_missed, utc_ns <= 0
        if step is not None:
            self._report(str(step))
        if is_missed:
            self._report(NO_TIME)
        return reading

    def _read_both(self) -> tuple[int, int, int]:
        """Give how long it took, UTC and the steady clock, of the quickest of at most three times."""
        best = (NEVER_NS, 0, 0)
        for _ in range(3):
            before = self._clock.steady_ns()
            utc_ns, after = self._clock.now_ns(), self._clock.steady_ns()
            best = min(best, (after - before, utc_ns, after))
            if best[0] <= READ_WITHIN_NS:
                break
        return best

    def _note(self, step: Step) -> None:
        self._steps.append(step)
        self._step_count += 1
        if step.is_first and self._timeline is not None:
            self._moved.append(self._timeline.shifts[-1])

    def _moment(self, reading: Reading) -> Moment:
        timeline, utc_ns = self._timeline, reading.utc_ns
        if timeline is None or reading.is_simulated:
            return Moment(utc_ns, utc_ns, utc_ns)
        return Moment(utc_ns, timeline.anchor_ns(utc_ns), timeline.age_now_ns(utc_ns))

    def _unsettled(self) -> bool:
        """Whether there is something to store; that the clock has run on is not."""
        with self._lock:
            mine, there = self._timeline, self._stored
        if mine is None:
            return False
        return there is None or bool(mine.shifts) or _meaning(mine) != _meaning(there)

    def _marks(self) -> Marks:
        with self._store.read() as tx:
            return stored.marks(tx)


def _meaning(timeline: Timeline) -> tuple[object, ...]:
    return timeline.boot, timeline.since_ns, timeline.after, timeline.has_stepped, timeline.skipped_ns, timeline.shifts


def _moved_on(tx: Tx, timeline: Timeline) -> Timeline:
    if not timeline.shifts:
        return timeline
    first, *others = timeline.shifts
    left = stored.move(tx, first, IDS_A_SLICE)
    shifts = (left, *others) if left is not None else tuple(others)
    return replace(timeline, shifts=shifts)
