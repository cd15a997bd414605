"""CON-*: what the end of a session merges (contract 5; seed 000), what it must keep apart, and at what price."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros import consolidation
from robotmem_ros.clock import ManualClock
from robotmem_ros.consolidation import Clustering, consolidate
from robotmem_ros.core.guard import guard, signature
from robotmem_ros.core.similarity import content_tokens, jaccard
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.errors import NotFound
from robotmem_ros.model import LearnRequest, RecallRequest, SessionEnded
from robotmem_ros.ports import Vector
from robotmem_ros.settings import ConsolidationSettings, Settings
from robotmem_ros.store import memories, occurrences, sessions, usage, vectors
from robotmem_ros.store.memories import NewMemory
from robotmem_ros.store.occurrences import Occurrence

Open = Callable[..., Engine]

SEED = (
    ('grip_force=12.5N works for cups', 'observation', 0.85),
    ('12.5N grip force optimal for cylinders', 'observation', 0.80),
    ('force 12.5N best for cup grasping', 'observation', 0.90), ('red objects need 15N force', 'observation', 0.85),
    ('always calibrate before grasping', 'constraint', 0.95),
)
"""Seed 000's worked example."""


class OneMeaning(HashEmbedder):
    """A model to which all texts mean the same."""

    def embed(self, text: str) -> Vector:
        return np.eye(1, self.dim, dtype=np.float32)[0]


def put(engine: Engine, session: str, text: str, **fields: Any) -> int:
    """Store a fact of a session without the check at writing, which would keep most repetitions out."""
    embedder = engine._rt.ready_embedder()
    with engine._rt.store.write() as tx:
        memory_id = memories.insert(tx, NewMemory(**{
            'collection_id': 1, 'type': 'fact', 'content': text, 'session_id': session,
            'created_at_ns': engine._rt.clock.now_ns(), **fields}))
        if embedder is not None:
            vectors.put(tx, memory_id, 1, embedder.embed(text))
    return memory_id


def ended(engine: Engine, facts: Sequence[Any]) -> tuple[list[int], SessionEnded]:
    session = engine.start_session().session_id
    ids = []
    for fact in facts:
        text, category, confidence = fact if isinstance(fact, tuple) else (fact, '', 0.9)
        ids.append(put(engine, session, text, category=category, confidence=confidence))
    return ids, engine.end_session(session)


def keepers(engine: Engine) -> dict[int, int]:
    with engine._rt.store.read() as tx:
        return dict(tx.execute('SELECT id, superseded_by FROM memory WHERE superseded_by IS NOT NULL'))


def dump(engine: Engine) -> list[Any]:
    with engine._rt.store.read() as tx:
        tables = ('memory', 'occurrence', 'memory_tag', 'co_occurrence', 'scene_ref')
        return [tx.execute(f'SELECT * FROM {t} ORDER BY 1, 2') for t in tables]  # noqa: S608


# ---- the seed's example

