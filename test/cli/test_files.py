"""Commands on a file: the same answers without a node, reading while one owns it, nothing changed behind its back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from robotmem_ros.clock import SystemClock
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest
from robotmem_ros.settings import Settings
from robotmem_ros.store.store import Store

RUN = [sys.executable, '-c', 'import sys; from robotmem_ros.cli.main import main; sys.exit(main())']


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are enough here, and loading a model takes a while."""
    from robotmem_ros import offline
    from robotmem_ros.errors import ModelUnavailable

    def missing(**_: Any) -> Any:
        raise ModelUnavailable('none in this test', 'run without')

    monkeypatch.setattr(offline, 'load', missing)


@pytest.fixture
def filled(db_path: str) -> str:
    engine = Engine(Store.open(db_path), SystemClock(), lambda: None, Settings())
    door = engine.learn(LearnRequest('the bay door sticks in winter')).memory_id
    grip = engine.learn(LearnRequest('cups need a soft grip of 12.5 N', tags=('grip',))).memory_id
    engine.link(door, grip, 3.0)
    engine.declare_scene('place:dock_2')
    engine.close()
    return db_path


@pytest.fixture
def owner(filled: str) -> Any:
    """A node, as far as the file knows."""
    store = Store.open(filled, owner=True)
    yield store
    store.close()


def content(path: str) -> bytes:
    return Path(path).read_bytes()


def test_recall_answers_from_a_file_and_leaves_nothing_behind(filled: str, robotmem: Any) -> None:
    before = content(filled)
    result = robotmem('recall', 'bay door', '--file', filled, '--plain')
    assert (result.status, result.out.splitlines()[-1].startswith('1 of ')) == (0, True), result.err
    assert 'the bay door sticks in winter' in result.out
    assert 'by words alone: embedding model unavailable: none in this test' in result.err
    assert content(filled) == before


def test_plain_leaves_association_out(filled: str, robotmem: Any) -> None:
    """Without it, the strong neighbour comes along."""
    assert 'soft grip' in robotmem('recall', 'bay door', '--file', filled).out
    assert 'soft grip' not in robotmem('recall', 'bay door', '--file', filled, '--plain').out


def test_reading_goes_on_while_a_node_owns_the_file(owner: Any, filled: str, robotmem: Any, tmp_path: Path) -> None:
    for arguments in (['recall', 'door'], ['scenes'], ['stats'], ['backup', str(tmp_path / 'copy.db')]):
        assert robotmem(*arguments, '--file', filled).status == 0, arguments
    assert robotmem('export', str(tmp_path / 'out.jsonl'), '--file', filled).status == 0
    assert robotmem('doctor', '--file', filled).status == 0


@pytest.mark.parametrize('arguments', [
    ['learn', 'x'], ['promote', '1'], ['link', '1', '2'], ['forget', '1', 'wrong'], ['update', '1', 'y'], ['gc'],
    ['sessions', 'start'], ['import', 'SOURCE'], ['restore', 'BACKUP'],
])
def test_nothing_is_changed_while_a_node_owns_the_file(
    owner: Any, filled: str, robotmem: Any, tmp_path: Path, arguments: list[str]
) -> None:
    """SHUT-04: one writer, and the sentence names it."""
    (tmp_path / 'source.jsonl').write_text('{"id": 1, "content": "x"}\n')
    owner.backup(str(tmp_path / 'backup.db'))
    known = {'SOURCE': str(tmp_path / 'source.jsonl'), 'BACKUP': str(tmp_path / 'backup.db')}
    before = content(filled)
    result = robotmem(*(known.get(each, each) for each in arguments), '--file', filled)
    assert (result.status, result.out) == (1, '')
    assert f'is owned by process {os.getpid()}' in result.err and '; without --file, ' in result.err
    assert content(filled) == before


def test_changes_on_a_file_that_nobody_owns(filled: str, robotmem: Any) -> None:
    assert 'tier: ltm' in robotmem('promote', '1', '--file', filled).out
    assert 'weight now: 5.' in robotmem('link', '1', '2', '--weight', '2', '--file', filled).out
    assert robotmem('learn', 'the lift is slow', '--file', filled).out == 'learned: memory 3\n'
    assert json.loads(robotmem('stats', '--json', '--file', filled).out)['ltm'] == 1
    assert robotmem('promote', '99', '--file', filled).err == 'robotmem: memory 99 not found: no such id\n'


def test_gc_counts_or_does(filled: str, robotmem: Any) -> None:
    counted = robotmem('gc', '--threshold', '1', '--dry-run', '--file', filled)
    assert counted.status == 0 and 'nothing was changed' in counted.err
    assert json.loads(robotmem('stats', '--json', '--file', filled).out)['active'] == 2
    assert robotmem('gc', '--threshold', '2', '--file', filled).status == 1
    assert robotmem('gc', '--threshold', '1', '--file', filled).out.startswith('2 memories retired (')
    assert json.loads(robotmem('stats', '--json', '--file', filled).out)['active'] == 0


@pytest.mark.parametrize('arguments', [['recall', 'x'], ['promote', '1'], ['learn', 'x'], ['export', 'out.jsonl']])
def test_a_file_that_is_not_there_is_not_made(db_path: str, robotmem: Any, arguments: list[str]) -> None:
    result = robotmem(*arguments, '--file', db_path)
    assert (result.status, 'does not exist' in result.err) == (1, True)
    assert not Path(db_path).exists()


def test_a_file_of_another_program_is_refused_untouched(tmp_path: Path, robotmem: Any) -> None:
    """SQL-04."""
    path = tmp_path / 'x.db'
    path.write_bytes(b'no database' * 100)
    for command in (['recall', 'x'], ['promote', '1']):
        assert robotmem(*command, '--file', str(path)).status == 1
    assert path.read_bytes() == b'no database' * 100


