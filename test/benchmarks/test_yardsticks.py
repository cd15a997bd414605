"""What the benchmark compares with is what it says: all vectors of the file, the exact nearest, other words."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np

from benchmarks.corpus import facts, news
from benchmarks.filling import fill
from benchmarks.limit import Stored
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.store import lifecycle
from robotmem_ros.store.store import Store

NOW = 10**18


def test_a_filled_file_holds_the_facts_with_their_vectors_and_all_nearest_are_found(tmp_path: Path) -> None:
    store, embedder = Store.open(str(tmp_path / 'm.db')), HashEmbedder()
    fill(store, embedder, facts(), 30, NOW)
    stored = Stored.of(store, 30, tmp_path)
    assert stored.texts == tuple(itertools.islice(facts(), 30)) and stored.ids == tuple(range(1, 31))
    assert np.allclose(np.linalg.norm(stored.vectors, axis=1), 1.0)
    asked = [embedder.embed(text) for text in stored.texts[:5]]
    assert stored.found(store, asked, NOW) == 1.0
    with store.write() as tx:
        for memory in range(1, 11):
            lifecycle.set_status(tx, memory, 'forgotten', 'wrong', NOW)
    assert stored.found(store, asked, NOW) < 1.0, 'a search that finds less is seen'
    store.close()


def test_news_share_less_than_half_of_their_words() -> None:
    words = [set(text.split()) for text in news(50)]
    assert all(len(a & b) / len(a | b) < 0.5 for a, b in itertools.combinations(words, 2))
    assert news(3, seed=1) == news(3, seed=1) != news(3, seed=2)
