"""The demo itself, on the real recording where it is in the cache (a test downloads nothing)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import fetch
import node_process
import pytest

pytestmark = pytest.mark.ros


def is_installed() -> bool:
    try:
        return bool(node_process.executable())
    except node_process.NodeFailed:
        return False


def is_cached() -> bool:
    path = fetch.cache_folder() / Path(fetch.MEMBER).name
    return path.is_file() and fetch.sha256(path) == fetch.MEMBER_SHA256


needs_recording = pytest.mark.skipif(not is_cached(), reason='no recording in the cache; `make demo` fetches it')
needs_node = pytest.mark.skipif(not is_installed(), reason='memory_node is not installed')


def command(demo_folder: Path, folder: Path, *more: str) -> list[str]:
    return [sys.executable, str(demo_folder / 'run.py'), '--folder', str(folder), *more]


@pytest.mark.slow
@needs_recording
@needs_node
def test_it_ends_well(demo_folder: Path, tmp_path: Path) -> None:
    result = subprocess.run(
        command(demo_folder, tmp_path, '--speed', '20'), capture_output=True, text=True, timeout=100, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    for part in ('a scene emerges', 'is told', 'by words and place', '充电桩', f"ARGS='-p db_path:={tmp_path}"):
        assert part in result.stdout
    assert result.stderr == ''


@needs_recording
@needs_node
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_the_node_too(demo_folder: Path, tmp_path: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(command(demo_folder, tmp_path), stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if 'First drive' in line:
            break
    node = children(process.pid)
    assert len(node) == 1
    process.send_signal(number)
    rest, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert 'Interrupted' in rest
    assert not any(is_running(pid) for pid in node)


@needs_recording
def test_without_the_node_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import run

    def absent() -> str:
        raise node_process.NodeFailed('memory_node is not installed')

    monkeypatch.setattr(node_process, 'executable', absent)
    monkeypatch.setenv('ROS_DOMAIN_ID', '0')
    assert run.main(['--folder', str(tmp_path)]) == 1
    assert 'The demo cannot start: memory_node is not installed.' in capsys.readouterr().out


def children(pid: int) -> list[int]:
    text = Path(f'/proc/{pid}/task/{pid}/children').read_text()
    return [int(child) for child in text.split()]


def is_running(pid: int) -> bool:
    for _ in range(50):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.1)
    return True


def test_nothing_of_ours_waits_inside_a_callback(demo_folder: Path) -> None:
    """EXE-05: users copy examples, so they hold the asynchronous pattern; the node never waits for a service."""
    sources = [*demo_folder.glob('*.py'), *(demo_folder.parent / 'robotmem_ros' / 'ros').glob('*.py')]
    assert len(sources) > 10
    for path in sources:
        assert 'spin_until_future_complete(' not in path.read_text(), path
