"""The memory of a robot: the one object that a node, a tool or a test works with.

Plain Python: the file, the clock and the embedder are passed in, ROS is not known here. Any thread may
call any method: reads use connections of a pool, writes go one at a time through the store.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from robotmem_ros import adoption, corrections, learn, maintenance, perceive, recall, scene_recall, sessions
from robotmem_ros.errors import NotAvailable, RobotMemError
from robotmem_ros.model import (
    LearnRequest,
    LearnResult,
    PerceptionInput,
    Pose,
    RecallRequest,
    RecallResult,
    Scene,
    SceneHit,
    SessionEnded,
    SessionStarted,
)
from robotmem_ros.ports import Clock, EmbedderSource
from robotmem_ros.runtime import Report, Runtime, silent
from robotmem_ros.scenes import SceneTracker
from robotmem_ros.settings import Settings
from robotmem_ros.store import statistics
from robotmem_ros.store.store import Store
from robotmem_ros.validation import check_pose


class Engine:
    """Learn, recall, end sessions, perceive; scenes come back; memories fade.

    Every method raises ``RobotMemError`` for what cannot be served, and then has changed nothing.
    """

    def __init__(
        self, store: Store, clock: Clock, embedder: EmbedderSource, settings: Settings, report: Report = silent
    ) -> None:
        """Take over an open file; its text index is made anew here if another version made it.

        :param report: takes a sentence for the log where the file needed something.
        :raises StoreError: if that cannot be written.
        """
        scenes = SceneTracker(store, settings.scenes, settings.collection)
        self._rt = Runtime(store, clock, embedder, settings, scenes, report=report)
        adoption.adopt_text_form(self._rt)
        adoption.report_vectors(self._rt)
        adoption.adopt_embedder(self._rt)

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._rt.settings

    @property
    def scenes(self) -> SceneTracker:
        """The situation now, and when it has to be decided (``due_ns``)."""
        return self._rt.scenes

    def configure(self, settings: Settings) -> None:
        """Put other settings in force; ``collection`` and those marked fixed keep their value."""
        self._rt.settings = settings
        self._rt.scenes.configure(settings.scenes)

    def adopt_embedder(self) -> None:
        """Start to use the embedder now that it is loaded (the tick would, a little later)."""
        adoption.adopt_embedder(self._rt)

    @property
    def replaced_model(self) -> str:
        """Name of the model whose vectors are being made anew with the present one; '' once all are."""
        return self._rt.replaced_model

    @property
    def mode(self) -> str:
        """``hybrid`` where vectors really take part, else ``bm25_only``."""
        return 'hybrid' if self._rt.ready_embedder() is not None else 'bm25_only'

    def learn(self, request: LearnRequest) -> LearnResult:
        """Store an insight, or note that one came again; durable before it returns."""
        return learn.learn(self._rt, request)

    def recall(self, request: RecallRequest) -> RecallResult:
        """Give what matters for a question, best first."""
        return recall.recall(self._rt, request)

    def start_session(self, context: str = '', collection: str = '') -> SessionStarted:
        """Begin an episode."""
        return sessions.start_session(self._rt, context, collection)

    def end_session(self, session_id: str, outcome_score: float | None = None) -> SessionEnded:
        """End an episode: consolidate, and say what matters next."""
        return sessions.end_session(self._rt, session_id, outcome_score)

    def update(self, memory_id: int, new_content: str, context: str = '') -> str:
        """Correct a fact under the same id; gives the old text."""
        return corrections.update(self._rt, memory_id, new_content, context)

    def forget(self, memory_id: int, reason: str) -> None:
        """Retire a memory for good."""
        corrections.forget(self._rt, memory_id, reason)

    def promote(self, memory_id: int) -> str:
        """Move a memory to the long-term tier; gives the tier."""
        return corrections.promote(self._rt, memory_id)

    def link(self, memory_a: int, memory_b: int, weight: float = 1.0) -> float:
        """Record a co-occurrence by hand; gives the edge's weight."""
        return corrections.link(self._rt, memory_a, memory_b, weight)

    def save_perception(self, perception: PerceptionInput) -> int:
        """Take in one perception; gives its id, 0 where it only carried features."""
        return perceive.save_perception(self._rt, perception)

    def save_perceptions(self, batch: Sequence[PerceptionInput]) -> list[int | RobotMemError]:
        """Take in many in one transaction; a bad one is refused alone."""
        return perceive.save_perceptions(self._rt, batch)

    def observe(self, source: str, features: Sequence[tuple[str, str]]) -> None:
        """Let features (kind, value) of one source into the situation."""
        self._rt.scenes.observe(source, features, self._rt.clock.now_ns())

    def observe_pose(self, source: str, pose: Pose) -> None:
        """Let a pose of the robot into the situation, as a place."""
        check_pose(pose, 'pose')
        self._rt.scenes.observe_pose(source, pose, self._rt.clock.now_ns())

    def advance_scenes(self) -> list[SceneHit]:
        """Decide what has settled; gives the scenes entered, each with its memories."""
        return scene_recall.advance(self._rt)

    def list_scenes(self, collection: str = '', prefix: str = '') -> list[Scene]:
        """Give the scenes of a collection whose key is ``prefix`` or lies under it."""
        return scene_recall.list_scenes(self._rt, collection, prefix)

    def declare_scene(self, key: str, collection: str = '') -> tuple[str, bool]:
        """Name a scene; gives its normalised key and whether it is new."""
        return scene_recall.declare(self._rt, key, collection)

    def rebuild_scenes(self, collection: str = '', dry_run: bool = False) -> tuple[str, int]:
        """Drop emergent scenes and let them grow again.

        :raises NotAvailable: always, in this version.
        """
        raise NotAvailable('rebuild_scenes')

    def maintain(self, collection: str = '', dry_run: bool = False) -> dict[str, int]:
        """One maintenance pass now.

        :raises NotAvailable: always, in this version.
        """
        raise NotAvailable('maintain')

    def tick(self) -> bool:
        """One slice of housekeeping; tells whether more is due."""
        return maintenance.run_slice(self._rt)

    def stats(self, collection: str = '') -> dict[str, Any]:
        """Give the counts that ``robotmem stats`` prints."""
        rt = self._rt
        with rt.store.read() as tx:
            counts = statistics.counts(tx, rt.collection(collection), rt.clock.now_ns(), rt.settings.decay)
        return {
            **counts, 'db_path': rt.store.path, 'queued_uses': len(rt.usage), 'dropped_uses': rt.usage.dropped,
            'embedding_failures': rt.usage.embedding_failures,
        }

    def backup(self, path: str) -> tuple[str, int]:
        """Write a consistent copy of the file while it is in use; gives its path and size in bytes."""
        return path, self._rt.store.backup(path)

    def flush(self) -> None:
        """Write what recalls and the situation have queued."""
        maintenance.flush(self._rt)
        self._rt.scenes.flush()

    def close(self) -> None:
        """Flush, and close the file."""
        try:
            self.flush()
        finally:
            self._rt.store.close()
