"""Repeated questions do not run the model again."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from robotmem_ros.embed.cache import LONGEST_TEXT, CachedEmbedder
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.errors import EmbeddingFailed


class Counting(HashEmbedder):
    """Counts what reaches the model."""

    def __init__(self):
        super().__init__(dim=16)
        self.asked = []

    def embed(self, text):
        self.asked.append(text)
        return super().embed(text)


def test_the_least_recently_used_text_goes():
    inner = Counting()
    cached = CachedEmbedder(inner, size=2)
    for text in ('a', 'b', 'a', 'c', 'a', 'b'):
        assert (cached.embed(text) == HashEmbedder(dim=16).embed(text)).all()
    assert inner.asked == ['a', 'b', 'c', 'b']


def test_vectors_are_shared_and_cannot_be_written():
    cached = CachedEmbedder(Counting())
    assert cached.embed('a') is cached.embed('a')
    with pytest.raises(ValueError, match='read-only'):
        cached.embed('a')[0] = 1


def test_long_texts_and_failures_are_not_kept():
    inner = Counting()
    cached = CachedEmbedder(inner)
    for _ in range(2):
        cached.embed('x' * (LONGEST_TEXT + 1))
        with pytest.raises(EmbeddingFailed):
            cached.embed('...')
    assert len(inner.asked) == 4


def test_it_is_the_same_space():
    inner = Counting()
    cached = CachedEmbedder(inner)
    assert (cached.name, cached.dim, cached.fingerprint) == (inner.name, inner.dim, inner.fingerprint)


def test_many_threads_keep_it_bounded():
    inner = Counting()
    cached = CachedEmbedder(inner, size=8)
    texts = [f'text {i % 32}' for i in range(2000)]
    with ThreadPoolExecutor(8) as pool:
        vectors = list(pool.map(cached.embed, texts))
    for text, vector in zip(texts, vectors, strict=True):
        assert (vector == HashEmbedder(dim=16).embed(text)).all()
    assert len(cached._vectors) == 8
