"""Visits of situations that are no scene yet, one row a bucket; a scene that emerges clears its own (seed 002, R5)."""

from __future__ import annotations

import json
from collections.abc import Mapping

from robotmem_ros.model import Feature
from robotmem_ros.store.tx import Tx

Counts = Mapping[Feature, int]


def as_json(seen: Counts) -> str:
    """Give counts as the file holds them: ``{"kind:value": visits}``."""
    return json.dumps({str(each): count for each, count in seen.items()}, ensure_ascii=False)


def from_json(text: str) -> dict[Feature, int]:
    """Read what :func:`as_json` wrote."""
    return {Feature.read(name): int(count) for name, count in json.loads(text).items()}


def get(tx: Tx, collection_id: int, bucket: str) -> tuple[int, dict[Feature, int]]:
    """Give the visits of a bucket and in how many of them each feature was seen; ``(0, {})`` if it is unknown."""
    row = tx.one('SELECT visits, features FROM situation_evidence WHERE collection_id = ? AND bucket = ?',
                 (collection_id, bucket))
    if row is None:
        return 0, {}
    return int(row[0]), from_json(row[1])


def put(tx: Tx, collection_id: int, bucket: str, visits: int, seen: Counts, now_ns: int) -> None:
    """Write what is known of a bucket."""
    tx.execute(
        'INSERT INTO situation_evidence (collection_id, bucket, visits, last_at, features) VALUES (?, ?, ?, ?, ?)'
        ' ON CONFLICT DO UPDATE SET visits = excluded.visits, last_at = excluded.last_at, features = excluded.features',
        (collection_id, bucket, visits, now_ns, as_json(seen)))


def clear(tx: Tx, collection_id: int, bucket: str) -> None:
    """Forget this bucket, and no other."""
    tx.execute('DELETE FROM situation_evidence WHERE collection_id = ? AND bucket = ?', (collection_id, bucket))
