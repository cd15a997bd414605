"""The node: a managed node that puts the memory on the wire. What it does is elsewhere; here it is wired."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from rclpy.qos import QoSProfile, ReliabilityPolicy

from robotmem_ros import msg
from robotmem_ros.errors import NotActive, RobotMemError, StoreError
from robotmem_ros.model import SceneHit
from robotmem_ros.ros.assembly import Assembly, assemble
from robotmem_ros.ros.clock import RosClock
from robotmem_ros.ros.convert import scene_hit_to_msg
from robotmem_ros.ros.gate import Gate
from robotmem_ros.ros.health import Counters, Health
from robotmem_ros.ros.parameters import Parameters
from robotmem_ros.ros.perception import PerceptionIntake
from robotmem_ros.ros.services import Service
from robotmem_ros.ros.serving import ServiceServer
from robotmem_ros.ros.situation import Situation
from robotmem_ros.ros.specs import database_path
from robotmem_ros.ros.status import Facts, StatusReporter
from robotmem_ros.ros.subscriptions import TapSubscriptions, incompatible_events, perception_qos
from robotmem_ros.ros.taps import Tap
from robotmem_ros.ros.throttle import Throttle
from robotmem_ros.ros.worker import Worker
from robotmem_ros.settings import Settings

DRAIN_S = 3.0
"""Longest time that a deactivation spends on storing what has already come in."""
SLICE_PAUSE_S = 0.005
"""Pause between two slices of housekeeping, in which everything else runs."""


class MemoryNode(LifecycleNode):
    """
    ``robotmem``: see contract 3 for its names.

    Threads: the executor's run services and callbacks; four workers store perceptions, follow the situation, keep
    house and report. All of them reach the engine through one gate, which deactivation shuts.

    :param options: of ``rclpy.lifecycle.LifecycleNode``.
    :raises InvalidRequest: if a parameter's value cannot be taken.
    """

    def __init__(self, name: str = 'robotmem', **options: Any) -> None:
        super().__init__(name, **options)
        self.parameters = Parameters(self, self._settings_changed)
        values = self.parameters.values
        self._ros_clock = RosClock(self.get_clock())
        self._throttle = Throttle()
        self._transition = threading.RLock()
        self._taking = False
        self._health, self._counters, self._gate = Health(), Counters(), Gate('unconfigured')
        self._intake = PerceptionIntake(values['perception.queue'], values['perception.batch'], self._perception_refused)
        self._facts = Facts(self._gate, self._health, self._counters, self._intake, collection=values['collection'])
        self._facts.path = database_path(values['db_path'])
        self._status = StatusReporter(self, self._facts, lambda: self.parameters.values['status.period_s'])
        self._situation = Situation(self._gate, self._ros_clock, self._publish_hit, self._tap_refused)
        self._storing = Worker('robotmem-perceptions', self._store_perceptions, self._worker_failed('storing perceptions'))
        self._following = Worker('robotmem-situation', self._situation.step, self._worker_failed('following the situation'))
        self._keeping = Worker('robotmem-tick', self._keep_house, self._worker_failed('housekeeping'))
        self._reporting = Worker('robotmem-status', self._report, self._worker_failed('reporting'))
        self._hits = self.create_publisher(msg.SceneHit, '~/scene_hit', QoSProfile(depth=10))
        self._listen(values['perception.reliability'])
        self._server = ServiceServer(self, self._gate, self._health, self._served)
        self._reporting.start()

    def _listen(self, reliability: str) -> None:
        # One group for all that comes in unasked: its callbacks only queue, and keep their order.
        group = MutuallyExclusiveCallbackGroup()
        self._taps = TapSubscriptions(self, group, self._tapped, self._incompatible)
        self.create_subscription(
            msg.Perception, '~/perception', self._perceived, perception_qos(ReliabilityPolicy[reliability.upper()]),
            callback_group=group, event_callbacks=incompatible_events('~/perception', self._incompatible),
        )

    # ---- lifecycle

    def start(self) -> None:
        """Configure and activate, as ``autostart`` asks for."""
        if self.trigger_configure() is TransitionCallbackReturn.SUCCESS:
            self.trigger_activate()

    def stop(self) -> None:
        """Shut down whatever the state is: inputs end, queues are stored, the file is closed."""
        with self._transition:
            if self._facts.state != 'finalized':
                self.trigger_shutdown()
            self._close()
        self._reporting.stop()

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open the file and begin to load the model; FAILURE, with the reason in the status, where that cannot be."""
        return self._change('inactive', self._configure, TransitionCallbackReturn.FAILURE)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to take in, to answer and to keep house."""
        return self._change('active', self._activate, TransitionCallbackReturn.ERROR)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop all of it, after what has come in is stored."""
        return self._change('inactive', self._deactivate, TransitionCallbackReturn.ERROR)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close the file."""
        return self._change('unconfigured', self._close, TransitionCallbackReturn.ERROR)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop and close for good."""
        return self._change('finalized', self._close, TransitionCallbackReturn.ERROR)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close what is open, so that the node can be configured again."""
        return self._change('unconfigured', self._close, TransitionCallbackReturn.FAILURE)

    def _change(
        self, state: str, action: Callable[[], None], otherwise: TransitionCallbackReturn,
    ) -> TransitionCallbackReturn:
        with self._transition:
            try:
                action()
            except Exception as error:  # noqa: BLE001  rclpy swallows what a transition raises, without a word
                self._facts.reason = str(error) if isinstance(error, RobotMemError) else f'{type(error).__name__}: {error}'
                detail = '' if isinstance(error, RobotMemError) else '\n' + traceback.format_exc()
                self.get_logger().error(f'cannot become {state}: {self._facts.reason}{detail}')
                self._gate.shut(f'{self._facts.state} ({self._facts.reason})')
                self._reporting.wake()
                return otherwise
            self._facts.state = state
            self._facts.reason = ''
            if state != 'active':
                self._gate.shut(state)
            self._status.recount()
            self._reporting.wake()
            return TransitionCallbackReturn.SUCCESS

    def _configure(self) -> None:
        values = self.parameters.values
        self.parameters.declare_taps()
        self._facts.path, self._facts.collection = database_path(values['db_path']), values['collection']
        assembly = assemble(self._facts.path, self.parameters.settings, self._ros_clock, self._model_changed)
        self._health.watch(self._facts.path)
        self._facts.assembly, self.parameters.locked = assembly, True
        assembly.model.start()
        self._taps.set(self._usable_taps())
        self.get_logger().info(f'memory in {self._facts.path}, collection {self._facts.collection!r}')

    def _usable_taps(self) -> list[Tap]:
        taps = []
        for name in self.parameters.tap_names:
            try:
                taps.append(Tap.from_parameters(name, self.parameters.values))
            except RobotMemError as error:
                self.get_logger().error(f'feature tap {name!r} is left out: {error}')
        return taps

    def _activate(self) -> None:
        self._gate.open(self._assembly.engine)
        self._taking = True
        for worker in (self._storing, self._following, self._keeping):
            worker.start()

    def _deactivate(self) -> None:
        self._taking = False
        for worker in (self._storing, self._following, self._keeping):
            worker.stop()
        self._drain()
        self._gate.shut('inactive')
        self._assembly.engine.flush()

    def _close(self) -> None:
        if self._facts.assembly is None:
            return
        assembly = self._facts.assembly
        try:
            if self._gate.is_open:
                self._deactivate()
        finally:
            self._facts.assembly = None
            self._gate.shut('unconfigured')
            self.parameters.locked = False
            assembly.close()

    @property
    def _assembly(self) -> Assembly:
        if self._facts.assembly is None:
            raise NotActive(self._facts.state)
        return self._facts.assembly

    def _drain(self) -> None:
        """Store the perceptions that have come in, as long as the disk lets us."""
        until = time.monotonic() + DRAIN_S
        try:
            while self._store_perceptions() is not None and time.monotonic() < until:
                pass
        except StoreError as error:
            self._worker_failed('storing the last perceptions')(error)
        self._intake.clear()

    # ---- inputs: the callbacks only queue

    def _perceived(self, perception: msg.Perception) -> None:
        if self._taking:
            self._intake.offer(perception)
            self._storing.wake()

    def _tapped(self, tap: Tap, message: Any) -> None:
        self._situation.inbox.put(tap, message)
        self._following.wake()

    def _incompatible(self, topic: str, policy: str) -> None:
        self._counters.incompatible_qos += 1
        self._warn(f'qos:{topic}', f'a publisher of {topic} gives less {policy} than is asked for: nothing comes from it')

    # ---- workers

    def _store_perceptions(self) -> float | None:
        try:
            with self._gate.enter() as engine:
                before = self._intake.stored
                left = self._intake.store(engine)
        except NotActive:
            return None
        if self._intake.stored > before:
            self._health.wrote()
        self._following.wake()
        return 0.0 if left else None

    def _keep_house(self) -> float | None:
        try:
            with self._gate.enter() as engine:
                more = engine.tick()
        except NotActive:
            return None
        return SLICE_PAUSE_S if more else self.parameters.settings.tick.period_s

    def _report(self) -> float:
        self._taps.follow_publishers()
        return self._status.step()

    def _worker_failed(self, doing: str) -> Callable[[Exception], None]:
        def report(error: Exception) -> None:
            self._health.failed(error)
            detail = '' if isinstance(error, RobotMemError) else '\n' + ''.join(traceback.format_exception(error))
            self._warn(f'{doing}:{type(error).__name__}', f'{doing}: {type(error).__name__}: {error}{detail}')
        return report

    # ---- what happened

    def _publish_hit(self, hit: SceneHit) -> None:
        self._counters.scene_hits += 1
        self._counters.empty_scene_hits += not hit.memories
        self._hits.publish(scene_hit_to_msg(hit))
        self._status.recount()
        self._reporting.wake()

    def _served(self, service: Service) -> None:
        if service.name in ('save_perception', 'declare_scene'):
            self._following.wake()

    def _settings_changed(self, settings: Settings) -> None:
        if self._facts.assembly is not None:
            self._facts.assembly.engine.configure(settings)
        self._keeping.wake()

    def _model_changed(self) -> None:
        assembly = self._facts.assembly
        if assembly is not None and assembly.model.state == 'missing':
            self.get_logger().warning(assembly.model.reason)
        self._keeping.wake()
        self._reporting.wake()

    def _perception_refused(self, seq: int, source: str, error: Exception) -> None:
        self._warn(
            f'perception:{type(error).__name__}:{getattr(error, "field", "")}',
            f'{self.resolve_topic_name("~/perception")}: refused seq {seq} of {source!r}: {error}',
        )

    def _tap_refused(self, tap: Tap, error: Exception) -> None:
        self._warn(f'tap:{tap.name}:{type(error).__name__}', f'feature tap {tap.name!r} on {tap.topic}: {error}')

    def _warn(self, kind: str, message: str) -> None:
        text = self._throttle.text(kind, message)
        if text is not None:
            self.get_logger().warning(text)
