"""The node: a managed node that puts the memory on the wire. What it does is elsewhere; here it is wired."""

from __future__ import annotations

import math
import threading
import traceback
from collections.abc import Callable
from typing import Any

from rclpy.lifecycle import LifecycleNode, LifecycleState
from rclpy.lifecycle import TransitionCallbackReturn as Result
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions

from robotmem_ros.errors import NotActive, RobotMemError, StoreError
from robotmem_ros.model import SceneHit
from robotmem_ros.msg import SceneHit as SceneHitMsg
from robotmem_ros.ros.activity import Activity
from robotmem_ros.ros.assembly import Assembly, assemble
from robotmem_ros.ros.clock import RosClock
from robotmem_ros.ros.convert import scene_hit_to_msg
from robotmem_ros.ros.diagnostics import Diagnosis
from robotmem_ros.ros.frames import transform_tree
from robotmem_ros.ros.gate import Gate
from robotmem_ros.ros.health import SERVICES, Counters, Health
from robotmem_ros.ros.inflow import Inflow
from robotmem_ros.ros.parameters import Parameters
from robotmem_ros.ros.perception import PerceptionIntake
from robotmem_ros.ros.services import Service
from robotmem_ros.ros.serving import ServiceServer
from robotmem_ros.ros.situation import Situation
from robotmem_ros.ros.specs import database_path, shown_path
from robotmem_ros.ros.start_log import file_line, model_line
from robotmem_ros.ros.status import Facts, StatusReporter
from robotmem_ros.ros.subscriptions import PerceptionSubscription, TapSubscriptions
from robotmem_ros.ros.taps import Tap, usable_taps
from robotmem_ros.ros.throttle import Throttle
from robotmem_ros.ros.unheard import Unheard
from robotmem_ros.ros.watching import Watching
from robotmem_ros.ros.worker import Worker
from robotmem_ros.settings import Settings


