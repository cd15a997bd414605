"""A node says once, in the log, what its file needed or lacks; the status says it as long as it holds."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.ros import assembly


class Held(HashEmbedder):
    """Gives vectors only once it may."""

    def __init__(self, salt: str) -> None:
        super().__init__(salt=salt)
        self.may = threading.Event()

    def embed(self, text: str) -> Any:
        assert self.may.wait(30.0)
        return super().embed(text)


@pytest.fixture
def restart(meddled: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], Any]:
    """Close the file, open it again with another embedder, and give a client."""
    _, client, inside = meddled

    def run(embedder: Any) -> Any:
        monkeypatch.setattr(assembly, 'load_model', lambda _: embedder)
        inside.node.trigger_deactivate()
        inside.node.trigger_cleanup()
        client.status(lambda s: s.state == 'unconfigured')
        inside.node.start()
        return client

    return run


def test_another_model(restart: Callable[[Any], Any], capfd: pytest.CaptureFixture[str]) -> None:
    """VEC-06: logged, counted down in the status, and answered by words meanwhile."""
    client = restart(HashEmbedder(salt='one'))
    client.status()
    assert client.learn('dock lamp blinks red').success
    other = Held('two')
    client = restart(other)
    status = client.status(lambda s: 'made anew' in s.reason and s.pending_vectors == 1)
    assert (status.ready, status.mode) == (True, 'hybrid') and other.name in status.reason
    other.may.set()
    status = client.status(lambda s: s.ready and not s.reason and s.pending_vectors == 0)
    assert (status.mode, status.embed_backend) == ('hybrid', 'hash')
    assert capfd.readouterr().err.count('are embedded anew by') == 1


def test_no_sqlite_vec(
    restart: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """VEC-07: one warning, text mode, and a status that does not claim to be hybrid."""
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, 'sqlite_vec', None)
        client = restart(HashEmbedder())
        status = client.status()
        assert (status.mode, status.embed_backend, status.model) == ('bm25_only', 'none', '')
        assert 'sqlite-vec is not installed' in status.reason
        assert client.learn('dock lamp blinks red').success
        answer = client.recall('lamp')
        assert (answer.mode, [m.content for m in answer.memories]) == ('bm25_only', ['dock lamp blinks red'])
        assert client.status(lambda s: s.pending_vectors == 1)
    assert capfd.readouterr().err.count('no vector search') == 1
    client = restart(HashEmbedder())
    status = client.status(lambda s: s.mode == 'hybrid' and s.pending_vectors == 0 and s.active_memories == 1)
    assert status.reason == ''
