"""What we start ourselves is not seen by other machines, and whoever wants it to be says so (contract 11)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RANGE = 'ROS_AUTOMATIC_DISCOVERY_RANGE'
ASK = f'import os; print(os.environ["{RANGE}"])'


def said(code: str, chosen: str | None) -> str:
    env = {key: value for key, value in os.environ.items() if key != RANGE}
    if chosen is not None:
        env[RANGE] = chosen
    run = subprocess.run([sys.executable, '-c', code], env=env, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return run.stdout.split()[-1]


@pytest.mark.parametrize(('chosen', 'used'), [(None, 'LOCALHOST'), ('SUBNET', 'SUBNET')])
@pytest.mark.parametrize('code', [
    # make run becomes the node: what it would be started with
    'import runpy, os, sys\n'
    'os.execv = lambda *a: (print(os.environ["' + RANGE + '"]), sys.exit(0))\n'
    'import shutil; shutil.which = lambda name: name\n'
    'runpy.run_path("tools/run.py", run_name="__main__")',
    # make demo
    f'import runpy; runpy.run_path("demo/run.py", run_name="demo")\n{ASK}',
])
def test_our_own_starters_keep_to_this_machine_by_default(code: str, chosen: str | None, used: str) -> None:
    assert said(code, chosen) == used


def test_make_does_so_for_all_that_it_starts() -> None:
    assert re.search(rf'^export {RANGE} \?= LOCALHOST$', (ROOT / 'Makefile').read_text('utf-8'), re.MULTILINE)


def test_nothing_in_the_package_opens_a_connection_or_downloads() -> None:
    """Whatever a robot learned stays on it: all that leaves goes through DDS."""
    names = 'socket|ssl|urllib|http|ftplib|requests|httpx|aiohttp'
    pattern = re.compile(rf'^\s*(?:import|from)\s+(?:{names})\b', re.MULTILINE)
    sources = [path for path in (ROOT / 'robotmem_ros').rglob('*.py') if path.parts[-2] not in ('msg', 'srv')]
    assert len(sources) > 100
    assert [str(path) for path in sources if pattern.search(path.read_text('utf-8'))] == []
