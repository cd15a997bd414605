"""Laws of pooling: padding counts for nothing, windows cover, vectors have norm 1."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros.embed.pooling import (
    OVERLAP_SHARE,
    mean_pool,
    normalise,
    window_starts,
)
from robotmem_ros.errors import EmbeddingFailed


@given(st.integers(1, 6), st.integers(0, 6), st.integers(0, 6), st.sampled_from([0.0, 1e9, np.nan]))
def test_padding_on_either_side_changes_nothing(tokens, left, right, rubbish):
    """EMB-05: only the mask decides which positions count, whatever the padding holds."""
    alone = np.random.default_rng(tokens).normal(size=(1, tokens, 5)).astype(np.float32)
    padded = np.full((1, left + tokens + right, 5), rubbish, dtype=np.float32)
    padded[:, left:left + tokens] = alone
    mask = np.zeros((1, left + tokens + right), dtype=np.int64)
    mask[:, left:left + tokens] = 1
    expected = mean_pool(alone, np.ones((1, tokens), dtype=np.int64))
    np.testing.assert_allclose(mean_pool(padded, mask), expected, rtol=1e-5, atol=1e-6)


def test_the_mean_is_over_tokens():
    pooled = mean_pool(np.array([[[1, 0], [3, 2], [9, 9]]], dtype=np.float32), np.array([[1, 1, 0]]))
    assert pooled.tolist() == [[2, 1]]


@given(st.integers(1, 5000), st.integers(8, 300), st.integers(2, 1000))
def test_windows_stay_inside_and_reach_both_ends(count, width, limit):
    starts = window_starts(count, width, limit)
    assert starts[0] == 0 and len(starts) <= limit
    assert starts == sorted(set(starts))
    assert starts[-1] == max(0, count - width)


@given(st.integers(1, 5000), st.integers(8, 300))
def test_without_a_limit_every_token_is_in_a_window_and_neighbours_overlap(count, width):
    starts = window_starts(count, width, limit=10_000)
    steps = np.diff(starts)
    assert (steps <= width - width // OVERLAP_SHARE).all()


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=2, max_size=8)
       .filter(lambda values: max(map(abs, values)) > 1e-3))
def test_normalised_vectors_have_norm_one_and_cannot_be_written(values):
    unit = normalise(np.array(values, dtype=np.float32))
    assert unit.dtype == np.float32 and not unit.flags.writeable
    assert np.linalg.norm(unit) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize('values', [[0, 0], [np.nan, 1], [np.inf, 1]])
def test_a_vector_without_direction_is_refused(values):
    with pytest.raises(EmbeddingFailed):
        normalise(np.array(values, dtype=np.float32))
