"""`make bench`: recall and learn, through the engine and through the service, at 1 000, 10 000 and 100 000 memories.

Seconds depend on the machine; what counts are the ratios: what a recall costs over the bare model call and one product
over the same vectors, what the service costs over the engine, a large file over an empty one, and, with `--peer`, what
the peer takes in the same run. The numbers are printed and written to build/bench.json.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks import one_thread  # noqa: F401  before numpy is loaded
from benchmarks.corpus import facts, news, questions
from benchmarks.filling import fill
from benchmarks.limit import Stored
from benchmarks.measure import resident_mb, timed
from benchmarks.peer import peer_times
from benchmarks.service import service_times, starts_s
from robotmem_ros.clock import SystemClock
from robotmem_ros.embed.loading import load
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, RecallRequest
from robotmem_ros.ports import Embedder
from robotmem_ros.settings import Settings
from robotmem_ros.store.store import Store

LEARNS = 200
STARTS = 5


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--sizes', type=int, nargs='+', default=[1000, 10_000, 100_000], help='memories in the file')
    parser.add_argument('--recalls', type=int, default=200, help='recalls that are timed')
    parser.add_argument('--peer', help='a Python with robotmem 0.1.3 (see benchmarks/peer.py)')
    parser.add_argument('--json', type=Path, default=Path('build/bench.json'), help='where the numbers go')
    options = parser.parse_args()
    embedder, texts, asked = load(cache_size=0), facts(), questions(options.recalls)
    report = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in options.sizes:
            row = engine_row(folder, embedder, texts, size, asked, options.peer)
            row |= service_times(str(folder / 'memory.db'), asked, list(itertools.islice(texts, LEARNS)))
            row['service_over_engine_recall_ms'] = row['service_recall_p50_ms'] - row['recall_p50_ms']
            empty, row['node_ready_s'] = starts_s([str(folder / name) for name in ('empty.db', 'memory.db')], STARTS)
            row['node_ready_over_empty'] = row['node_ready_s'] / empty
            report.append(row)
            show(row)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(report, indent=2) + '\n', 'utf-8')
    print(f'written to {options.json}')


def engine_row(
    folder: Path, embedder: Embedder, texts: Iterator[str], size: int, asked: list[str], peer: str | None
) -> dict[str, float]:
    """Fill the file up to ``size`` memories, then time learns and recalls through the engine."""
    settings, clock = Settings(), SystemClock()
    store = Store.open(str(folder / 'memory.db'), settings.store)
    engine = Engine(store, clock, lambda: embedder, settings)
    fill(store, embedder, texts, max(0, size - engine.stats()['total'] - 2 * LEARNS), clock.now_ns())
    while engine.tick():
        pass
    bare = timed(embedder.embed, asked)
    learns = timed(lambda text: engine.learn(LearnRequest(text)), itertools.islice(texts, LEARNS))
    unlike = timed(lambda text: engine.learn(LearnRequest(text)), news(LEARNS, seed=size))
    recalls = timed(lambda query: engine.recall(RecallRequest(query, reinforce=False)), asked)
    stats, resident = engine.stats(), resident_mb()
    vectors = {query: embedder.embed(query) for query in asked}
    stored = Stored.of(store, stats['total'], folder)
    product = stored.product(list(vectors.values()))
    row = {
        'memories': stats['total'], 'embedding_p50_ms': bare.p50, 'product_p50_ms': product.p50,
        'learn_p50_ms': learns.p50, 'learn_p95_ms': learns.p95,
        'learn_unlike_p50_ms': unlike.p50, 'recall_p50_ms': recalls.p50, 'recall_p95_ms': recalls.p95,
        'recall_over_embedding_and_product': recalls.p50 / (bare.p50 + product.p50),
        'found_of_ten_nearest': stored.found(store, list(vectors.values()), clock.now_ns()),
        'engine_resident_mb': resident, 'file_bytes_per_memory': stats['db_bytes'] / stats['total'],
    }
    engine.close()
    if peer is not None:
        new = {text: embedder.embed(text) for text in news(LEARNS, seed=size + 1)}
        theirs = peer_times(peer, folder, stored.texts, stored.vectors, vectors, new, bare.p50)
        row |= {f'peer_{name}': value for name, value in theirs.items()}
        row['peer_recall_over_ours'] = theirs['recall_p50_ms'] / recalls.p50
        row['peer_learn_over_ours'] = theirs['learn_p50_ms'] / unlike.p50
    return row


def show(row: dict[str, float]) -> None:
    """Print one size."""
    print(f'{row["memories"]:,.0f} memories')
    for name, value in row.items():
        if name != 'memories':
            print(f'  {name.replace("_", " "):34} {value:10.2f}')
    print()


if __name__ == '__main__':
    main()
