"""Words find memories, whatever signs stand in the query."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robotmem_ros.core.text import query_phrases
from robotmem_ros.errors import StoreCorrupt
from robotmem_ros.store import fulltext, lifecycle

WORDS = st.text(st.characters(exclude_categories=['Cs']), max_size=8)


def search(shelf: Any, query: str, limit: int = 10) -> list[tuple[int, float]]:
    with shelf.store.read() as tx:
        return fulltext.search(tx, query_phrases(query), shelf.filters(), shelf.decay, limit)


HARMLESS = ['"tilt', '(bin', 'NEAR(bin, 2)', 'AND', 'NOT tilt', 'col:foo', 'bin*', '^bin', '-bin', '{bin} : 7',
            'a"b"c', "''", '+', 'tokens:bin', 'bin OR', '"', '""', '\0', 'bin\0"', '😀', '  ']


@pytest.mark.parametrize('query', ['bin-7', '12.5N', "can't"])
def test_ordinary_words_with_signs_find_their_memory(shelf: Any, query: str) -> None:
    """FTS-01."""
    wanted = shelf.add("bin-7 needs 12.5N, can't tilt")
    shelf.add('something else')
    assert [i for i, _ in search(shelf, query)] == [wanted]


@pytest.mark.parametrize('query', HARMLESS)
def test_query_syntax_is_only_text(shelf: Any, query: str) -> None:
    """FTS-01: no error, and never more than what holds the words."""
    wanted = shelf.add("bin-7 needs 12.5N, can't tilt")
    shelf.add('something else')
    assert {i for i, _ in search(shelf, query)} <= {wanted}


def test_operators_are_words(shelf: Any) -> None:
    """FTS-01: NOT does not exclude and NEAR does not group."""
    wanted = shelf.add('tilt near the bin')
    assert [i for i, _ in search(shelf, 'NOT tilt')] == [wanted]
    assert [i for i, _ in search(shelf, 'NEAR(tilt xyz)')] == [wanted]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
@given(phrases=st.lists(st.lists(WORDS, max_size=3), max_size=4))
def test_no_phrase_whatever_its_signs_breaks_the_search(shelf: Any, phrases: list[list[str]]) -> None:
    """FTS-01: even phrases that never went through the tokenizer."""
    with shelf.store.read() as tx:
        assert fulltext.search(tx, phrases, shelf.filters(), shelf.decay, 10) == []
        assert fulltext.candidates(tx, phrases, 1, 10) == []


def test_every_phrase_is_one_quoted_string() -> None:
    """FTS-01."""
    assert fulltext.match_any([('a"b', 'c'), ('d\0',), ('',), ()]) == '"a""b c" OR "d "'


def test_the_best_comes_first_with_positive_scores(shelf: Any) -> None:
    """FTS-08: often in a short text, once in a short text, once in a long text."""
    long = shelf.add('the dock lies ' + ' '.join(f'word{i}' for i in range(100)))
    short = shelf.add('a dock here and more')
    often = shelf.add('dock dock dock more')
    for i in range(10):
        shelf.add(f'filler number {i}')
    found = search(shelf, 'dock')
    assert [i for i, _ in found] == [often, short, long]
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0
    assert [i for i, _ in search(shelf, 'dock', limit=1)] == [often]


def test_a_corrected_text_is_found_by_its_new_words_only(shelf: Any) -> None:
    memory = shelf.add('the gripper slips')
    with shelf.store.write() as tx:
        lifecycle.replace_text(tx, memory, 'the wheel slips', shelf.now)
        assert tx.execute('SELECT content FROM memory_text') == [('the gripper slips',)]
    assert search(shelf, 'gripper') == []
    assert [i for i, _ in search(shelf, 'wheel')] == [memory]


def test_a_failing_index_is_an_error_and_not_an_empty_answer(shelf: Any) -> None:
    """FTS-02, FTS-08."""
    shelf.add('dock')
    with shelf.store.write() as tx:
        tx.execute('DELETE FROM memory_fts_data WHERE id > 10')
    with pytest.raises(StoreCorrupt):
        search(shelf, 'dock')


def test_candidates_are_found_by_the_rarest_words(shelf: Any) -> None:
    """A duplicate shares its rare words; frequent ones alone make no candidate of what has nothing else."""
    for i in range(60):
        shelf.add(f'robot arm moves near dock object{i}')
    wanted = shelf.add('robot arm moves near dock with the crimson fragile teapot today')
    perception = shelf.add('crimson fragile teapot', type='perception')
    other = shelf.add('crimson fragile teapot', collection='other')
    with shelf.store.read() as tx:
        rows = fulltext.candidates(tx, query_phrases('crimson fragile teapot today robot arm moves near dock'), 1, 5)
    assert [row.id for row in rows] == [wanted]
    assert perception and other


def test_equal_matches_come_newest_first(shelf: Any) -> None:
    """Contract 8: as in the other arm, so that a cut through equals leaves both arms with the same memories."""
    ids = [shelf.add(f'crate {i} of apples') for i in range(9)]
    assert [found for found, _ in search(shelf, 'apples', limit=4)] == ids[:-5:-1]
