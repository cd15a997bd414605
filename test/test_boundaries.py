"""Borders that no import shows (those stand in test_architecture.py): SQL, what loads with the engine, size."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / 'robotmem_ros'
GENERATED = ('msg', 'srv')
SQL = ('SELECT ', 'INSERT INTO', 'DELETE FROM', 'PRAGMA ', 'UPDATE memory')


def modules() -> Iterator[Path]:
    for path in sorted(SOURCE.rglob('*.py')):
        if path.relative_to(SOURCE).parts[0] not in GENERATED:
            yield path


def test_sql_is_spoken_in_the_store_only() -> None:
    for path in modules():
        if path.relative_to(SOURCE).parts[0] == 'store':
            continue
        text = path.read_text('utf-8')
        assert not [word for word in SQL if word in text], path.name


def test_the_engine_loads_without_ros_and_without_a_model() -> None:
    code = (
        'import sys, robotmem_ros.engine\n'
        "print([m for m in ('rclpy', 'onnxruntime', 'tokenizers') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.strip() == '[]'


def test_files_stay_small() -> None:
    lengths = {p.relative_to(SOURCE).as_posix(): len(p.read_text('utf-8').splitlines()) for p in modules()}
    assert not {name: n for name, n in lengths.items() if n > 400}
