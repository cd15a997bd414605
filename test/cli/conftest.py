"""
Stand-ins for the memory node: canned answers, every request kept.

One answers over DDS in a domain of its own; the other takes the place of the transport, since starting a
participant costs half a second and most tests are about requests and texts.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')

from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor  # noqa: E402

from robotmem_ros.cli import client  # noqa: E402

TYPES = {
    'learn': 'Learn', 'recall': 'Recall', 'list_scenes': 'ListScenes', 'stats': 'Stats', 'promote': 'Promote',
    'link': 'Link', 'update': 'Update', 'forget': 'Forget', 'backup': 'Backup',
    'maintain': 'Maintain', 'start_session': 'StartSession',
    'end_session': 'EndSession',
}


class StandIn:
    """Gives ``answers[service]`` (fields of the response) with success, and keeps the requests."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.answers: dict[str, dict[str, Any]] = {}
        self.hold: threading.Event | None = None

    def answer(self, service: str, request: Any, response: Any) -> Any:
        self.requests.append(request)
        if self.hold is not None:
            self.hold.wait(30.0)
        response.success = True
        for name, value in self.answers.get(service, {}).items():
            setattr(response, name, value)
        return response

    def clear(self) -> None:
        self.requests.clear()
        self.answers.clear()

    def call(self, service: str, type_name: str, fields: Mapping[str, Any], timeout_s: float) -> Any:
        """Takes the place of client.call."""
        from robotmem_ros import srv

        name = service.removeprefix('/robotmem/')
        assert TYPES[name] == type_name
        request = getattr(srv, type_name).Request()
        client.fill(request, fields)
        return self.answer(name, request, getattr(srv, type_name).Response())


class StandInNode(StandIn):
    """The same as a node."""

    def __init__(self, domain: int) -> None:
        from robotmem_ros import srv

        super().__init__()
        self._context = rclpy.Context()
        rclpy.init(args=[], context=self._context, domain_id=domain)
        self._node = rclpy.create_node('robotmem', context=self._context)
        for service, kind in TYPES.items():
            self._node.create_service(getattr(srv, kind), f'~/{service}', partial(self.answer, service))
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def _spin(self) -> None:
        try:
            self._executor.spin()
        except ExternalShutdownException:
            return

    def close(self) -> None:
        self._executor.shutdown()
        self._context.try_shutdown()
        self._thread.join(5.0)


@pytest.fixture(scope='session')
def domain() -> int:
    """A ROS domain of this process alone; xdist workers and parallel runs get others."""
    return 102 + os.getpid() % 100


@pytest.fixture(scope='session')
def running_stand_in(domain: int) -> Iterator[StandInNode]:
    saved = {name: os.environ.get(name) for name in ('ROS_DOMAIN_ID', 'ROS_AUTOMATIC_DISCOVERY_RANGE')}
    os.environ.update(ROS_DOMAIN_ID=str(domain), ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST')
    node = StandInNode(domain)
    yield node
    node.close()
    for name, value in saved.items():
        os.environ.pop(name) if value is None else os.environ.update({name: value})


@pytest.fixture
def dds_node(running_stand_in: StandInNode) -> StandInNode:
    running_stand_in.clear()
    return running_stand_in


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    stand_in = StandIn()
    monkeypatch.setattr(client, 'call', stand_in.call)
    return stand_in


@pytest.fixture
def robotmem(capfd: pytest.CaptureFixture[str]) -> Any:
    """Run one command line in this process; gives its status, output and errors."""
    from robotmem_ros.cli.main import main

    def run(*arguments: str) -> SimpleNamespace:
        capfd.readouterr()
        try:
            status = main(arguments)
        except SystemExit as end:
            status = int(end.code or 0)
        out, err = capfd.readouterr()
        return SimpleNamespace(status=status, out=out, err=err)

    return run
