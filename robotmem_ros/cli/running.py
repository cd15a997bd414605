"""The running node, as commands see it that work on its file: where that is, and the way down to a closed one and back.

Nothing new is asked of the node for this: an inactive node stores nothing and its services say so, and one that was
cleaned up has let go of its file. Whatever happens meanwhile, it is brought back to the state that it was in.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lifecycle_msgs.srv import ChangeState, GetState

from robotmem_ros.cli.client import Connection, NoAnswer
from robotmem_ros.cli.exits import REFUSED, complain, note
from robotmem_ros.cli.progress import Elapsed
from robotmem_ros.cli.show import printable
from robotmem_ros.errors import RobotMemError
from robotmem_ros.msg import MemoryStatus
from robotmem_ros.store import ownership

THERE_S, TRANSITION_S = 10.0, 60.0
"""A node that goes inactive first stores what has come in; one that opens an older file makes it anew."""
REASON_S, LOOK_AGAIN_S = 2.0, 0.2
CONFIGURE, CLEANUP, ACTIVATE, DEACTIVATE = 1, 2, 3, 4
"""As in lifecycle_msgs/msg/Transition."""
DOWN = {'active': DEACTIVATE, 'inactive': CLEANUP}
UP = {'unconfigured': CONFIGURE, 'inactive': ACTIVATE}
STATES = ('unconfigured', 'inactive', 'active', 'finalized')
"""Any other is on its way to one of them."""
BY_HAND = {'inactive': ('configure',), 'active': ('configure', 'activate')}
NAMES = {CONFIGURE: 'configure', CLEANUP: 'clean up', ACTIVATE: 'activate', DEACTIVATE: 'deactivate'}
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class NodeTrouble(RobotMemError):
    """The node cannot do what is asked of it; the sentence says why."""


class RunningNode:
    """A node that answers.

    :ivar status: the last ``robotmem_ros/msg/MemoryStatus`` of it.
    """

    def __init__(self, connection: Connection, name: str) -> None:
        self.name, self.connection = name, connection
        self.status: Any = None
        connection.listen(f'{name}/status', MemoryStatus, self._keep, latched=True)

    def _keep(self, status: Any) -> None:
        self.status = status

    def check_reachable(self) -> None:
        """Make sure that the file which the node names is the one that lies here under that name.

        :raises NodeTrouble: if it is not: the node runs on another machine, or in a container.
        """
        path, is_open = self.status.db_path, self.status.state in DOWN
        there = f'run the command where {self.name} runs, or name a file with --file'
        if not os.access(path, os.F_OK):
            made = '' if is_open else f' (it is {self.status.state}, and may not have made it yet)'
            raise NodeTrouble(
                f'{self.name} has its memory in {path}, which does not exist on this machine{made}: {there}')
        if not os.access(path, os.R_OK):
            raise NodeTrouble(f'{self.name} has its memory in {path}, which you may not read')
        if is_open and ownership.owner_of(path) is None:
            raise NodeTrouble(f'{self.name} has {path} open, but no process on this machine has: {there}')

    @contextmanager
    def paused(self, *, shown: bool) -> Iterator[None]:
        """Have the file closed inside of the block, whatever state the node is in, and then that state again.

        A signal to stop ends the block; the way back is not to be stopped.

        :param shown: whether to show on a terminal what is waited for.
        :raises NodeTrouble: if the node refuses, naming why; also if it does not come back.
        """
        before, began = self._state(), time.monotonic()
        if before not in DOWN:
            note(f'{self.name} is {before} and does not use its file, {printable(self.status.db_path)}')
            yield
            return
        with Stops() as stops:
            try:
                try:
                    self._go(DOWN, 'unconfigured', shown)
                    yield
                finally:
                    stops.ignore()
            except BaseException:
                try:
                    self._come_back(before, began, shown)
                except RobotMemError as error:
                    complain(str(error), REFUSED)  # the reason for all this goes on its way
                raise
            self._come_back(before, began, shown)

    def _come_back(self, state: str, began: float, shown: bool) -> None:
        try:
            self._go(UP, state, shown)
            gone = f'{printable(self.status.db_path)}, for {time.monotonic() - began:.1f} s'
            note(f'{self.name} let go of its file, {gone} and is {state} again')
        except NoAnswer as error:
            raise NodeTrouble(f'{self.name} was {state} and answers no more: start it again') from error
        except RobotMemError as error:
            by_hand = ' and '.join(f'`ros2 lifecycle set {self.name} {step}`' for step in BY_HAND[state])
            raise NodeTrouble(f'{self.name} was {state} and is not any more: {error}; try {by_hand}') from error

    def _go(self, ways: dict[str, int], wanted: str, shown: bool) -> None:
        """Change step by step, asking where it is each time: an error may have taken it further down."""
        tried: set[str] = set()
        while (state := self._state()) != wanted:
            if state not in ways or state in tried:
                raise NodeTrouble(f'{self.name} stays {state} instead of {wanted}{self._reason(state)}')
            tried.add(state)
            self._change(ways[state], shown)

    def _state(self) -> str:
        """Give the state, after a transition that is going on."""
        until = time.monotonic() + TRANSITION_S
        while True:
            found = self._ask('get_state', GetState, {}).current_state.label
            if found in STATES or time.monotonic() >= until:
                return str(found)
            self.connection.wait(lambda: False, LOOK_AGAIN_S)

    def _change(self, transition: int, shown: bool) -> None:
        with Elapsed(f'{self.name}: {NAMES[transition]}', shown=shown):
            self._ask('change_state', ChangeState, {'transition': {'id': transition}})

    def _ask(self, service: str, service_type: Any, fields: dict[str, Any]) -> Any:
        return self.connection.call(f'{self.name}/{service}', service_type, fields, THERE_S, TRANSITION_S)

    def _reason(self, state: str) -> str:
        """Give what the status says of a state that the node does not leave."""
        self.connection.wait(lambda: self.status.state == state and self.status.reason, REASON_S)
        return f': {self.status.reason}' if self.status.reason else ''


def look_for(connection: Connection, name: str, timeout_s: float) -> RunningNode | None:
    """Give the node of this name, ``None`` where none says anything for so long."""
    node = RunningNode(connection, name)
    return node if connection.wait(lambda: node.status is not None, timeout_s) else None


class Stops:
    """What asks us to stop, while a node waits to be brought back: the first signal ends the work, no other the rest.

    A signal that is ignored stays so: ``nohup`` asks for it.
    """

    def __enter__(self) -> Stops:
        found = {number: signal.getsignal(number) for number in STOPS}  # None for a handler that is not Python's
        self._before = {number: handler for number, handler in found.items() if handler is not None}
        self._set(self._raise)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def ignore(self) -> None:
        """Go on whatever comes."""
        self._set(signal.SIG_IGN)

    def _raise(self, *_: object) -> None:
        self.ignore()
        raise KeyboardInterrupt

    def _set(self, handler: Any) -> None:
        for number, before in self._before.items():
            signal.signal(number, before if before is signal.SIG_IGN else handler)
