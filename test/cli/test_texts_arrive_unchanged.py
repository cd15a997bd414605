"""CLI-01: texts and JSON reach the node and come back character for character."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import Any

import pytest

INSIGHT = 'don\'t say "stop" — 停止 \\n `x` $HOME 50% 🙂'
CONTEXT = '{"params":{"force_n":{"value":12.5}},"tags":["a","b"],"note":"50% \\\\ path"}'


def test_learn_sends_every_sign(dds_node: Any, robotmem: Any) -> None:
    """CLI-01: quotes, backslashes, Unicode and nested JSON, as the shell hands them over."""
    dds_node.answers['learn'] = {'status': 'created', 'memory_id': 3}
    result = robotmem('learn', INSIGHT, '--context', CONTEXT, '--tag', '左 "x"')
    assert result.status == 0, result.err
    assert (dds_node.requests[0].insight, dds_node.requests[0].context) == (INSIGHT, CONTEXT)
    assert dds_node.requests[0].tags == ['左 "x"']
    assert 'memory 3' in result.out


def test_a_shell_quotes_once(dds_node: Any) -> None:
    """CLI-01: the example of the README for bash, in a process of its own."""
    program = f'{sys.executable} -c "import sys; from robotmem_ros.cli.main import main; sys.exit(main())"'
    quoted = CONTEXT.replace("'", "'\\''")
    command = f"""{program} learn 'the sign says "stop" — 停止' --context '{quoted}'"""
    result = subprocess.run(['bash', '-c', command], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr
    assert (dds_node.requests[0].insight, dds_node.requests[0].context) == ('the sign says "stop" — 停止', CONTEXT)


def test_ros_arguments_in_a_text_stay_text(dds_node: Any, robotmem: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process's own command line is not for rclpy, which would read --ros-args there."""
    monkeypatch.setattr('sys.argv', ['robotmem', 'learn', '--', '--ros-args', 'not', 'one'])
    text = 'start it with --ros-args -r __node:=other'
    assert robotmem('learn', text).status == 0
    assert robotmem('learn', '--', '--ros-args').status == 0
    assert [request.insight for request in dds_node.requests] == [text, '--ros-args']


def test_a_dash_reads_standard_input(node: Any, robotmem: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """CLI-01: a long text comes from a file; only the line end that the editor added goes."""
    monkeypatch.setattr('sys.stdin', io.TextIOWrapper(io.BytesIO(f' two\nlines {INSIGHT}\n'.encode())))
    assert robotmem('learn', '-').status == 0
    assert node.requests[0].insight == f' two\nlines {INSIGHT}'


@pytest.mark.parametrize('text', [b'bad \xff byte', b'nul \0 sign'])
def test_what_no_ros_string_holds_is_refused(
    node: Any, robotmem: Any, monkeypatch: pytest.MonkeyPatch, text: bytes
) -> None:
    """A ROS string ends at a NUL: cutting it there would lose the rest without a word."""
    monkeypatch.setattr('sys.stdin', io.TextIOWrapper(io.BytesIO(text)))
    result = robotmem('learn', '-')
    assert result.status == 2
    assert len(result.err.splitlines()) == 1
    assert not node.requests


def test_json_gives_the_answer_exactly(node: Any, robotmem: Any) -> None:
    """CLI-01: what recall printed as JSON is what was stored, control signs included."""
    from robotmem_ros.msg import Memory

    node.answers['recall'] = {'memories': [Memory(id=4, content=f'{INSIGHT}\x1b[2J', context=CONTEXT)], 'total': 1}
    answer = json.loads(robotmem('recall', 'x', '--json').out)
    assert answer['memories'][0]['content'] == f'{INSIGHT}\x1b[2J'
    assert answer['memories'][0]['context'] == CONTEXT
    assert answer['memories'][0]['pose']['pose']['position'] == {'x': 0.0, 'y': 0.0, 'z': 0.0}
