"""The double for tests keeps the laws of the port."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.errors import EmbeddingFailed


@given(st.text(alphabet=st.characters(categories=('L', 'N')), min_size=1), st.integers(16, 400))
def test_unit_vectors_that_depend_on_the_text_alone(text, dim):
    vector = HashEmbedder(dim).embed(text)
    assert vector.shape == (dim,) and vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    assert (vector == HashEmbedder(dim).embed(text)).all()


def test_shared_words_and_letters_bring_texts_together():
    embed = HashEmbedder().embed
    text = embed('gripper slips on boxes')
    assert text @ embed('gripper slips on crates') > 0.5 > text @ embed('charge battery at night')
    assert embed('gripper') @ embed('grippers') > 0.3


def test_salt_is_another_space():
    assert HashEmbedder(salt='x').fingerprint != HashEmbedder().fingerprint
    assert HashEmbedder(salt='x').embed('door') @ HashEmbedder().embed('door') < 0.5


def test_nothing_to_embed():
    with pytest.raises(EmbeddingFailed):
        HashEmbedder().embed('...')
