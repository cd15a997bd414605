"""How the node is, part by part, as ``/diagnostics`` for rqt_robot_monitor and Foxglove."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from robotmem_ros import __version__
from robotmem_ros.disk import megabytes
from robotmem_ros.ros.convert import text
from robotmem_ros.ros.health import TickMeter
from robotmem_ros.ros.status import Facts, readiness
from robotmem_ros.settings import Settings
from robotmem_ros.store.migrations import MIGRATIONS

OK, WARN, ERROR, STALE = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR, DiagnosticStatus.STALE
FRESH_S = 60.0
"""How long a loss makes a part warn: what happened an hour ago is in its values, and no reason to look again."""
WAL_BYTES = 256 * 2**20
"""A ``-wal`` above this cannot be moved into the file: something reads for hours, or the disk does not keep up."""
LATE_PASSES = 3.0
"""Housekeeping that has not run for so many periods, and ten seconds more, is stuck."""


class Part(NamedTuple):
    """One status before it is a message: level, a sentence, and values."""

    name: str
    level: bytes
    message: str
    values: Mapping[str, Any]


class Rises:
    """Remembers which counts have risen within the last ``FRESH_S`` seconds."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._seen: dict[str, int] = {}
        self._rose_s: dict[str, float] = {}

    def lately(self, name: str, count: int) -> bool:
        """Whether the count ``name``, which is now ``count``, has risen lately."""
        now = self._now_s()
        if count > self._seen.get(name, 0):
            self._rose_s[name] = now
        self._seen[name] = count
        return now - self._rose_s.get(name, -FRESH_S) < FRESH_S


