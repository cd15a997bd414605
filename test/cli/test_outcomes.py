"""Exit codes and what is said: 0 done, 1 refused, 2 usage, 3 no node."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

RUN = [sys.executable, '-c', 'import sys; from robotmem_ros.cli.main import main; sys.exit(main())']


def test_a_refusal_is_status_1_and_the_nodes_sentence(node: Any, robotmem: Any) -> None:
    node.answers['learn'] = {'success': False, 'error': 'insight: expected text, got blank'}
    result = robotmem('learn', '')
    assert (result.status, result.out) == (1, '')
    assert result.err == 'robotmem: insight: expected text, got blank\n'
    assert robotmem('learn', '', '--json').status == 1


def test_a_warning_does_not_disturb_the_output(node: Any, robotmem: Any) -> None:
    node.answers['recall'] = {'warning': 'n was capped at 1000'}
    result = robotmem('recall', '-n', '5000')
    assert result.status == 0
    assert 'capped' in result.err and 'capped' not in result.out


def test_no_node_is_status_3_and_says_what_was_looked_for(dds_node: Any, robotmem: Any, domain: int) -> None:
    result = robotmem('recall', 'x', '--node', '/nobody', '--timeout', '0.3')
    assert result.status == 3
    assert len(result.err.splitlines()) == 1
    for part in ('/nobody/recall', '0.3 s', f'domain {domain}', 'LOCALHOST', 'make run'):
        assert part in result.err


@pytest.mark.parametrize('arguments', [
    [], ['nonsense'], ['learn'], ['promote', 'seven'], ['recall', '--since', 'yesterday'], ['recall', '--near', '1'],
    ['recall', '--timeout', '0'], ['recall', '--timeout', 'nan'], ['recall', '--node', 'no node'], ['sessions'],
    ['promote', str(2**63)], ['recall', '-n', str(2**31)], ['recall', '--until', '2200-01-01'],
])
def test_wrong_usage_is_status_2_without_a_traceback(node: Any, robotmem: Any, arguments: list[str]) -> None:
    result = robotmem(*arguments)
    assert result.status == 2
    assert 'Traceback' not in result.err and result.err
    assert not node.requests


def test_a_silent_node_is_status_3(dds_node: Any, robotmem: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service is there but does not answer: that is not the same as no node. (Discovery may take 3 s.)"""
    release = threading.Event()
    monkeypatch.setattr(dds_node, 'hold', release)
    result = robotmem('stats', '--timeout', '4')
    release.set()
    assert result.status == 3
    assert '/robotmem/stats is there, but did not answer within 4 s' in result.err


def test_bytes_that_are_no_text_are_usage() -> None:
    result = subprocess.run([*RUN, 'learn', b'bad \xff'], capture_output=True, timeout=60, check=False)
    assert result.returncode == 2
    assert b'not valid UTF-8' in result.stderr


def test_help_needs_no_ros() -> None:
    """Help is instant: rclpy is loaded for a call only."""
    program = (
        'import sys; from robotmem_ros.cli.main import parser; text = parser().format_help(); '
        'loaded = [name for name in sys.modules if name.startswith("rclpy")]; sys.exit(str(loaded) if loaded else 0)'
    )
    assert subprocess.run([sys.executable, '-c', program], timeout=60, check=False).returncode == 0


def test_every_command_has_help_with_an_example(robotmem: Any) -> None:
    from robotmem_ros.cli.commands import COMMANDS

    for command in COMMANDS:
        result = robotmem(*command.path.split(), '--help')
        assert result.status == 0
        assert command.example in result.out


def test_version(robotmem: Any) -> None:
    from robotmem_ros import __version__

    assert robotmem('--version').out == f'robotmem {__version__}\n'


