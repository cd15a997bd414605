"""The layers of the duplicate check, one by one (contract 4): their order, their limits, and what each answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from robotmem_ros import consolidation, duplicates
from robotmem_ros.clock import ManualClock
from robotmem_ros.core.decay import NS_PER_DAY
from robotmem_ros.core.guard import guard
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, LearnResult, PerceptionInput, RecallRequest
from robotmem_ros.ports import Vector
from robotmem_ros.settings import Settings

Open = Callable[..., Engine]

FIRST, REORDERED = 'Slow down before entering the ramp', 'Before entering the ramp, slow down'
OTHER_WORDS = 'Reduce speed ahead of the ramp'
PROVED = ('Close the door quickly', 'Shut the door fast')


class Given(HashEmbedder):
    """Texts have the cosine to (1, 0, 0, ...) that a test gives them, else 1."""

    def __init__(self, cosines: dict[str, float]) -> None:
        super().__init__()
        self.cosines = cosines

    def embed(self, text: str) -> Vector:
        cosine = self.cosines.get(text, 1.0)
        vector = np.zeros(self.dim, np.float32)
        vector[:2] = cosine, (1.0 - cosine**2) ** 0.5
        return vector


def learn(engine: Engine, text: str, **fields: Any) -> LearnResult:
    return engine.learn(LearnRequest(text, **fields))


def unchecked(engine: Engine, monkeypatch: pytest.MonkeyPatch, *texts: str, **fields: Any) -> list[int]:
    """Learn as if nothing were a duplicate."""
    with monkeypatch.context() as patch:
        patch.setattr(duplicates, 'find', lambda *_: duplicates.Finding())
        return [learn(engine, text, **fields).memory_id for text in texts]


def test_the_layers_are_asked_in_their_order(open_engine: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact before Jaccard before cosine, though all three are there, and the later ones were learned first."""
    engine = open_engine(Given({}))
    by_meaning, by_tokens, exact = unchecked(engine, monkeypatch, OTHER_WORDS, REORDERED, FIRST.upper())
    for memory_id, method in ((exact, 'exact'), (by_tokens, 'jaccard'), (by_meaning, 'cosine')):
        told = learn(engine, FIRST)
        assert (told.status, told.method, told.memory_id) == ('duplicate', method, memory_id)
        assert told.similarity == pytest.approx(1.0)
        engine.forget(memory_id, 'the next layer')
    assert learn(engine, FIRST).status == 'created'


def test_a_cosine_within_the_session_has_a_name_of_its_own(open_engine: Open) -> None:
    engine = open_engine(Given({}))
    one, two = (engine.start_session().session_id for _ in range(2))
    first = learn(engine, FIRST, session_id=one)
    for session, method in ((one, 'session_cosine'), (two, 'cosine'), ('', 'cosine')):
        told = learn(engine, OTHER_WORDS, session_id=session)
        assert (told.method, told.memory_id) == (method, first.memory_id)


@pytest.mark.parametrize(('cosine', 'status'), [(0.66, 'duplicate'), (0.64, 'created')])
def test_a_proved_agreement_needs_less(open_engine: Open, cosine: float, status: str) -> None:
    assert guard(*PROVED).proved
    engine = open_engine(Given({PROVED[1]: cosine}))
    learn(engine, PROVED[0])
    assert learn(engine, PROVED[1]).status == status


@pytest.mark.parametrize(('nearer', 'status'), [(19, 'duplicate'), (20, 'created')])
def test_the_first_of_the_twenty_nearest_that_passes_the_guard(
    open_engine: Open, monkeypatch: pytest.MonkeyPatch, nearer: int, status: str
) -> None:
    engine = open_engine(Given({OTHER_WORDS: 0.9}))
    repeated, *others = unchecked(
        engine, monkeypatch, OTHER_WORDS, *(f'marker {i} is at the east door' for i in range(nearer)))
    told = learn(engine, FIRST)
    assert (told.status, told.memory_id == repeated) == (status, status == 'duplicate')
    assert {each.id for each in told.similar} < set(others), 'what the guard held back'


@pytest.mark.parametrize(('overlap', 'status', 'similar'), [
    (0.71, 'duplicate', 0), (0.70, 'created', 1), (0.40, 'created', 1), (0.39, 'created', 0)])
def test_the_limits_of_the_token_overlap(
    text_engine: Engine, monkeypatch: pytest.MonkeyPatch, overlap: float, status: str, similar: int
) -> None:
    learn(text_engine, FIRST)
    monkeypatch.setattr(duplicates, 'jaccard', lambda *_: overlap)
    told = learn(text_engine, REORDERED)
    assert (told.status, len(told.similar)) == (status, similar)
    assert all(each.similarity == overlap for each in told.similar)


@pytest.mark.parametrize(('cosine', 'similar'), [(0.84, 1), (0.41, 1), (0.39, 0)])
def test_a_medium_cosine_is_similar(open_engine: Open, cosine: float, similar: int) -> None:
    engine = open_engine(Given({OTHER_WORDS: cosine}))
    first = learn(engine, FIRST)
    told = learn(engine, OTHER_WORDS)
    assert (told.status, told.method) == ('created', 'none')
    assert [each.id for each in told.similar] == [first.memory_id] * similar


@pytest.mark.parametrize(('a', 'b'), [
    ('tighten to 5 Nm', 'tighten to 5 nm'), ('laser of 5 mW', 'laser of 5 MW'), ('10⁵ cycles', '105 cycles')])
