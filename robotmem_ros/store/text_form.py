"""Keeps the text index and the hashes of a file in the form that this version cuts and folds texts into (FTS-06).

A text that was indexed by other rules than a query is cut by would be missed without a word. So the form's
name stands in the file, and a file of another form is indexed anew, in one transaction, before anything is asked.
"""

from __future__ import annotations

from robotmem_ros.core import text as texts
from robotmem_ros.model import ACTIVE
from robotmem_ros.store.tx import Tx

FORM_KEY = 'text_form'
ROWS_A_STEP = 200
"""Texts in memory at one time; the longest has 64 KiB."""


def is_current(tx: Tx) -> bool:
    """Tell whether the file's texts are in this version's form."""
    return bool(tx.value('SELECT value FROM meta WHERE key = ?', (FORM_KEY,)) == texts.FORM)


def renew(tx: Tx) -> int:
    """Bring index and hashes of all active memories to this version's form, if they are of another.

    A superseded memory is in no index, but its hash still leads to its keeper.

    About 20 µs a memory: 2 s for 100 000 on a desktop core. It is one transaction, so that after a crash the file
    is wholly of the old form and the next start begins again.

    :return: memories indexed anew; 0 where the form is current, and in a new file.
    """
    if is_current(tx):
        return 0
    tx.execute("INSERT INTO memory_fts (memory_fts) VALUES ('delete-all')")
    count = last = 0
    while rows := tx.execute(
        "SELECT id, content, status FROM memory WHERE (status = 'active' OR superseded_by IS NOT NULL) AND id > ?"
        ' ORDER BY id LIMIT ?', (last, ROWS_A_STEP)
    ):
        active = [(i, texts.index_text(text)) for i, text, status in rows if status == ACTIVE]
        tx.executemany('INSERT INTO memory_fts (rowid, tokens) VALUES (?, ?)', active)
        tx.executemany(
            'UPDATE memory SET content_hash = ?1 WHERE id = ?2 AND content_hash <> ?1',
            [(texts.content_hash(text), i) for i, text, _ in rows])
        count, last = count + len(active), rows[-1][0]
    tx.execute('INSERT OR REPLACE INTO meta VALUES (?, ?)', (FORM_KEY, texts.FORM))
    return count
