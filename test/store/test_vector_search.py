"""Nearest by true cosine, one space at a time, one vector a memory."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from robotmem_ros.errors import EmbeddingFailed
from robotmem_ros.model import Pose
from robotmem_ros.store import collections, lifecycle, memories, vectors
from robotmem_ros.store.occurrences import Occurrence

BASE = (1.0, 0.0, 0.0, 0.0)


def at(cosine: float, scale: float = 1.0) -> np.ndarray:
    """A vector with this cosine to BASE."""
    return np.asarray([cosine, np.sqrt(1 - cosine**2), 0, 0], np.float32) * scale


def nearest(shelf: Any, vector: Any = BASE, k: int = 10, **criteria: Any) -> list[tuple[int, float]]:
    with shelf.store.read() as tx:
        return vectors.nearest(tx, np.asarray(vector, np.float32), shelf.filters(**criteria), shelf.decay, k)


def count(shelf: Any) -> int:
    with shelf.store.read() as tx:
        assert tx.value('SELECT count(*) FROM vector') == tx.value('SELECT count(*) FROM memory_vec')
        return int(tx.value('SELECT count(*) FROM memory_vec'))


def test_similarity_is_the_cosine(shelf: Any) -> None:
    """VEC-02: also for vectors that are not normalised, on either side."""
    cosines = [0.90, 0.86, 0.84, 0.40, -1.0]
    ids = [shelf.add(f'text {c}', vector=at(c)) for c in cosines]
    scaled = shelf.add('ten times', vector=at(0.90, 10))
    for factor in (1, 10, 0.001):
        found = dict(nearest(shelf, np.asarray(BASE) * factor))
        assert [found[i] for i in ids] == pytest.approx(cosines, abs=1e-3)
        assert found[scaled] == pytest.approx(0.90, abs=1e-3)
        order = [c for _, c in nearest(shelf)]
        assert order == sorted(order, reverse=True)


def test_the_cosine_of_given_memories_is_the_one_that_a_search_gives(shelf: Any) -> None:
    """VEC-02: and a memory without a vector, or a query of another space, has none."""
    ids = [shelf.add(f'text {c}', vector=at(c, 3)) for c in (0.9, 0.4, -1.0)]
    without = shelf.add('no vector')
    with shelf.store.read() as tx:
        found = vectors.cosines(tx, np.asarray(BASE, np.float32), [*ids, without, 999])
        assert vectors.cosines(tx, np.ones(3, np.float32), ids) == vectors.cosines(tx, at(0.5), []) == {}
    assert found == pytest.approx({i: c for i, c in nearest(shelf) if i in ids}, abs=1e-6)
    assert set(found) == set(ids)


def test_an_update_leaves_exactly_one_vector(shelf: Any) -> None:
    """VEC-04: five updates of one memory; the last text's vector is the one."""
    memory = shelf.add('text', vector=BASE)
    for i in range(5):
        with shelf.store.write() as tx:
            lifecycle.replace_text(tx, memory, f'text {i}', shelf.now)
            assert vectors.pending(tx, 10) == [(memory, 1, f'text {i}')]
            vectors.put(tx, memory, 1, at(i / 10))
            vectors.put(tx, memory, 1, at(i / 10))
    assert count(shelf) == 1
    with shelf.store.read() as tx:
        assert vectors.get(tx, memory) == pytest.approx(at(0.4))
        assert vectors.pending(tx, 10) == []


@pytest.mark.parametrize('k', [-1, 0, 1, 4096, 4097, 100_000])
def test_any_k_is_answered(shelf: Any, k: int) -> None:
    """VEC-05."""
    for i in range(3):
        shelf.add(f'text {i}', vector=at(i / 10))
    assert len(nearest(shelf, k=k)) == min(3, max(0, k))
    assert len(nearest(shelf, k=k, tags=('x',))) == 0


def test_more_than_4096_vectors(shelf: Any) -> None:
    """VEC-05: the wide first search must not cross sqlite-vec's limit either."""
    with shelf.store.write() as tx:
        collection = collections.collection_id(tx, 'c')
        for i in range(4200):
            memory = memories.insert(tx, memories.NewMemory(collection, 'fact', f'text {i}', 1))
            vectors.put(tx, memory, 1, at(1 - i / 5000))
    assert len(nearest(shelf, k=4000)) == 4000
    assert len(nearest(shelf, k=5000)) == 4096


@pytest.mark.parametrize(('name', 'dim', 'fingerprint'), [('m2', 3, '2' * 16), ('m3', 4, '3' * 16)])
def test_another_model_starts_a_space_of_its_own(shelf: Any, name: str, dim: int, fingerprint: str) -> None:
    """VEC-06: another size, and the same size with other weights."""
    memory = shelf.add('text', vector=BASE)
    gone = shelf.add('gone', vector=BASE)
    with shelf.store.write() as tx:
        lifecycle.set_status(tx, gone, 'forgotten', 'wrong', shelf.now)
        assert not vectors.ensure_space(tx, 'm1 under another name', 4, '1' * 16)
        assert vectors.ensure_space(tx, name, dim, fingerprint)
        assert vectors.space(tx) == (name, dim, fingerprint)
        assert vectors.pending(tx, 10) == [(memory, 1, 'text')]
    new = np.ones(dim, np.float32)
    assert nearest(shelf, new) == []
    with shelf.store.write() as tx:
        assert vectors.put(tx, memory, 1, new)
    assert nearest(shelf, new) == [(memory, pytest.approx(1.0))]


