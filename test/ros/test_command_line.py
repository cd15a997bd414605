"""The command line on the file of a running node: it reads beside it, and changes it while the node lets go."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lifecycle_msgs.srv import ChangeState

from robotmem_ros.cli import exchanging
from robotmem_ros.cli.main import main
from robotmem_ros.errors import StoreError
from robotmem_ros.exchange.importer import Summary

CONFIGURE, CLEANUP, ACTIVATE, DEACTIVATE = 1, 2, 3, 4
PATIENCE = ('--timeout', '30')
STUCK = """
import signal, sys, time
from robotmem_ros.cli import exchanging
from robotmem_ros.cli.main import main

def take_in(*_):
    print('WORKING', flush=True)
    time.sleep(120)

# Whoever runs the tests may have had some ignored, which would be kept.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, 0), (signal.SIGHUP, 0)):
    signal.signal(number, usual)
exchanging._take_in = take_in
sys.exit(main())
"""

Run = Callable[..., SimpleNamespace]


@pytest.fixture
def robotmem(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run one command line in this process; gives its status, output and errors."""
    def run(*arguments: str) -> SimpleNamespace:
        capfd.readouterr()
        status = main([*arguments, *PATIENCE])
        out, err = capfd.readouterr()
        return SimpleNamespace(status=status, out=out, err=err)

    return run


@pytest.fixture
def source(tmp_path: Path) -> str:
    """Two memories that name no collection."""
    path = tmp_path / 'in.jsonl'
    path.write_text('{"id": 1, "content": "a bolt is loose"}\n{"id": 2, "content": "battery two is weak"}\n')
    return str(path)


@pytest.fixture
def node(world: Any) -> tuple[Any, Any]:
    """An active node, as its process and a client of it."""
    process, client = world.start(), world.client()
    client.status()
    return process, client


def change(client: Any, *transitions: int) -> None:
    for transition in transitions:
        request = ChangeState.Request()
        request.transition.id = transition
        assert client.call(ChangeState, 'change_state', 30.0, transition=request.transition).success


def contents(client: Any) -> set[str]:
    answer = client.recall('dock bolt battery copy stored', n=50)
    assert answer.success, answer.error
    return {memory.content for memory in answer.memories}


def test_import_lets_the_node_take_part(world: Any, robotmem: Run, source: str) -> None:
    """Contract 12: what names no collection goes where the node's own learns go, and the node goes on."""
    process = world.start(collection='lab')
    client = world.client()
    client.status()
    client.learn('the dock is cold')
    result = robotmem('import', source)
    assert (result.status, result.out) == (0, '2 memories came in\n'), result.err
    notes = [line for line in result.err.splitlines() if '/robotmem' in line]
    assert len(notes) == 1 and str(process.database) in notes[0] and notes[0].endswith('s and is active again')
    assert contents(client) == {'the dock is cold', 'a bolt is loose', 'battery two is weak'}
    assert client.learn('and it learns on').success
    assert json.loads(robotmem('import', source, '--json').out)['created'] == 0


@pytest.mark.parametrize('state', ['inactive', 'unconfigured'])
def test_the_node_is_left_in_the_state_that_it_was_in(
    node: tuple[Any, Any], robotmem: Run, source: str, state: str
) -> None:
    _, client = node
    change(client, *([DEACTIVATE] if state == 'inactive' else [DEACTIVATE, CLEANUP]))
    client.status(lambda s: s.state == state)
    result = robotmem('import', source)
    assert result.status == 0, result.err
    assert (f'is {state} again' if state == 'inactive' else 'is unconfigured and does not use its file') in result.err
    change(client, *([ACTIVATE] if state == 'inactive' else [CONFIGURE, ACTIVATE]))
    assert 'a bolt is loose' in contents(client)


