"""The model arrives beside the running node, or says why not."""

import weakref
from threading import Event

import pytest

from robotmem_ros.embed.background import BackgroundEmbedder
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.errors import ModelUnavailable

SOON_S = 10


def test_it_is_not_there_until_it_is_loaded():
    """EMB-02: services answer in text mode meanwhile; asking never waits."""
    gate, model = Event(), HashEmbedder()
    slot = BackgroundEmbedder(lambda: model if gate.wait(SOON_S) else None)
    assert (slot.state, slot.get()) == ('idle', None)
    slot.start()
    assert (slot.state, slot.get(), slot.reason) == ('loading', None, '')
    assert not slot.wait(0)
    gate.set()
    assert slot.wait(SOON_S)
    assert slot.get() is model and slot.state == 'ready' and slot.reason == ''


@pytest.mark.parametrize(('error', 'reason'), [
    (ModelUnavailable('model.onnx is gone', 'run prepare'), 'model.onnx is gone; run prepare'),
    (ValueError('odd'), 'ValueError: odd'),
])
def test_a_failure_is_a_state_with_a_reason(error, reason):
    """EMB-02: no retry storm, no exception out of the thread."""
    calls = []

    def fail():
        calls.append(1)
        raise error

    slot = BackgroundEmbedder(fail)
    slot.start()
    assert slot.wait(SOON_S)
    slot.start()
    assert (slot.state, slot.get(), calls) == ('missing', None, [1])
    assert reason in slot.reason and slot.error is error


@pytest.mark.parametrize('load', [HashEmbedder, lambda: 1 / 0])
def test_the_change_is_told_once_it_can_be_seen(load):
    seen, told = [], Event()
    slot = BackgroundEmbedder(load, on_change=lambda: (seen.append((slot.state, slot.wait(0))), told.set()))
    slot.start()
    assert told.wait(SOON_S)
    assert seen == [('ready' if load is HashEmbedder else 'missing', True)]


def test_what_is_released_is_let_go_at_once():
    """Each life of a node loads one; Python's collector does not see its 20 MB, and a cycle kept a dozen of them."""
    slot = BackgroundEmbedder(lambda: HashEmbedder())
    slot.start()
    assert slot.wait(SOON_S)
    model = weakref.ref(slot.get())
    slot.release()
    assert model() is None and slot.get() is None


def test_a_model_that_comes_after_the_release_is_not_kept():
    gate = Event()
    slot = BackgroundEmbedder(lambda: HashEmbedder() if gate.wait(SOON_S) else None)
    slot.start()
    slot.release()
    gate.set()
    assert slot.wait(SOON_S)
    assert slot.get() is None
