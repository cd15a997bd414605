"""Co-occurrence edges (contract 7; Hebb, seed 004): undirected, one row a pair, the smaller id first.

A stored weight is worth ``weight × 2^(−age / half-life)``; nothing rewrites it as time passes. On
strengthening it is first brought to now, then added to, then dated.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from robotmem_ros.core.decay import NS_PER_DAY
from robotmem_ros.settings import HebbianSettings
from robotmem_ros.store.tx import Tx, id_list

FADED = 0.05
"""Effective weight below which an edge is removed: a single meeting, 4.3 half-lives later."""

FAR = 9e18
"""Latest date that fits the file (ns), in the year 2255: with a long half-life an edge never fades."""

EFFECTIVE = (
    'weight * pow(2.0, -iif(:now > 0 AND last_updated > 0, max(0, :now - last_updated), 0) / (86400e9 * :half_life))'
)
"""Weight brought to :now (``core.hebbian.effective_weight``)."""

_BACK = 'iif(:now > 0 AND :now < last_updated AND last_updated - :now <= 86400e9, last_updated - :now, 0)'
"""How far :now lies before the edge's date: recalls that were not applied in their order, or a recording that loops.
Only up to a day: what is dated further ahead was dated by a wrong clock, and is dated anew."""
_NEW_DATE = f'iif(:now > 0 AND {_BACK} = 0, :now, last_updated)'
_NEW_WEIGHT = f'({EFFECTIVE} + :by * pow(2.0, -{_BACK} / (86400e9 * :half_life)))'

_ADD = f"""
INSERT INTO co_occurrence (memory_a, memory_b, weight, last_updated, due_at)
SELECT a.id, b.id, :by, :now, :due FROM memory a JOIN memory b ON b.id = :b AND b.collection_id = a.collection_id
WHERE a.id = :a AND a.status = 'active' AND b.status = 'active'
ON CONFLICT DO UPDATE SET weight = {_NEW_WEIGHT}, last_updated = {_NEW_DATE},
  due_at = CAST(min({FAR}, {_NEW_DATE} + 86400e9 * :half_life * log2({_NEW_WEIGHT} / {FADED})) AS INTEGER)
