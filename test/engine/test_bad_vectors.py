"""One text of which a model makes nonsense keeps no other from its vector."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, RecallRequest
from robotmem_ros.ports import Vector

DIM = HashEmbedder().dim


class Moody(HashEmbedder):
    """A model that gives one text a vector that cannot be compared."""

    bad: Vector = np.zeros(0, dtype=np.float32)

    def embed(self, text: str) -> Vector:
        return self.bad if 'bad' in text else super().embed(text)


@pytest.mark.parametrize('bad', [np.zeros(0), np.full(DIM, np.nan), np.full(DIM, np.inf), np.zeros(DIM), np.ones(7)])
def test_the_others_go_on(open_engine: Callable[..., Engine], bad: Vector) -> None:
    """DEC-05, for vectors: counted once, found by words."""
    blind = open_engine(None)
    for text in ('red lamp', 'bad lamp', 'blue lamp'):
        blind.learn(LearnRequest(text))
    blind.close()
    embedder = Moody()
    embedder.bad = bad.astype(np.float32)
    engine = open_engine(embedder)
    for _ in range(20):
        if not engine.tick():
            break
    assert (engine.stats()['pending_vectors'], engine.stats()['embedding_failures']) == (0, 1)
    assert engine.recall(RecallRequest('bad lamp')).memories[0].content == 'bad lamp'
