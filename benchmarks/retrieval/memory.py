"""The real engine on a real file, filled with a set and asked its questions."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.retrieval.figures import FIRST
from benchmarks.retrieval.sets import DocumentSet
from benchmarks.retrieval.systems import System
from robotmem_ros.clock import ManualClock
from robotmem_ros.core.ranking import fuse
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, RecallRequest
from robotmem_ros.ports import Embedder, Vector
from robotmem_ros.settings import Settings
from robotmem_ros.store.store import Store

BETWEEN_TEXTS_S, BETWEEN_SESSIONS_S = 30, 3600


class RememberingEmbedder:
    """An embedder whose vectors are kept in a file, so that a second run is quick."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self.name, self.dim, self.fingerprint = embedder.name, embedder.dim, embedder.fingerprint
        self._embedder, self._path = embedder, folder / f'vectors-{embedder.fingerprint}.npz'
        self._known: dict[str, Vector] = {}
        if self._path.exists():
            try:
                with np.load(self._path) as kept:
                    self._known = dict(zip(kept['keys'].tolist(), kept['vectors']))
            except (ValueError, KeyError, zipfile.BadZipFile):
                self._path.unlink()  # written by another version, or cut short: made anew

    def embed(self, text: str) -> Vector:
        key = hashlib.sha256(text.encode()).hexdigest()
        if key not in self._known:
            self._known[key] = self._embedder.embed(text)
        return self._known[key]

    def save(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(self._path, keys=np.array(list(self._known)), vectors=np.stack(list(self._known.values())))


class Switch:
    """A fusion that can be exchanged under a running engine."""

    def __init__(self) -> None:
        self.fusion = fuse

    def __call__(
        self, text: Mapping[int, float], vector: Mapping[int, float], text_weight: float
    ) -> dict[int, float]:
        return self.fusion(text, vector, text_weight)


class Memory:
    """One file with all sets, a collection each. Without forgetting, which knows nothing of the question."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._settings = Settings()
        self._settings = replace(self._settings, recall=replace(self._settings.recall, retention_bound=0.0))
        self._clock, self._switch = ManualClock(), Switch()
        store = Store.open(str(path), self._settings.store)
        self._engine = Engine(store, self._clock, lambda: embedder, self._settings, fusion=self._switch)

    def learn(self, one: DocumentSet) -> list[int]:
        """Learn the texts in their sessions; give the memory that each became (a repeated text is one memory)."""
        became, session, name = [], '', ''
        for text in one.texts:
            if text.session != name:
                self._clock.advance(seconds=BETWEEN_SESSIONS_S)
                session, name = self._engine.start_session(collection=one.name).session_id, text.session
            self._clock.advance(seconds=BETWEEN_TEXTS_S)
            became.append(self._engine.learn(
                LearnRequest(text.content, collection=one.name, session_id=session)).memory_id)
        return became

    def answers(self, one: DocumentSet, system: System) -> list[list[int]]:
        """Ask every question of a set and give the ids of the first ten answers each."""
        recall = self._settings.recall if system.with_context else replace(self._settings.recall, context_weight=0.0)
        self._engine.configure(replace(self._settings, recall=recall))
        self._switch.fusion = system.fusion
        return [
            [memory.id for memory in self._engine.recall(
                RecallRequest(question.query, collection=one.name, n=FIRST, reinforce=False)).memories]
            for question in one.questions
        ]

    def close(self) -> None:
        self._engine.close()
