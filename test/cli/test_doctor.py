"""The doctor finds what is wrong, says what to do, and changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw
import pytest

from robotmem_ros import doctor
from robotmem_ros.clock import ManualClock, SystemClock
from robotmem_ros.disk import Disk, megabytes
from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.errors import ModelUnavailable
from robotmem_ros.model import LearnRequest
from robotmem_ros.settings import Settings
from robotmem_ros.store.store import Store


def fill(path: str, clock: Any = None, owner: bool = False) -> Engine:
    embedder = HashEmbedder()
    engine = Engine(Store.open(path, owner=owner), clock or SystemClock(), lambda: embedder, Settings())
    for i in range(3):
        engine.learn(LearnRequest(f'bay {i} has shelf {i}'))
    return engine


def hashed(model: str) -> HashEmbedder:
    return HashEmbedder()


def findings(path: str, **given: Any) -> dict[str, tuple[str, str]]:
    found = (*doctor.versions(), *doctor.examination(path, **{'load_model': hashed, **given}))
    return {finding.subject: (finding.level, finding.text) for finding in found}


def meddle(path: str, *statements: str) -> None:
    connection = apsw.Connection(path)
    for statement in statements:
        connection.execute(statement).fetchall()
    connection.close()


def test_a_healthy_file(db_path: str) -> None:
    fill(db_path).close()
    found = findings(db_path)
    assert {level for level, _ in found.values()} == {'ok'}, found
    assert {'file', 'owner', 'permissions', 'wal', 'disk', 'integrity', 'text index', 'vectors', 'clock', 'model',
            'sqlite', 'apsw', 'sqlite-vec', 'onnxruntime', 'rclpy', 'python'} <= set(found)
    assert found['integrity'][1] == 'every page was read; 3 active memories'


def test_who_owns_it(db_path: str) -> None:
    engine = fill(db_path, owner=True)
    assert 'the node takes changes' in findings(db_path)['owner'][1]
    engine.close()
    assert findings(db_path)['owner'][1].startswith('nobody')


def test_what_is_not_there_is_no_fault(db_path: str) -> None:
    found = findings(db_path)
    assert found['file'] == ('ok', f'{db_path} does not exist yet')
    assert not Path(db_path).exists()


def test_damage_is_found_and_nothing_is_changed(db_path: str) -> None:
    fill(db_path).close()
    with Path(db_path).open('r+b') as file:
        file.seek(-4096, 2)
        file.write(b'\7' * 4096)
    before = Path(db_path).read_bytes()
    assert 'fail' in {level for level, _ in findings(db_path).values()}
    assert Path(db_path).read_bytes() == before


def test_memories_that_no_words_find(db_path: str) -> None:
    fill(db_path).close()
    meddle(db_path, 'DELETE FROM memory_fts WHERE rowid = 2', "INSERT INTO memory_fts (rowid, tokens) VALUES (77, 'x')")
    assert findings(db_path)['text index'] == ('fail', '1 memories missing, 1 too many')


def test_rows_that_hang_on_nothing(db_path: str) -> None:
    fill(db_path).close()
    meddle(db_path, "INSERT INTO memory_tag VALUES (99, 'x')")
    assert findings(db_path)['integrity'] == ('fail', 'memory_tag names rows of memory that do not exist')


def test_a_mode_that_lets_others_read(db_path: str) -> None:
    fill(db_path).close()
    Path(db_path).chmod(0o644)
    assert findings(db_path)['permissions'] == ('warn', 'mode 0644: others may read it')


def test_a_clock_that_cannot_be_right(db_path: str) -> None:
    fill(db_path, ManualClock(1_800_000_000 * 10**9)).close()
    assert findings(db_path, now_s=86_400.0)['clock'][0] == 'warn'
    level, text = findings(db_path, now_s=1_799_996_400.0)['clock']
    assert (level, '1.0 h ahead' in text) == ('warn', True)
    assert findings(db_path, now_s=1_800_000_001.0)['clock'][0] == 'ok'


def test_the_model(db_path: str) -> None:
    fill(db_path).close()

    def missing(model: str) -> Any:
        raise ModelUnavailable('no model.onnx', 'install one')

    def other(model: str) -> Any:
        embedder = HashEmbedder()
        embedder.fingerprint = 'f' * 16
        return embedder

    def one_of_two(model: str) -> Any:
        return hashed(model) if model == 'multilingual' else other(model)

    assert findings(db_path, load_model=missing)['model'] == ('warn', 'no model.onnx: answers are by words')
    level, text = findings(db_path, load_model=other)['model']
    assert (level, "the file's vectors are of" in text) == ('warn', True)
    assert findings(db_path, load_model=one_of_two)['model'][0] == 'ok', 'embed.model may be another than the default'


def test_its_lines_and_its_status(db_path: str, robotmem: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(db_path).close()
    meddle(db_path, 'DELETE FROM memory_fts WHERE rowid = 2')
    monkeypatch.setattr(doctor.examination, '__defaults__', (hashed, None))
    result = robotmem('doctor', '--file', db_path)
    assert result.status == 1
    assert 'FAIL  text index    1 memories missing, 0 too many\n      → robotmem export' in result.out
    as_json = robotmem('doctor', '--file', db_path, '--json')
    found = {each['subject']: each for each in json.loads(as_json.out)['findings']}
    assert (as_json.status, found['text index']['level'], found['file']['level']) == (1, 'fail', 'ok')


@pytest.mark.parametrize(('free', 'level'), [(4 * 10**6, 'fail'), (400 * 10**6, 'warn'), (10**9, 'ok')])
def test_a_disk_that_fills_up(db_path: str, monkeypatch: pytest.MonkeyPatch, free: int, level: str) -> None:
    fill(db_path).close()
    monkeypatch.setattr(doctor, 'disk_of', lambda _: Disk(10**12, free))
    assert findings(db_path)['disk'] == (level, f'{megabytes(free)} free where {db_path} lies')
