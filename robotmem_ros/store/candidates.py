"""What decides a candidate's place in an answer, read for many memories at once.

An answer shows a few memories of the hundred that a search weighs: only those are read in full.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from robotmem_ros.core.decay import age_ns
from robotmem_ros.model import Filters, Pose
from robotmem_ros.settings import DecaySettings
from robotmem_ros.store.filters import CONFIDENCE, compile_filters
from robotmem_ros.store.occurrences import pose_from_row
from robotmem_ros.store.tx import Tx, id_list


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that satisfies the filters.

    ``confidence`` is the effective one, ``context`` and ``pose`` are those that an answer would show.
    """

    id: int
    created_at_ns: int
    confidence: float
    tier: str
    strength: float
    use_count: int
    age_ns: int
    context: str
    pose: Pose | None


def load(tx: Tx, ids: Iterable[int], filters: Filters, decay: DecaySettings) -> dict[int, Candidate]:
    """Read those of ``ids`` that satisfy ``filters``; the occurrence is chosen as in ``memories.load``."""
    where = compile_filters(filters, decay)
    matching = f'AND {where.occurrence} ' if where.occurrence else ''
    found = tx.execute(
        f"""
        SELECT m.id, m.created_at, {CONFIDENCE}, m.tier, m.strength, m.use_count, m.decay_anchor,
          coalesce(w.context, ''), w.frame_id, w.x, w.y, w.z, w.qx, w.qy, w.qz, w.qw, w.map_id, w.observed_at
        FROM json_each(:ids) i CROSS JOIN memory m ON m.id = i.value LEFT JOIN occurrence w ON w.id =
          (SELECT o.id FROM occurrence o WHERE o.memory_id = m.id {matching}ORDER BY o.at DESC, o.id DESC LIMIT 1)
        WHERE {where.sql}
        """,
        {**where.args, 'ids': id_list(ids)},
    )
    return {
        row[0]: Candidate(
            row[0], row[1], row[2], row[3], row[4], row[5], age_ns(filters.now_ns, row[6]), row[7],
            pose_from_row(row[8:18]),
        )
        for row in found
    }


def before(tx: Tx, ids: Iterable[int]) -> dict[int, int]:
    """Give the memory that was made just before each of ``ids`` in the same session; those without one are left out.

    The very next one, of whatever type and status: a step in the index, however long the session is.
    """
    return dict(tx.execute(
        'SELECT m.id, p.id FROM json_each(?) i CROSS JOIN memory m ON m.id = i.value CROSS JOIN memory p ON p.id ='
        " (SELECT max(e.id) FROM memory e WHERE e.session_id = m.session_id AND e.session_id <> '' AND e.id < m.id)",
        (id_list(ids),),
    ))
