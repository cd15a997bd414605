"""A sentence model in ONNX on the CPU: one text in, one unit vector out."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime
from tokenizers import Tokenizer

from robotmem_ros.embed.card import sha256_of
from robotmem_ros.embed.locate import HOW_TO_PROVIDE, ModelFiles
from robotmem_ros.embed.pooling import (
    MAX_UNKNOWN_SHARE,
    MAX_WINDOWS,
    POOLING_VERSION,
    mean_pool,
    normalise,
    window_starts,
)
from robotmem_ros.embed.visible import is_visible
from robotmem_ros.errors import EmbeddingFailed, ModelUnavailable
from robotmem_ros.ports import Vector

_INPUTS = ('input_ids', 'attention_mask', 'token_type_ids')
_DTYPES: dict[str, np.dtype[Any]] = {'tensor(int64)': np.dtype(np.int64), 'tensor(int32)': np.dtype(np.int32)}


class OnnxEmbedder:
    """
    Embedder over onnxruntime and a Hugging Face tokenizer; safe to call from several threads.

    Always one text per model run: a dynamically quantised model takes its scales from the whole
    input tensor, so a text in a batch would get another vector than alone (EMB-05). Its ``fingerprint``
    is over weights, tokenizer, pooling and windows.
    """

    backend = 'onnx'

    def __init__(self, files: ModelFiles, threads: int = 1) -> None:
        """
        Load the model; takes 0.05 to 0.2 s on a desktop core and opens no network connection.

        :param threads: threads of one model run, at least 1.
        :raises ModelUnavailable: names the file that is damaged or does not fit.
        """
        self._files = files
        self.name, self.fingerprint = files.name, _fingerprint(files)
        self._tokenizer = _open_tokenizer(files)
        self._session = _open_session(files, threads)
        self._input_types = _input_types(files, self._session)
        self._output = _output_name(self._session)
        self._head, self._tail = _special_tokens(self._tokenizer)
        unknown = self._tokenizer.token_to_id(getattr(self._tokenizer.model, 'unk_token', None) or '[UNK]')
        self._unknown = -1 if unknown is None else unknown
        try:
            self.dim = int(normalise(self._run(self._tokenizer.encode('a').ids)).shape[0])
        except EmbeddingFailed as error:
            raise ModelUnavailable(f'{files.model} does not embed a text ({error.reason})',
                                   HOW_TO_PROVIDE) from error

    def embed(self, text: str) -> Vector:
        """
        Embed one text as a read-only float32 vector of norm 1, shape (dim,).

        A text of more tokens than one run takes goes through overlapping windows of equal width; its
        vector is the mean of theirs (equal width, hence equal weight), normalised again.

        :raises EmbeddingFailed: if the text has no visible character, is mostly unknown to the model's
            vocabulary, or the model gives no direction.
        """
        if not is_visible(text):
            raise EmbeddingFailed('the text has no visible character')
        runs = self._windows(self._encode(text))
        pooled = [self._run(ids) for ids in runs]
        return normalise(pooled[0] if len(pooled) == 1 else np.mean(pooled, axis=0, dtype=np.float64))

    def _encode(self, text: str) -> list[int]:
        try:
            ids: list[int] = self._tokenizer.encode(text).ids
        except Exception as error:  # the tokenizer raises plain Exception; lone surrogates, TypeError
            raise EmbeddingFailed(f'the text cannot be tokenised ({error})') from error
        own = len(ids) - len(self._head) - len(self._tail)
        if own <= 0:
            raise EmbeddingFailed('the tokenizer found no token in the text')
        if ids.count(self._unknown) > MAX_UNKNOWN_SHARE * own:
            raise EmbeddingFailed('the model does not know the language of the text')
        return ids

    def _windows(self, ids: list[int]) -> list[list[int]]:
        if len(ids) <= self._files.max_tokens:
            return [ids]
        head, tail = self._head, self._tail
        content = ids[len(head):len(ids) - len(tail)]
        width = self._files.max_tokens - len(head) - len(tail)
        return [head + content[start:start + width] + tail
                for start in window_starts(len(content), width, MAX_WINDOWS)]

    def _run(self, ids: list[int]) -> npt.NDArray[np.float32]:
        """Give the pooled vector of one window, shape (dim,), not normalised."""
        mask = np.ones((1, len(ids)), dtype=np.int64)
        whole = {'input_ids': np.array([ids], dtype=np.int64), 'attention_mask': mask,
                 'token_type_ids': np.zeros_like(mask)}
        feed = {name: whole[name].astype(dtype, copy=False) for name, dtype in self._input_types.items()}
        try:
            output = self._session.run([self._output], feed)[0]
        except Exception as error:  # onnxruntime's own errors derive from Exception only
            raise EmbeddingFailed(f'the model failed on {len(ids)} tokens ({error})') from error
        if output.ndim == 3:
            output = mean_pool(output, mask)
        if output.ndim != 2 or output.shape[0] != 1:
            raise EmbeddingFailed(f'the model gave shape {output.shape}, not (1, tokens, dim) or (1, dim)')
        return np.asarray(output[0], dtype=np.float32)


def session_options(threads: int) -> onnxruntime.SessionOptions:
    """
    Give the options that keep the model off the robot's other cores (EMB-04).

    An explicit thread count also keeps onnxruntime from pinning threads to cores, which containers
    forbid; without spinning, idle threads sleep instead of burning a core.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.add_session_config_entry('session.intra_op.allow_spinning', '0')
    options.add_session_config_entry('session.inter_op.allow_spinning', '0')
    options.log_severity_level = 3
    return options


