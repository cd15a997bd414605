"""What a user's text asks the full-text index for; quoting is the index's part."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros.core.text import MAX_PHRASES, SILENT_IN_QUESTIONS, query_phrases, tokens

STORED = "bin-7 needs 12.5N, can't tilt"
SAFE_TOKEN = re.compile(r'[^\s"*^:(){}+\-\x00]+')


def finds(query: str, text: str) -> bool:
    """Tell whether a phrase of ``query`` stands in ``text``, as the index would."""
    words = f' {" ".join(tokens(text))} '
    return any(f' {" ".join(phrase)} ' in words for phrase in query_phrases(query))


@pytest.mark.parametrize('query', ['bin-7', '12.5N', "can't", 'bin 7', 'bin7', '12.5 N', 'can’t', 'BIN', '７ bin'])
def test_robot_texts_are_found_in_any_spelling(query: str) -> None:
    """FTS-01: ids, quantities and contractions find the memory."""
    assert finds(query, STORED)


@pytest.mark.parametrize(
    ('query', 'expected'),
    [
        ('"tilt', [('tilt',)]),
        ('(bin', [('bin',)]),
        ('NEAR(bin, 2)', [('near',), ('near', 'bin'), ('bin',), ('2',)]),
        ('AND', [('and',)]),
        ('NOT tilt', [('not',), ('tilt',)]),
        ('col:foo', [('col',), ('col', 'foo'), ('foo',)]),
        ('bin*', [('bin',)]),
        ('^bin', [('bin',)]),
        ('-bin', [('bin',)]),
        ('{bin} : 7', [('bin',), ('7',)]),
        ('a"b"c', [('a', 'b'), ('b', 'c')]),
        ("''", []),
        ('+', []),
        ('bin-7', [('bin',), ('bin', '7')]),
        ('grip_force=12.5N', [('grip',), ('grip', 'force'), ('force',), ('force', '12.5'), ('12.5',), ('12.5', 'n')]),
    ],
)
def test_query_syntax_is_plain_words(query: str, expected: list[tuple[str, ...]]) -> None:
    """FTS-01: no sign of FTS5's language survives, its keywords are words."""
    assert list(query_phrases(query)) == expected


@given(st.text(alphabet=st.characters() | st.sampled_from('"*^:(){}+-\'\x00 ANDORNEAR三号🔋')))
def test_every_token_can_be_quoted(query: str) -> None:
    """FTS-01: a token holds no quote, no operator and no blank, whatever was typed."""
    phrases = query_phrases(query)
    assert len(phrases) == len(set(phrases)) <= MAX_PHRASES
    assert all(SAFE_TOKEN.fullmatch(token) for phrase in phrases for token in phrase)
    assert bool(phrases) == bool(tokens(query))


@given(st.text())
def test_a_text_asks_for_what_it_holds(text: str) -> None:
    """FTS-06: index and query are cut alike, so that a text finds itself."""
    words = f' {" ".join(tokens(text))} '
    assert all(f' {" ".join(phrase)} ' in words for phrase in query_phrases(text))


@pytest.mark.parametrize('query', ['湿滑', '走廊', '减速', '走廊 湿滑', '三号走廊地面湿滑', '廊'])
def test_short_chinese_words_are_found(query: str) -> None:
    """FTS-03: one or two signs suffice, without a segmenter."""
    assert finds(query, '三号走廊地面湿滑，机器人需要减速')
    assert not finds(query, '充电桩在门的左边')


@pytest.mark.parametrize('query', ['门', '充电桩', '门，', '在门'])
def test_the_other_chinese_text_is_found(query: str) -> None:
    """FTS-03: 门 finds the second memory only."""
    assert finds(query, '充电桩在门的左边')
    assert not finds(query, '三号走廊地面湿滑，机器人需要减速')


def test_one_sign_words_beside_punctuation_stand_alone() -> None:
    """FTS-03: a comma ends a run of signs, so 门 is asked for by itself."""
    assert query_phrases('门，左边') == (('门',), ('左', '边'))


@pytest.mark.parametrize('query', ['???', '   ', '\\', '', '，。', '\u200b'])
def test_a_text_without_words_asks_for_nothing(query: str) -> None:
    """FTS-05: an empty list, which is never 'everything'."""
    assert query_phrases(query) == ()


def test_emoji_are_words() -> None:
    """FTS-05: '🔋 low' finds by either."""
    assert query_phrases('🔋 low') == (('🔋',), ('low',))
    assert finds('🔋', 'battery 🔋 low at dock 2')


def test_words_of_grammar_are_asked_for_only_when_alone() -> None:
    """They stand in every text; but a robot may be called 'A' and 'the' must not find everything by nothing."""
    assert query_phrases('the cup on the shelf') == (('cup',), ('shelf',))
    assert query_phrases('在 the') == (('在',), ('the',))
    assert query_phrases('robot-a') == (('robot',), ('robot', 'a'))


def test_names_of_categories_are_words_of_a_query() -> None:
    """They are no sign of likeness, but a person may look for 'config'."""
    assert query_phrases('config file') == (('config',), ('file',))


def test_a_long_text_is_sampled_from_start_to_end() -> None:
    """The work of one search is bounded; its last words count as well as its first."""
    phrases = query_phrases(' '.join(f'w{chr(97 + n // 26)}{chr(97 + n % 26)}' for n in range(640)))
    assert len(phrases) == MAX_PHRASES
    assert phrases[0] == ('waa',)
    assert int(phrases[-1][0].encode()[1] - 97) * 26 + phrases[-1][0].encode()[2] - 97 >= 620


@pytest.mark.parametrize(('query', 'expected'), [
    ('How does the crate slip?', [('crate',), ('slip',)]),
    ('which dock did robot 7 use', [('dock',), ('robot',), ('7',), ('use',)]),
    ('what is where', [('what',), ('is',), ('where',)]),
])
def test_a_question_is_asked_without_its_words_of_asking(query: str, expected: list[tuple[str, ...]]) -> None:
    """Contract 8: ``how`` is rare in memories, which BM25 would take for telling; alone it is still asked for."""
    assert list(query_phrases(query, SILENT_IN_QUESTIONS)) == expected
