"""The status says what is, whenever one begins to listen."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
import robotmem_ros.msg as msg

from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.ros import assembly


def test_a_late_listener_is_told(world: Any) -> None:
    """QOS-04: a latched listener that comes late hears at once, a volatile one with the next period."""
    world.start(status__period_s=1.0)
    first = world.client()
    first.status()
    first.learn('it is ready')
    late = world.client()
    status = late.status()
    shown = (status.ready, status.mode, status.embed_backend, status.collection)
    assert shown == (True, 'bm25_only', 'none', 'default')
    heard: list[Any] = []
    late.node.create_subscription(msg.MemoryStatus, '/robotmem/status', heard.append, 10)
    late.wait(lambda: heard)
    first.status(lambda s: s.active_memories == 1)


@pytest.mark.parametrize('damage', ['missing', 'no tokenizer', 'torn'])
def test_no_model_is_text_mode_and_says_which_file(world: Any, tmp_path: Path, damage: str) -> None:
    """EMB-02: without network and model it is ready within 10 s; status and log name the file and the remedy."""
    model = tmp_path / 'model'
    if damage != 'missing':
        model.mkdir()
        (model / 'model.onnx').write_bytes(b'\x08' * 1024)
    if damage == 'torn':
        (model / 'tokenizer.json').write_text('{}')
    process = world.start(embed__model_path=str(model))
    client = world.client()
    status = client.status()
    assert status.mode == 'bm25_only' and status.model == ''
    assert str(model) in status.reason and 'embed.model_path' in status.reason
    assert process.log.count(str(model)) == 1, process.log
    assert client.learn('text mode works').success and client.recall('text mode').mode == 'bm25_only'


def test_it_is_not_ready_before_the_model_is(meddled: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """LIF-02: while the model loads, the status is not ready and says so, and services answer in text mode."""
    _, client, inside = meddled
    arrive = threading.Event()

    def load(_: Any) -> Any:
        assert arrive.wait(30.0)
        return HashEmbedder()

    monkeypatch.setattr(assembly, 'load_model', load)
    inside.node.trigger_deactivate()
    inside.node.trigger_cleanup()
    inside.node.start()
    loading = client.status(lambda s: s.state == 'active' and not s.ready)
    assert 'loading' in loading.reason and loading.mode == 'bm25_only' and loading.embed_dim == 0
    assert client.learn('it answers while it loads').success
    assert client.recall('answers').mode == 'bm25_only'
    arrive.set()
    ready = client.status()
    assert (ready.mode, ready.embed_dim, ready.model) == ('hybrid', HashEmbedder().dim, HashEmbedder().name)
    assert client.recall('answers').mode == 'hybrid'
