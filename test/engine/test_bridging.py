"""Contract 7: a strong neighbour of what matches comes along, within bounds."""

from __future__ import annotations

from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, RecallRequest


def learn(engine: Engine, text: str, **fields: object) -> int:
    return engine.learn(LearnRequest(text, **fields)).memory_id


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
