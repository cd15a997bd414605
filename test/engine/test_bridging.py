"""Contract 7: a strong neighbour of what matches comes along, within bounds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, RecallRequest
from robotmem_ros.ports import Vector


def ids(engine: Engine, query: str = '', **criteria: object) -> list[int]:
    return [m.id for m in engine.recall(RecallRequest(query, **criteria)).memories]


def learn(engine: Engine, text: str, **fields: object) -> int:
    return engine.learn(LearnRequest(text, **fields)).memory_id


def test_a_strong_neighbour_enters_without_matching_and_below_what_matches(engine: Engine) -> None:
    """Contract 7, bridging: recalled together often enough, it comes along; never above a direct match."""
    match = learn(engine, 'conveyor jams at noon')
    friend = learn(engine, 'xylophone practice upstairs')
    for i in range(40):
        learn(engine, f'unrelated entry qq{i} zz{i}')
    assert friend not in ids(engine, 'conveyor jams', reinforce=False)
    engine.link(match, friend, 8.0)
    answer = engine.recall(RecallRequest('conveyor jams', reinforce=False)).memories
    assert (answer[0].id, answer[-1].id) == (match, friend)
    assert answer[-1].score < min(m.score for m in answer[:-1])
    assert answer[-1].score_hebbian > 0.5


def test_the_faint_nearest_of_many_do_not_keep_a_strong_neighbour_out(open_engine: Callable[..., Engine]) -> None:
    """Contract 7: the vectors have fifty nearest for any question; those are no direct matches."""
    engine = open_engine(FaintEmbedder())
    match, friend = learn(engine, 'conveyor jams at noon'), learn(engine, 'piano out of tune')
    for i in range(60):
        learn(engine, f'unrelated entry qq{i} zz{i}')
    engine.link(match, friend, 8.0)
    assert ids(engine, 'conveyor jams', reinforce=False)[:2] == [match, friend]
    assert friend not in ids(engine, 'conveyor jams', reinforce=False, plain=True)


class FaintEmbedder(HashEmbedder):
    """As real models are: any two texts have something in common."""

    def embed(self, text: str) -> Vector:
        mixed = super().embed(text) + 0.65 * super().embed('common ground')
        return mixed / np.linalg.norm(mixed)


def test_what_the_session_recalled_lately_lifts_its_companions(engine: Engine) -> None:
    """Contract 7: 0.3 × association with what ``context_session`` recalled."""
    seed = learn(engine, 'battery room key')
    one, two = learn(engine, 'valve check at pump alpha'), learn(engine, 'valve check at pump gamma')
    engine.link(seed, one, 9.0)
    engine.recall(RecallRequest('battery room key', n=1, context_session='s', reinforce=False))
    for session, first in (('s', one), ('other', two)):
        answer = engine.recall(RecallRequest('valve check pump', context_session=session, reinforce=False)).memories
        assert answer[0].id == first


def test_a_hub_is_not_lifted_over_what_matches(engine: Engine) -> None:
    """HEB-05."""
    best = learn(engine, 'forklift battery swap needs two people')
    hub = learn(engine, 'good morning')
    for i in range(60):
        engine.link(hub, learn(engine, f'note{i} word{i}'), 10.0)
    engine.link(hub, best, 10.0)
    answer = ids(engine, 'forklift battery swap', reinforce=False)
    assert answer[0] == best
    assert hub not in answer


def test_the_strongest_neighbour_stays_below_the_poorest_match(text_engine: Engine) -> None:
    """Contract 7: reached over an edge is never above a direct match."""
    match = learn(text_engine, 'conveyor jams at noon')
    for i in range(40):
        learn(text_engine, f'noon noon entry{i} word{i}')
    poor = learn(text_engine, 'noon ' + ' '.join(f'part{i}' for i in range(200)))
    friend = learn(text_engine, 'xylophone practice upstairs')
    text_engine.link(match, friend, 100.0)
    answer = text_engine.recall(RecallRequest('conveyor jams noon', n=100, reinforce=False)).memories
    scores = {m.id: m.score for m in answer}
    assert scores[poor] < 0.3 * answer[-1].score_hebbian, 'else it would stand below it in any case'
    assert [m.id for m in answer[-2:]] == [poor, friend]


def test_a_neighbour_that_satisfies_is_reached_behind_stronger_ones_that_do_not(text_engine: Engine) -> None:
    """Contract 7 and 8: the filters hold before the five strongest neighbours are taken."""
    match = learn(text_engine, 'conveyor jams at noon', tags=('a',))
    for word in ('piano', 'violin', 'cello', 'flute', 'harp', 'drum'):
        text_engine.link(match, learn(text_engine, f'{word} is out of tune'), 9.0)
    friend = learn(text_engine, 'xylophone practice upstairs', tags=('a',))
    text_engine.link(match, friend, 5.0)
    answer = text_engine.recall(RecallRequest('conveyor jams', tags=('a',), reinforce=False)).memories
    assert [m.id for m in answer] == [match, friend]


def test_lately_means_the_best_of_the_newest_recalls(text_engine: Engine) -> None:
    """Contract 7: of a long answer a session remembers the best, and what it recalls again is new again."""
    usage = text_engine._rt.usage
    usage.remember('s', range(100, 150))
    assert set(usage.recent('s')) == set(range(100, 120))
    usage.remember('s', [119])
    usage.remember('s', range(200, 219))
    assert set(usage.recent('s')) == {119, *range(200, 219)}
