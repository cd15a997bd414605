"""What the documents say holds: names, parameters, files."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

pytest.importorskip('robotmem_ros.msg', reason='needs the generated interfaces')

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / 'README.md').read_text('utf-8')
DOCUMENTS = ['README.md', *sorted(str(page.relative_to(ROOT)) for page in (ROOT / 'docs').rglob('*.md'))]
FOLDERS = 'robotmem_ros|config|docs|test|benchmarks|demo|examples|requirements|tools'


def test_the_readmes_table_is_what_the_node_declares() -> None:
    spec = importlib.util.spec_from_file_location('parameters_table', ROOT / 'tools' / 'parameters_table.py')
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert README.split(tool.BEGIN)[1].split(tool.END)[0].strip() == tool.table(), 'run tools/parameters_table.py'


def test_every_service_of_the_node_stands_in_the_readme_and_no_other() -> None:
    """NAME-01: names in the README are those that the node offers."""
    from robotmem_ros.ros.services import SERVICES

    table = README.split('### Services')[1].split('| topic')[0]
    assert set(re.findall(r'`~/(\w+)`', table)) == {service.name for service in SERVICES}
    assert {s.type.__name__ for s in SERVICES} <= set(re.findall(r'`(\w+)`', table))


@pytest.mark.parametrize('document', DOCUMENTS)
def test_files_that_a_document_names_exist(document: str) -> None:
    text = (ROOT / document).read_text('utf-8')
    links = [(ROOT / document).parent / link for link in re.findall(r'\]\(([^)#:]+)\)', text)]
    named = [ROOT / name for name in re.findall(rf'`((?:{FOLDERS})/[\w./-]+)`', text)]
    assert [str(p) for p in links + named if not p.exists()] == []


def test_decisions_are_numbered_short_and_complete() -> None:
    """Two people who decide at the same time must not take one number; a page that says why is read if it is short."""
    pages = sorted((ROOT / 'docs' / 'decisions').glob('*.md'))
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    for page in pages:
        text = page.read_text('utf-8')
        number, title = re.match(r'# (\d+)\. (.+)', text).groups()
        assert (int(number), len(title) > 5) == (int(page.name[:4]), True), page.name
        parts = re.findall(r'^\*\*(Status\*\*: accepted, \d{4}-\d\d-\d\d|\w+\.\*\*)', text, re.MULTILINE)
        assert [part.split('*')[0] for part in parts] == ['Status', 'Context.', 'Decision.', 'Consequences.'], page.name
        assert len(text.splitlines()) <= 40, page.name
