"""What the node says about itself: ready or why not, what really runs, counts and losses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions

import robotmem_ros.msg as msg
from robotmem_ros.disk import Disk, disk_of
from robotmem_ros.errors import NotActive
from robotmem_ros.ros import convert
from robotmem_ros.ros.assembly import Assembly
from robotmem_ros.ros.gate import Gate
from robotmem_ros.ros.health import Counters, Health
from robotmem_ros.ros.perception import PerceptionIntake
from robotmem_ros.ros.services import flat

LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
COUNT_EVERY_S = 5.0
"""Shortest time between two counts of a large file."""


@dataclass
class Facts:
    """What the status is made from; the node keeps it up to date."""

    gate: Gate
    health: Health
    counters: Counters
    intake: PerceptionIntake
    path: str
    collection: str
    assembly: Assembly | None = None
    """Read it once into a local name: the thread of a transition may take it away between two looks."""
    state: str = 'unconfigured'
    reason: str = ''
    disk_of: Callable[[str], Disk] = disk_of
    counts: dict[str, Any] = field(default_factory=dict)


class StatusReporter:
    """
    Publishes ``~/status`` (latched) in every state of the node.

    :param facts: read anew each time.
    :param period_s: gives the time between two messages, seconds.
    """

    def __init__(self, node: Node, facts: Facts, period_s: Callable[[], float]) -> None:
        self._facts, self._period_s = facts, period_s
        self._clock = node.get_clock()
        self._status = node.create_publisher(
            msg.MemoryStatus, '~/status', LATCHED,
            qos_overriding_options=QoSOverridingOptions.with_default_policies())
        self._count_again_s = 0.0

    def recount(self) -> None:
        """Count again with the next message, however lately that was done."""
        self._count_again_s = 0.0

    def step(self) -> float:
        """Publish once and give the seconds until the next time."""
        self._count()
        self._status.publish(self.message())
        return self._period_s()

    def message(self) -> msg.MemoryStatus:
        """Say how things are now."""
        facts = self._facts
        scenes = sum(facts.counts.get(name, 0) for name in ('scenes_emergent', 'scenes_declared'))
        status = msg.MemoryStatus(
            stamp=self._clock.now().to_msg(), state=facts.state, db_path=convert.text(facts.path),
            collection=convert.text(facts.collection), mode='bm25_only', embed_backend='none',
            active_memories=convert.whole(facts.counts.get('active')), scenes=convert.unsigned(scenes),
            pending_vectors=convert.whole(facts.counts.get('pending_vectors')),
            scene_in_force=convert.text(facts.counts.get('scene_in_force')),
            perceptions_stored=facts.intake.stored, perceptions_refused=facts.intake.refused,
            perceptions_dropped=facts.intake.dropped, scene_hits=facts.counters.scene_hits,
            empty_scene_hits=facts.counters.empty_scene_hits,
            incompatible_qos=convert.unsigned(facts.counters.incompatible_qos),
        )
        assembly = facts.assembly
        embedder = assembly.model.get() if assembly is not None else None
        if assembly is not None and embedder is not None and assembly.engine.mode == 'hybrid':
            status.mode, status.embed_backend = 'hybrid', convert.text(embedder.backend)
            status.model, status.embed_dim = convert.text(embedder.name), convert.unsigned(embedder.dim)
        status.ready, reason = readiness(facts)
        status.reason = convert.text(reason)
        return status

    def _count(self) -> None:
        if time.monotonic() < self._count_again_s:
            return
        began_s = time.thread_time()
        try:
            with self._facts.gate.enter() as engine:
                scene = engine.scenes.current()
                counts = engine.stats()
                self._facts.counts = {**counts, **flat(counts), 'scene_in_force': '' if scene is None else scene.key}
        except NotActive:
            return
        # A large file is counted less often, so that counting never takes more than a fiftieth of one core.
        self._count_again_s = time.monotonic() + max(COUNT_EVERY_S, 50.0 * (time.thread_time() - began_s))


def readiness(facts: Facts) -> tuple[bool, str]:
    """Whether services are served in full, and one sentence on all that is missing: file, disk, clock, then model."""
    assembly = facts.assembly
    if facts.state != 'active' or assembly is None:
        return False, facts.reason or f'the node is {facts.state}'
    found = [*_file_limits(facts), (assembly.engine.clock_trouble, True), _model_limit(assembly)]
    limits = [(sentence, is_ready) for sentence, is_ready in found if sentence]
    return all(is_ready for _, is_ready in limits), '; '.join(sentence for sentence, _ in limits)


Limit = tuple[str, bool]
"""One sentence on what is not as it should be, '' where nothing is, and whether the node counts as ready with it."""


def _file_limits(facts: Facts) -> Iterator[Limit]:
    yield facts.health.trouble, False
    try:
        disk = facts.disk_of(facts.path)
    except OSError:
        return  # the diagnosis of the disk says so; what cannot be stored is the file's trouble
    yield disk.trouble and f'database {facts.path}: {disk.trouble}', not disk.is_full


def _model_limit(assembly: Assembly) -> Limit:
    model = assembly.model
    if model.state in ('idle', 'loading'):
        return 'the embedding model is loading; answers are by words alone', False
    if model.state == 'missing':
        return f'{model.reason}; answers are by words alone', True
    if not assembly.store.vectors_available:
        return f'no vector search ({assembly.store.vectors_reason}); answers are by words alone', True
    if assembly.engine.mode != 'hybrid':
        return 'the embedding model is being taken into use; answers are by words alone', False
    if assembly.engine.replaced_model:
        return f'vectors by {assembly.engine.replaced_model} are being made anew; words find meanwhile', True
    return '', True
