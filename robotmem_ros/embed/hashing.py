"""A deterministic embedder without a model, for unit tests only: it knows spelling, not meaning."""

from __future__ import annotations

import hashlib
import re

import numpy as np

from robotmem_ros.embed.pooling import normalise
from robotmem_ros.errors import EmbeddingFailed
from robotmem_ros.ports import Vector

_WORD = re.compile(r'\w+')


class HashEmbedder:
    """
    Feature hashing of words and their letter trigrams (Weinberger et al. 2009); tests only.

    Texts that share words, or words that share letters, get similar vectors; nothing else does.

    :param dim: length of the vectors, at least 16.
    :param salt: another salt gives another space with another fingerprint.
    """

    name, backend = 'hash (tests only)', 'hash'

    def __init__(self, dim: int = 384, salt: str = '') -> None:
        self.dim, self._salt = dim, salt
        self.fingerprint = hashlib.sha256(f'hash 1|{dim}|{salt}'.encode()).hexdigest()[:16]

    def embed(self, text: str) -> Vector:
        """
        Embed one text.

        :raises EmbeddingFailed: if the text has no letter or digit.
        """
        words = _WORD.findall(text.lower())
        if not words:
            raise EmbeddingFailed('the text has no word')
        total = np.zeros(self.dim, dtype=np.float64)
        for word in words:
            self._add(total, word, 1.0)
            padded = f'<{word}>'
            for i in range(len(padded) - 2):
                self._add(total, padded[i:i + 3], 0.4)
        return normalise(total)

    def _add(self, total: np.ndarray[tuple[int], np.dtype[np.float64]], feature: str, weight: float) -> None:
        digest = hashlib.blake2b(f'{self._salt}|{feature}'.encode(), digest_size=16).digest()
        for i in range(0, 16, 4):
            number = int.from_bytes(digest[i:i + 4], 'little')
            total[(number >> 1) % self.dim] += weight if number & 1 else -weight
