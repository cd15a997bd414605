"""The process of the node: starts it, waits for a signal, stops it. ``memory_node`` runs :func:`main`."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from typing import TYPE_CHECKING, Any

from robotmem_ros.errors import RobotMemError

if TYPE_CHECKING:
    from rclpy.executors import Executor

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopRequest:
    """
    Waits until someone asks to stop: a signal handler, or another thread.

    A pipe, not a ``threading.Event``: its lock is not reentrant, so a second signal in the wrong moment would
    wait for ever for the lock that the interrupted main thread holds. The pipe is the wake-up descriptor as well:
    the system may hand a signal to any thread (it does after SIGSTOP and SIGCONT), and Python runs the handler only
    once the main thread moves.
    """

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self.made = False
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)

    def make(self, *_: Any) -> None:
        """Ask to stop; fits :func:`signal.signal`."""
        if not self.made:
            self.made = True
            os.write(self._writer, b'.')

    def wait(self) -> None:
        """Return once it is made; called by the main thread."""
        while not self.made:
            os.read(self._reader, 1)


def main(args: list[str] | None = None) -> int:
    """
    Run the node until SIGINT or SIGTERM, or until its context is shut down.

    :param args: command line, by default the process's own.
    :return: 0 after a clean stop, 1 where the node could not be made; the reason is then on stderr.
    """
    stop = StopRequest()
    # First of all, before the slow imports: a signal at any moment only says that it is time to stop, and a
    # second one says it again (SHUT-02). rclpy's own handlers would pull the context from under the node.
    for number in SIGNALS:
        signal.signal(number, stop.make)
    try:
        return _run(args, stop)
    except RobotMemError as error:
        print(f'memory_node: {error}', file=sys.stderr)
        return 1
    finally:
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)


def _run(args: list[str] | None, stop: StopRequest) -> int:
    # Here and not above: half a second in which a signal would meet no handler.
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    from robotmem_ros.ros.executor import PatientExecutor
    from robotmem_ros.ros.node import MemoryNode

    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:  # noqa: BLE001  what rcl finds wrong with the command line is no bug of ours
        print(f'memory_node: {" ".join(str(error).split())}', file=sys.stderr)
        return 1
    try:
        node = MemoryNode()
        executor = PatientExecutor(num_threads=node.parameters.values['executor.threads'])
        executor.add_node(node)
        spinning = threading.Thread(target=_spin, args=(executor, stop), name='robotmem-executor', daemon=True)
        spinning.start()
        if node.parameters.values['autostart'] and not stop.made:
            node.start()
        stop.wait()
        node.stop()
        executor.shutdown(timeout_sec=2.0)
        spinning.join(2.0)
        node.destroy_node()
        return 0
    finally:
        rclpy.try_shutdown()


def _spin(executor: Executor, stop: StopRequest) -> None:
    """Spin until the end; what a callback of rclpy itself raises is logged and does not end the node."""
    from rclpy.exceptions import InvalidHandle
    from rclpy.executors import ExternalShutdownException, ShutdownException

    while not stop.made:
        try:
            executor.spin()
            break
        except (ExternalShutdownException, ShutdownException):
            break
        except InvalidHandle:
            # A callback of something that has been destroyed meanwhile: a tap's old subscription, or all at the end.
            continue
        except Exception:  # noqa: BLE001  a client must not be able to end the node for all the others
            if not stop.made:
                traceback.print_exc()
                time.sleep(0.1)
    stop.make()


if __name__ == '__main__':
    sys.exit(main())
