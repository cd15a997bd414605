"""`make bench`: recall and learn, through the engine and through the service, at 1 000 and 10 000 memories.

Seconds depend on the machine; what counts are the ratios: what a recall costs over the bare model call,
and what the service costs over the engine. The numbers are printed and written to build/bench.json.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpus import facts, questions
from benchmarks.measure import Times, resident_mb, timed
from benchmarks.service import service_times
from robotmem_ros.clock import SystemClock
from robotmem_ros.embed.loading import load
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, RecallRequest
from robotmem_ros.settings import Settings
from robotmem_ros.store.store import Store

LEARNS = 200


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--sizes', type=int, nargs='+', default=[1000, 10_000], help='memories in the file')
    parser.add_argument('--recalls', type=int, default=200, help='recalls that are timed')
    parser.add_argument('--json', type=Path, default=Path('build/bench.json'), help='where the numbers go')
    options = parser.parse_args()
    embedder, settings, texts = load(cache_size=0), Settings(), facts()
    asked = questions(options.recalls)
    bare = timed(embedder.embed, asked)
    print(f'one embedding of a question: p50 {bare.p50:.2f} ms (one thread)\n')
    report = []
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / 'memory.db')
        for size in options.sizes:
            engine = Engine(Store.open(path, settings.store), SystemClock(), lambda: embedder, settings)
            row = engine_row(engine, texts, size, asked, bare)
            engine.close()
            row |= service_times(path, asked, list(itertools.islice(texts, LEARNS)))
            row['service_over_engine_recall_ms'] = row['service_recall_p50_ms'] - row['recall_p50_ms']
            report.append(row)
            show(row)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(report, indent=2) + '\n', 'utf-8')
    print(f'written to {options.json}')


def engine_row(engine: Engine, texts: Iterator[str], size: int, asked: list[str], bare: Times) -> dict[str, float]:
    """Fill the file up to ``size`` memories, then time learns and recalls through the engine."""
    missing = size - engine.stats()['total'] - LEARNS
    for text in itertools.islice(texts, max(0, missing)):
        engine.learn(LearnRequest(text))
    learns = timed(lambda text: engine.learn(LearnRequest(text)), itertools.islice(texts, LEARNS))
    recalls = timed(lambda query: engine.recall(RecallRequest(query, reinforce=False)), asked)
    stats = engine.stats()
    return {
        'memories': stats['total'], 'learn_p50_ms': learns.p50, 'learn_p95_ms': learns.p95,
        'recall_p50_ms': recalls.p50, 'recall_p95_ms': recalls.p95, 'embedding_share_of_recall': bare.p50 / recalls.p50,
        'engine_resident_mb': resident_mb(), 'file_bytes_per_memory': stats['db_bytes'] / stats['total'],
    }


def show(row: dict[str, float]) -> None:
    """Print one size."""
    print(f'{row["memories"]:,.0f} memories')
    for name, value in row.items():
        if name != 'memories':
            print(f'  {name.replace("_", " "):34} {value:10.2f}')
    print()


if __name__ == '__main__':
    main()
