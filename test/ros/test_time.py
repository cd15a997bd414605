"""TIME-*: a node under simulated time that has not begun, that jumps, that loops."""

from __future__ import annotations

import time
from typing import Any

import pytest
import robotmem_ros.srv as srv
from rosgraph_msgs.msg import Clock

START_S = 1_700_000_000


class SimulatedTime:
    """A publisher of ``/clock``, in seconds."""

    def __init__(self, client: Any) -> None:
        self._publisher = client.publisher(Clock, '/clock')

    def say(self, seconds: float) -> None:
        stamp = Clock()
        stamp.clock.sec, stamp.clock.nanosec = divmod(round(seconds * 10**9), 10**9)
        for _ in range(5):  # best effort
            self._publisher.publish(stamp)
            time.sleep(0.01)


def look(client: Any, query: str) -> Any:
    (memory,) = client.recall(query, min_confidence=0.0, reinforce=False).memories
    return memory


@pytest.fixture
def sim(world: Any) -> tuple[Any, Any]:
    """A node that ticks every 0.5 s, and its client."""
    process = world.start(use_sim_time=True, tick__period_s=0.5)
    client = world.client()
    client.status()
    return client, process


def test_without_clock_services_answer_and_nothing_ages(sim: tuple[Any, Any]) -> None:
    """TIME-04: /clock comes after 3 s, at 1 700 000 000."""
    client, process = sim
    session = client.call(srv.StartSession, 'start_session').session_id
    assert client.learn('red lamp', session_id=session).success
    assert look(client, 'red lamp').confidence == pytest.approx(0.9)
    client.wait(lambda: '/clock' in client.statuses[-1].reason)
    assert client.statuses[-1].ready
    assert process.log.count('/clock') >= 1
    clock = SimulatedTime(client)
    clock.say(START_S)
    client.wait(lambda: look(client, 'red lamp').created_at.sec == START_S)
    assert look(client, 'red lamp').confidence == pytest.approx(0.9, abs=1e-4), 'not 54 years old'
    client.wait(lambda: '/clock' not in client.statuses[-1].reason)
    clock.say(START_S + 86_400)
    client.wait(lambda: look(client, 'red lamp').confidence == pytest.approx(0.891, abs=1e-5))
    assert client.call(srv.EndSession, 'end_session', session_id=session).success


def test_a_jump_of_a_day_costs_one_tick(sim: tuple[Any, Any]) -> None:
    """TIME-06: 0 → 10 → 86 400 s in one message; services answer meanwhile; 0.9 becomes 0.891."""
    client, process = sim
    clock = SimulatedTime(client)
    assert client.learn('red lamp').success
    clock.say(10)
    client.wait(lambda: look(client, 'red lamp').created_at.sec == 10)
    cpu_s = cpu(process)
    clock.say(86_400)
    begun = time.monotonic()
    assert client.recall('red lamp', reinforce=False).success
    assert time.monotonic() - begun < 1.0
    assert look(client, 'red lamp').confidence == pytest.approx(0.891, abs=1e-5)
    time.sleep(1.0)
    assert cpu(process) - cpu_s < 1.0, 'no burst of ticks'


def test_the_tick_goes_on_after_a_loop(sim: tuple[Any, Any]) -> None:
    """TIME-01: /clock runs to 100 s, returns to 0, runs again; a use of the second pass is applied in it."""
    client, _ = sim
    clock = SimulatedTime(client)
    clock.say(1)
    assert client.learn('red lamp').success
    for turn, moments in ((1, (1, 30, 60, 99)), (2, (0.5, 10))):
        for second in moments:
            clock.say(second)
        assert client.recall('red lamp').success
        client.wait(lambda expected=turn: look(client, 'red lamp').use_count == expected)
        assert look(client, 'red lamp').confidence == pytest.approx(0.9, abs=1e-4)


def cpu(process: Any) -> float:
    """Seconds of processor time that the node has used."""
    with open(f'/proc/{process.process.pid}/stat', encoding='ascii') as file:  # noqa: PTH123
        fields = file.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / 100
