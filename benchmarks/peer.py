"""The same file and the same questions for `robotmem` 0.1.3, the package from PyPI that contract 10 names.

It is no part of this package, and needs a Python of its own whose sqlite3 loads extensions:
`python3 -m venv peer && peer/bin/pip install robotmem==0.1.3`, then `python -m benchmarks.run --peer peer/bin/python`.
The model that it would download is not needed: it is given our vectors, each after the time that our model takes.

Run as a script, with that Python and a folder, this file measures; it must not import this package then.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MINUTES = 60


def peer_times(
    python: str, folder: Path, texts: Sequence[str], vectors: Any, asked: dict[str, Any], learned: dict[str, Any],
    embedding_ms: float,
) -> dict[str, float]:
    """
    Let the peer hold ``texts``, then recall and learn.

    :param vectors: of ``texts``, shape (n, dim).
    :param asked: question to vector; ``learned``: new text to vector.
    :return: medians, ms, and how many bytes a memory takes.
    :raises RuntimeError: if it searches without vectors, or failed.
    """
    import numpy as np

    given = {'texts': list(texts), 'asked': list(asked), 'learned': list(learned), 'embedding_s': embedding_ms / 1e3}
    (folder / 'peer.json').write_text(json.dumps(given), 'utf-8')
    np.save(folder / 'peer.npy', np.concatenate([vectors, np.stack([*asked.values(), *learned.values()])]))
    done = subprocess.run(
        [python, __file__, str(folder)], capture_output=True, text=True, timeout=60 * MINUTES, check=False)
    if done.returncode:
        raise RuntimeError(f'the peer failed: {done.stderr[-500:]}')
    return dict(json.loads(done.stdout.splitlines()[-1]))


class Given:
    """An embedder that knows the vector of every text already."""

    available, unavailable_reason = True, ''

    def __init__(self, vectors: dict[str, Any], embedding_s: float) -> None:
        self._vectors, self._embedding_s = vectors, embedding_s

    def embed_one_sync(self, text: str) -> list[float]:
        """Look the vector up, in the time that a model takes."""
        time.sleep(self._embedding_s)
        return list(map(float, self._vectors[text]))


def measured(folder: Path) -> dict[str, float]:
    """Fill the peer's file with its own functions, and time its own calls."""
    import numpy as np
    from robotmem.config import Config
    from robotmem.db import floats_to_blob
    from robotmem.db_cog import CogDatabase
    from robotmem.ops.memories import insert_memory
    from robotmem.sdk import RobotMemory

    given = json.loads((folder / 'peer.json').read_text('utf-8'))
    texts, asked, learned = given['texts'], given['asked'], given['learned']
    vectors = np.load(folder / 'peer.npy')
    path = folder / 'peer.db'
    path.unlink(missing_ok=True)
    database = CogDatabase(Config(db_path=str(path)))
    database.conn.execute('PRAGMA synchronous=OFF')
    if not database.vec_loaded:
        raise RuntimeError('the sqlite3 of this Python loads no extensions: no vectors')
    for text, vector in zip(texts, vectors):
        memory = {'content': text, 'collection': 'default', 'embedding': floats_to_blob(vector.tolist())}
        insert_memory(database.conn, memory, vec_loaded=True)
    database.conn.execute('PRAGMA synchronous=NORMAL')
    known = dict(zip([*asked, *learned], vectors[len(texts):]))
    peer = RobotMemory._from_components(database, Given(known, given['embedding_s']))
    return {
        'recall_p50_ms': median(peer.recall, asked), 'learn_p50_ms': median(peer.learn, learned),
        'file_bytes_per_memory': path.stat().st_size / len(texts),
    }


def median(call: Any, arguments: Sequence[str]) -> float:
    """Time one call each, ms."""
    durations = []
    for argument in arguments:
        begun = time.perf_counter()
        call(argument)
        durations.append((time.perf_counter() - begun) * 1e3)
    return sorted(durations)[len(durations) // 2]


if __name__ == '__main__':
    print(json.dumps(measured(Path(sys.argv[1]))))
