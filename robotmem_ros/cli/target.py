"""Which file a command works on: the one that is named, that of the running node, or else the default one."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from robotmem_ros.cli.client import Connection, NoAnswer, where
from robotmem_ros.cli.exits import note
from robotmem_ros.cli.progress import Elapsed
from robotmem_ros.cli.show import printable
from robotmem_ros.settings import Settings
from robotmem_ros.store import paths

if TYPE_CHECKING:
    from robotmem_ros.cli.running import RunningNode


LETS_GO = 'without --file, a running node lets go of its file meanwhile'


@dataclass(frozen=True)
class Target:
    """A file, and the node whose it is, if one answers.

    :ivar absence: why no node is known though no file was named; else ''.
    """

    path: str
    node: RunningNode | None = None
    absence: str = ''

    @property
    def settings(self) -> Settings | None:
        """What an engine on the file takes for granted: the node's own collection, where there is a node."""
        return None if self.node is None else Settings(collection=self.node.status.collection)

    @property
    def is_served(self) -> bool:
        """Whether an active node keeps house in the file."""
        return self.node is not None and self.node.status.state == 'active'

    def to_read(self) -> str:
        """Give the path of a file that can be read here, and say which it is where nobody has named one.

        :raises NodeTrouble: where the node's file is not on this machine.
        """
        if self.node is not None:
            self.node.check_reachable()
            note(f'the file of {self.node.name} is {printable(self.path)}')
        elif self.absence:
            note(f'the default file, {printable(self.path)}: {self.absence}')
        return self.path

    def to_change(self, *, shown: bool) -> AbstractContextManager[None]:
        """Have the node, if there is one, let go of the file meanwhile; who has not named the file is told of it.

        :raises NodeTrouble: where the node's file is not on this machine.
        """
        if self.node is None:
            self.to_read()
            return nullcontext()
        self.node.check_reachable()
        return self.node.paused(shown=shown)


@contextmanager
def find(given: Namespace) -> Iterator[Target]:
    """Find what the command works on; while no file is named, the node is looked for ``given.timeout`` seconds long."""
    with ExitStack() as stack:
        yield Target(given.file) if given.file else _look(given, stack)


def _look(given: Namespace, stack: ExitStack) -> Target:
    try:
        connection = stack.enter_context(Connection())
        from robotmem_ros.cli.running import look_for  # needs ROS

        with Elapsed(f'looking for {given.node}', shown=not given.json):
            node = look_for(connection, given.node, given.timeout)
    except NoAnswer as problem:
        return Target(paths.default(), absence=str(problem))
    if node is None:
        absence = f'no {given.node} answered within {given.timeout:g} s, {where()}'
        return Target(paths.default(), absence=absence)
    return Target(node.status.db_path, node)
