"""The vectors held in memory say the same as the file, whatever happened to it and whoever did it (decision 15)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotmem_ros.settings import DecaySettings
from robotmem_ros.store import collections, indexed, lifecycle, memories, vector_index, vectors
from robotmem_ros.store.store import Store
from robotmem_ros.store.tx import Tx
from robotmem_ros.store.vector_index import VectorIndex, View

ASKED = np.asarray([1.0, 0.2, -0.1, 0.05], np.float32)


def never(*args: Any) -> Any:
    raise AssertionError('the vectors in memory were not used')


def draw(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(4).astype(np.float32)


def found_by(tx: Tx, shelf: Any, k: int = 5, vector: Any = ASKED, **criteria: Any) -> list[tuple[int, float]]:
    return vectors.nearest(tx, vector, shelf.filters(**criteria), shelf.decay, k)


def assert_same(shelf: Any, tx: Tx) -> None:
    """What is found is what a scan of the whole file finds, for every kind of criteria."""
    for criteria in ({}, {'collection': 'd'}, {'category': 'odd'}, {'tags': ('x',)}, {'min_confidence': 0.5}):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(vectors, '_scanned', never)
            found = found_by(tx, shelf, **criteria)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(indexed, 'view', lambda tx, space: None)
            scanned = found_by(tx, shelf, **criteria)
        assert [i for i, _ in found] == [i for i, _ in scanned]
        assert [c for _, c in found] == pytest.approx([c for _, c in scanned], abs=1e-6)


def ids_of(tx: Tx) -> list[int]:
    return [row[0] for row in tx.execute("SELECT id FROM memory WHERE status = 'active' ORDER BY id")]


class Rolled(Exception):
    """Ends a transaction so that nothing of it stays."""


def learn(tx: Tx, seed: int) -> None:
    name = 'c' if seed % 3 else 'd'
    collection = collections.collection_id(tx, name)
    kind = 'perception' if seed % 4 == 0 else 'fact'
    memory = memories.insert(tx, memories.NewMemory(
        collection, kind, f'text {seed % 7}', 1, category='odd' if seed % 2 else '', confidence=(seed % 10) / 10))
    memories.add_tags(tx, memory, ['x'] if seed % 5 == 0 else [])
    if seed % 6:
        vectors.put(tx, memory, collection, draw(seed))


def correct(tx: Tx, seed: int) -> None:
    for memory in ids_of(tx)[seed % 5 :: 5]:
        row = memories.get_row(tx, memory)
        assert row is not None
        lifecycle.replace_text(tx, memory, f'text {seed}', 1)
        vectors.put(tx, memory, row.collection_id, draw(seed))


def forget(tx: Tx, seed: int) -> None:
    for memory in ids_of(tx)[seed % 4 :: 4]:
        lifecycle.set_status(tx, memory, 'forgotten', 'wrong', 1)


def purge(tx: Tx, seed: int) -> None:
    lifecycle.purge(tx, ids_of(tx)[-1 - seed % 3 :])


def change_model(tx: Tx, seed: int) -> None:
    vectors.ensure_space(tx, f'm{seed % 2}', 4, str(seed % 2) * 16)


CHANGES = (learn, learn, learn, correct, forget, purge, change_model)
STEP = st.tuples(
    st.sampled_from(CHANGES), st.integers(0, 10_000), st.sampled_from(['here', 'by another', 'rolled back', 'tick']))


@settings(max_examples=40, deadline=None)
@given(steps=st.lists(STEP, max_size=15))
def test_after_any_changes_by_anybody_the_same_is_found(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[Callable[[Tx, int], None], int, str]]
) -> None:
    """VEC-04, VEC-08: inside of the transaction that changes, after it, after it was undone, and after another's."""
    path = str(tmp_path_factory.mktemp('law') / 'm.db')
    here, other = Store.open(path), Store.open(path)
    shelf = Asking()
    with here.write() as tx:
        change_model(tx, 0)
        for seed in range(8):
            learn(tx, seed)
    for change, seed, where in steps:
        try:
            with (other if where == 'by another' else here).write() as tx:
                change(tx, seed)
                learn(tx, seed + 1)
                assert_same(shelf, tx)
                if where == 'rolled back':
                    raise Rolled
        except Rolled:
            pass
        with here.read() as tx:
            if where == 'tick':
                vectors.index_some(tx, 3)
            assert_same(shelf, tx)
    here.close()
    other.close()


