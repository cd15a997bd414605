"""Whatever goes wrong inside, the caller gets an answer and the node lives on."""

from __future__ import annotations

import copy
import dataclasses
import threading
from typing import Any

import apsw
import pytest
import robotmem_ros.msg as msg
import robotmem_ros.srv as srv

from robotmem_ros.errors import StoreError
from robotmem_ros.ros.status import Facts, readiness

CALLS = {
    'learn': (srv.Learn, {'insight': 'a fact'}),
    'recall': (srv.Recall, {'query': 'fact'}),
    'save_perception': (srv.SavePerception, {'perception': msg.Perception(description='a red crate')}),
    'forget': (srv.Forget, {'memory_id': 1, 'reason': 'wrong'}),
    'update': (srv.Update, {'memory_id': 1, 'new_content': 'another fact'}),
    'start_session': (srv.StartSession, {}),
    'end_session': (srv.EndSession, {'session_id': 'x'}),
}


class Panic(BaseException):
    """What a native library raises past ``Exception``."""


def raising(error: BaseException) -> Any:
    def call(*_: Any, **__: Any) -> Any:
        raise error
    return call


@pytest.mark.parametrize(
    'error', [apsw.SQLError('no such table'), ValueError('broken'), MemoryError(), Panic('native')]
)
def test_every_fault_is_answered(meddled: Any, error: BaseException) -> None:
    """EXE-02: seven services times each kind of failure: an answer that names the kind, and no half row."""
    meddler, client, _ = meddled
    assert client.learn('the bay door sticks in winter').success
    before = client.call(srv.Stats, 'stats')
    for name, (kind, fields) in CALLS.items():
        meddler.instead[name] = raising(error)
        response = client.call(kind, name, **fields)
        assert not response.success
        assert type(error).__name__ in response.error, response.error
    meddler.instead.clear()
    assert [m.content for m in client.recall('bay door').memories] == ['the bay door sticks in winter']
    assert client.call(srv.Stats, 'stats').total == before.total


def test_an_answer_that_cannot_be_sent_is_an_error(meddled: Any) -> None:
    """EXE-06: a value that no message can hold is answered, too."""
    meddler, client, _ = meddled
    meddler.instead['recall'] = lambda request: object()
    assert 'AttributeError' in client.recall('x').error


def test_a_failed_batch_waits_and_is_stored_later(meddled: Any) -> None:
    """Perceptions outlive a disk that fails for a while, and the status says so meanwhile (LIF-02)."""
    meddler, client, _ = meddled
    meddler.instead['save_perceptions'] = raising(StoreError('/x', 'disk full'))
    client.publisher(msg.Perception, 'perception').publish(msg.Perception(description='a blue crate'))
    failing = client.status(lambda s: not s.ready and 'disk full' in s.reason)
    assert failing.state == 'active' and failing.perceptions_stored == 0
    meddler.instead.clear()
    assert client.status(lambda s: s.ready and s.perceptions_stored == 1)


def test_a_long_tick_delays_no_call(meddled: Any) -> None:
    """EXE-01: while housekeeping hangs in one step, every recall and learn is answered, and it goes on afterwards."""
    meddler, client, inside = meddled
    begun, release, ended = threading.Event(), threading.Event(), threading.Event()

    def hang() -> bool:
        begun.set()
        assert release.wait(30.0)
        ended.set()
        return False

    meddler.instead['tick'] = hang
    inside.node._activity.keep_house()
    assert begun.wait(30.0)
    for number in range(20):
        learned = client.call(srv.Learn, 'learn', insight=f'shelf {number} holds box {number * 3}')
        assert learned.success
        assert client.call(srv.Recall, 'recall', query=f'shelf {number}').memories
    assert not ended.is_set()
    release.set()
    assert ended.wait(30.0)


def test_a_slow_write_delays_no_recall(meddled: Any) -> None:
    """Issue 2, item 4: while the one writer is held, recalls are answered; the learn that waits is not lost."""
    _, client, inside = meddled
    client.learn('the ramp is steep')
    with inside.node._assembly.store.write():
        learns = [client.future(srv.Learn, 'learn', insight=f'dock {n} has charger {n}') for n in range(6)]
        for _ in range(10):
            assert client.call(srv.Recall, 'recall', query='ramp').memories
        assert not any(future.done() for future in learns)
    assert all(client.result(future).success for future in learns)


class Closing(Facts):
    """Facts whose assembly is taken away after a number of looks, as by the thread of a transition."""

    looks = 0

    @property
    def assembly(self) -> Any:
        self.looks -= 1
        return self.__dict__['assembly'] if self.looks >= 0 else None

    @assembly.setter
    def assembly(self, value: Any) -> None:
        self.__dict__['assembly'] = value


@pytest.mark.parametrize('looks', range(12))
def test_the_file_may_be_closed_while_a_report_is_made(meddled: Any, looks: int) -> None:
    """SHUT-03: status and diagnosis look from threads of their own; each look sees an assembly or none."""
    _, client, inside = meddled
    client.status()
    facts = dataclasses.replace(inside.node._facts)
    facts.__class__ = Closing
    Closing.looks = looks
    assert readiness(facts)[1]
    reporter = copy.copy(inside.node._status)
    reporter._facts = facts
    Closing.looks = looks
    assert reporter.message().state == 'active'
    diagnosis = copy.copy(inside.node._watching._diagnosis)
    diagnosis._facts = facts
    Closing.looks = looks
    assert len(diagnosis.statuses()) == 8