class MemoryNode(LifecycleNode):
    """
    ``robotmem``: see contract 3 for its names.

    Threads: the executor's run services and callbacks; workers store perceptions, follow the situation, keep house
    and report. All of them reach the engine through one gate, which deactivation shuts.

    :param options: of ``rclpy.lifecycle.LifecycleNode``.
    :raises InvalidRequest: if a parameter's value cannot be taken.
    """

    def __init__(self, name: str = 'robotmem', **options: Any) -> None:
        super().__init__(name, **options)
        self.parameters = Parameters(self, self._settings_changed)
        values = self.parameters.values
        self._throttle = Throttle()
        self._transition = threading.RLock()
        self._ros_clock = RosClock(self.get_clock())
        gate, health, counters = Gate('unconfigured'), Health(self._something_changed), Counters()
        intake = PerceptionIntake(values['perception.queue'], values['perception.batch'], self._perception_refused)
        collection = self.parameters.settings.collection
        self._facts = Facts(gate, health, counters, intake, shown_path(values['db_path']), collection)
        self._status = StatusReporter(self, self._facts, lambda: self.parameters.values['status.period_s'])
        self._reporting = Worker('reporting', self._report, lambda error: self._trouble('reporting', error))
        self._activity = Activity(
            gate, health, intake, Situation(self._ros_clock, self._entered, self._tap_refused, self._feature_refused),
            lambda: self.parameters.settings.tick.period_s, self._trouble,
        )
        self._hits = self.create_publisher(
            SceneHitMsg, '~/scene_hit', QoSProfile(depth=10),
            qos_overriding_options=QoSOverridingOptions.with_default_policies())
        self._unheard = Unheard(self, lambda topic, sentence: self._warn(f'qos:{topic}', sentence))
        self._inflow = Inflow(self, lambda error: self._trouble('taking in', error))
        self._taps = TapSubscriptions(self, self._inflow, self._activity.tapped, self._incompatible, self._tap_left_out)
        self._perceptions = PerceptionSubscription(
            self, self._inflow, values['perception.reliability'], self._activity.perceived, self._incompatible
        )
        self._frames = transform_tree(self, self._inflow, self.get_logger().warning) if values['tf.listen'] else None
        self._server = ServiceServer(self, gate, health, self._served)
        diagnosis = Diagnosis(
            self.get_fully_qualified_name(), self._facts, self._activity.ticks, lambda: self.parameters.settings,
            lambda: self._ros_clock.simulated,
        )
        self._watching = Watching(
            self, gate, diagnosis, lambda: self.parameters.values, lambda error: self._trouble('watching', error)
        )
        self._inflow.start()
        self._reporting.start()
        self._watching.start()

    # ---- lifecycle

    def start(self) -> None:
        """Configure and activate, as ``autostart`` asks for."""
        if self.trigger_configure() is Result.SUCCESS:
            self.trigger_activate()

    def stop(self) -> None:
        """Shut down whatever the state is: inputs end, queues are stored, the file is closed."""
        with self._transition:
            if self._facts.state != 'finalized':
                self.trigger_shutdown()
            self._close()
        self._inflow.stop()
        self._watching.stop()
        self._reporting.stop()

    def on_configure(self, state: LifecycleState) -> Result:  # noqa: ARG002
        """Open the file and begin to load the model; FAILURE, with the reason in the status, where that cannot be."""
        return self._change('inactive', self._configure, Result.FAILURE)

    def on_activate(self, state: LifecycleState) -> Result:  # noqa: ARG002
        """Begin to take in, to answer and to keep house."""
        return self._change('active', lambda: self._activity.start(self._assembly.engine), Result.ERROR)

    def on_deactivate(self, state: LifecycleState) -> Result:  # noqa: ARG002
        """Stop all of it, after what has come in is stored."""
        return self._change('inactive', self._deactivate, Result.ERROR)

    def on_cleanup(self, state: LifecycleState) -> Result:  # noqa: ARG002
        """Close the file."""
        return self._change('unconfigured', self._close, Result.ERROR)

    def on_shutdown(self, state: LifecycleState) -> Result:  # noqa: ARG002
        """Stop and close for good."""
        return self._change('finalized', self._close, Result.ERROR)

    def on_error(self, state: LifecycleState) -> Result:  # noqa: ARG002
        """Close what is open, so that the node can be configured again; the status goes on saying why."""
        reason = self._facts.reason
        result = self._change('unconfigured', self._close, Result.FAILURE)
        self._facts.reason = self._facts.reason or reason
        return result

    def _change(self, state: str, action: Callable[[], None], otherwise: Result) -> Result:
        """Do a transition's work; what it raises is reported here, for rclpy swallows it without a word."""
        facts, result = self._facts, Result.SUCCESS
        with self._transition:
            try:
                action()
                facts.state, facts.reason = state, ''
            except Exception as error:  # noqa: BLE001
                result = otherwise
                facts.reason = str(error) if isinstance(error, RobotMemError) else sentence_of(error)
                self.get_logger().error(f'cannot become {state}: {facts.reason}{traceback_of(error)}')
            if facts.state != 'active':
                facts.gate.shut(f'{facts.state} ({facts.reason})' if facts.reason else facts.state)
            self._something_changed()
        return result

    def _configure(self) -> None:
        values = self.parameters.values
        self.parameters.declare_taps()
        self._facts.path, self._facts.collection = database_path(values['db_path']), self.parameters.settings.collection
        assembly = assemble(
            self._facts.path, self.parameters.settings, self._ros_clock, self._model_changed, self._remarked,
            self._frames,
        )
        self._facts.health.watch(self._facts.path)
        self._facts.assembly, self.parameters.locked = assembly, True
        try:
            taps = usable_taps(
                self.parameters.tap_names, values, self.parameters.refused, self.get_logger().error)
            self._taps.set(taps)
            self.get_logger().info(file_line(assembly, self._facts.collection, [tap.name for tap in taps], values))
        except BaseException:
            self._close()  # an unconfigured node owns no file
            raise
        assembly.model.start()

    def _deactivate(self) -> None:
        self._activity.stop('inactive')
        self._assembly.engine.flush()

    def _close(self) -> None:
        assembly = self._facts.assembly
        if assembly is None:
            return
        self._activity.stop('unconfigured')
        self._facts.assembly, self.parameters.locked = None, False
        assembly.close()

    @property
    def _assembly(self) -> Assembly:
        assembly = self._facts.assembly
        if assembly is None:
            raise NotActive(self._facts.state)
        return assembly

    # ---- what happened

    def _report(self) -> float:
        self._perceptions.follow_publishers()
        self._taps.follow_publishers()
        self._try_again()
        return min(self._status.step(), self._unheard.step() or math.inf)

    def _try_again(self) -> None:
        """Write something after a service failed to: nobody may call one again before all is well."""
        try:
            with self._facts.gate.enter():
                if self._facts.health.is_failing(SERVICES):
                    self._assembly.try_write()
                    self._facts.health.went_well(SERVICES)
        except (NotActive, StoreError):
            return

    def _something_changed(self) -> None:
        self._status.recount()
        self._reporting.wake()

    def _entered(self, hit: SceneHit) -> None:
        self._facts.counters.scene_hits += 1
        self._facts.counters.empty_scene_hits += not hit.memories
        self._hits.publish(scene_hit_to_msg(hit))
        self._something_changed()

    def _served(self, service: Service) -> None:
        if service.name in ('save_perception', 'declare_scene'):
            self._activity.follow()

    def _settings_changed(self, settings: Settings) -> None:
        assembly = self._facts.assembly
        if assembly is not None:
            assembly.engine.configure(settings)
        self._activity.keep_house()

    def _remarked(self, sentence: str) -> None:
        self.get_logger().warning(sentence)
        self._something_changed()

    def _model_changed(self) -> None:
        assembly = self._facts.assembly
        said, is_well = model_line(assembly) if assembly is not None else ('', True)
        if said and is_well:
            self.get_logger().info(said)
        elif said:
            self.get_logger().warning(said)
        self._activity.keep_house()
        self._reporting.wake()

    def _trouble(self, doing: str, error: Exception) -> None:
        self._warn(f'{doing}:{type(error).__name__}', f'{doing}: {type(error).__name__}: {error}{traceback_of(error)}')

    def _perception_refused(self, seq: int, source: str, error: Exception) -> None:
        self._warn(
            f'perception:{type(error).__name__}:{getattr(error, "field", "")}',
            f'{self.resolve_topic_name("~/perception")}: refused seq {seq} of {source!r}: {error}',
        )

    def _tap_left_out(self, tap: Tap, error: Exception) -> None:
        reason = ' '.join(str(error).split())
        self.get_logger().error(f'feature tap {tap.name!r} is left out: cannot listen to {tap.topic!r}: {reason}')

    def _tap_refused(self, tap: Tap, error: Exception) -> None:
        self._warn(f'tap:{tap.name}:{type(error).__name__}', f'feature tap {tap.name!r} on {tap.topic}: {error}')

    def _feature_refused(self, why: str) -> None:
        self._warn('feature', f'a feature or pose was left out, of {why}')

    def _incompatible(self, topic: str, policy: str) -> None:
        self._facts.counters.incompatible_qos += 1
        self._unheard.add(topic, policy)
        self._reporting.wake()

    def _warn(self, kind: str, message: str) -> None:
        text = self._throttle.text(kind, message)
        if text is not None:
            self.get_logger().warning(text)


def sentence_of(error: Exception) -> str:
    """Give what was not raised on purpose as one line: rcl's own errors are drawings of several."""
    return ' '.join(f'{type(error).__name__}: {error}'.split())


def traceback_of(error: Exception) -> str:
    """Give the traceback of what was not raised on purpose, for the log."""
    return '' if isinstance(error, RobotMemError) else '\n' + ''.join(traceback.format_exception(error))
