"""The memory of a robot: the one object that a node, a tool or a test works with.

Plain Python: the file, the clock and the embedder are passed in, ROS is not known here. Any thread may
call any method: reads use connections of a pool, writes go one at a time through the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from time import gmtime, strftime
from typing import Any

from robotmem_ros import adoption, cleanup, corrections, learn, perceive, recall, scene_recall, sessions
from robotmem_ros import scene_upkeep as upkeep
from robotmem_ros.closing import idle_before_ns
from robotmem_ros.core.payload import check_name
from robotmem_ros.core.ranking import fuse
from robotmem_ros.errors import RobotMemError
from robotmem_ros.exchange.importer import Importer, Summary
from robotmem_ros.exchange.lines import Line
from robotmem_ros.maintenance import Housekeeper
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
from robotmem_ros.picture import Picture, picture
from robotmem_ros.ports import Clock, EmbedderSource, FrameTree, Fusion
from robotmem_ros.runtime import Progress, Report, Runtime, silent, unseen
from robotmem_ros.scenes import SceneTracker
from robotmem_ros.settings import Settings, with_fixed_of
from robotmem_ros.store import paths, statistics
from robotmem_ros.store import sessions as sessions_stored
from robotmem_ros.store.store import Store
from robotmem_ros.timekeeping import NO_TIME, Timekeeper
from robotmem_ros.upkeep import Upkeep, Wishes, maintain
from robotmem_ros.validation import check_pose


class Engine:
    """Learn, recall, end sessions, perceive; scenes come back; memories fade.

    Every method raises ``RobotMemError`` for what cannot be served, and then has changed nothing.
    """

    def __init__(
        self, store: Store, clock: Clock, embedder: EmbedderSource, settings: Settings, report: Report = silent,
        fusion: Fusion = fuse, frames: FrameTree | None = None, progress: Progress = unseen,
    ) -> None:
        """Take over an open file; its text index is made anew here if another version made it.

        :param report: takes a sentence for the log where the file needed something.
        :param fusion: makes one score of what words and vectors found in a recall.
        :param frames: knows where frames of the robot are; ``None`` where nobody does.
        :param progress: is told how far a pass or a copy is.
        :raises StoreError: if that cannot be written.
        """
        scenes = SceneTracker(store, settings.scenes, settings.collection)
        self._rt = Runtime(
            store, clock, embedder, settings, scenes, report=report, fusion=fusion, frames=frames, progress=progress)
        self._house = Housekeeper(self._rt)
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

    @property
    def time(self) -> Timekeeper:
        """What is known of the clock."""
        return self._rt.time

    def configure(self, settings: Settings) -> None:
        """Put other settings in force; what is fixed once configured, such as ``collection``, keeps its value."""
        self._rt.settings = with_fixed_of(self._rt.settings, settings)
        self._rt.scenes.configure(self._rt.settings.scenes)

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

    @property
    def clock_trouble(self) -> str:
        """One sentence while no time is known (simulated time before its first ``/clock``), else ''."""
        return '' if self._rt.time.is_known else NO_TIME

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

    def observe(self, source: str, features: Sequence[tuple[str, str]], ttl_s: float | None = None) -> None:
        """Let features (kind, value) of one source into the situation.

        :param ttl_s: their time to live in seconds, 0 for none; by default ``scenes.feature_ttl_s``.
        """
        self._rt.scenes.observe(source, features, self._rt.clock.now_ns(), ttl_s)

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
        """Copy the file, then drop emergent scenes, so that they grow again; gives the copy's path and how many went.

        :param dry_run: only count: no copy (the path is empty), no change.
        """
        return upkeep.rebuild(self._rt, collection, dry_run)

    def maintain(
        self, collection: str = '', dry_run: bool = False, *, gc_threshold: float = 0.1, purge_after_days: float = 0.0,
        cleanup_duplicates: bool = False,
    ) -> Upkeep:
        """One maintenance pass now; with ``dry_run`` it only counts what it would do."""
        wishes = Wishes(collection, gc_threshold, purge_after_days, cleanup_duplicates)
        return maintain(self._rt, wishes, dry_run=dry_run)

    def cleanup_exact_duplicates(self, dry_run: bool = True, collection: str = '') -> list[dict[str, Any]]:
        """Supersede exact duplicates that the file holds, at most 200 a call.

        :param dry_run: only say what it would do.
        :return: ``old_id``, ``keep_id`` and ``preview`` of each.
        """
        return cleanup.cleanup_exact_duplicates(self._rt, collection, dry_run=dry_run)

    def tick(self) -> bool:
        """One slice of housekeeping; tells whether more is due."""
        return self._house.run_slice()

    def stats(self, collection: str = '') -> dict[str, Any]:
        """Give the counts that ``robotmem stats`` prints."""
        rt, moment = self._rt, self._rt.time.now()
        name = rt.collection(check_name(collection, 'collection'))
        with rt.store.read() as tx:
            counts = statistics.counts(tx, name, moment.now_ns, rt.settings.decay)
            idle = sessions_stored.idle_count(tx, name, idle_before_ns(moment, rt.settings))
        return {
            **counts, 'idle_sessions': idle, 'db_path': rt.store.path, 'db_bytes': rt.store.file_bytes(),
            'queued_uses': len(rt.usage), 'dropped_uses': rt.usage.dropped,
            'embedding_failures': rt.usage.embedding_failures, 'clock': rt.time.notes(),
        }

    def picture(self, most: int) -> Picture:
        """Give the memories with a place, at most ``most``, their edges and the scene in force, to be drawn."""
        return picture(self._rt, most)

    def backup(self, path: str) -> tuple[str, int]:
        """Write a consistent copy of the file while it is in use; gives its absolute path and size in bytes.

        :param path: where to, never over an existing file; empty: beside the database, with a time stamp.
        """
        rt = self._rt
        if not path.strip():
            beside = upkeep.backup_beside(rt, strftime('%Y%m%dT%H%M%SZ', gmtime(rt.clock.now_ns() // 10**9)))
            return beside, paths.size(beside)
        where = paths.resolve(path, 'path')
        return where, rt.store.backup(where, partial(rt.progress, 'copying'))

    def import_records(
        self, lines: Iterable[Line], collection: str = '', on_line: Callable[[int], None] = lambda _count: None
    ) -> Summary:
        """Take in what another file, a vault or notes hold; a second time adds nothing. See ``exchange.importer``."""
        return Importer(self._rt, collection).run(lines, on_line)

    def flush(self) -> None:
        """Write what recalls and the situation have queued."""
        self._house.flush()
        self._rt.scenes.flush()

    def close(self) -> None:
        """Flush, and close the file."""
        try:
            self.flush()
        finally:
            self._rt.store.close()