class Diagnosis:
    """
    Looks at all parts of a node.

    :param name: the node's full name; it makes names and ``hardware_id`` differ from other robots'.
    :param facts: of the node.
    :param ticks: of its housekeeping.
    :param settings: gives the settings in force.
    :param is_simulated: tells whether time comes from ``/clock``.
    :param now_s: steady time, seconds.
    """

    def __init__(
        self, name: str, facts: Facts, ticks: TickMeter, settings: Callable[[], Settings],
        is_simulated: Callable[[], bool], now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name, self._facts, self._ticks, self._settings = name, facts, ticks, settings
        self._is_simulated, self._now_s = is_simulated, now_s
        self._rises = Rises(now_s)

    def statuses(self) -> list[DiagnosticStatus]:
        """Give one status for each part, in every state of the node."""
        return [self._message(part) for part in self.parts()]

    def parts(self) -> Iterator[Part]:
        """Look at one part after the other. What the file alone can tell is stale while it is closed."""
        yield from (
            self._memory(), self._database(), self._model(), self._queue(), self._disk(), self._clock(), self._tick(),
            self._scenes(),
        )

    def _message(self, part: Part) -> DiagnosticStatus:
        return DiagnosticStatus(
            level=part.level, name=f'{self._name.lstrip("/")}: {part.name}', message=text(part.message),
            hardware_id=self._name, values=[KeyValue(key=k, value=shown(v)) for k, v in part.values.items()],
        )

    def _closed(self, name: str) -> Part:
        return Part(name, STALE, f'the node is {self._facts.state}', {})

    def _memory(self) -> Part:
        facts, counts = self._facts, self._facts.counts
        is_ready, reason = readiness(facts)
        level = OK if is_ready and not reason else WARN
        if facts.health.trouble if facts.state == 'active' else facts.reason:
            level = ERROR
        return Part('memory', level, reason or 'ready', {
            'version': __version__, 'state': facts.state, 'collection': facts.collection,
            'active memories': counts.get('active', 0), 'open sessions': counts.get('open_sessions', 0),
            'edges': counts.get('edges', 0),
        })

    def _database(self) -> Part:
        facts, assembly = self._facts, self._facts.assembly
        if assembly is None:
            return Part('database', ERROR if facts.reason else STALE, facts.reason or 'closed', {'path': facts.path})
        store = assembly.store
        wal, waiting = size_of(f'{facts.path}-wal'), store.writers_waiting
        level, message = OK, 'open'
        if wal > WAL_BYTES:
            level, message = WARN, f'the -wal has {megabytes(wal)}: something reads for long, or the disk is slow'
        if trouble := facts.health.trouble:
            level, message = ERROR, trouble
        return Part('database', level, message, {
            'path': facts.path, 'bytes': store.file_bytes(), 'wal bytes': wal, 'schema version': len(MIGRATIONS),
            'writers waiting': waiting,
        })

    def _model(self) -> Part:
        facts, assembly = self._facts, self._facts.assembly
        if assembly is None:
            return self._closed('model')
        model, counts = assembly.model, facts.counts
        embedder = model.get()
        level, message = (OK, 'ready') if model.state == 'ready' else (WARN, model.reason or model.state)
        if level == OK and not assembly.store.vectors_available:
            level, message = WARN, f'no vector search: {assembly.store.vectors_reason}'
        failures = counts.get('embedding_failures', 0)
        if self._rises.lately('embedding_failures', failures) and level == OK:
            level, message = WARN, 'texts could not be embedded within the last minute'
        return Part('model', level, message, {
            'state': model.state, 'mode': assembly.engine.mode, 'name': embedder.name if embedder else '',
            'backend': embedder.backend if embedder else 'none', 'pending vectors': counts.get('pending_vectors', 0),
            'embedding failures': failures,
        })

    def _queue(self) -> Part:
        facts = self._facts
        intake, unheard = facts.intake, facts.counters.incompatible_qos
        lost = {
            'perceptions refused': intake.refused, 'perceptions dropped': intake.dropped,
            'uses dropped': facts.counts.get('dropped_uses', 0),
        }
        losses = [f'{count} {name}' for name, count in lost.items() if self._rises.lately(name, count)]
        if unheard:
            # A publisher that is not heard stays so: this does not age.
            losses.append(f'{unheard} publishers are not heard: their QoS gives less than is asked for')
        return Part('queue', WARN if losses else OK, ', '.join(losses) or 'nothing lost lately', {
            'perceptions waiting': len(intake), 'perceptions stored': intake.stored,
            'uses queued': facts.counts.get('queued_uses', 0), **lost, 'incompatible qos': unheard,
        })

    def _disk(self) -> Part:
        try:
            disk = self._facts.disk_of(self._facts.path)
        except OSError as error:
            return Part('disk', ERROR, f'cannot be looked at: {error.strerror}', {'path': self._facts.path})
        level = ERROR if disk.is_nearly_full else WARN if disk.is_low else OK
        message = f'{megabytes(disk.free)} free, {100 * disk.share:.0f} % of the disk'
        values = {'path': self._facts.path, 'free bytes': disk.free, 'total bytes': disk.total}
        return Part('disk', level, message, values)

    def _clock(self) -> Part:
        assembly = self._facts.assembly
        if assembly is None:
            return self._closed('clock')
        watch, is_simulated = assembly.engine.time, self._is_simulated()
        notes = watch.notes()
        level, message = OK, 'simulated time runs' if is_simulated else 'wall time'
        if self._rises.lately('clock steps', watch.step_count) and notes:
            level, message = WARN, notes[-1]
        if not watch.is_known:
            level, message = WARN, notes[0]
        return Part('clock', level, message, {
            'simulated': is_simulated, 'time known': watch.is_known, 'steps': watch.step_count,
            **{f'note {number}': note for number, note in enumerate(notes, start=1)},
        })

    def _tick(self) -> Part:
        if self._facts.state != 'active':
            return self._closed('tick')
        ticks, settings = self._ticks, self._settings().tick
        idle_s = ticks.idle_s()
        level, message = OK, 'keeps house'
        if idle_s > LATE_PASSES * settings.period_s + 10.0:
            level, message = WARN, f'housekeeping has not run for {idle_s:.0f} s'
        if self._facts.health.is_failing('housekeeping'):
            level, message = ERROR, 'housekeeping fails: ' + self._facts.health.trouble
        return Part('tick', level, message, {
            'slices': ticks.slices, 'longest slice [ms]': f'{ticks.longest_ms:.1f}',
            'last slice [ms]': f'{ticks.last_ms:.1f}',
            'last run [s ago]': f'{idle_s:.1f}', 'uses queued': self._facts.counts.get('queued_uses', 0),
        })

    def _scenes(self) -> Part:
        facts, counts, assembly = self._facts, self._facts.counts, self._facts.assembly
        if assembly is None:
            return self._closed('scenes')
        in_force = assembly.engine.scenes.current()
        refused, why = assembly.engine.scenes.refused, assembly.engine.scenes.refusal
        level, message = OK, f'in force: {in_force.key}' if in_force else 'no scene in force'
        if self._rises.lately('features refused', refused):
            level, message = WARN, f'features or poses were refused within the last minute, the last of {why}'
        return Part('scenes', level, message, {
            'in force': in_force.key if in_force else '', 'emergent': counts.get('scenes_emergent', 0),
            'declared': counts.get('scenes_declared', 0), 'hits': facts.counters.scene_hits,
            'empty hits': facts.counters.empty_scene_hits, 'scenes without memories': counts.get('empty_scenes', 0),
            'features refused': refused,
        })


def size_of(path: str) -> int:
    """Give the bytes of a file, 0 where there is none."""
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def shown(value: Any) -> str:
    """Give a value as a text: truth as YAML writes it."""
    return str(value).lower() if isinstance(value, bool) else text(value)
