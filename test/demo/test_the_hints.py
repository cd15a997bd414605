"""What the demo tells a person to type next works where the demo ran."""

from __future__ import annotations

from pathlib import Path

import pytest
import run
from report import Report


@pytest.mark.parametrize(('environment', 'expected'), [
    ('.venv', "make run ARGS='-p db_path:="), ('.venv-jazzy', "make run DISTRO=jazzy ARGS='-p db_path:="),
    ('usr', "make run ARGS='-p db_path:="),
])
def test_the_node_is_started_by_the_distribution_of_the_demo(
    environment: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run.sys, 'prefix', str(tmp_path / environment))
    run.where(Report(), tmp_path, kept=True)
    assert expected in ' '.join(capsys.readouterr().out.split())