def test_the_rule_merges_nothing_of_the_seeds_example(engine: Engine) -> None:
    """Its Jaccards are 0, 0 and 0.25, not above 0.50 (its own tokens); with ours they are below it as well."""
    overlaps = [jaccard(content_tokens(SEED[i][0]), content_tokens(SEED[j][0])) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert max(overlaps) <= 0.5
    _, result = ended(engine, SEED)
    assert (result.merged_groups, result.superseded_count) == (0, 0)
    assert (result.compression_ratio, result.avg_similarity) == (0.0, 0.0)
    assert engine.stats()['by_status'] == {'active': 5}


def test_with_a_semantic_threshold_the_guard_still_keeps_the_example_apart(open_engine: Open) -> None:
    """Even a model that takes all texts for one: cups, cylinders and grasping are different things to be told."""
    engine = open_engine(OneMeaning(), Settings(consolidation=ConsolidationSettings(semantic_threshold=0.9)))
    _, result = ended(engine, SEED)
    assert result.superseded_count == 0


@pytest.mark.parametrize(('threshold', 'superseded'), [(0.0, 0), (0.9, 1), (1.0, 1)])
def test_a_semantic_threshold_joins_a_pair_that_passes_the_guard(
    open_engine: Open, threshold: float, superseded: int
) -> None:
    a, b = 'the lift needs 12.5 N', 'the lift needs twelve and a half newtons'
    a, b = ('十二牛顿 夹紧', '12 N 夹紧') if not guard(a, b).same else (a, b)
    assert guard(a, b).same and jaccard(content_tokens(a), content_tokens(b)) <= 0.5
    engine = open_engine(OneMeaning(), Settings(consolidation=ConsolidationSettings(semantic_threshold=threshold)))
    _, result = ended(engine, [a, b, 'lamp three flickers'])
    assert result.superseded_count == superseded
    assert result.avg_similarity == pytest.approx(1.0 if superseded else 0.0)


def test_what_is_less_alike_than_the_semantic_threshold_or_has_no_vector_stays(open_engine: Open) -> None:
    facts = ['十二牛顿 夹紧', '12 N 夹紧', 'lamp three flickers']
    settings = Settings(consolidation=ConsolidationSettings(semantic_threshold=0.999))
    for embedder in (HashEmbedder(), None):
        engine = open_engine(embedder, settings)
        assert ended(engine, facts)[1].superseded_count == 0
        engine.close()


# ---- who takes part

def test_fewer_than_three_are_left_alone(engine: Engine) -> None:
    assert ended(engine, ['the cart brake squeaks'] * 2)[1].superseded_count == 0
    assert ended(engine, ['the cart brake squeaks'] * 3)[1].superseded_count == 2


def test_the_protected_do_not_count_as_third(engine: Engine) -> None:
    facts = [('the cart brake squeaks', '', 0.9)] * 2
    facts += [('the lamp is red', 'gotcha', 0.9), ('the fan is loud', '', 0.95)]
    assert ended(engine, facts)[1].superseded_count == 0


@pytest.mark.parametrize('fields', [
    {'category': 'constraint'}, {'category': 'postmortem'}, {'category': 'gotcha'}, {'confidence': 0.95},
    {'type': 'perception'},
])
def test_the_protected_and_perceptions_are_never_merged(engine: Engine, fields: dict[str, Any]) -> None:
    session = engine.start_session().session_id
    for _ in range(4):
        put(engine, session, 'the cart brake squeaks', **fields)
    assert engine.end_session(session).superseded_count == 0


def test_only_what_the_session_created_and_only_within_a_category(engine: Engine) -> None:
    other = engine.start_session().session_id
    put(engine, other, 'the cart brake squeaks')
    ids, result = ended(engine, [('the cart brake squeaks', c, 0.9) for c in ('a', 'a', 'b', 'c')])
    assert (result.merged_groups, result.superseded_count) == (1, 1)
    assert keepers(engine) == {ids[0]: ids[1]}


def test_the_keeper_is_the_surest_then_the_most_used_then_the_newest(engine: Engine, clock: ManualClock) -> None:
    session = engine.start_session().session_id
    for text, rows in (
        ('the cart brake squeaks', [(0.8, 9), (0.9, 0), (0.8, 0)]), ('the lamp is red', [(0.8, 1), (0.8, 3), (0.8, 0)]),
        ('the fan is loud', [(0.8, 1), (0.8, 1), (0.8, 1)]),
    ):
        for confidence, uses in rows:
            clock.advance(seconds=1)
            memory_id = put(engine, session, text, confidence=confidence)
            with engine._rt.store.write() as tx:
                tx.execute('UPDATE memory SET use_count = ? WHERE id = ?', (uses, memory_id))
    engine.end_session(session)
    assert keepers(engine) == {1: 2, 3: 2, 4: 5, 6: 5, 7: 9, 8: 9}


# ---- what must stay apart

@pytest.mark.parametrize('facts', [
    ['charge at dock 1 takes 40 minutes', 'charge at dock 2 takes 40 minutes', 'charge at dock 3 takes 55 minutes'],
    ['open the hatch for cleaning except while the arm is moving', 'open the hatch for cleaning',
     'open the hatch for weekly cleaning'],
    ['禁止在充电时移动机器人', '在充电时移动机器人', '除非充电否则移动机器人'],
    ['carry the tray from A to B', 'carry the tray from B to A', 'carry the tray from C to B'],
    ['the valve is open', 'the valve is not open', 'the valve is never open'],
])
def test_alike_is_not_the_same(engine: Engine, facts: list[str]) -> None:
    """CON-01, CON-04: values, exceptions, directions and polarity."""
    ids, result = ended(engine, facts)
    assert result.superseded_count == 0
    with engine._rt.store.read() as tx:
        assert all(row.status == 'active' for row in memories.rows(tx, ids).values())


def test_every_pair_of_a_cluster_is_alike(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    """A→B→C cannot drift: A~B, B~C, but not A~C makes no cluster of three."""
    alike = {('a', 'b'), ('b', 'c')}
    monkeypatch.setattr(consolidation, 'signature', lambda _: ('one',))
    monkeypatch.setattr(consolidation, 'content_tokens', lambda text: text)
    monkeypatch.setattr(consolidation, 'jaccard', lambda x, y: 0.8 if tuple(sorted((x, y))) in alike else 0.4)
    monkeypatch.setattr(consolidation, 'guard', lambda *_: type('V', (), {'same': True}))
    ids, result = ended(engine, ['a', 'b', 'c'])
    assert keepers(engine) == {ids[0]: ids[1]}
    assert (result.merged_groups, result.avg_similarity) == (1, 0.8)


@pytest.mark.parametrize(('overlap', 'superseded'), [(0.5, 0), (0.51, 2)])
def test_the_overlap_must_be_above_a_half(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, overlap: float, superseded: int
) -> None:
    monkeypatch.setattr(consolidation, 'jaccard', lambda *_: overlap)
    assert ended(engine, ['the cart brake squeaks'] * 3)[1].superseded_count == superseded


# ---- afterwards

def test_the_answer_adds_up(engine: Engine) -> None:
    others = ['the fan is loud', 'a', 'b', 'c', 'd']
    _, result = ended(engine, [*['the cart brake squeaks'] * 3, *['the lamp is red'] * 2, *others])
    assert (result.merged_groups, result.superseded_count) == (2, 3)
    assert result.compression_ratio == pytest.approx(0.3) and result.avg_similarity == 1.0


def test_twice_changes_nothing(engine: Engine) -> None:
    """CON-05: a second end and a consolidation again leave every table as it is; each has its keeper and why."""
    session = engine.start_session().session_id
    for text in (*['the cart brake squeaks'] * 3, 'the lamp is red', 'the fan is loud', 'the dock is wet'):
        put(engine, session, text)
    first = engine.end_session(session)
    before = dump(engine)
    assert engine.end_session(session).summary == first.summary
    with engine._rt.store.write() as tx:
        again = consolidate(tx, sessions.get(tx, session), Settings(), engine._rt.clock.now_ns())
    assert again.superseded_count == 0
    assert dump(engine) == before
    with engine._rt.store.read() as tx:
        assert tx.execute("SELECT id, superseded_by, status_reason FROM memory WHERE status = 'superseded'") == [
            (1, 3, 'consolidated'), (2, 3, 'consolidated')]


def test_forgetting_the_keeper_hides_the_group_and_it_can_be_learned_again(engine: Engine) -> None:
    """CON-02: no absorbed row comes back unasked, and no learn is called a duplicate of a hidden one."""
    ids, _ = ended(engine, ['the cart brake squeaks'] * 3)
    keeper = ids[2]
    engine.forget(keeper, 'wrong')
    assert engine.recall(RecallRequest('cart brake', min_confidence=0.0)).memories == ()
    learned = engine.learn(LearnRequest('the cart brake squeaks'))
    assert (learned.status, learned.memory_id) == ('created', keeper + 1)
    with pytest.raises(NotFound):
        engine.forget(ids[0], 'wrong too')


def test_the_kept_one_has_all_that_the_absorbed_had(engine: Engine) -> None:
    """CON-03: found by the other's context; uses are summed, edges moved with their weight, none is left behind."""
    session = engine.start_session().session_id
    a = put(engine, session, 'the cart brake squeaks', confidence=0.8)
    b = put(engine, session, 'the cart brake squeaks', confidence=0.9)
    put(engine, session, 'the fan is loud')
    d = engine.learn(LearnRequest('oil the axle')).memory_id
    now = engine._rt.clock.now_ns()
    with engine._rt.store.write() as tx:
        occurrences.add(tx, a, Occurrence(now, context='{"object": "cup"}'))
        for i in range(2):
            usage.reinforce(tx, [a], now + i * 61 * 10**9, 60.0)
        usage.reinforce(tx, [b], now, 60.0)
    engine.link(a, d, 3.0)
    engine.end_session(session)
    (found,) = engine.recall(RecallRequest('brake', context_filter='{"object": "cup"}', reinforce=False)).memories
    assert (found.id, found.use_count) == (b, 3)
    with engine._rt.store.read() as tx:
        assert tx.execute('SELECT memory_a, memory_b FROM co_occurrence') == [(b, d)]
    assert engine.link(b, d, 1e-9) >= 3.0


# ---- the price

def forms(count: int) -> list[str]:
    """The worst case: a thousand sentences of one form, with other numbers."""
    return [f'charge at dock {i} takes {40 + i} minutes' for i in range(count)]


def mixed(count: int) -> list[str]:
    words = 'lamp fan door belt tray arm wheel dock shelf gate'.split()
    return [f'the {words[i % 10]} of bay {i // 7} needs oil and a new {words[i // 3 % 10]}' for i in range(count)]


@pytest.mark.parametrize('facts', [
    forms(1000), mixed(1000), ['the cart brake squeaks'] * 300 + ['the cart brake squeaks.'] * 300 + forms(400),
], ids=['forms', 'mixed', 'repeats'])
def test_a_thousand_facts_take_at_most_a_second(engine: Engine, facts: list[str]) -> None:
    session = engine.start_session().session_id
    for text in facts:
        put(engine, session, text)
    before = time.process_time()
    engine.end_session(session)
    assert time.process_time() - before <= 1.0


# ---- the shortcut

WORDS = (
    'grip 12.5 N 12.5N grip_force= not never open close the cup cups red blue 5 Nm nm to from A B when if , . '
    '不 夹紧 牛顿 12 '
             'twelve newtons 3号门 三号门 except only'
).split()


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), st.randoms())
def test_texts_of_other_signatures_are_never_the_same(words: list[str], random: Any) -> None:
    """So that comparing only within a signature merges exactly what comparing all pairs would."""
    others = list(words)
    random.shuffle(others)
    if random.random() < 0.5:
        others[random.randrange(len(others))] = random.choice(WORDS)
    a, b = ' '.join(words), ' '.join(others)
    if guard(a, b).same:
        assert signature(a) == signature(b), (a, b)


@pytest.mark.parametrize(('a', 'b'), [
    ('stop the arm when the door is open', 'when the door is open, stop the arm'),
    ('grip with 12.5N', 'grip with 12.5 N'),
    ('The Lamp is red.', 'the lamp is red'),
])
def test_what_is_the_same_has_one_signature(a: str, b: str) -> None:
    assert guard(a, b).same and signature(a) == signature(b)


def test_the_shortcut_merges_what_all_pairs_would(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    session = engine.start_session().session_id
    others = ('grip with 12.5 N', 'grip with 12.5N', 'grip with twelve and a half newtons')
    for text in (*forms(30), *mixed(30), *forms(10), *others):
        put(engine, session, text)
    with engine._rt.store.read() as tx:
        facts = sessions.facts(tx, session)
        found = []
        for short in (True, False):
            if not short:
                monkeypatch.setattr(consolidation, 'signature', lambda _: ('one',))
            clustering = Clustering(facts, ConsolidationSettings())
            assert clustering.run(tx) is False
            found.append({frozenset(row.id for row in group.members) for group in clustering.groups()})
    assert found[0] == found[1] and len(found[0]) >= 10
