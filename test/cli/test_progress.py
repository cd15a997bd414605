"""Long work shows how far it is, or how long it is waited for: on a terminal, and nowhere else (contract 12)."""

from __future__ import annotations

import io
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from robotmem_ros.cli import progress
from robotmem_ros.cli.main import main
from robotmem_ros.clock import SystemClock
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest
from robotmem_ros.settings import Settings
from robotmem_ros.store.store import Store


class Terminal(io.StringIO):
    """Standard error where somebody looks."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal that shows everything, however quickly it comes."""
    monkeypatch.setattr(progress, 'EVERY_S', 0.0)
    monkeypatch.setattr(progress, 'SECOND', 0.01)
    seen = Terminal()
    monkeypatch.setattr(progress, 'sys', SimpleNamespace(stderr=seen))
    return seen


@pytest.fixture
def filled(db_path: str) -> str:
    engine = Engine(Store.open(db_path), SystemClock(), lambda: None, Settings())
    for number in range(3):
        engine.learn(LearnRequest(f'bay {number} has shelf {number}'))
    engine.close()
    return db_path


def test_a_bar_says_how_far_it_is_and_fits() -> None:
    bar = progress.Bar('importing', 400)
    bar.at(100)
    assert bar.text().startswith('importing [') and bar.text().endswith('] 100/400  25%')
    assert len(bar.text()) < 80
    assert progress.Bar('reading').text() == 'reading …'


@pytest.mark.parametrize(('arguments', 'shown'), [
    (['gc', '--threshold', '1'], ['looking for what has faded …', 'pruning edges …', 'retiring [', '3/3 100%']),
    (['backup', 'COPY'], ['copying [', '100%']), (['export', 'COPY.jsonl'], ['exporting [', '3/3 100%']),
])
def test_work_on_a_file_shows_its_parts(
    arguments: list[str], shown: list[str], filled: str, tmp_path: Path, terminal: Terminal
) -> None:
    given = [each.replace('COPY', str(tmp_path / 'copy')) for each in arguments]
    assert main([*given, '--file', filled]) == 0
    lines = terminal.getvalue().split('\r\x1b[K')
    for each in shown:
        assert any(each in line for line in lines), (each, lines)
    assert lines[-1] == '' and lines[0] == '', 'it begins on a line of its own and leaves no trace'


@pytest.mark.parametrize('arguments', [['gc', '--threshold', '1'], ['backup', 'COPY'], ['export', 'COPY.jsonl']])
def test_a_program_is_shown_nothing(arguments: list[str], filled: str, tmp_path: Path, terminal: Terminal) -> None:
    given = [each.replace('COPY', str(tmp_path / 'copy')) for each in arguments]
    assert main([*given, '--file', filled, '--json']) == 0
    assert terminal.getvalue() == ''


def test_a_node_is_waited_for_in_seconds(node: Any, terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot say how far it is."""
    answer = node.answer

    def slow(*request: Any) -> Any:
        until = time.monotonic() + 20.0
        while '2 s' not in terminal.getvalue() and time.monotonic() < until:
            time.sleep(0.01)
        return answer(*request)

    monkeypatch.setattr(node, 'answer', slow)
    assert main(['backup']) == 0
    lines = terminal.getvalue().split('\r\x1b[K')
    assert lines[:3] == ['', 'waiting for /robotmem/backup … 1 s', 'waiting for /robotmem/backup … 2 s']
    assert lines[-1] == ''


def test_what_is_quick_is_not_waited_for(
    node: Any, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, 'SECOND', 60.0)
    assert main(['backup']) == 0 and main(['backup', '--json']) == 0
    assert terminal.getvalue() == ''


def test_nothing_is_shown_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.Bar('importing', 2) as bar, progress.Elapsed('waiting'):
        bar.step()
    assert capsys.readouterr().err == ''