WHERE :repeat = 0 OR abs(:now - last_updated) >= :repeat
"""


def strengthen(tx: Tx, pairs: Iterable[tuple[int, int]], now_ns: int, settings: HebbianSettings) -> None:
    """Add 1 to each pair of active memories of one collection; others are left out.

    A pair that was strengthened less than ``repeat_s`` ago stays as it is. Of a memory with more than
    ``max_edges`` the weakest go.
    """
    touched: set[int] = set()
    for a, b in pairs:
        if a != b:
            _add(tx, a, b, 1.0, now_ns, settings, settings.repeat_s)
            touched |= {a, b}
    for memory_id in touched:
        prune(tx, memory_id, now_ns, settings)


def add(tx: Tx, a: int, b: int, weight: float, now_ns: int, settings: HebbianSettings) -> float:
    """Add ``weight`` to one pair by hand and give its weight now; 0 where the pair cannot have an edge."""
    if a != b:
        _add(tx, a, b, weight, now_ns, settings, 0.0)
        for memory_id in (a, b):
            prune(tx, memory_id, now_ns, settings, keep=(min(a, b), max(a, b)))
    return weight_of(tx, a, b, now_ns, settings.half_life_days)


def restore(tx: Tx, a: int, b: int, weight: float, last_updated_ns: int, settings: HebbianSettings) -> bool:
    """Store an edge of active memories as an export has it; ``False`` where there is one already or cannot be one.

    :param weight: as of ``last_updated_ns``.
    """
    tx.execute(
        'INSERT OR IGNORE INTO co_occurrence (memory_a, memory_b, weight, last_updated, due_at)'
        ' SELECT a.id, b.id, ?3, ?4, ?5 FROM memory a JOIN memory b ON b.id = ?2 AND b.collection_id = a.collection_id'
        " WHERE a.id = ?1 AND a.status = 'active' AND b.status = 'active' AND a.id <> b.id",
        (min(a, b), max(a, b), weight, last_updated_ns, _due(weight, last_updated_ns, settings.half_life_days)))
    is_new = tx.changes > 0
    for memory_id in (a, b) if is_new else ():
        prune(tx, memory_id, last_updated_ns, settings)
    return is_new


def _add(tx: Tx, a: int, b: int, by: float, now_ns: int, settings: HebbianSettings, repeat_s: float) -> None:
    tx.execute(_ADD, {
        'a': min(a, b), 'b': max(a, b), 'by': by, 'now': now_ns, 'half_life': settings.half_life_days,
        'repeat': int(repeat_s * 1e9), 'due': _due(by, now_ns, settings.half_life_days),
    })


def prune(
    tx: Tx, memory_id: int, now_ns: int, settings: HebbianSettings, keep: tuple[int, int] = (0, 0)
) -> None:
    """Remove the weakest edges of a memory beyond ``max_edges``, the older of equal ones; never ``keep``."""
    args = {'id': memory_id, 'now': now_ns, 'half_life': settings.half_life_days, 'most': settings.max_edges,
            'keep_a': keep[0], 'keep_b': keep[1]}
    weakest = tx.execute(
        f'SELECT memory_a, memory_b FROM (SELECT * FROM co_occurrence WHERE memory_a = :id'
        f' UNION ALL SELECT * FROM co_occurrence WHERE memory_b = :id)'
        f' ORDER BY memory_a = :keep_a AND memory_b = :keep_b DESC, {EFFECTIVE} DESC, last_updated DESC,'
        ' memory_a, memory_b LIMIT -1 OFFSET :most', args,
    ) if degree_count(tx, memory_id) > settings.max_edges else []
    tx.executemany('DELETE FROM co_occurrence WHERE memory_a = ? AND memory_b = ?', weakest)


def degree_count(tx: Tx, memory_id: int) -> int:
    """Count the edges of a memory."""
    return int(tx.value(
        'SELECT (SELECT count(*) FROM co_occurrence WHERE memory_a = ?1)'
        ' + (SELECT count(*) FROM co_occurrence WHERE memory_b = ?1)', (memory_id,)))


def neighbours(tx: Tx, ids: Sequence[int], now_ns: int, half_life_days: float) -> list[tuple[int, int, float]]:
    """Give (one of ``ids``, its neighbour, effective weight) of every edge of ``ids``; all neighbours are active."""
    both = (
        f'SELECT memory_a, memory_b, {EFFECTIVE} FROM co_occurrence'
        ' WHERE memory_a IN (SELECT value FROM json_each(:ids))'
        f' UNION ALL SELECT memory_b, memory_a, {EFFECTIVE} FROM co_occurrence'
        ' WHERE memory_b IN (SELECT value FROM json_each(:ids))'
    )
    return [(row[0], row[1], row[2]) for row in tx.execute(
        both, {'ids': id_list(ids), 'now': now_ns, 'half_life': half_life_days})]


def degrees(tx: Tx, ids: Sequence[int], now_ns: int, half_life_days: float) -> dict[int, float]:
    """Give the sum of the effective weights of all edges of each of ``ids``; 0 for one without edges."""
    summed = dict.fromkeys(ids, 0.0)
    for memory_id, _, weight in neighbours(tx, ids, now_ns, half_life_days):
        summed[memory_id] += weight
    return summed


def weight_of(tx: Tx, a: int, b: int, now_ns: int, half_life_days: float) -> float:
    """Give the effective weight of a pair, 0 where there is no edge."""
    return float(tx.value(
        f'SELECT {EFFECTIVE} FROM co_occurrence WHERE memory_a = :a AND memory_b = :b',
        {'a': min(a, b), 'b': max(a, b), 'now': now_ns, 'half_life': half_life_days}, 0.0))


def move(tx: Tx, from_id: int, to_id: int, now_ns: int, settings: HebbianSettings) -> None:
    """Give all edges of one memory to another: weights are brought to now and added."""
    for _, other, weight in neighbours(tx, [from_id], now_ns, settings.half_life_days):
        if other != to_id and weight > 0:
            _add(tx, to_id, other, weight, now_ns, settings, 0.0)
            prune(tx, other, now_ns, settings)
    remove_all(tx, from_id)
    prune(tx, to_id, now_ns, settings)


def remove_all(tx: Tx, memory_id: int) -> None:
    """Delete all edges of a memory."""
    tx.execute('DELETE FROM co_occurrence WHERE memory_a = ?1 OR memory_b = ?1', (memory_id,))


def any_due(tx: Tx, now_ns: int) -> bool:
    """Tell whether an edge may have faded by ``now_ns``: one look into an index."""
    return tx.one('SELECT 1 FROM co_occurrence WHERE due_at <= ? LIMIT 1', (now_ns,)) is not None


def faded_count(tx: Tx, now_ns: int, settings: HebbianSettings) -> int:
    """Count the edges that :func:`expire` would remove."""
    return int(tx.value(
        f'SELECT count(*) FROM co_occurrence WHERE due_at <= :now AND {EFFECTIVE} <= {FADED * 1.001}',
        {'now': now_ns, 'half_life': settings.half_life_days}))


def expire(tx: Tx, now_ns: int, settings: HebbianSettings, limit: int) -> int:
    """Remove edges that have faded, of at most ``limit`` that are due, and give how many were due.

    One that is due too early, since the half-life was made longer, is dated anew.
    """
    args = {'now': now_ns, 'half_life': settings.half_life_days, 'limit': limit}
    due = tx.execute(
        f'SELECT memory_a, memory_b, {EFFECTIVE} FROM co_occurrence WHERE due_at <= :now'
        ' ORDER BY due_at LIMIT :limit', args)
    for a, b, weight in due:
        if weight > FADED * 1.001:  # the date is rounded to a nanosecond
            later = _due(weight, now_ns, settings.half_life_days)
            tx.execute('UPDATE co_occurrence SET due_at = ? WHERE memory_a = ? AND memory_b = ?', (later, a, b))
        else:
            tx.execute('DELETE FROM co_occurrence WHERE memory_a = ? AND memory_b = ?', (a, b))
    return len(due)


def _due(weight: float, now_ns: int, half_life_days: float) -> int:
    """Give the moment at which ``weight``, as of now, will have fallen to ``FADED``."""
    return int(min(FAR, now_ns + NS_PER_DAY * half_life_days * math.log2(max(weight / FADED, 1.0))))