class Asking:
    """Criteria at one moment."""

    decay = DecaySettings()

    def filters(self, **fields: Any) -> Any:
        return vectors.Filters(**{'collection': 'c', 'now_ns': 2, **fields})


def test_ids_of_a_transaction_that_was_undone_are_given_to_others(shelf: Any) -> None:
    """VEC-08: the index must never have seen the first of the two vectors that got the same id."""
    shelf.add('stays', vector=draw(1))
    try:
        with shelf.store.write() as tx:
            memory = memories.insert(tx, memories.NewMemory(1, 'fact', 'never was', 1))
            vectors.put(tx, memory, 1, ASKED)
            undone = tx.value('SELECT max(id) FROM vector')
            assert found_by(tx, shelf)[0] == (memory, pytest.approx(1.0))
            raise Rolled
    except Rolled:
        pass
    shelf.add('came instead', vector=-ASKED)
    with shelf.store.read() as tx:
        assert tx.value('SELECT max(id) FROM vector') == undone
        assert found_by(tx, shelf)[-1][1] == pytest.approx(-1.0)
        assert_same(shelf, tx)


def test_who_sees_an_older_state_is_answered_from_it(shelf: Any) -> None:
    """A memory whose vector was replaced meanwhile is found by the vector that this transaction sees."""
    memory = shelf.add('text', vector=ASKED)
    with shelf.store.read() as old:
        assert ids_of(old) == [memory]
        with shelf.store.write() as tx:
            lifecycle.replace_text(tx, memory, 'other text', 1)
            vectors.put(tx, memory, 1, -ASKED)
        with shelf.store.read() as new:
            assert found_by(new, shelf) == [(memory, pytest.approx(-1.0))]
        assert found_by(old, shelf) == [(memory, pytest.approx(1.0))]


@pytest.fixture
def held_after(shelf: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., View]:
    """Read the file until all is held, three vectors at a time, and give what is held; a search reads at most four."""
    monkeypatch.setattr(indexed, 'AT_ONCE', 4)

    def reading(limit: int = 3) -> View:
        with shelf.store.read() as tx:
            while vectors.index_some(tx, limit):
                pass
            return tx.index.view(vectors.space(tx)[1:])

    return reading


