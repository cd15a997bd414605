"""What being recalled does to a memory."""

from __future__ import annotations

from collections.abc import Sequence

from robotmem_ros.core.decay import NS_PER_DAY
from robotmem_ros.store.tx import Tx, id_list


def reinforce(tx: Tx, ids: Sequence[int], now_ns: int, repeat_s: float = 0.0) -> None:
    """Count one use of each active memory and let its decay begin anew at ``now_ns``.

    Uses of one memory within ``repeat_s`` count once. Without a known time (0) the use counts and the
    anchor stays.
    """
    tx.execute(
        'UPDATE memory SET use_count = use_count + 1,'
        ' use_days = use_days + (last_accessed = 0 OR last_accessed / :day <> :now / :day),'
        ' last_accessed = iif(:now > 0, :now, last_accessed), decay_anchor = iif(:now > 0, :now, decay_anchor)'
        " WHERE id IN (SELECT value FROM json_each(:ids)) AND status = 'active'"
        ' AND (last_accessed = 0 OR abs(:now - last_accessed) >= :repeat)',
        {'ids': id_list(ids), 'now': now_ns, 'day': NS_PER_DAY, 'repeat': int(repeat_s * 1e9)},
    )