def test_the_guard_stands_before_the_exact_layer_too(
    text_engine: Engine, monkeypatch: pytest.MonkeyPatch, a: str, b: str
) -> None:
    """Folding equates them: held back, and listed with the similarity that this layer saw."""
    monkeypatch.setattr(duplicates.fulltext, 'candidates', lambda *_: [])
    first, told = learn(text_engine, a), learn(text_engine, b)
    assert (told.status, told.method, told.similarity) == ('created', 'none', 1.0)
    assert [(each.id, each.content, each.similarity) for each in told.similar] == [(first.memory_id, a, 1.0)]


def merged(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """A session whose end lets ``FIRST`` absorb ``OTHER_WORDS``; their ids."""
    session = engine.start_session().session_id
    absorbed, = unchecked(engine, monkeypatch, OTHER_WORDS, session_id=session, confidence=0.5)
    keeper, _ = unchecked(engine, monkeypatch, FIRST, 'the lamp is red', session_id=session)
    with monkeypatch.context() as patch:
        patch.setattr(consolidation, 'signature', lambda _: ('one',))
        patch.setattr(consolidation, 'jaccard', lambda *_: 0.6)
        assert engine.end_session(session).superseded_count == 1
    return absorbed, keeper


def test_a_text_that_was_merged_away_is_one_of_its_keeper(
    text_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DUP-09: superseded_by is followed; the answer names the one that is alive, and no third row is made."""
    _, keeper = merged(text_engine, monkeypatch)
    told = learn(text_engine, OTHER_WORDS)
    assert (told.status, told.method, told.memory_id) == ('duplicate', 'exact', keeper)


@pytest.mark.parametrize('end', [
    lambda engine, keeper: engine.forget(keeper, 'wrong'),
    lambda engine, keeper: engine.update(keeper, 'Do not slow down before entering the ramp'),
], ids=['forgotten', 'corrected'])
def test_a_keeper_that_was_corrected_or_forgotten_stands_for_nothing(
    text_engine: Engine, monkeypatch: pytest.MonkeyPatch, end: Callable[[Engine, int], object]
) -> None:
    """CON-02, UPD-03: what it once absorbed can be learned again."""
    _, keeper = merged(text_engine, monkeypatch)
    end(text_engine, keeper)
    again = learn(text_engine, OTHER_WORDS)
    assert (again.status, again.memory_id != keeper) == ('created', True)


def test_what_another_session_created_is_not_merged_by_the_one_that_repeats_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contract 5: *created* in the session; an occurrence alone does not make a fact the session's."""
    one, two = (engine.start_session().session_id for _ in range(2))
    old = learn(engine, 'the cart brake squeaks', session_id=one, confidence=0.5).memory_id
    assert learn(engine, 'the cart brake squeaks', session_id=two).memory_id == old
    unchecked(engine, monkeypatch, 'the cart brake squeaks', 'the lamp is red', 'the fan is loud', session_id=two)
    assert engine.end_session(two).superseded_count == 0
    assert engine.stats()['by_status'] == {'active': 4}


def test_age_counts_from_storing_and_the_own_stamp_is_kept(engine: Engine, clock: ManualClock) -> None:
    """A recording of last year is new to the memory; fact and perception, with no pose to carry the stamp."""
    stamp = clock.now - int(300 * NS_PER_DAY)
    learn(engine, 'the dock is wet', observed_at_ns=stamp)
    engine.save_perception(PerceptionInput(description='the dock is wet', stamp_ns=stamp))
    found = engine.recall(RecallRequest('dock', since_ns=clock.now)).memories
    assert [(m.created_at_ns, m.observed_at_ns) for m in found] == [(clock.now, stamp)] * 2
    assert [m.confidence for m in found] == [pytest.approx(0.9)] * 2


def test_the_oldest_perceptions_go_and_equal_ones_share_a_vector(open_engine: Open, clock: ManualClock) -> None:
    settings = Settings()
    engine = open_engine(HashEmbedder(), replace(settings, store=replace(settings.store, max_perceptions=2)))
    ids = []
    for _ in range(4):
        clock.advance(seconds=1.0)
        ids.append(engine.save_perception(PerceptionInput(description='a red box')))
    fact = learn(engine, 'the dock is wet').memory_id
    for _ in range(1000):
        if not engine.tick():
            break
    with engine._rt.store.read() as tx:
        vectors = dict(tx.execute('SELECT id, vector_id FROM memory ORDER BY id'))
    assert list(vectors) == [*ids[2:], fact]
    assert vectors[ids[2]] == vectors[ids[3]] != vectors[fact] and None not in vectors.values()


def test_common_signs_do_not_hide_a_repeat(text_engine: Engine) -> None:
    """DUP-04: each sign that differs breaks two pairs; the rarest were all broken, the kept ones all frequent."""
    for text in (*(f'把杯子放{i}号架' for i in range(8)), '请把灯关好', '放在桌子上'):
        learn(text_engine, text, collection='others')
    known = learn(text_engine, '把杯子放到桌上')
    told = learn(text_engine, '请把杯子放在桌子上')
    assert (told.method, told.memory_id) == ('jaccard', known.memory_id)


def test_the_guard_reads_only_what_the_cosine_lets_pass(open_engine: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Contract 10, learn: below the lower of the two cosines nothing that it says could matter."""
    engine = open_engine(Given({PROVED[0]: 0.66, OTHER_WORDS: 0.64, FIRST: 1.0}))
    near, far = unchecked(engine, monkeypatch, PROVED[0], OTHER_WORDS)
    read: list[str] = []
    agreement = duplicates.agreement
    monkeypatch.setattr(duplicates, 'agreement', lambda a, b: read.append(b) or agreement(a, b))
    told = learn(engine, FIRST)
    assert told.status == 'created' and {near, far} == {similar.id for similar in told.similar}
    assert read == [PROVED[0]]