def _fingerprint(files: ModelFiles) -> str:
    try:
        found = {path.name: sha256_of(path) for path in (files.model, files.tokenizer)}
    except OSError as error:
        raise ModelUnavailable(f'{error.filename} cannot be read ({error.strerror})',
                               HOW_TO_PROVIDE) from error
    weights = found[files.model.name]
    if files.card is not None:
        for path in (files.model, files.tokenizer):
            if files.card.sha256.get(path.name) != found[path.name]:
                raise ModelUnavailable(f'{path} ({path.stat().st_size} bytes) is damaged: not the file that '
                                       'model.json describes', HOW_TO_PROVIDE)
        weights = files.card.space
    parts = (POOLING_VERSION, files.max_tokens, MAX_WINDOWS, MAX_UNKNOWN_SHARE, weights, found[files.tokenizer.name])
    return hashlib.sha256('|'.join(map(str, parts)).encode()).hexdigest()[:16]


def _open_tokenizer(files: ModelFiles) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_file(str(files.tokenizer))
    except Exception as error:  # tokenizers raises plain Exception
        raise ModelUnavailable(f'{files.tokenizer} is not a tokenizer.json ({error})',
                               HOW_TO_PROVIDE) from error
    # As shipped it pads every text to 128 tokens (five times the work) and cuts what is longer.
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _open_session(files: ModelFiles, threads: int) -> onnxruntime.InferenceSession:
    try:
        return onnxruntime.InferenceSession(str(files.model), session_options(threads),
                                            providers=['CPUExecutionProvider'])
    except Exception as error:  # onnxruntime's own errors derive from Exception only
        size = files.model.stat().st_size
        raise ModelUnavailable(f'{files.model} ({size} bytes) is damaged or not an ONNX model ({error})',
                               HOW_TO_PROVIDE) from error


def _input_types(files: ModelFiles, session: onnxruntime.InferenceSession) -> dict[str, np.dtype[Any]]:
    wanted = {value.name: value.type for value in session.get_inputs()}
    for name, kind in wanted.items():
        if name not in _INPUTS or kind not in _DTYPES:
            raise ModelUnavailable(f'{files.model} wants the input {name} as {kind}, a sentence model takes '
                                   f'{", ".join(_INPUTS)} as integers', HOW_TO_PROVIDE)
    return {name: _DTYPES[kind] for name, kind in wanted.items()}


def _output_name(session: onnxruntime.InferenceSession) -> str:
    names = [str(value.name) for value in session.get_outputs()]
    return 'sentence_embedding' if 'sentence_embedding' in names else names[0]


def _special_tokens(tokenizer: Tokenizer) -> tuple[list[int], list[int]]:
    """Give the ids that the tokenizer puts before and after every text."""
    probe = tokenizer.encode('a')
    content = [i for i, special in enumerate(probe.special_tokens_mask) if not special]
    if not content:
        return [], []
    return probe.ids[:content[0]], probe.ids[content[-1] + 1:]
