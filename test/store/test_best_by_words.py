"""The best of many texts are found without scoring all of them (decision 15)."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from robotmem_ros.core.text import query_phrases
from robotmem_ros.store import collections, fulltext, likeliest, memories
from robotmem_ros.store.filters import compile_filters
from robotmem_ros.store.tx import Tx

WORDS = [f'z{a}{b}' for a in 'bcdfgh' for b in 'aeioukmnop']
COUNTS = [1 / (i + 1) for i in range(60)]
"""How often a word is used falls with its rank, as in any language (Zipf)."""


@pytest.fixture
def texts(shelf: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Three thousand texts of two to fourteen words; every twentieth is of category ``odd``, a tenth lies in ``d``."""
    monkeypatch.setattr(likeliest, 'FEW', 20)
    draw = random.Random(3)
    with shelf.store.write(durable=False) as tx:
        for i in range(3000):
            collection = collections.collection_id(tx, 'c' if i % 10 else 'd')
            text = ' '.join(draw.choices(WORDS, COUNTS, k=draw.randint(2, 14)))
            category = 'odd' if i % 20 == 7 else ''
            memories.insert(tx, memories.NewMemory(collection, 'fact', text, 1, category=category))
    return shelf


def both(tx: Tx, shelf: Any, query: str, limit: int, **criteria: Any) -> tuple[list[Any], list[Any]]:
    """What the search gives, and what scoring every text gives."""
    phrases, filters = query_phrases(query), shelf.filters(**criteria)
    every = fulltext._every(tx, fulltext.match_any(phrases), compile_filters(filters, shelf.decay), limit)
    return fulltext.search(tx, phrases, filters, shelf.decay, limit), every


def queries(count: int) -> list[str]:
    draw = random.Random(4)
    return [' '.join(draw.choices(WORDS, k=draw.randint(1, 9))) for _ in range(count)]


@pytest.mark.parametrize('criteria', [{}, {'collection': 'd'}, {'category': 'odd'}, {'min_confidence': 0.3}])
def test_the_first_are_those_that_scoring_every_text_gives(texts: Any, criteria: dict[str, Any]) -> None:
    """With the same scores, in the same order, and as many; of the ten first, one in a hundred may be another."""
    same, wanted = 0, 0
    with texts.store.read() as tx:
        for query in queries(60):
            found, every = both(tx, texts, query, 10, **criteria)
            assert len(found) == len(every) and found == sorted(found, key=lambda item: (-item[1], -item[0]))
            scores = dict(every)
            assert all(score == pytest.approx(scores[i]) for i, score in found if i in scores)
            same += sum(score >= every[-1][1] - 1e-9 for _, score in found)
            wanted += len(every)
    assert same >= 0.99 * wanted


def test_common_words_are_not_all_scored(texts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a rare word and its company decide, nobody asks for everyone who holds the commonest."""
    asked: list[str] = []
    search: Callable[..., Any] = likeliest._best
    monkeypatch.setattr(likeliest, '_best', lambda tx, match, *rest: asked.append(match) or search(tx, match, *rest))
    monkeypatch.setattr(fulltext, '_every', lambda *args: pytest.fail('every text was scored'))
    with texts.store.read() as tx:
        found = fulltext.search(tx, query_phrases('zba zbe zfa zbi'), texts.filters(), texts.decay, 10)
    assert len(found) == 10 and asked[0] == '"zfa" AND ("zbi" OR "zbe" OR "zba")'
    assert '"zba"' not in asked


def test_what_lies_behind_many_others_is_looked_for_among_all(texts: Any) -> None:
    """A wanted text that many better ones of another collection hide is found all the same."""
    with texts.store.write() as tx:
        collection = collections.collection_id(tx, 'e')
        wanted = memories.insert(tx, memories.NewMemory(collection, 'fact', 'zba ' + 'other ' * 30, 1))
    with texts.store.read() as tx:
        found, every = both(tx, texts, 'zba zbe', 10, collection='e')
    assert [i for i, _ in found] == [i for i, _ in every] == [wanted]


def test_words_in_no_text_and_words_in_all_of_them(texts: Any) -> None:
    """Neither a count of 0 nor one of everything has a logarithm to be had."""
    with texts.store.write() as tx:
        for (memory,) in tx.execute('SELECT id FROM memory'):
            fulltext.put(tx, memory, 'same words')
    with texts.store.read() as tx:
        found, every = both(tx, texts, 'same never words seen', 10)
    assert found == every and len(found) == 10
