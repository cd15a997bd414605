"""The engine on a file: with the model that made its vectors, or with none; never with another one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robotmem_ros import offline
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.errors import ModelUnavailable, StoreError
from robotmem_ros.model import LearnRequest, RecallRequest

QUESTION = RecallRequest('slippery floor')


class Other(HashEmbedder):
    """A model of another space."""

    def __init__(self) -> None:
        super().__init__()
        self.fingerprint = 'f' * 16


def models(monkeypatch: pytest.MonkeyPatch, **known: Any) -> None:
    def load(model: str) -> Any:
        if model not in known:
            raise ModelUnavailable(f'no {model}', 'install it')
        return known[model]()

    monkeypatch.setattr(offline, 'load', load)


def vectors(path: str) -> int:
    with offline.to_read(path) as engine:
        stats = engine.stats()
    return int(stats['by_type']['fact']) - int(stats['pending_vectors'])


@pytest.fixture
def path(full: Any) -> str:
    full.engine.close()
    return str(full.path)


def test_the_model_of_the_file_is_found_among_those_here(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    models(monkeypatch, minilm=Other, multilingual=HashEmbedder)
    before = Path(path).read_bytes()
    said: list[str] = []
    with offline.to_read(path, model=True, report=said.append) as engine:
        assert engine.recall(QUESTION).mode == 'hybrid'
    assert (said, Path(path).read_bytes()) == ([], before)


@pytest.mark.parametrize('known', [{}, {'minilm': Other}])
def test_another_model_neither_answers_nor_drops_the_vectors(
    path: str, monkeypatch: pytest.MonkeyPatch, known: dict[str, Any]
) -> None:
    models(monkeypatch, **known)
    before, said = vectors(path), []
    assert before > 0
    with offline.to_read(path, model=True, report=said.append) as engine:
        assert engine.recall(QUESTION).mode == 'bm25_only'
    with offline.to_write(path, model=True, report=said.append) as engine:
        engine.learn(LearnRequest('the lift is slow'))
    assert vectors(path) == before
    assert len(said) == 2 and 'by words alone' in said[0]


def test_a_file_without_vectors_takes_the_first_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models(monkeypatch, minilm=HashEmbedder)
    path = str(tmp_path / 'new.db')
    with offline.to_write(path, model=True, create=True) as engine:
        engine.learn(LearnRequest('the lift is slow'))
    assert vectors(path) == 1


def test_a_reader_answers_as_long_as_it_is_open_and_no_longer(path: str) -> None:
    with offline.to_read(path) as engine:
        engine.recall(QUESTION)
        with pytest.raises(StoreError, match='reading only'):
            engine.learn(LearnRequest('the lift is slow'))
    with pytest.raises(StoreError, match='closed'):
        engine.recall(QUESTION)
