"""The memory node as its own process: found, started, watched and stopped."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

STOPS = ((signal.SIGINT, 10.0), (signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0))
"""Signals that end the node, each with the seconds that it has before the next one."""


class NodeFailed(Exception):
    """The node did not start, or ended on its own."""


def executable() -> str:
    """Path of ``memory_node``: beside this Python, else on the PATH.

    :raises NodeFailed: when the package is not installed.
    """
    beside = Path(sys.executable).parent / 'memory_node'
    found = str(beside) if beside.is_file() else shutil.which('memory_node')
    if not found:
        raise NodeFailed('memory_node is not installed beside this Python: run `make install` first')
    return found


def free_domain() -> int:
    """Give a ROS domain whose discovery ports nobody on this machine holds, so that the demo meets no other node.

    The ports are DDS's: 7400 + 250 × domain for all, + 10 for the first participant. Domains above 101
    would reach into the ports that Linux hands out by itself. The last of the 250 is held by a run of the tests.
    """
    first = os.getpid() % 100
    for step in range(100):
        domain = 1 + (first + step) % 100
        if all(is_free(7400 + 250 * domain + offset) for offset in (0, 10, 12, 249)):
            return domain
    return 1 + first


def is_free(port: int) -> bool:
    """Whether nobody has bound a UDP port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(('', port))
        except OSError:
            return False
    return True


class NodeProcess:
    """A running node whose log goes to a file; a context manager that always stops it."""

    def __init__(self, arguments: list[str], log: Path) -> None:
        self.log = log
        with log.open('wb') as stream:
            # A session of its own: Ctrl-C in the terminal reaches us alone, and we stop the node in order.
            self._process = subprocess.Popen(
                [executable(), *arguments], stdout=stream, stderr=subprocess.STDOUT, start_new_session=True
            )

    def __enter__(self) -> 'NodeProcess':
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def check(self) -> None:
        """Raise NodeFailed when the process has ended."""
        if self._process.poll() is not None:
            raise NodeFailed(f'the node ended with status {self._process.returncode}')

    def stop(self) -> int:
        """Interrupt the node, as Ctrl-C does, and harder where that does not end it; gives its exit status."""
        for number, patience_s in STOPS:
            if self._process.poll() is not None:
                break
            self._process.send_signal(number)
            try:
                self._process.wait(patience_s)
            except subprocess.TimeoutExpired:
                continue
        return self._process.wait()

    def last_lines(self, count: int = 15) -> str:
        """The end of its log."""
        return '\n'.join(self.log.read_text(errors='replace').splitlines()[-count:])
