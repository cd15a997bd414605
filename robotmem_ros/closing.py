"""Sessions that nobody ends (SES-02): the tick ends them once nothing was learned in them for long.

In slices: what repeats itself is looked for on a read connection, a few facts at a time, and each group is
merged in a transaction of its own. Consolidating is idempotent, so a kill between two slices loses nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from robotmem_ros import sessions as episodes
from robotmem_ros.consolidation import Cluster, Clustering, is_mergeable, merge
from robotmem_ros.core.decay import NS_PER_DAY
from robotmem_ros.runtime import Runtime
from robotmem_ros.settings import Settings
from robotmem_ros.store import memories, sessions, statistics
from robotmem_ros.timekeeping import Moment


@dataclass
class Closing:
    """One session on its way to its end."""

    session_id: str
    clustering: Clustering
    groups: list[Cluster] | None = None


class Closer:
    """The job of the tick that ends idle sessions, one after the other."""

    def __init__(self) -> None:
        self._now: Closing | None = None

    def step(self, rt: Runtime, deadline: int) -> bool:
        """Do a little; tells whether more is due."""
        moment = rt.time.now()
        before_ns = idle_before_ns(moment, rt.settings)
        if not before_ns:
            return False
        if self._now is None:
            self._now = _next(rt, before_ns)
            return self._now is not None
        closing = self._now
        if closing.groups is None:
            with rt.store.read() as tx:
                if not closing.clustering.run(tx, lambda: rt.clock.steady_ns() >= deadline):
                    closing.groups = closing.clustering.groups()
        elif closing.groups:
            if not _merge(rt, closing.groups[-1], moment.anchor_ns):
                closing.groups[-1].dissolve()
            closing.groups.pop()  # only now: one whose write failed is merged in the next slice
        else:
            self._now = None
            _end(rt, closing, before_ns)
        return True


def idle_before_ns(moment: Moment, settings: Settings) -> int:
    """Give the time before which a session must have come to rest to be idle; 0 where none ever is.

    Counted from where ages are counted to, so that no step of the clock makes a session idle.
    """
    limit_ns = int(settings.sessions.open_limit_days * NS_PER_DAY)
    return max(0, moment.now_ns - limit_ns) if limit_ns else 0


def _next(rt: Runtime, before_ns: int) -> Closing | None:
    with rt.store.read() as tx:
        for session_id in sessions.idle(tx, before_ns, 1):
            return Closing(session_id, Clustering(sessions.facts(tx, session_id), rt.settings.consolidation))
    return None


def _merge(rt: Runtime, group: Cluster, now_ns: int) -> bool:
    """Merge a group, unless somebody has changed one of its facts meanwhile; tells whether it was."""
    with rt.store.write(background=True, durable=False) as tx:
        now = memories.rows(tx, [row.id for row in group.members])
        same = all(r.id in now and is_mergeable(now[r.id]) and now[r.id].content == r.content for r in group.members)
        if same:
            merge(tx, list(now.values()), rt.settings.hebbian, now_ns)
    return same


def _end(rt: Runtime, closing: Closing, before_ns: int) -> None:
    """End the session, unless it came to life again."""
    moment = rt.time.now()
    with rt.store.read() as tx:
        row = sessions.get(tx, closing.session_id)
        if row is None or row.ended_at_ns:
            return
        decayed = statistics.decayed_count(tx, row.collection_id, moment.now_ns, rt.settings.decay)
    with rt.store.write(background=True, durable=False) as tx:
        if sessions.is_idle(tx, closing.session_id, before_ns):
            episodes.record_end(tx, row, moment.utc_ns, None, closing.clustering.merged(), decayed, (), by_tick=True)
    rt.usage.forget_session(closing.session_id)
