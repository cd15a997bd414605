"""What every test may use: a clock that the test moves, an engine on a real file, a hash embedder."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.ports import Embedder, FrameTree
from robotmem_ros.settings import Settings
from robotmem_ros.store.store import Store


@pytest.fixture(scope='session')
def ros_domain() -> Iterator[int]:
    """A ROS domain in which nobody on this machine is: tests shut nodes down, and must not meet those of others.

    DDS takes 7400 + 250 × domain, and 10 more for the first participant; the last of the 250 ports, which it leaves
    alone, is held here, since a session of tests has no participant at times.
    """
    for step in range(100):
        domain = 1 + (os.getpid() + step) % 100
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as held:
            try:
                held.bind(('127.0.0.1', 7400 + 250 * domain + 249))
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                    probe.bind(('', 7400 + 250 * domain + 10))
            except OSError:
                continue
            yield domain
            return
    pytest.fail('no ROS domain from 1 to 100 is free on this machine')


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def db_path(tmp_path: Path) -> str:
    return str(tmp_path / 'memory.db')


OpenEngine = Callable[..., Engine]


@pytest.fixture
def open_engine(db_path: str, clock: ManualClock) -> Iterator[OpenEngine]:
    """Open engines on the test's file; all are closed at the end."""
    opened: list[Engine] = []

    def build(
        embedder: Embedder | None = None, settings: Settings | None = None, frames: FrameTree | None = None
    ) -> Engine:
        settings = settings or Settings()
        engine = Engine(Store.open(db_path, settings.store), clock, lambda: embedder, settings, frames=frames)
        opened.append(engine)
        return engine

    yield build
    for engine in opened:
        engine.close()


@pytest.fixture
def rows_written() -> Callable[[Engine], int]:
    """Give how many rows an engine has written so far; ``PRAGMA data_version`` stands still within a snapshot."""

    def count(engine: Engine) -> int:
        with engine._rt.store.write() as tx:
            return int(tx.connection.total_changes())

    return count


@pytest.fixture
def engine(open_engine: OpenEngine) -> Engine:
    """An engine in hybrid mode, with the deterministic hash embedder."""
    return open_engine(HashEmbedder())


@pytest.fixture
def text_engine(open_engine: OpenEngine) -> Engine:
    """An engine that has no model."""
    return open_engine(None)
