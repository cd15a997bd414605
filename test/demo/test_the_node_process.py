"""The node is found, watched, and always stopped, also when it does not listen."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

import node_process
import pytest

SCRIPT = """#!/usr/bin/env python3
import signal, sys, time
{handlers}
print('ready', flush=True)
time.sleep({sleep})
"""


def start(
    folder: Path, monkeypatch: pytest.MonkeyPatch, handlers: str = '', sleep: float = 60.0
) -> node_process.NodeProcess:
    script = folder / 'memory_node'
    script.write_text(SCRIPT.format(handlers=handlers, sleep=sleep))
    script.chmod(0o755)
    monkeypatch.setattr(node_process, 'executable', lambda: str(script))
    node = node_process.NodeProcess([], folder / 'node.log')
    while sleep > 1 and 'ready' not in node.last_lines():
        node.check()
    return node


def test_it_is_interrupted_as_by_ctrl_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handlers = "signal.signal(signal.SIGINT, lambda *_: (print('flushed', flush=True), sys.exit(0)))"
    with start(tmp_path, monkeypatch, handlers) as node:
        assert node.stop() == 0
    assert node.last_lines(1) == 'flushed'


def test_one_that_does_not_listen_is_ended_harder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_process, 'STOPS', ((signal.SIGINT, 0.05), (signal.SIGTERM, 0.05), (signal.SIGKILL, 5.0)))
    handlers = 'signal.signal(signal.SIGINT, signal.SIG_IGN); signal.signal(signal.SIGTERM, signal.SIG_IGN)'
    assert start(tmp_path, monkeypatch, handlers).stop() == -signal.SIGKILL


def test_one_that_ended_by_itself_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with start(tmp_path, monkeypatch, sleep=0.0) as node:
        node._process.wait(30.0)
        with pytest.raises(node_process.NodeFailed, match='status 0'):
            node.check()


def test_a_domain_in_use_is_not_taken() -> None:
    domain = node_process.free_domain()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(('', 7400 + 250 * domain))
        assert node_process.free_domain() != domain
    assert 1 <= domain <= 101
