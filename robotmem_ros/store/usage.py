"""What being recalled does to a memory."""

from __future__ import annotations

from collections.abc import Sequence

from robotmem_ros.core.decay import NS_PER_DAY
from robotmem_ros.model import LTM, STM
from robotmem_ros.store.tx import Tx, id_list

_AGAIN = ':now <= last_accessed AND last_accessed - :now <= :day'
"""The time lies up to a day before the last use: a recording that loops, or recalls applied out of their order."""
_BEHIND = ':anchor <= decay_anchor AND decay_anchor - :anchor <= :day'


def reinforce(tx: Tx, ids: Sequence[int], now_ns: int, repeat_s: float = 0.0, anchor_ns: int | None = None) -> None:
    """Count one use of each active memory at ``now_ns`` and let its decay begin anew.

    Uses of one memory within ``repeat_s`` count once. Without a known time (0) the use counts, on no day, and the
    anchor stays. A time that came again, as in a recording that loops, is no other day, and moves nothing back.

    :param anchor_ns: from where its age counts; by default ``now_ns``.
    """
    tx.execute(
        'UPDATE memory SET use_count = use_count + 1,'
        ' use_days = use_days + (:now > 0 AND (last_accessed = 0 OR (last_accessed / :day <> :now / :day'
        f' AND NOT ({_AGAIN})))), last_accessed = iif(:now > 0 AND NOT ({_AGAIN}), :now, last_accessed),'
        f' decay_anchor = iif(:anchor > 0 AND NOT ({_BEHIND}), :anchor, decay_anchor)'
        " WHERE id IN (SELECT value FROM json_each(:ids)) AND status = 'active'"
        ' AND (last_accessed = 0 OR abs(:now - last_accessed) >= :repeat)',
        {'ids': id_list(ids), 'now': now_ns, 'anchor': now_ns if anchor_ns is None else anchor_ns, 'day': NS_PER_DAY,
         'repeat': int(repeat_s * 1e9)},
    )


def promote_used(tx: Tx, ids: Sequence[int], days: int) -> int:
    """Move those of ``ids`` that were recalled on at least ``days`` different days to the long-term tier."""
    tx.execute(
        "UPDATE memory SET tier = :ltm WHERE id IN (SELECT value FROM json_each(:ids)) AND status = 'active'"
        ' AND tier = :stm AND use_days >= :days', {'ids': id_list(ids), 'days': days, 'ltm': LTM, 'stm': STM})
    return tx.changes


def promote_successful(tx: Tx, session_id: str, good_outcome: float, sessions: int) -> int:
    """Move what was learned in a session, and in enough others that went well too, to the long-term tier."""
    tx.execute(
        'UPDATE memory SET tier = :ltm WHERE id IN (SELECT memory_id FROM occurrence WHERE session_id = :session'
        " AND session_id <> '') AND status = 'active' AND tier = :stm"
        ' AND (SELECT count(DISTINCT s.id) FROM occurrence o JOIN session s ON s.id = o.session_id'
        ' WHERE o.memory_id = memory.id AND s.outcome_score >= :good) >= :sessions',
        {'session': session_id, 'good': good_outcome, 'sessions': sessions, 'ltm': LTM, 'stm': STM})
    return tx.changes