def test_until_all_is_held_the_file_answers(
    shelf: Any, held_after: Callable[..., View], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a large file, right after the start: the same answers, from sqlite-vec, and no search waits for the index."""
    for seed in range(20):
        shelf.add(f'text {seed}', vector=draw(seed))
    with shelf.store.read() as tx:
        before = found_by(tx, shelf, 20)
        assert tx.index.view((4, '1' * 16)).count() == 0 and len(before) == 20
    assert held_after().count(1) == 20
    with shelf.store.read() as tx:
        assert_same(shelf, tx)
        monkeypatch.setattr(vectors, '_scanned', never)
        assert found_by(tx, shelf, 20) == before


def test_what_was_deleted_is_let_go(shelf: Any, held_after: Callable[..., View]) -> None:
    """VEC-08: so that the memory in use depends on what the file holds and not on what it ever held."""
    ids = [shelf.add(f'text {seed}', 'c' if seed % 2 else 'd', vector=draw(seed)) for seed in range(12)]
    assert held_after().count() == 12
    with shelf.store.write() as tx:
        lifecycle.purge(tx, ids[:9])
    for _ in range(20):
        held = held_after()
    assert held.count() == 3
    with shelf.store.read() as tx:
        assert_same(shelf, tx)


def test_who_sees_an_older_state_lets_nothing_go(shelf: Any) -> None:
    """What came meanwhile is not there yet for this transaction, which must not take it for deleted."""
    shelf.add('text', vector=draw(1))
    with shelf.store.read() as old:
        assert vectors.space(old) is not None
        new = shelf.add('new', vector=ASKED)
        with shelf.store.read() as tx:
            assert found_by(tx, shelf, 1) == [(new, pytest.approx(1.0))]
        vectors.index_some(old, 10)
    with shelf.store.read() as tx:
        assert_same(shelf, tx)


def test_too_many_vectors_are_not_held(
    shelf: Any, held_after: Callable[..., View], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small computer is not filled up: beyond the limit nothing is held, and the same is found."""
    monkeypatch.setattr(indexed, 'MOST_HELD', 10)
    for seed in range(12):
        shelf.add(f'text {seed}', vector=draw(seed))
    held = held_after()
    assert held.count() == 0
    shelf.add('one more', vector=ASKED)
    assert held_after() is held, 'it is not tried again and again'
    with shelf.store.read() as tx:
        assert found_by(tx, shelf, 1)[0][1] == pytest.approx(1.0)


@pytest.mark.parametrize('spread', [0.01, 0.05, 0.2, 0.5, 2.0])
def test_of_the_ten_nearest_hardly_one_is_missed(spread: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Contract 10, found: 98 % of the exact ten nearest, in tight and loose clusters and in none.

    Of 12 000 vectors one in 24 is kept by its signs, as of 100 000. In the tightest of them, cosines differ in the
    fifth digit, which no model means: what is found is then as near as what is missed.
    """
    monkeypatch.setattr(vector_index, 'LEAST_COARSE', 0)
    draws = np.random.default_rng(5)
    centres = draws.standard_normal((30, 384)) / np.sqrt(384)
    noise = draws.standard_normal((12_030, 384)) / np.sqrt(384)
    data = (centres[draws.integers(0, 30, 12_030)] + spread * noise).astype(np.float32)
    data, queries = data[:12_000], data[12_000:]
    index = VectorIndex()
    index.extend(View((384, 'm')), 12_000, [(i + 1, 1, row.tobytes()) for i, row in enumerate(data)])
    view, unit, found = index.view((384, 'm')), data / np.linalg.norm(data, axis=1, keepdims=True), []
    for asked in queries:
        cosines = unit @ asked / np.linalg.norm(asked)
        least = np.sort(cosines)[-10] - 2e-5
        found.append(sum(cosines[i - 1] >= least for i in view.search(1, asked, 10)) / 10)
    assert np.minimum(found, 1.0).mean() >= 0.98


def test_no_vector_is_nearer_than_is_said_of_it() -> None:
    """So the file need not be read for those that cannot be among the nearest."""
    draws = np.random.default_rng(11)
    data, queries = draws.standard_normal((500, 384)).astype(np.float32), draws.standard_normal((20, 384))
    data[::7, 0] *= 20  # coarse rounding for all other numbers
    index = VectorIndex()
    index.extend(View((384, 'm')), 500, [(i + 1, 1, row.tobytes()) for i, row in enumerate(data)])
    unit = data / np.linalg.norm(data, axis=1, keepdims=True)
    for asked in queries.astype(np.float32):
        most = index.view((384, 'm')).search(1, asked, 100)
        cosines = unit @ (asked / np.linalg.norm(asked))
        assert len(most) >= 216 and list(most.values()) == sorted(most.values(), reverse=True)
        assert all(cosines[i - 1] <= limit <= cosines[i - 1] + 0.03 for i, limit in most.items())


@pytest.mark.parametrize('forgotten', [0, 3, 12])
def test_only_what_may_be_near_is_read_from_the_file(
    shelf: Any, held_after: Callable[..., View], monkeypatch: pytest.MonkeyPatch, forgotten: int
) -> None:
    """Contract 10, learn: it reads few more than it asked for, and all only where those find too few."""
    ids = [shelf.add(f'text {i}', vector=np.asarray([1.0, 0.02 * i, 0.0, 0.0], np.float32)) for i in range(60)]
    held_after(100)
    with shelf.store.write() as tx:
        for memory in ids[:forgotten]:
            lifecycle.set_status(tx, memory, 'forgotten', 'wrong', 1)
    read: list[int] = []
    compared = vectors._compared

    def counting(tx: Tx, where: Any, hits: Any) -> Any:
        read.append(len(list(hits)))
        return compared(tx, where, hits)

    monkeypatch.setattr(vectors, '_compared', counting)
    with shelf.store.read() as tx:
        found = found_by(tx, shelf, 5, np.asarray([1.0, 0.0, 0.0, 0.0], np.float32))
    assert [i for i, _ in found] == ids[forgotten:forgotten + 5]
    assert sum(read) <= (12 if not forgotten else 26), read


def test_searches_while_others_write(shelf: Any, held_after: Callable[..., View]) -> None:
    """Four threads search, one learns and forgets, one keeps house: no error, and nothing is lost."""
    kept = shelf.add('stays', vector=ASKED)
    ended, failed = threading.Event(), []

    def again(action: Callable[[], Any]) -> None:
        while not ended.is_set():
            try:
                action()
            except BaseException as error:  # noqa: BLE001  shown at the end, by the thread of the test
                failed.append(error)
                return

    def search() -> None:
        with shelf.store.read() as tx:
            assert found_by(tx, shelf, 3)[0] == (kept, pytest.approx(1.0))

    threads = [threading.Thread(target=again, args=[action]) for action in (search, search, search, search, held_after)]
    for thread in threads:
        thread.start()
    try:
        for seed in range(1, 120):
            with shelf.store.write(durable=False) as tx:
                learn(tx, seed)
                if seed % 3 == 0:
                    lifecycle.purge(tx, [i for i in ids_of(tx)[-2:] if i != kept])
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert failed == []
    held_after()
    with shelf.store.read() as tx:
        assert_same(shelf, tx)


def test_a_view_does_not_change_under_who_uses_it() -> None:
    """Searches go on while vectors come in and go."""
    index = VectorIndex()
    index.extend(View((4, 'm')), 3, [(i, 1, draw(i).tobytes()) for i in (1, 2, 3)])
    view = index.view((4, 'm'))
    index.extend(view, 4, [(4, 1, ASKED.tobytes())])
    index.retain(1, 1, 3, [])
    assert sorted(view.search(1, ASKED, 10)) == [1, 2, 3]
    assert list(index.view((4, 'm')).search(1, ASKED, 10)) == [4]


def test_what_another_thread_has_read_is_not_added_twice() -> None:
    """Two searches find the same vectors missing; what one read of an older state or another space is dropped."""
    index = VectorIndex()
    rows = [(i, 1, draw(i).tobytes()) for i in (1, 2)]
    first = View((4, 'm'))
    index.extend(first, 2, rows)
    index.extend(first, 2, rows)
    index.extend(first, 1, rows[:1])
    assert index.view((4, 'm')).count() == 2 and index.view((4, 'm')).last == 2
    index.extend(View((4, 'n')), 5, [(5, 1, ASKED.tobytes())])
    assert index.view((4, 'm')).count() == 0 and index.view((4, 'n')).count() == 1


def test_single_vectors_become_few_blocks() -> None:
    """A search looks at each block: ten thousand learns must not make ten thousand of them."""
    index, view = VectorIndex(), View((4, 'm'))
    for i in range(1, 2001):
        index.extend(view, i, [(i, 1, ASKED.tobytes())])
        view = index.view((4, 'm'))
    assert len(view.blocks[1]) <= 12 and view.count(1) == 2000


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20))
def test_bits_are_counted_without_a_new_numpy(words: list[int]) -> None:
    """Ubuntu 24.04, that of Jazzy, has numpy 1.26."""
    packed = np.asarray(words, np.uint64)
    expected = [bin(word).count('1') for word in words]
    assert vector_index.ones_by_table(packed).tolist() == vector_index.ones(packed).tolist() == expected
    assert vector_index.ones_by_table(np.stack([packed, packed])).tolist() == [expected, expected]
