"""GC that nobody asked for: off by default, slow, and on the robot's own time (contract 6).

An unused memory falls below the threshold in ten days, and a robot may stand in storage for a month. So what
decides is time *powered on*: a memory gets a due time on a clock that only runs while the node does, at which
it would have faded had it been seen last. An index finds what is due. Then at most ``gc.daily_share`` of the
collection is retired in a day of that clock; what was not retired on one day is not saved up for the next.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from robotmem_ros.core.decay import NS_PER_DAY
from robotmem_ros.core.timeline import Marks
from robotmem_ros.garbage import retire_in, still_retirable
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import clock, collections, memories, meta, retention
from robotmem_ros.store.tx import Tx

KEY = 'automatic_gc'
DATED_A_SLICE = 100
RETIRED_A_SLICE = 20
GAP_NS = 60 * 10**9
"""Most that one pause between two ticks, beyond their period, counts as powered on: the machine may have slept."""
STORE_NS = 3600 * 10**9
EARN_NS = 3600 * 10**9
"""Most of a pause without anything due for which something may be retired."""


@dataclass
class Allowance:
    """Memories of a collection that may be retired now, counted up to ``until_ns`` on the powered clock."""

    rows: float = 0.0
    until_ns: int = 0

    def earn(self, powered_ns: int, rows_a_day: float) -> None:
        """Let time pass; less than one row is carried over."""
        passed = min(max(0, powered_ns - self.until_ns), EARN_NS)
        self.rows, self.until_ns = min(self.rows, 1.0) + rows_a_day * passed / NS_PER_DAY, powered_ns


@dataclass
class AutomaticGc:
    """The job of the tick.

    What it knows is stored with what it writes, at a clean stop, and hourly where something is learned: many a robot
    is switched off at the plug. Where nothing happens nothing is written.
    """

    _powered_ns: int = -1
    _seen_ns: int = 0
    _allowances: dict[int, Allowance] = field(default_factory=dict)
    _stored_ns: int = 0
    _stored_at: Marks = field(default_factory=Marks)

    def step(self, rt: Runtime, deadline: int) -> bool:  # noqa: ARG002
        """Do a little; tells whether more is due."""
        if not rt.settings.gc.automatic:
            self._seen_ns = 0
            return False
        self._let_time_pass(rt)
        with rt.store.read() as tx:
            work = [(collection_id, *self._look(tx, collection_id)) for collection_id in collections.ids(tx)]
            last = clock.marks(tx)
        more = False
        for collection_id, new, due in work:
            if new or due:
                more = self._work(rt, collection_id, new, due) or more
        if self._powered_ns - self._stored_ns >= STORE_NS and last != self._stored_at:
            self.save(rt)
        return more

    def save(self, rt: Runtime) -> None:
        """Store the powered clock, where automatic GC is on and it has run."""
        if rt.settings.gc.automatic and self._powered_ns > self._stored_ns:
            with rt.store.write(background=True, durable=False) as tx:
                self._save(tx)

    def _let_time_pass(self, rt: Runtime) -> None:
        steady_ns = rt.clock.steady_ns()
        if self._powered_ns < 0:
            self._load(rt)
        if self._seen_ns:
            most = GAP_NS + int(rt.settings.tick.period_s * 1e9)
            self._powered_ns += min(max(0, steady_ns - self._seen_ns), most)
        self._seen_ns = steady_ns

    def _look(self, tx: Tx, collection_id: int) -> tuple[list[int], list[int]]:
        new = retention.gc_due(tx, collection_id, self._powered_ns, DATED_A_SLICE, only_new=True)
        due = retention.gc_due(tx, collection_id, self._powered_ns, DATED_A_SLICE, only_new=False)
        allowance = self._allowances.setdefault(collection_id, Allowance(until_ns=self._powered_ns))
        if not due:
            allowance.until_ns = self._powered_ns
        return new, due

    def _work(self, rt: Runtime, collection_id: int, new: list[int], due: list[int]) -> bool:
        threshold, now_ns = rt.settings.decay.gc_threshold, rt.time.now().now_ns
        allowance = self._allowances[collection_id]
        with rt.store.read() as tx:
            if due:
                allowance.earn(self._powered_ns, memories.active_count(tx, collection_id) * rt.settings.gc.daily_share)
            faded = retention.still_retirable(tx, due, threshold, now_ns, rt.settings)
        in_use = rt.usage.waiting()
        going = [i for i in faded if i not in in_use][:min(int(allowance.rows), RETIRED_A_SLICE)]
        later = [*new, *set(due).difference(faded)]
        if not going and not later:
            return False
        with rt.store.write(background=True, durable=False) as tx:
            going = still_retirable(rt, tx, going, threshold, now_ns)
            allowance.rows -= retire_in(tx, going, threshold, now_ns)
            retention.date_gc(tx, later, threshold, self._powered_ns, now_ns, rt.settings)
            self._save(tx)
        return len(new) == DATED_A_SLICE or allowance.rows >= 1.0

    def _load(self, rt: Runtime) -> None:
        with rt.store.read() as tx:
            stored = json.loads(meta.get(tx, KEY) or '{"powered_ns": 0, "rows": {}}')
            self._stored_at = clock.marks(tx)
        self._powered_ns = self._stored_ns = int(stored['powered_ns'])
        self._allowances = {int(c): Allowance(rows, self._powered_ns) for c, rows in stored['rows'].items()}

    def _save(self, tx: Tx) -> None:
        rows = {c: min(a.rows, 1.0) for c, a in self._allowances.items()}
        meta.put(tx, KEY, json.dumps({'powered_ns': self._powered_ns, 'rows': rows}))
        self._stored_ns, self._stored_at = self._powered_ns, clock.marks(tx)
