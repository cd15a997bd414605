"""Which memories have faded so far that they may be retired (contract 6), found through SQL."""

from __future__ import annotations

from typing import Any

from robotmem_ros.core.decay import NS_PER_DAY
from robotmem_ros.settings import DecaySettings, Settings
from robotmem_ros.store.filters import AGE_NS, PROTECTED
from robotmem_ros.store.tx import Tx, id_list

RETENTION = (
    'pow(max(m.use_count, 0) + 1, :exponent) * m.strength'
    f" * pow(2.0, -({AGE_NS} / 86400e9) / iif(m.tier = 'ltm', :ltm, :stm))"
)
"""Retention of memory ``m`` (``core.decay.retention``). Needs :func:`retention_args`."""

FAR = 4e18
"""A time powered on (ns) that no robot reaches."""
LEAST_REF = 0.1
"""Tie to a scene from which on a memory is kept."""

_TIED = (
    'SELECT 1 FROM scene_ref r WHERE r.memory_id = m.id AND r.weight'
    ' * pow(2.0, -iif(:now > 0 AND r.last_updated > 0, max(0, :now - r.last_updated), 0) / (86400e9 * :ref))'
    f' >= {LEAST_REF}'
)
_IN_OPEN_SESSION = (
    "SELECT 1 FROM session s WHERE s.ended_at = 0 AND (s.id = m.session_id OR s.id IN"
    " (SELECT o.session_id FROM occurrence o WHERE o.memory_id = m.id AND o.session_id <> ''))"
)
KEPT = f'm.category IN ({PROTECTED}) OR EXISTS ({_TIED}) OR EXISTS ({_IN_OPEN_SESSION})'
"""What GC leaves alone however faded it is: constraints, what a scene still holds, what an open session learned."""

_RETIRABLE = f"m.status = 'active' AND m.tier = 'stm' AND {RETENTION} < :threshold AND NOT ({KEPT})"


def retention_args(now_ns: int, decay: DecaySettings) -> dict[str, Any]:
    """Give the values that ``RETENTION`` needs."""
    return {'now': now_ns, 'exponent': decay.use_exponent, 'stm': decay.stm_half_life_days,
            'ltm': decay.ltm_half_life_days}


def _args(now_ns: int, threshold: float, settings: Settings) -> dict[str, Any]:
    return {**retention_args(now_ns, settings.decay), 'ref': settings.scenes.ref_half_life_days, 'threshold': threshold}


def retirable(tx: Tx, collection_id: int, threshold: float, now_ns: int, settings: Settings) -> list[int]:
    """Give the active short-term memories whose retention is below ``threshold`` and that nothing holds."""
    return [row[0] for row in tx.execute(
        f'SELECT m.id FROM memory m WHERE m.collection_id = :collection AND {_RETIRABLE} ORDER BY m.id',
        {**_args(now_ns, threshold, settings), 'collection': collection_id})]


def still_retirable(tx: Tx, ids: list[int], threshold: float, now_ns: int, settings: Settings) -> list[int]:
    """Give those of ``ids`` of which it still holds."""
    return [row[0] for row in tx.execute(
        f'SELECT m.id FROM memory m WHERE m.id IN (SELECT value FROM json_each(:ids)) AND {_RETIRABLE}'
        ' ORDER BY m.id',
        {**_args(now_ns, threshold, settings), 'ids': id_list(ids)})]


def gone_before(tx: Tx, collection_id: int, before_ns: int) -> list[int]:
    """Give the memories that left the active ones at ``before_ns`` or earlier, the oldest first."""
    return [row[0] for row in tx.execute(
        "SELECT id FROM memory WHERE status <> 'active' AND collection_id = ? AND status_at <= ?"
        ' ORDER BY status_at, id',
        (collection_id, before_ns))]


def gc_due(tx: Tx, collection_id: int, powered_ns: int, limit: int, *, only_new: bool) -> list[int]:
    """Give short-term memories that automatic GC has to look at: an index on their due time finds them.

    :param only_new: those that it has never seen.
    """
    test = 'gc_due = 0' if only_new else 'gc_due > 0 AND gc_due <= :powered'
    return [row[0] for row in tx.execute(
        f"SELECT id FROM memory WHERE status = 'active' AND tier = 'stm' AND collection_id = :collection AND {test}"
        ' ORDER BY gc_due LIMIT :limit', {'collection': collection_id, 'powered': powered_ns, 'limit': limit})]


def date_gc(tx: Tx, ids: list[int], threshold: float, powered_ns: int, now_ns: int, settings: Settings) -> None:
    """Set when automatic GC looks at ``ids`` again: when they will have faded, counted in time powered on.

    That is half-life × log2(retention / threshold) from now, at least an hour; a day where something else holds
    them, and never for constraints.
    """
    tx.execute(
        f'UPDATE memory AS m SET gc_due = :powered + CAST(min({FAR}, max(3600e9, iif({KEPT}, :day, 0),'
        f' iif(m.category IN ({PROTECTED}), {FAR}, 0),'
        f' :day * :stm * log2(max({RETENTION}, 1e-300) / max(:threshold, 1e-300)))) AS INTEGER)'
        ' WHERE m.id IN (SELECT value FROM json_each(:ids))',
        {**_args(now_ns, threshold, settings), 'ids': id_list(ids), 'powered': powered_ns, 'day': NS_PER_DAY})
