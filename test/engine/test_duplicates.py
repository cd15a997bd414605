"""What is one fact said twice, and what only looks like it: reported pairs, through the whole of ``learn``."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, LearnResult, RecallRequest
from robotmem_ros.ports import Vector

Open = Callable[..., Engine]


class OneMeaning(HashEmbedder):
    """A model to which all texts mean the same: the worst that the guard can be given."""

    def embed(self, text: str) -> Vector:
        return np.eye(1, self.dim, dtype=np.float32)[0]


class Given(HashEmbedder):
    """A model whose vectors a test chose."""

    def __init__(self, vectors: dict[str, Vector]) -> None:
        super().__init__()
        self.vectors = vectors

    def embed(self, text: str) -> Vector:
        return self.vectors[text]


def at(cosine: float, scale: float = 1.0) -> Vector:
    """A vector of 384 numbers that has this cosine to (1, 0, 0, ...)."""
    vector = np.zeros(384, np.float32)
    vector[:2] = cosine, (1.0 - cosine**2) ** 0.5
    return vector * np.float32(scale)


def learn(engine: Engine, text: str, **fields: object) -> LearnResult:
    return engine.learn(LearnRequest(text, **fields))


def said(engine: Engine, query: str, **criteria: object) -> list[str]:
    return [m.content for m in engine.recall(RecallRequest(query, **criteria)).memories]


NUMBERS = [
    ('grasp the tall glass bottle on shelf three using 12 newtons',
     'grasp the tall glass bottle on shelf three using 15 newtons'),
    ('marker 17 is at the east door', 'marker 71 is at the east door'),
    ('drive through the hall at 2 m/s', 'drive through the hall at 2 mm/s'),
    ('the offset is 3.5', 'the offset is 3,5'), ('the offset is 3.5', 'the offset is 35'),
    ('the offset is 3,5', 'the offset is 35'), ('the shelf is 3,5 m high', 'the shelf is 35 m high'),
    ('三号门坏了', '四号门坏了'),
]


@pytest.mark.parametrize('embedder', [None, HashEmbedder(), OneMeaning()], ids=['words', 'hash', 'one meaning'])
@pytest.mark.parametrize(('first', 'second'), NUMBERS)
def test_another_number_unit_or_identifier_is_another_fact(
    open_engine: Open, embedder: HashEmbedder | None, first: str, second: str
) -> None:
    """DUP-01: in both orders, whatever the model thinks of it."""
    engine = open_engine(embedder)
    for collection, pair in (('forth', (first, second)), ('back', (second, first))):
        one, other = (learn(engine, text, collection=collection) for text in pair)
        assert (one.status, other.status) == ('created', 'created')


def test_before_a_unit_a_comma_is_a_decimal_sign(engine: Engine) -> None:
    """DUP-01, decided: 3,5 alone may be a pair of numbers and stays apart; 3,5 m is 3.5 m in another spelling."""
    first = learn(engine, 'the shelf is 3.5 m high')
    assert learn(engine, 'the shelf is 3,5 m high').memory_id == first.memory_id


OPPOSITES = [
    ('push the red door button before entering lab', 'do not push the red door button before entering lab'),
    ('bay 4 is safe', 'bay 4 is not safe'), ('可以进入三号区', '不可以进入三号区'),
    ('always knock before entering', 'never knock before entering'),
]


@pytest.mark.parametrize('embedder', [HashEmbedder(), OneMeaning()], ids=['hash', 'one meaning'])
@pytest.mark.parametrize(('first', 'second'), OPPOSITES)
def test_a_correction_by_negation_is_kept_and_comes_back_with_its_date(
    open_engine: Open, clock: ManualClock, embedder: HashEmbedder, first: str, second: str
) -> None:
    """DUP-02: both are stored, recall gives both with the newer date on the newer, no end of session merges them."""
    engine = open_engine(embedder)
    session = engine.start_session().session_id
    learn(engine, first, session_id=session)
    clock.advance(days=1)
    assert learn(engine, second, session_id=session).status == 'created'
    learn(engine, 'lamp three flickers', session_id=session)
    assert engine.end_session(session).superseded_count == 0
    query = 'red door button' if 'button' in first else first
    found = {m.content: m.created_at_ns for m in engine.recall(RecallRequest(query)).memories}
    assert {first, second} <= set(found)
    assert found[second] == clock.now > found[first]


def test_punctuation_does_not_switch_the_check_off(open_engine: Open) -> None:
    """FTS-02: with apostrophe and hyphen a repeat is a repeat, and 'if' for 'when' is what it is without them."""
    engine = open_engine(None)
    one, two = (engine.start_session().session_id for _ in range(2))
    text = "can't dock at bay-4 when wet"
    first = learn(engine, text, session_id=one)
    again = learn(engine, text, session_id=two)
    assert (again.status, again.memory_id) == ('duplicate', first.memory_id)
    signs = learn(engine, text.replace('when', 'if'))
    learn(engine, 'cannot dock at bay 4 when wet', collection='plain')
    plain = learn(engine, 'cannot dock at bay 4 if wet', collection='plain')
    assert (signs.status, signs.method) == (plain.status, plain.method)


def test_blanks_between_chinese_words_do_not_count(open_engine: Open) -> None:
    """DUP-04: without an embedder; another word is at least listed as similar."""
    engine = open_engine(None)
    first = learn(engine, '抓杯子用十二牛顿的力')
    spaced = learn(engine, '抓杯子 用 十二牛顿 的 力')
    assert (spaced.status, spaced.memory_id) == ('duplicate', first.memory_id)
    other = learn(engine, '抓杯子要用十二牛顿的力')
    assert other.memory_id == first.memory_id or first.memory_id in [each.id for each in other.similar]


def test_the_scope_is_the_collection(engine: Engine) -> None:
    """DUP-05: home_a, home_b, home_a in another session, and home_a after the first was forgotten."""
    text = 'kitchen floor is slippery'
    one, two = (engine.start_session(collection='home_a').session_id for _ in range(2))
    first = learn(engine, text, collection='home_a', session_id=one)
    told = [first, learn(engine, text, collection='home_b'), learn(engine, text, collection='home_a', session_id=two)]
    engine.forget(first.memory_id, 'dry again')
    told.append(learn(engine, text, collection='home_a'))
    assert [each.status for each in told] == ['created', 'created', 'duplicate', 'created']
    assert told[2].memory_id == first.memory_id != told[3].memory_id


@pytest.mark.parametrize('embedder', [None, HashEmbedder()], ids=['words', 'hash'])
def test_a_duplicate_names_a_living_memory(open_engine: Open, embedder: HashEmbedder | None) -> None:
    """DUP-09: never an id that was forgotten or a text that was corrected away."""
    engine = open_engine(embedder)
    text = 'the left lift door closes slowly'
    first = learn(engine, text)
    again = learn(engine, text)
    assert (again.status, again.memory_id) == ('duplicate', first.memory_id)
    engine.forget(first.memory_id, 'repaired')
    second = learn(engine, text)
    assert (second.status, second.memory_id != first.memory_id) == ('created', True)
    engine.update(second.memory_id, 'the wheel of cart nine squeaks')
    third = learn(engine, text)
    assert third.status == 'created' and third.memory_id not in (first.memory_id, second.memory_id)


@pytest.mark.parametrize(('written', 'other'), [
    ('café tür', unicodedata.normalize('NFD', 'café tür')), ('ＡＢＣ１２３', 'ABC123'), ('Dock 2 ', 'dock 2'),
    ('２階', '2階'),
])
def test_forms_of_one_text_are_one_fact(engine: Engine, written: str, other: str) -> None:
    """DUP-08: the second is a duplicate, each form finds it, and what comes back is what was written."""
    first = learn(engine, written)
    again = learn(engine, other)
    assert (again.status, again.memory_id) == ('duplicate', first.memory_id)
    assert said(engine, written) == said(engine, other) == [written]


@pytest.mark.parametrize(('written', 'other'), [
    ('the lab has 20 m²', 'the lab has 20 m2'), ('gate ① is shut', 'gate 1 is shut')])
def test_signs_that_only_fold_alike_stay_apart(engine: Engine, written: str, other: str) -> None:
    """DUP-08: m² may be a unit and m2 a name, ① may be a name: decided so that nothing is lost; words find both."""
    assert learn(engine, written).status == learn(engine, other).status == 'created'
    assert set(said(engine, other)) == {written, other}


FIRST, ANOTHER = 'Slow down before entering the ramp', 'Reduce speed ahead of the ramp'
"""The guard finds no difference and no proof either, and they share few words: the cosine alone decides."""


@pytest.mark.parametrize('scale', [1.0, 10.0])
@pytest.mark.parametrize(('cosine', 'status'), [
    (0.90, 'duplicate'), (0.86, 'duplicate'), (0.84, 'created'), (0.40, 'created'), (-1.0, 'created')])
def test_the_threshold_is_of_the_true_cosine(open_engine: Open, cosine: float, status: str, scale: float) -> None:
    """VEC-02: 0.85 means 0.85, also for a vector that is ten times as long."""
    engine = open_engine(Given({FIRST: at(1.0), ANOTHER: at(cosine, scale), 'ask': at(1.0)}))
    first = learn(engine, FIRST)
    told = learn(engine, ANOTHER)
    assert told.status == status
    if status == 'duplicate':
        assert (told.method, told.memory_id) == ('cosine', first.memory_id)
        assert told.similarity == pytest.approx(cosine, abs=1e-3)
    elif cosine > 0.5:
        assert [each.similarity for each in told.similar] == [pytest.approx(cosine, abs=1e-3)]


def test_an_exact_repeat_is_known_by_its_text_not_by_its_vector(open_engine: Open) -> None:
    """EMB-05: a model that gives one text two vectors."""
    class Unsteady(HashEmbedder):
        calls = 0

        def embed(self, text: str) -> Vector:
            Unsteady.calls += 1
            return at((-1.0) ** Unsteady.calls)

    engine = open_engine(Unsteady())
    first = learn(engine, 'open the red door')
    again = learn(engine, 'open the red door')
    assert (again.status, again.method, again.memory_id) == ('duplicate', 'exact', first.memory_id)


def test_eight_at_one_moment_are_one(open_engine: Open) -> None:
    """DUP-07: all eight are past the embedding before any is stored; one row, one id, no error."""
    together = threading.Barrier(8)

    class Slow(HashEmbedder):
        def embed(self, text: str) -> Vector:
            together.wait(10.0)
            return super().embed(text)

    engine = open_engine(Slow())
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda _: learn(engine, 'the hall light is broken'), range(8)))
    assert sorted(each.status for each in told) == ['created'] + 7 * ['duplicate']
    assert len({each.memory_id for each in told}) == 1
    stats = engine.stats()
    assert (stats['total'], stats['occurrences']) == (1, 8)


@pytest.mark.parametrize('text', ['', '   ', '\u200b'])
def test_a_blank_never_reaches_the_model(open_engine: Open, text: str) -> None:
    """EMB-06: learn, update and recall; '.' is the least that counts as a text."""
    from robotmem_ros.errors import InvalidRequest

    class Counting(HashEmbedder):
        calls = 0

        def embed(self, text: str) -> Vector:
            Counting.calls += 1
            return super().embed(text)

    engine = open_engine(Counting())
    known = learn(engine, 'the door sticks').memory_id
    Counting.calls = 0
    for call in (lambda: learn(engine, text), lambda: engine.update(known, text), lambda: said(engine, text)):
        with pytest.raises(InvalidRequest, match=r'empty|visible|query'):
            call()
    assert Counting.calls == 0
    assert learn(engine, '.').status == 'created'