def test_the_answers_as_people_read_them(node: Any, robotmem: Any) -> None:
    """Columns line up under wide signs, ages have a unit, and no stored text can move the cursor."""
    from builtin_interfaces.msg import Time
    from robotmem_ros.msg import Memory

    now = int(time.time())
    placed = Memory(id=12, content='充电 \x1b[2J\u202e', score=0.5, confidence=0.9, created_at=Time(sec=now - 7200))
    placed.has_pose = True
    placed.pose.header.frame_id = 'map'
    placed.pose.pose.position.x = 3.25
    placed.map_id = '大厅'
    plain = Memory(id=3, content='the door', score=0.25, confidence=0.305, created_at=Time(sec=now + 900))
    node.answers['recall'] = {'memories': [placed, plain], 'total': 9, 'mode': 'hybrid'}
    lines = robotmem('recall', 'x').out.splitlines()
    assert '(3.2, 0.0) map on 大厅' in lines[1] and '2 h' in lines[1]
    assert lines[1].endswith('充电 \\x1b[2J\\u202e')
    assert 'ahead' in lines[2] and lines[2].startswith('3   0.250  0.30')
    assert lines[3].startswith('2 of 9 (hybrid')


@pytest.mark.parametrize(('value', 'shown'), [
    (0.29996, '0.299'), (0.1 + 0.2, '0.300'), (0.29, '0.290'), (1.0, '1.000'), (1e-9, '0.000'),
])
def test_a_shown_confidence_is_never_above_the_compared_one(value: float, shown: str) -> None:
    """CLI-05: people debug by comparing it with their limit."""
    from robotmem_ros.cli import show

    assert show.confidence(value) == shown


def test_stats_and_scenes_print_what_came(node: Any, robotmem: Any) -> None:
    from robotmem_ros.msg import Scene

    node.answers['stats'] = {'active': 42, 'facts': 40, 'edges': 7, 'db_path': '/x/memory.db', 'file_bytes': 1_230_000}
    node.answers['stats']['stats_json'] = '{"feature_kinds": {"place": 3, "peer": 1}, "empty_scenes": 2}'
    node.answers['list_scenes'] = {'scenes': [Scene(key='place:门', origin='emergent', strength=4, memory_count=2)]}
    stats, scenes = robotmem('stats').out, robotmem('scenes').out
    assert '42 active (40 facts' in stats and '/x/memory.db (1.23 MB)' in stats and '7 between' in stats
    assert 'place 3, peer 1' in stats and '2 scenes are hit but hold nothing' in stats
    assert scenes.splitlines()[1].split() == ['4', '2', 'emergent', 'never', 'place:门']


def test_stats_print_all_that_the_contract_names(node: Any, robotmem: Any) -> None:
    """Totals, tiers, bands, edges, scenes; no number stands for another."""
    node.answers['stats'] = {
        'total': 11, 'active': 12, 'superseded': 13, 'forgotten': 14, 'facts': 15, 'perceptions': 16, 'occurrences': 17,
        'stm': 18, 'ltm': 19, 'band_strong': 20, 'band_healthy': 21, 'band_danger': 22, 'band_fading': 23, 'edges': 24,
        'linked_memories': 25, 'scenes_emergent': 26, 'scenes_declared': 27,
    }
    shown = dict(line.split(None, 1) for line in robotmem('stats').out.splitlines() if ' ' in line.strip())
    assert shown['memories'] == (
        '12 active (15 facts, 16 perceptions, 17 occurrences); 13 superseded, 14 forgotten, 11 in all')
    assert shown['tiers'] == '18 short-term, 19 long-term'
    assert shown['retention'] == '20 strong, 21 healthy, 22 in danger, 23 fading'
    assert (shown['edges'], shown['scenes']) == ('24 between 25 memories', '26 emergent, 27 declared')
    assert 'empty' not in shown and 'kinds' not in shown


def test_sessions_start_prints_the_id_alone_first(node: Any, robotmem: Any) -> None:
    """So that `robotmem sessions start | head -n 1` is the id."""
    node.answers['start_session'] = {'session_id': 'abc', 'collection': 'default'}
    assert robotmem('sessions', 'start').out.splitlines()[0] == 'abc'


def test_every_command_stands_in_the_readme() -> None:
    """NAME-01, from the command line's side."""
    from pathlib import Path

    from robotmem_ros.cli.commands import COMMANDS
    from robotmem_ros.cli.tools import TOOLS

    readme = (Path(__file__).resolve().parents[2] / 'README.md').read_text('utf-8')
    section = readme.split('## From the command line')[1].split('\n## ')[0]
    names = {each.path.split()[0] for each in (*COMMANDS, *TOOLS)}
    assert names - set(re.findall(r'\w+', section)) == set()
