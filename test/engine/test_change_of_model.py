"""A file outlives the model that it was written with, and a while without sqlite-vec: nothing lost, nothing mixed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.embed.loading import MODELS, load
from robotmem_ros.engine import Engine
from robotmem_ros.errors import ModelUnavailable
from robotmem_ros.model import LearnRequest, RecallRequest
from robotmem_ros.ports import Embedder
from robotmem_ros.settings import Settings, TickSettings
from robotmem_ros.store import vectors
from robotmem_ros.store.store import Store

FACTS = ('the gripper slips on wet boxes', '充电站在二楼电梯后面', 'the red door is locked at night', '走廊湿滑')

Open = Callable[..., Engine]


@pytest.fixture
def log() -> list[str]:
    return []


@pytest.fixture
def open_logged(db_path: str, clock: ManualClock, log: list[str]) -> Any:
    """Open engines on the test's file that report into ``log``."""
    opened: list[Engine] = []

    def build(embedder: Embedder | None) -> Engine:
        settings = Settings(tick=TickSettings(slice_ms=0.5))
        opened.append(Engine(Store.open(db_path, settings.store), clock, lambda: embedder, settings, log.append))
        return opened[-1]

    yield build
    for engine in opened:
        engine.close()


@pytest.fixture(scope='module')
def models() -> dict[str, Embedder]:
    """Give the real models by name; ``make install`` brings both."""
    try:
        return {name: load(model=name, cache_size=0) for name in MODELS}
    except ModelUnavailable as error:
        pytest.skip(str(error))


def settle(engine: Engine) -> int:
    slices = 1
    while engine.tick():
        slices += 1
        assert slices < 1000, 'the tick never ends'
    return slices


def vectors_are_of(engine: Engine, model: Embedder) -> None:
    """Every memory with a vector has the one that this model gives for its text."""
    with engine._rt.store.read() as tx:
        assert vectors.space(tx) == (model.name, model.dim, model.fingerprint)
        for memory_id, text in tx.execute('SELECT id, content FROM memory WHERE vector_state = 1'):
            assert np.allclose(vectors.get(tx, memory_id), model.embed(text), atol=1e-6)
        left = tx.execute('SELECT count(*) FROM vector EXCEPT SELECT count(*) FROM memory_vec')
        assert left == []


def test_a_file_goes_from_one_real_model_to_the_other_and_back(
    open_logged: Open, models: dict[str, Embedder], log: list[str]
) -> None:
    """VEC-06: reported, embedded anew in slices, found by words meanwhile, never mixed."""
    with_first = open_logged(models['minilm'])
    for fact in FACTS:
        with_first.learn(LearnRequest(fact))
    settle(with_first)
    with_first.close()
    for old, new in (('minilm', 'multilingual'), ('multilingual', 'minilm'), ('minilm', 'multilingual')):
        log.clear()
        engine = open_logged(models[new])
        assert len(log) == 1 and models[old].name in log[0] and models[new].name in log[0] and '4 memories' in log[0]
        assert (engine.mode, engine.replaced_model) == ('hybrid', models[old].name)
        assert engine.stats()['pending_vectors'] == 4
        for query, fact in (('wet boxes', FACTS[0]), ('电梯', FACTS[1])):
            found = engine.recall(RecallRequest(query, reinforce=False)).memories
            assert (found[0].content, found[0].score_vector) == (fact, 0.0)
        vectors_are_of(engine, models[new])  # none yet
        while engine.stats()['pending_vectors']:
            engine.tick()
            vectors_are_of(engine, models[new])
        settle(engine)
        assert (engine.replaced_model, len(log)) == ('', 1)
        engine.close()
    log.clear()
    engine = open_logged(models['multilingual'])
    assert (log, engine.replaced_model, engine.stats()['pending_vectors']) == ([], '', 0)
    assert engine.recall(RecallRequest('where is the charging station')).memories[0].content == FACTS[1]


def test_learned_while_others_wait(open_logged: Open) -> None:
    """VEC-06: the new memory has its vector at once, an old one that was corrected gets that of its new text."""
    old, new = HashEmbedder(salt='one'), HashEmbedder(salt='two')
    first = open_logged(old)
    ids = [first.learn(LearnRequest(fact)).memory_id for fact in FACTS[::2]]
    first.close()
    second = open_logged(new)
    second.learn(LearnRequest('lamp seven flickers'))
    assert second.stats()['pending_vectors'] == 2
    second.update(ids[0], 'the gripper slips on wet glass')
    settle(second)
    vectors_are_of(second, new)
    assert second.stats()['pending_vectors'] == 0


def test_a_stop_half_way_goes_on_where_it_was(open_logged: Open) -> None:
    """VEC-06: what has its new vector keeps it; the rest still waits."""
    first = open_logged(HashEmbedder(salt='one'))
    for number in range(40):
        first.learn(LearnRequest(f'crate {number} stands on shelf {number * 7}'))
    first.close()
    new = HashEmbedder(salt='two')
    second = open_logged(new)
    second.tick()
    waiting = second.stats()['pending_vectors']
    assert 0 < waiting < 40
    second.close()
    third = open_logged(new)
    assert third.stats()['pending_vectors'] == waiting
    settle(third)
    vectors_are_of(third, new)


def test_a_while_without_sqlite_vec(
    open_logged: Open, log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """VEC-07: text mode that says so, nothing lost; the missing vectors come when the module is back."""
    model = HashEmbedder()
    first = open_logged(model)
    kept, gone = (first.learn(LearnRequest(fact)).memory_id for fact in FACTS[::2])
    first.close()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, 'sqlite_vec', None)
        without = open_logged(model)
        assert without.mode == 'bm25_only'
        added = without.learn(LearnRequest('lamp seven flickers')).memory_id
        without.update(kept, 'the gripper slips on wet glass')
        without.forget(gone, 'not locked any more')
        settle(without)
        answer = without.recall(RecallRequest('lamp'))
        assert (answer.mode, [m.id for m in answer.memories]) == ('bm25_only', [added])
        assert without.stats()['pending_vectors'] == 2
        without.close()
        assert [line for line in log if 'sqlite-vec' in line] == log and len(log) == 1
    log.clear()
    back = open_logged(model)
    assert (back.mode, back.stats()['pending_vectors'], log) == ('hybrid', 2, [])
    settle(back)
    vectors_are_of(back, model)
    assert back.recall(RecallRequest('lamp seven flickers')).memories[0].score_vector == pytest.approx(1.0, abs=1e-5)
    assert back.stats()['pending_vectors'] == 0
