"""How alike texts and vectors are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros.core.similarity import STOPWORDS, content_tokens, cosine, jaccard

SETS = st.frozensets(st.sampled_from('abcdefgh'))
VECTORS = st.lists(st.floats(-1e3, 1e3, width=32), min_size=3, max_size=3).map(lambda v: np.array(v, np.float32))


def test_the_stop_words_are_the_seed_s() -> None:
    """Seed 000: grammar of two languages and the names of categories."""
    seed = (
        '的 了 在 是 把 被 给 和 与 从 到 也 都 就 对 又 所 而 且 但 或 '
        'a an the is are was were be to of and in for on with '
        'preference constraint decision observation code config pattern architecture root_cause tradeoff revert'
    )
    assert frozenset(seed.split()) == STOPWORDS


def test_category_names_do_not_make_texts_alike() -> None:
    """Seed 000: sharing 'constraint' or 'root_cause' says nothing."""
    assert content_tokens('Constraint: root_cause of the wet floor') == {'wet', 'floor'}
    assert content_tokens('the root causes') == {'root', 'causes'}


def test_chinese_texts_are_compared_sign_by_sign() -> None:
    """DUP-04: with split() the sentence is one token and likeness is 0 or 1."""
    first = content_tokens('抓杯子用十二牛顿的力')
    assert jaccard(first, content_tokens('抓杯子 用 十二牛顿 的 力')) == 1.0
    assert 0.4 < jaccard(first, content_tokens('抓杯子要用十二牛顿的力')) < 1.0
    assert jaccard(first, content_tokens('充电桩在门的左边')) < 0.4


def test_spellings_of_a_quantity_are_alike() -> None:
    """Contract 4: 'grip_force=12.5N' and 'grip force 12.5 N' say the same words."""
    assert jaccard(content_tokens('grip_force=12.5N'), content_tokens('grip force 12.5 N')) == 1.0


@given(SETS, SETS)
def test_jaccard_is_a_symmetric_share(a: frozenset[str], b: frozenset[str]) -> None:
    """|a ∩ b| / |a ∪ b|; two empty sets have nothing that speaks for likeness."""
    assert jaccard(a, b) == jaccard(b, a)
    assert jaccard(a, b) == (len(a & b) / len(a | b) if a | b else 0.0)


@given(VECTORS, VECTORS, st.floats(0.1, 10.0))
def test_cosine_knows_direction_only(a: np.ndarray, b: np.ndarray, scale: float) -> None:
    """VEC-02: true cosine, not 1 − L2; bounded, symmetric, independent of length."""
    value = cosine(a, b)
    assert -1.0 <= value <= 1.0
    assert value == cosine(b, a)
    assert cosine((a * np.float32(scale)), b) == pytest.approx(value, abs=1e-5)


def test_cosine_of_known_vectors() -> None:
    """VEC-02: 60 degrees are 0.5, opposite is −1, and no direction is 0."""
    x = np.array([1, 0], np.float32)
    assert cosine(x, np.array([0.5, 0.75**0.5], np.float32)) == pytest.approx(0.5)
    assert cosine(x, -3 * x) == -1.0
    assert cosine(x, 0 * x) == 0.0
    assert cosine(x, np.array([np.nan, 1], np.float32)) == 0.0
    with pytest.raises(ValueError, match='shapes'):
        cosine(x, np.ones(3, np.float32))