def test_a_restore_puts_the_node_on_the_backup(node: tuple[Any, Any], robotmem: Run, tmp_path: Path) -> None:
    """SQL-09: with the node running, in one command."""
    _, client = node
    client.learn('before the copy')
    copy = str(tmp_path / 'copy.db')
    assert robotmem('backup', copy).status == 0
    client.learn('after the copy')
    result = robotmem('restore', copy, '--json')
    assert result.status == 0, result.err
    assert contents(client) == {'before the copy'}
    assert Path(json.loads(result.out)['kept']).exists()


def test_the_node_is_not_asked_to_pause_for_nothing(node: tuple[Any, Any], robotmem: Run, tmp_path: Path) -> None:
    process, _ = node
    (tmp_path / 'bad.db').write_bytes(b'no database' * 100)
    for arguments in (('import', str(tmp_path / 'none')), ('restore', str(tmp_path / 'none.db')),
                      ('restore', str(tmp_path / 'bad.db')), ('restore', str(process.database))):
        result = robotmem(*arguments)
        assert result.status == 1 and 'let go' not in result.err, result.err
    assert process.log.count('memory in') == 1


def test_the_node_comes_back_from_what_fails(
    shared: Any, robotmem: Run, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise StoreError('memory.db', 'the disk is full')

    monkeypatch.setattr(exchanging, '_take_in', fail)
    result = robotmem('import', source, '--node', shared.target)
    assert result.status == 1
    assert 'is active again' in result.err and result.err.splitlines()[-1].endswith('the disk is full')
    assert shared.learn('it goes on').success


def test_a_node_that_does_not_come_back_is_told_of(
    node: tuple[Any, Any], robotmem: Run, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    process, _ = node

    def break_the_file(*_: Any) -> Summary:
        process.database.write_bytes(b'no database' * 100)
        return Summary()

    monkeypatch.setattr(exchanging, '_take_in', break_the_file)
    result = robotmem('import', source)
    said = result.err.splitlines()[-1]
    assert result.status == 1 and 'is not any more' in said
    assert 'memory.db: ' in said and said.endswith('`ros2 lifecycle set /robotmem activate`')


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_no_signal_leaves_the_node_without_its_file(shared: Any, source: str, number: int) -> None:
    """SHUT-02: Ctrl-C, twice, a stopped service, a terminal that closes."""
    command = [sys.executable, '-c', STUCK, 'import', source, '--node', shared.target, *PATIENCE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == 'WORKING\n'
        assert 'unconfigured' in shared.learn('nothing is stored meanwhile').error
        process.send_signal(number)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and 'is active again' in said, said
    assert 'Traceback' not in said
    assert shared.learn('it goes on').success
    assert 'nothing is stored meanwhile' not in contents(shared)


def test_reading_finds_the_file_of_the_running_node(shared: Any, robotmem: Run, tmp_path: Path) -> None:
    shared.learn('the dock is cold')
    result = robotmem('export', str(tmp_path / 'out.jsonl'), '--node', shared.target)
    assert result.status == 0, result.err
    assert result.err == f'robotmem: note: the file of {shared.target} is {shared.status().db_path}\n'
    assert 'the dock is cold' in (tmp_path / 'out.jsonl').read_text()


def test_the_doctor_looks_at_the_running_node(world: Any, robotmem: Run) -> None:
    process = world.start(diagnostics__period_s=0.2)
    client = world.client()
    client.status()
    result = robotmem('doctor', '--json')
    found = {each['subject']: each for each in json.loads(result.out)['findings']}
    assert found['node']['text'].startswith('/robotmem is active, ready: ') and found['node']['level'] == 'warn'
    assert 'no-model' in found['node model']['text'] + found['node']['text']
    assert [found[each]['level'] for each in ('node version', 'node clock', 'owner')] == ['ok', 'ok', 'ok']
    assert str(process.database) in found['file']['text']
    change(client, DEACTIVATE)
    client.status(lambda s: s.state == 'inactive')
    found = {each['subject']: each for each in json.loads(robotmem('doctor', '--json').out)['findings']}
    assert found['node']['text'].startswith('/robotmem is inactive, not ready')
    assert found['node']['advice'] == 'ros2 lifecycle set /robotmem activate'