def test_export_and_import_by_hand(filled: str, robotmem: Any, tmp_path: Path) -> None:
    out, new = str(tmp_path / 'out.jsonl'), str(tmp_path / 'new' / 'm.db')
    assert robotmem('export', out, '--file', filled).out == f'2 memories written to {out}\n'
    assert robotmem('export', out, '--file', filled).status == 1, 'never over a file that exists'
    assert robotmem('export', out, '--file', filled, '--force').status == 0
    assert Path(out).stat().st_mode & 0o777 == 0o600
    first = robotmem('import', out, '--file', new)
    assert (first.status, first.out) == (0, '2 memories came in, 1 edges, 1 scenes\n'), first.err
    again = json.loads(robotmem('import', out, '--file', new, '--json').out)
    assert (again['created'], again['known'], again['refused']) == (0, 2, 0)
    assert 'soft grip' in robotmem('recall', 'bay door', '--file', new).out


def test_bad_lines_are_said_and_the_status_says_so(robotmem: Any, tmp_path: Path, db_path: str) -> None:
    source = tmp_path / 'x.jsonl'
    source.write_text('{"id": 1, "content": "a fact"}\n{"id": 2}\n')
    result = robotmem('import', str(source), '--file', db_path)
    assert (result.status, result.out) == (1, '1 memories came in, 1 refused\n')
    assert result.err.splitlines()[-1].startswith('robotmem: line 2: content: expected')


def test_markdown_is_long_term_by_default(filled: str, robotmem: Any, tmp_path: Path) -> None:
    robotmem('promote', '2', '--file', filled)
    assert '1 long-term memories' in robotmem('export', str(tmp_path / 'vault'), '--file', filled).out
    assert [file.name for file in (tmp_path / 'vault').glob('*.md')] == ['cups-need-a-soft-grip-of-12-5-n-2.md']
    assert robotmem('export', str(tmp_path / 'vault'), '--file', filled, '--tier', 'all').status == 0
    assert len(list((tmp_path / 'vault').glob('*.md'))) == 2


def test_pipes(filled: str, tmp_path: Path) -> None:
    """``-`` is standard output and input, and a reader that stops is no error worth a traceback."""
    new = str(tmp_path / 'new.db')
    export = [*RUN, 'export', '-', '--file', filled]
    exported = subprocess.run(export, capture_output=True, check=True, timeout=60).stdout
    assert len(exported.splitlines()) == 5
    taken = subprocess.run(
        [*RUN, 'import', '-', '--file', new], input=exported, capture_output=True, check=False, timeout=60)
    assert taken.stdout.startswith(b'2 memories came in')
    for command in (export, [*RUN, 'stats', '--file', filled], [*RUN, 'recall', '--json', '--file', filled]):
        shut = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        shut.stdout.close()
        said = shut.communicate(timeout=60)[1]
        assert (b'Traceback' in said, b'BrokenPipe' in said, shut.returncode) == (False, False, 1), said


def test_a_backup_without_a_name_lies_beside_the_database(filled: str, robotmem: Any) -> None:
    """SQL-09: as Backup.srv says."""
    for _ in range(2):
        made = Path(json.loads(robotmem('backup', '--file', filled, '--json').out)['path'])
        assert made.parent == Path(filled).parent and made.name.startswith('memory.db.2')
        assert '2 active' in robotmem('stats', '--file', str(made)).out


def test_a_backup_makes_no_folder(filled: str, robotmem: Any, tmp_path: Path) -> None:
    result = robotmem('backup', str(tmp_path / 'stick' / 'copy.db'), '--file', filled)
    assert result.status == 1 and 'path: expected a file in a folder that exists' in result.err
    assert not (tmp_path / 'stick').exists()


def test_the_only_collection_of_a_file_is_meant(db_path: str, robotmem: Any) -> None:
    """What a node of the collection lab has learned is found in its file, too."""
    Store.open(db_path).close()
    robotmem('learn', 'the lift is slow', '--collection', 'lab', '--file', db_path)
    result = robotmem('recall', 'lift', '--file', db_path)
    assert 'the lift is slow' in result.out and 'collection lab, the only one of this file' in result.err
    assert robotmem('recall', 'lift', '--file', db_path, '--collection', 'lab').err.count('the only one') == 0
    robotmem('learn', 'the ramp is steep', '--collection', 'yard', '--file', db_path)
    result = robotmem('recall', 'lift', '--file', db_path)
    assert 'nothing found' in result.out
    assert "no collection 'default', but lab, yard: --collection names one" in result.err


def test_backup_and_restore_by_hand(filled: str, robotmem: Any, tmp_path: Path) -> None:
    """SQL-09: the way that the README names, from a file that is in use."""
    copy = str(tmp_path / 'copy.db')
    store = Store.open(filled, owner=True)
    assert robotmem('backup', copy, '--file', filled).status == 0
    store.close()
    robotmem('forget', '1', 'wrong', '--file', filled)
    assert 'bay door' not in robotmem('recall', 'bay door', '--file', filled, '--plain').out
    result = robotmem('restore', copy, '--file', filled, '--json')
    assert result.status == 0, result.err
    kept = json.loads(result.out)['kept']
    assert 'bay door' in robotmem('recall', 'bay door', '--file', filled, '--plain').out
    assert 'bay door' not in robotmem('recall', 'bay door', '--file', kept, '--plain').out
    assert robotmem('restore', str(tmp_path / 'none.db'), '--file', filled).status == 1
