"""What a step of the machine's clock means for what is stored (contract 6, "Time"). Pure: readings in, decisions out.

A robot without a battery-backed clock boots in the past and is set right once it reaches a time server. So
the *first* forward step since boot tells the truth: rows stamped since boot move with it, and for older
rows it was time switched off. A later step forward is somebody's mistake or correction: ages must not
follow it, so it is taken off again (``skipped_ns``) until a step back returns it. A step back makes
nothing older by itself.

Two times follow from that. Moments for people are UTC as the clock says. Ages count from *anchors*, which are
UTC less ``skipped_ns``: the same number on nearly every robot.

Simulated time has no steps: a jump forward is time that passed, a loop only repeats what was lived through.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

DRIFT_SHARE = 1000
"""A time server may slew the clock by 1/2000; twice of that is no step."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One look at both clocks. ``utc_ns`` 0: no time is known. ``boot`` names the run of the machine."""

    utc_ns: int
    steady_ns: int
    is_simulated: bool = False
    boot: str = ''


@dataclass(frozen=True, slots=True)
class Marks:
    """The last ids that were given before a moment, so that what came after it is known."""

    memory_id: int = 0
    occurrence_id: int = 0


@dataclass(frozen=True, slots=True)
class Shift:
    """Stamps that are to be moved by ``by_ns``: of rows made after ``after``, from ``from_ns`` to ``until_ns`` (UTC).

    :ivar skipped_ns: by how much the anchors of that time lie before UTC.
    :ivar done_id: memories up to this id have been moved.
    """

    from_ns: int
    until_ns: int
    by_ns: int
    after: Marks
    skipped_ns: int = 0
    done_id: int = 0

    def corrected(self, utc_ns: int) -> int:
        """Give the moment that a stamp of that time really was."""
        return utc_ns + self.by_ns if self.from_ns <= utc_ns <= self.until_ns else utc_ns


@dataclass(frozen=True, slots=True)
class Step:
    """A step that was seen: its size (ns, negative: back), and whether it is the boot's first one forward."""

    size_ns: int
    is_first: bool = False

    def __str__(self) -> str:
        way = 'forward' if self.size_ns > 0 else 'back'
        meaning = 'what was stored since boot moves with it' if self.is_first else 'it ages nothing'
        return f'the clock stepped {way} by {abs(self.size_ns) / 1e9:.1f} s: {meaning}'


@dataclass(frozen=True, slots=True)
class Timeline:
    """What is known of the clock; stored with the file, so that a restart changes nothing.

    :ivar utc_ns: the last reading, with ``steady_ns`` of the same moment.
    :ivar since_ns: UTC from which on, and ``after`` the ids from which on, rows are of this boot.
    :ivar has_stepped: whether the first step forward of this boot has been seen.
    :ivar skipped_ns: later steps forward, which must not age anything; 0 or more.
    :ivar shifts: what is still to be moved.
    """

    boot: str
    utc_ns: int
    steady_ns: int
    since_ns: int
    after: Marks
    has_stepped: bool = False
    skipped_ns: int = 0
    shifts: tuple[Shift, ...] = ()

    def anchor_ns(self, utc_ns: int) -> int:
        """Give the anchor of something that happens at ``utc_ns``; 0 while no time is known."""
        return max(1, utc_ns - self.skipped_ns) if utc_ns > 0 else 0

    def age_now_ns(self, utc_ns: int) -> int:
        """Give the moment that ages are counted to. Until all shifts are done, their steps have not been made."""
        pending = sum(shift.by_ns for shift in self.shifts)
        return max(1, self.anchor_ns(utc_ns) - pending) if utc_ns > 0 else 0


def observe(
    known: Timeline | None, reading: Reading, marks: Callable[[], Marks], step_ns: int
) -> tuple[Timeline | None, Step | None]:
    """Take one reading in, and give what is known then and the step that it shows.

    :param marks: gives the last ids, asked for where a boot or an epoch of it begins.
    :param step_ns: difference between the two clocks from which on it is a step.
    """
    if reading.is_simulated or reading.utc_ns <= 0:
        return known, None
    if known is None or known.boot != reading.boot:
        return _booted(known, reading, marks()), None
    elapsed = reading.steady_ns - known.steady_ns
    if elapsed < 0 and abs(reading.utc_ns - known.utc_ns - elapsed) <= step_ns:
        return known, None  # it was taken before the last one, by a thread that was held up until now
    elapsed = max(0, elapsed)
    size = reading.utc_ns - known.utc_ns - elapsed
    now = replace(known, utc_ns=reading.utc_ns, steady_ns=reading.steady_ns)
    if abs(size) <= step_ns + elapsed // DRIFT_SHARE:
        return now, None
    if size < 0:
        return _back(now, -size, marks), Step(size)
    if known.has_stepped:
        return replace(now, skipped_ns=known.skipped_ns + size), Step(size)
    shift = Shift(known.since_ns, known.utc_ns + elapsed, size, known.after, known.skipped_ns)
    return replace(now, has_stepped=True, shifts=(*known.shifts, shift)), Step(size, is_first=True)


def _booted(known: Timeline | None, reading: Reading, after: Marks) -> Timeline:
    """A clock that was put back while the machine was off has returned what it skipped, as far as it went back."""
    fresh = Timeline(reading.boot, reading.utc_ns, reading.steady_ns, reading.utc_ns, after)
    if known is None:
        return fresh
    skipped_ns = max(0, known.skipped_ns - max(0, known.utc_ns - reading.utc_ns))
    return replace(fresh, skipped_ns=skipped_ns, shifts=known.shifts)


def _back(now: Timeline, size_ns: int, marks: Callable[[], Marks]) -> Timeline:
    """First give back what was skipped. What was stamped before is no longer of the time that a first step corrects."""
    now = replace(now, skipped_ns=max(0, now.skipped_ns - size_ns))
    return now if now.has_stepped else replace(now, since_ns=now.utc_ns, after=marks())
