"""``MEMORY.md``, daily logs and vaults that people have edited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from robotmem_ros.errors import InvalidRequest
from robotmem_ros.exchange import vault
from robotmem_ros.exchange.notes import blocks
from robotmem_ros.exchange.sources import open_source
from robotmem_ros.exchange.times import ns_of
from robotmem_ros.model import RecallRequest

DAILY = """---
tags: [night-shift]
---
# 2026-02-19

Quiet night.

## Gripper
- force 12.5 N is enough for cups
  - wet cups need 14 N
- [x] recalibrated the wrist
"""
LASTING = """# Memory
## Rules
* never lift more than 5 kg
1. say hello first
## 2026-01-02 Charging
The dock is crooked.
"""


def take(world: Any, path: Path) -> Any:
    return world.engine.import_records(open_source(str(path)).lines)


def memories(world: Any) -> dict[str, Any]:
    found = world.engine.recall(RecallRequest(n=100, min_confidence=0, since_ns=1, reinforce=False)).memories
    return {memory.content: memory for memory in found}


def test_a_daily_log_becomes_facts_of_that_day(empty: Any, tmp_path: Path) -> None:
    log = tmp_path / '2026-02-19.md'
    log.write_text(DAILY)
    assert take(empty, log).created == 3
    found = memories(empty)
    assert set(found) == {
        'Quiet night.',
        'force 12.5 N is enough for cups\n  - wet cups need 14 N',
        'recalibrated the wrist',
    }
    wrist = found['recalibrated the wrist']
    assert wrist.confidence > 0.3
    assert (wrist.created_at_ns, wrist.tier) == (ns_of('2026-02-19', ''), 'stm')
    assert wrist.tags == ('daily-log', 'night-shift')
    assert wrist.context == '{"note": "2026-02-19.md", "headings": ["Gripper"]}'
    before = empty.rows()
    assert take(empty, log).created == 0
    assert empty.rows() == before


def test_memory_md_is_long_term_and_a_dated_heading_dates_it(empty: Any, tmp_path: Path) -> None:
    file = tmp_path / 'MEMORY.md'
    file.write_text(LASTING)
    take(empty, file)
    found = memories(empty)
    assert {text: (m.tier, m.created_at_ns) for text, m in found.items()} == {
        'never lift more than 5 kg': ('ltm', empty.clock.now_ns()),
        'say hello first': ('ltm', empty.clock.now_ns()),
        'The dock is crooked.': ('ltm', ns_of('2026-01-02', '')),
    }
    before = empty.rows()
    empty.clock.advance(days=1)
    summary = take(empty, file)
    assert (summary.created, summary.joined + summary.known) == (0, 3)
    assert empty.rows() == before


def test_a_code_block_belongs_to_its_paragraph() -> None:
    text = 'Start it:\n```sh\n# no heading\n- no bullet\n\n```\n\nThen wait.'
    assert [block.text for block in blocks(text)] == [
        'Start it:\n```sh\n# no heading\n- no bullet\n\n```',
        'Then wait.',
    ]


def test_a_folder_of_logs_and_notes(empty: Any, tmp_path: Path) -> None:
    (tmp_path / '2026-02-19.md').write_text(DAILY)
    (tmp_path / 'MEMORY.md').write_text(LASTING)
    (tmp_path / 'README.md').write_text('# What others wrote\n\nis left alone')
    (tmp_path / '.trash').mkdir()
    (tmp_path / '.trash' / '2026-02-20.md').write_text('- deleted')
    (tmp_path / '2026-02-21.md').write_bytes(b'\xff\xff')
    summary = take(empty, tmp_path)
    assert (summary.created, [where for where, _ in summary.refusals]) == (6, ['2026-02-21.md'])


def test_what_is_nothing_to_import_is_refused(empty: Any, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / 'missing'):
        with pytest.raises(InvalidRequest):
            open_source(str(path))


@pytest.fixture
def folder(full: Any, tmp_path: Path) -> Path:
    with full.store.read() as tx:
        vault.write(tmp_path / 'vault', tx, lambda edge: edge.weight)
    return tmp_path / 'vault'


def test_a_note_is_what_obsidian_reads(folder: Path) -> None:
    names = {file.stem for file in folder.glob('*.md')}
    assert 'grip-force-12-5n-works-for-cups-2' in names
    text = (folder / 'grip-force-12-5n-works-for-cups-2.md').read_text()
    head, body = text.removeprefix('---\n').split('---\n', 1)
    front = yaml.safe_load(head)
    assert front['tags'] == ['grip', '抓取'] and front['confidence'] == 0.8
    assert body.startswith('\ngrip_force=12.5N works for cups\n')
    assert '- [[the-floor-is-slippery-after-cleaning-at-most-0-3-1]]' in body
    assert 'don-t-say' not in body, 'a weak edge is no link'
    assert len(front['associations']) == 2, 'but it is kept'


def test_names_are_stable(full: Any, folder: Path) -> None:
    """A second export writes over the notes of the first, also where a text was corrected since."""
    before = sorted(file.name for file in folder.iterdir())
    (memory,) = [m for text, m in memories(full).items() if text == 'the tool rack is full']
    full.engine.update(memory.id, 'the tool rack stands beside gate 4')
    with full.store.read() as tx:
        vault.write(folder, tx, lambda edge: edge.weight)
    assert sorted(file.name for file in folder.iterdir()) == before


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('../../etc/passwd', 'etc-passwd'),
        ('停止。不要动', '停止-不要动'),
        ('!!!', 'memory'),
        ('a' * 300, 'a' * 48),
        ('𝟘 CON: <x>?', '0-con-x'),
    ],
)
def test_a_name_is_readable_and_harmless(text: str, expected: str) -> None:
    assert vault.slug(text) == expected


def test_a_link_that_somebody_wrote_becomes_an_edge(empty: Any, folder: Path) -> None:
    note = folder / 'the-tool-rack-is-full-5.md'
    note.write_text(note.read_text() + '\nsee [[grip-force-12-5n-works-for-cups-2|the force]] and [[nowhere]]\n')
    take(empty, folder)
    pairs = [set(row[:2]) for row in empty.rows()['edge']]
    assert {'the tool rack is full', 'grip_force=12.5N works for cups'} in pairs and len(pairs) == 3


def test_a_broken_note_is_refused_by_its_name(empty: Any, folder: Path) -> None:
    (folder / 'broken-2.md').write_text('---\nkind: memory\nid: 2\nstrength: [\n---\nx')
    (folder / 'endless.md').write_text('---\nkind: memory\n')
    summary = take(empty, folder)
    assert sorted(where for where, _ in summary.refusals) == ['broken-2.md', 'endless.md']
    assert summary.created == 6


def test_a_single_note_brings_its_scenes(empty: Any, folder: Path) -> None:
    take(empty, next(folder.glob('don-t-say*.md')))
    assert {row[0] for row in empty.rows()['tie']} == {'place:dock_2/object:crate', 'place:gate/tool:gripper'}
