"""A batch of perceptions holds the writer; a request that comes meanwhile goes before the rest of it (QOS-03)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from robotmem_ros import perceive
from robotmem_ros.engine import Engine
from robotmem_ros.errors import StoreError
from robotmem_ros.model import LearnRequest, PerceptionInput
from robotmem_ros.store.tx import Tx

BATCH = [PerceptionInput(description=f'crate {i} goes by', source='camera') for i in range(100)]
PART = perceive.SMALLEST_PART


class Meanwhile:
    """Lets a request come after each ``every`` perceptions, and waits until it waits for the writer."""

    def __init__(self, engine: Engine, monkeypatch: pytest.MonkeyPatch, every: int) -> None:
        self.engine, self.every = engine, every
        self.learned: list[int] = []
        self.threads: list[threading.Thread] = []
        self._seen, self._stored = 0, perceive._stored
        monkeypatch.setattr(perceive, '_stored', self._store)

    def _store(self, *args: Any) -> Any:
        result = self._stored(*args)
        self._seen += 1
        if self._seen % self.every == 0:
            request = LearnRequest(insight=f'the lift to floor {len(self.threads)} is out of order')
            self.threads.append(threading.Thread(target=self._learn, args=(request,)))
            self.threads[-1].start()
            while not self.engine._rt.store.user_waits():
                time.sleep(0.001)
        return result

    def _learn(self, request: LearnRequest) -> None:
        self.learned.append(self.engine.learn(request).memory_id)


@pytest.mark.parametrize('every', [PART, 30, 3])
def test_a_request_writes_between_two_parts_of_a_batch(
    text_engine: Engine, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    """Ids tell the order of writing: a request waits for a part, not for the batch; nor does the batch for them all."""
    meanwhile = Meanwhile(text_engine, monkeypatch, every)
    ids = text_engine.save_perceptions(BATCH)
    for thread in meanwhile.threads:
        thread.join(20.0)
    first = meanwhile.learned[0]
    before = [i for i in ids if isinstance(i, int) and i < first]
    assert len(before) == max(PART, every)
    assert ids == sorted(set(ids)) and len(ids) == len(BATCH)
    assert text_engine.stats()['by_type'] == {'perception': 100, 'fact': len(meanwhile.threads)}


def test_a_part_that_cannot_be_written_leaves_those_before_it(
    text_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk fills up after the first: what is stored is stored, the others are refused with the reason."""
    meanwhile = Meanwhile(text_engine, monkeypatch, PART)
    write, mine = text_engine._rt.store.write, threading.get_ident()

    @contextmanager
    def full(**options: Any) -> Iterator[Tx]:
        with write(**options) as tx:
            is_later_part = bool(meanwhile.threads) and threading.get_ident() == mine
            yield tx
            if is_later_part:
                raise StoreError('memory.db', 'the disk is full')

    monkeypatch.setattr(text_engine._rt.store, 'write', full)
    results = text_engine.save_perceptions(BATCH)
    for thread in meanwhile.threads:
        thread.join(20.0)
    assert [isinstance(r, int) for r in results] == PART * [True] + (100 - PART) * [False]
    assert {str(r) for r in results[PART:]} == {'database memory.db: the disk is full'}
    assert text_engine.stats()['by_type']['perception'] == PART


def test_if_the_first_part_cannot_be_written_all_may_be_tried_again(
    text_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**options: Any) -> Any:
        raise StoreError('memory.db', 'the disk is full')

    with monkeypatch.context() as patch:
        patch.setattr(text_engine._rt.store, 'write', full)
        with pytest.raises(StoreError, match='full'):
            text_engine.save_perceptions(BATCH)
    assert len(set(text_engine.save_perceptions(BATCH))) == 100
