"""Reported trouble inside a node: a tick of eight seconds, faults in the store, a slow model, odd rows."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

import apsw
import numpy as np
import pytest
import robotmem_ros.msg as msg
import robotmem_ros.srv as srv

from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.model import Memory, Pose, RecallResult
from robotmem_ros.ros import assembly
from robotmem_ros.store import collections, memories, occurrences
from robotmem_ros.store.memories import NewMemory
from robotmem_ros.store.occurrences import Occurrence
from robotmem_ros.store.store import Store
from robotmem_ros.store.tx import Tx

MEMORIES, EDGES = 20_000, 50_000
TICK_S = 8.0


def fill(store: Any) -> None:
    """Twenty thousand memories; fifty thousand edges that have all faded, so that a real tick has work."""
    now = time.time_ns()
    with store.write(durable=False) as tx:
        collection = collections.collection_id(tx, 'default')
        made = []
        for i in range(MEMORIES):
            made.append(memories.insert(tx, NewMemory(collection, 'fact', f'crate {i} of row {i % 97}', now)))
            occurrences.add(tx, made[-1], Occurrence(now))
        tx.executemany(
            'INSERT INTO co_occurrence VALUES (?, ?, 0.01, ?, 1)',
            ((made[i % MEMORIES], made[i % MEMORIES] + 1 + i // MEMORIES, now) for i in range(EDGES)
             if i % MEMORIES + 1 + i // MEMORIES < MEMORIES))


def answered(client: Any, number: int) -> tuple[float, float]:
    """Learn, recall, and give how long each took, seconds."""
    begun = time.monotonic()
    assert client.call(srv.Learn, 'learn', insight=f'shelf {number} holds box {number * 3}').success
    learned = time.monotonic()
    assert client.call(srv.Recall, 'recall', query=f'shelf {number}').memories
    return learned - begun, time.monotonic() - learned


def test_a_tick_of_eight_seconds_delays_no_call(meddled: Any) -> None:
    """EXE-01: 20 000 memories and 50 000 edges; 20 learns and 20 recalls, one each 200 ms, while one step takes 8 s."""
    meddler, client, inside = meddled
    fill(inside.node._assembly.store)
    begun, ended = threading.Event(), threading.Event()

    def slow() -> bool:
        begun.set()
        threading.Event().wait(TICK_S)
        ended.set()
        return False

    meddler.instead['tick'] = slow
    inside.node._activity.keep_house()
    assert begun.wait(5.0)
    first = time.monotonic()
    for number in range(20):
        learned_s, recalled_s = answered(client, number)
        assert learned_s < 2.0 and recalled_s < 1.0
        assert not ended.is_set()
        threading.Event().wait(max(0.0, first + 0.38 * (number + 1) - time.monotonic()))
    assert ended.wait(TICK_S)


def test_a_real_tick_with_much_to_do_works_in_slices(meddled: Any) -> None:
    """EXE-01: fifty thousand edges have faded: they go, calls are answered meanwhile, and no slice holds the writer."""
    _, client, inside = meddled
    store = inside.node._assembly.store
    fill(store)

    def left() -> int:
        with store.read() as tx:
            return int(tx.value('SELECT count(*) FROM co_occurrence WHERE due_at = 1'))  # recalls tie anew

    before = left()
    assert before > 0.9 * EDGES
    inside.node._activity.keep_house()
    number = 0
    until = time.monotonic() + 60.0
    while left() and time.monotonic() < until:
        assert max(answered(client, number)) < 1.0
        number += 1
        threading.Event().wait(0.2)
    assert left() == 0 and number > 0


CALLS = {
    'learn': (srv.Learn, {'insight': 'a fact'}),
    'recall': (srv.Recall, {'query': 'bay door'}),
    'save_perception': (srv.SavePerception, {'perception': msg.Perception(description='a red crate')}),
    'update': (srv.Update, {'memory_id': 1, 'new_content': 'another fact'}),
    'forget': (srv.Forget, {'memory_id': 1, 'reason': 'wrong'}),
    'start_session': (srv.StartSession, {}),
    'end_session': (srv.EndSession, {}),
}


@pytest.mark.parametrize('error', [apsw.SQLError('no such table'), ValueError('broken'), MemoryError()],
                         ids=['sql', 'value', 'memory'])
def test_a_fault_in_the_store_is_answered_and_leaves_no_half_row(
    meddled: Any, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """EXE-02: seven services; the fault strikes each statement of a call in turn, until one has got through."""
    _, client, inside = meddled
    assert client.learn('the bay door sticks in winter').success
    CALLS['end_session'][1]['session_id'] = client.call(srv.StartSession, 'start_session').session_id
    inside.node._activity.stop('active')  # else the timer's statements would be struck
    inside.node._activity._gate.open(inside.node._assembly.engine)
    execute = Tx.execute
    state = {'left': 0}

    def struck(self: Tx, sql: str, args: Any = ()) -> Any:
        if sql.startswith(('BEGIN', 'COMMIT')):
            return execute(self, sql, args)
        state['left'] -= 1
        if state['left'] == 0:
            raise error
        return execute(self, sql, args)

    def rows() -> list[int]:
        with inside.node._assembly.store.read() as tx:
            tables = ('memory', 'occurrence', 'session', 'memory_text', 'memory_fts', 'co_occurrence')
            return [execute(tx, f'SELECT count(*) FROM {name}')[0][0] for name in tables]  # noqa: S608 - from above

    monkeypatch.setattr(Tx, 'execute', struck)
    faults = 0
    for name, (kind, fields) in CALLS.items():
        for statement in range(1, 100):
            before = rows()
            state['left'] = statement
            response = client.call(kind, name, timeout_s=3.0, **fields)
            if state['left'] > 0:
                break  # it has fewer statements than that
            faults += 1
            assert not response.success and response.error, (name, statement)
            assert type(error).__name__ in response.error, response.error
            assert rows() == before, (name, statement)
        else:
            raise AssertionError(name)
        state['left'] = 0
        assert response.success, (name, response.error)
    assert faults >= 3 * len(CALLS)
    monkeypatch.undo()
    assert client.call(srv.Recall, 'recall', query='fact').success


def test_odd_rows_are_answered_with_the_types_of_the_fields(meddled: Any) -> None:
    """EXE-06: an integer confidence, nulls and a NumPy score, as a looser table would give them, over the wire."""
    meddler, client, _ = meddled
    odd = Memory(
        id=np.int64(7), content='odd', collection='c', confidence=1, score=np.float32(0.5), session_id=None,
        created_at_ns=None, perception_type=None, use_count=np.int32(3), pose=Pose('map', 1, np.float32(2.0)))
    meddler.instead['recall'] = lambda request: RecallResult((odd,), 1, 'recent', np.float64(1.0))
    answer = client.recall('odd')
    assert answer.success, answer.error
    (memory,) = answer.memories
    assert (memory.id, memory.confidence, memory.score, memory.use_count) == (7, 1.0, 0.5, 3)
    assert [type(getattr(memory, name)) for name in ('id', 'confidence', 'score')] == [int, float, float]
    assert (memory.session_id, memory.perception_type, memory.created_at.sec) == ('', '', 0)


class Slow(HashEmbedder):
    """A model that takes a while for each text."""

    pause_s = 0.05

    def embed(self, text: str) -> Any:
        threading.Event().wait(self.pause_s)
        return super().embed(text)


@pytest.fixture
def slow_model(meddled: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any, Slow]:
    """The node again, with a slow model, and its client."""
    _, client, inside = meddled
    model = Slow()
    monkeypatch.setattr(assembly, 'load_model', lambda _: model)
    inside.node.trigger_deactivate()
    inside.node.trigger_cleanup()
    client.status(lambda s: s.state == 'unconfigured')
    inside.node.start()
    client.status(lambda s: s.mode == 'hybrid')
    return client, inside, model


def test_eight_clients_learn_one_text_at_once(slow_model: Any, world: Any) -> None:
    """DUP-07: the model takes 200 ms: one is created, seven are duplicates of it, nobody is told of a constraint."""
    client, _, model = slow_model
    model.pause_s = 0.2
    clients = [client, *(world.client(client.target) for _ in range(7))]
    futures = [each.future(srv.Learn, 'learn', insight='the hall light is broken') for each in clients]
    answers = [client.result(future, 10.0) for future in futures]
    assert all(answer.success for answer in answers), [answer.error for answer in answers]
    assert sorted(answer.status for answer in answers) == ['created'] + 7 * ['duplicate']
    assert len({answer.memory_id for answer in answers}) == 1
    assert client.call(srv.Stats, 'stats').total == 1


def test_a_burst_with_a_slow_model_is_stored_or_counted(world: Any) -> None:
    """QOS-03: 50 ms a text, 1 000 perceptions at 200 Hz: services fast, memory bounded, stamps those of the sender."""
    process = world.start(program='slow_model_node.py')
    client = world.client()
    client.status(lambda s: s.ready and s.mode == 'hybrid')
    client.seconds_of_calls(iter([True, False]).__next__)
    before_mb = process.resident_mb
    camera = world.camera(200.0, 1000)
    took = client.seconds_of_calls(lambda: len(camera.lines) < 2)
    assert len(took) >= 20 and float(camera.lines[1]) > 4.0
    assert took[math.ceil(0.95 * len(took)) - 1] < 1.0, took[-5:]
    status = client.status(lambda s: s.perceptions_stored + s.perceptions_dropped >= 1000, timeout_s=30.0)
    assert status.perceptions_stored + status.perceptions_dropped == 1000
    assert process.resident_mb - before_mb < 50.0
    store = Store.open_to_read(str(process.database))
    with store.read() as tx:
        stamps = dict(tx.execute(
            "SELECT m.seq, o.observed_at FROM memory m JOIN occurrence o ON o.memory_id = m.id"
            " WHERE m.type = 'perception'"))
    store.close()
    assert len(stamps) == status.perceptions_stored
    assert all(at == (1_700_000_000 + seq) * 10**9 + 5 for seq, at in stamps.items())