@pytest.mark.parametrize('bad', [[1, 0, 0], [0, 0, 0, 0], [np.nan, 0, 0, 0], [np.inf, 0, 0, 0], [[1, 0, 0, 0]]])
def test_a_vector_that_cannot_be_compared_is_refused(shelf: Any, bad: Any) -> None:
    """VEC-06."""
    memory = shelf.add('text')
    with shelf.store.write() as tx, pytest.raises(EmbeddingFailed):
        vectors.put(tx, memory, 1, np.asarray(bad, np.float32))
    assert count(shelf) == 0


def test_without_sqlite_vec_memories_wait(open_shelf: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """VEC-07: the store runs on, says why there are no vectors, and fills in when the module is back."""
    shelf = open_shelf()
    old, leaving = shelf.add('old', vector=BASE), shelf.add('leaving', vector=at(0.9))
    shelf.store.close()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, 'sqlite_vec', None)
        without = open_shelf()
        assert not without.store.vectors_available
        assert 'sqlite-vec is not installed' in without.store.vectors_reason
        new = without.add('new')
        with without.store.write() as tx:
            assert not vectors.put(tx, new, 1, at(0.5))
            assert vectors.get(tx, old) is None
            lifecycle.set_status(tx, leaving, 'forgotten', 'wrong', without.now)
        assert nearest(without) == []
        without.store.close()
    back = open_shelf()
    assert back.store.vectors_available
    with back.store.write() as tx:
        assert vectors.pending(tx, 10) == [(new, 1, 'new')]
        assert vectors.pending_count(tx) == 1
    assert nearest(back) == [(old, pytest.approx(1.0))]
    assert count(back) == 1, 'what was let go meanwhile is gone'


def test_a_text_without_vector_is_not_tried_for_ever(shelf: Any) -> None:
    memory = shelf.add('text')
    with shelf.store.write() as tx:
        vectors.mark_unembeddable(tx, memory)
        assert vectors.pending(tx, 10) == []


def test_a_vector_of_an_older_text_is_not_taken(shelf: Any) -> None:
    """The text was embedded in the background while it was corrected."""
    memory = shelf.add('old text')
    with shelf.store.write() as tx:
        lifecycle.replace_text(tx, memory, 'new text', shelf.now)
        assert not vectors.put(tx, memory, 1, at(0.5), text='old text')
        assert vectors.put(tx, memory, 1, at(0.5), text='new text')


def test_equal_perceptions_share_one_vector(shelf: Any) -> None:
    """Contract 4: made later, in the background; it goes with the last of them."""
    ids = [shelf.add('a red cup', type='perception') for _ in range(3)]
    upper = shelf.add('A RED CUP', type='perception')
    elsewhere = shelf.add('a red cup', type='perception', collection='other')
    with shelf.store.write() as tx:
        assert [row[0] for row in vectors.pending(tx, 10)] == [ids[0], upper, elsewhere]
        vectors.put(tx, ids[0], 1, at(0.5))
        assert [row[0] for row in vectors.pending(tx, 10)] == [upper, elsewhere]
    ids.append(shelf.add('a red cup', type='perception'))
    shelf.add('A red cup', type='perception')
    assert count(shelf) == 1
    assert [i for i, _ in nearest(shelf)] == ids[::-1], 'texts that only fold alike do not share'
    with shelf.store.write() as tx:
        lifecycle.purge(tx, ids[:3])
    assert [i for i, _ in nearest(shelf)] == ids[3:]
    with shelf.store.write() as tx:
        lifecycle.purge(tx, ids[3:])
    assert count(shelf) == 0


def test_nothing_of_a_purged_memory_is_inherited(shelf: Any) -> None:
    """VEC-08: the highest ids are purged, and what comes after them has no vector of its own."""
    old = [
        shelf.add(f'text {i}', vector=at(i / 20), occurrence=Occurrence(shelf.now, pose=Pose('map', i, 0)))
        for i in range(10)]
    with shelf.store.write() as tx:
        lifecycle.purge(tx, old)
        left = ('memory', 'occurrence', 'occurrence_place', 'memory_vec', 'vector', 'memory_tag', 'co_occurrence')
        assert sum(tx.value(f'SELECT count(*) FROM {table}') for table in left) == 0  # noqa: S608 - names from above
        assert tx.value("SELECT count(*) FROM memory_fts WHERE memory_fts MATCH 'text'") == 0
    new = [shelf.add(f'word {i}') for i in range(10)]
    assert min(new) > max(old)
    assert nearest(shelf) == []


def test_the_file_does_not_grow_with_what_was_purged(shelf: Any) -> None:
    """VEC-08: free space is used again."""
    sizes = []
    for _ in range(6):
        with shelf.store.write(durable=False) as tx:
            collection = collections.collection_id(tx, 'c')
            ids = []
            for i in range(300):
                ids.append(memories.insert(tx, memories.NewMemory(collection, 'fact', f'text {i}', 1)))
                vectors.put(tx, ids[-1], 1, at(0.5))
        with shelf.store.write(durable=False) as tx:
            lifecycle.purge(tx, ids)
            sizes.append(tx.value('PRAGMA page_count'))
    assert sizes[-1] <= sizes[1] * 1.1
