"""Whether the file can be written, tried by writing."""

from __future__ import annotations

from robotmem_ros.store.tx import Tx


def probe(tx: Tx) -> None:
    """Write one small value that means nothing; a disk that is full or gone fails the transaction."""
    tx.execute(
        "INSERT INTO meta (key, value) VALUES ('probe', '') "
        "ON CONFLICT (key) DO UPDATE SET value = CASE value WHEN '' THEN '.' ELSE '' END"
    )
