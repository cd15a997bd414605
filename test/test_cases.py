"""docs/cases.md against the reported cases and against the tests: none left out, none named that is not there."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
IDS = (ROOT / 'test' / 'data' / 'cases.txt').read_text('utf-8').split()
ROWS = {
    row.split('|')[1].strip(): row
    for row in (ROOT / 'docs' / 'cases.md').read_text('utf-8').splitlines() if re.match(r'\| [A-Z]+-\d', row)
}
NAMED = re.compile(r'`(test/[\w/]+\.py)::([\w:]+)`')


@functools.cache
def names_in(file: str) -> frozenset[str]:
    """Give the names of a file's tests, those in classes as ``Class::test``."""
    found = set()
    for node in ast.parse((ROOT / file).read_text('utf-8')).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        within = f'{node.name}::' if isinstance(node, ast.ClassDef) else ''
        found |= {within + each.name for each in inside if isinstance(each, ast.FunctionDef)}
    return frozenset(name for name in found if name.rpartition('::')[2].startswith('test_'))


def test_the_table_has_every_case_once() -> None:
    assert len(IDS) == len(set(IDS)) == 104
    assert list(ROWS) == IDS


@pytest.mark.parametrize('case', IDS)
def test_each_case_is_played_or_has_a_reason(case: str) -> None:
    """Every test that is named exists, and at least one of their files speaks of the case."""
    row = ROWS[case]
    named = NAMED.findall(row)
    gone = [f'{file}::{name}' for file, name in named if not (ROOT / file).is_file() or name not in names_in(file)]
    assert gone == []
    if named:
        assert any(case in (ROOT / file).read_text('utf-8') for file, _ in named)
    else:
        assert row.split('|')[4].strip(), 'neither a test nor a reason'
