"""What a shell completes, asked of a real bash."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from robotmem_ros.cli import completion
from robotmem_ros.cli.main import parser

pytestmark = pytest.mark.skipif(shutil.which('bash') is None, reason='there is no bash')


def completed(words: str, folder: Path) -> list[str]:
    script = completion.bash(parser())
    typed = [f'"{word}"' for word in words.split(' ')]
    state = f'COMP_WORDS=({" ".join(typed)}); COMP_CWORD={len(typed) - 1}'
    program = f'{script}\n{state}\n_robotmem; printf "%s\\n" "${{COMPREPLY[@]}}"'
    run = subprocess.run(['bash', '-euc', program], capture_output=True, text=True, timeout=30, check=False, cwd=folder)
    assert (run.returncode, run.stderr) == (0, '')
    return run.stdout.split()


@pytest.mark.parametrize(('words', 'expected'), [
    ('robotmem re', ['recall', 'restore']), ('robotmem sessions ', ['--help', 'end', 'start']),
    ('robotmem recall door --sc', ['--scene']), ('robotmem export out --format ', ['jsonl', 'markdown']),
    ('robotmem completion b', ['bash']),
    ('robotmem stats --file m', ['memory.db']), ('robotmem gc --th', ['--threshold']),
])
def test_commands_options_and_choices(words: str, expected: list[str], tmp_path: Path) -> None:
    (tmp_path / 'memory.db').touch()
    assert sorted(completed(words, tmp_path)) == expected


def test_help_is_there_at_once() -> None:
    """No ROS, no database and no model is loaded for help or completion."""
    program = (
        'import sys; from robotmem_ros.cli.main import main\n'
        'try: main(sys.argv[1:])\nexcept SystemExit: pass\n'
        'bad = {"rclpy", "apsw", "numpy", "onnxruntime", "yaml"} & set(sys.modules); sys.exit(str(bad) if bad else 0)')
    for arguments in (['--help'], ['import', '--help'], ['completion', 'bash']):
        run = subprocess.run([sys.executable, '-c', program, *arguments], capture_output=True, timeout=60, check=False)
        assert run.returncode == 0, run.stderr
