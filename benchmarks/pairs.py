"""The confusion matrix of duplicates: labelled pairs of robot sentences through the real engine and model.

A distinct pair that becomes one memory is a lost fact, and none may be. A paraphrase that stays two costs a row.
Each pair is learned in both orders, and once more in a session whose end may merge it. What the pairs are and how to
read the table: docs/duplicates.md. `--pairs FILE` takes other pairs: a JSON list of objects with a, b and duplicate.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from robotmem_ros.clock import SystemClock
from robotmem_ros.embed.loading import load
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest
from robotmem_ros.ports import Embedder
from robotmem_ros.settings import LearnSettings, Settings
from robotmem_ros.store.store import Store

PAIRS = Path(__file__).resolve().parent.parent / 'test' / 'data' / 'dedup_pairs.json'
BYSTANDERS = ('the microscope must stay covered', 'lamp seven flickers at night')
"""A session of fewer than three facts is not consolidated."""


def main() -> None:
    """Print the matrix for each part of the pairs."""
    parser = argparse.ArgumentParser(prog='python -m benchmarks.pairs', description=__doc__)
    parser.add_argument('--pairs', type=Path, default=PAIRS, help='labelled pairs; default: those of the tests')
    parts: dict[str, list[dict[str, Any]]] = {}
    for pair in json.loads(parser.parse_args().pairs.read_text('utf-8')):
        parts.setdefault(pair.get('part', 'all'), []).append(pair)
    embedder = load()
    for part, pairs in sorted(parts.items()):
        show(part, matrix(pairs, embedder))


def matrix(pairs: Iterable[dict[str, Any]], embedder: Embedder) -> Counter[tuple[str, str, bool]]:
    """Count (how it was tried, distinct or paraphrase, became one memory)."""
    found: Counter[tuple[str, str, bool]] = Counter()
    with _engine(Settings(), embedder) as learning, _engine(_undetecting(), embedder) as ending:
        for number, pair in enumerate(pairs):
            label = 'paraphrase' if pair['duplicate'] else 'distinct'
            for order, (a, b) in (('learn', (pair['a'], pair['b'])), ('learn, reversed', (pair['b'], pair['a']))):
                where = f'{number} {order}'
                learning.learn(LearnRequest(a, collection=where))
                found[order, label, learning.learn(LearnRequest(b, collection=where)).status == 'duplicate'] += 1
            session = ending.start_session(collection=str(number)).session_id
            for text in (pair['a'], pair['b'], *BYSTANDERS):
                ending.learn(LearnRequest(text, collection=str(number), session_id=session))
            found['end of session', label, ending.end_session(session).superseded_count > 0] += 1
    return found


def show(part: str, found: Counter[tuple[str, str, bool]]) -> None:
    """Print one part as a table."""
    print(f'pairs, {part}:  {"":18} became one   stayed two')
    for how, label in sorted({key[:2] for key in found}):
        print(f'  {how:18} {label:12} {found[how, label, True]:12} {found[how, label, False]:12}')
    print()


def _undetecting() -> Settings:
    """Settings under which learning finds no near duplicate, so that the end of the session sees both."""
    return replace(Settings(), learn=LearnSettings(jaccard_duplicate=1.0, cosine_duplicate=1.0, cosine_proved=1.0))


@contextmanager
def _engine(settings: Settings, embedder: Embedder) -> Iterator[Engine]:
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(str(Path(folder) / 'memory.db'), settings.store)
        engine = Engine(store, SystemClock(), lambda: embedder, settings)
        yield engine
        engine.close()


if __name__ == '__main__':
    main()
