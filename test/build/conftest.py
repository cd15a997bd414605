"""Where things lie: the checkout, the prefix that the package was installed into, and copies to build elsewhere."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope='session')
def checkout() -> Path:
    """The root of the source tree."""
    return Path(__file__).resolve().parents[2]


@pytest.fixture(scope='session')
def prefix() -> Path:
    """The prefix that the interfaces under test were installed into."""
    module = pytest.importorskip('robotmem_ros.msg').__file__
    return next(parent for parent in Path(module).parents if (parent / 'share/robotmem_ros').is_dir())


@pytest.fixture(scope='session')
def copy_sources(checkout):
    """Return a function that copies to a new folder what the repository tracks, and nothing that was built."""
    listing = subprocess.run(['git', 'ls-files', '--cached', '-z'], cwd=checkout, capture_output=True, check=False)
    if listing.returncode:
        pytest.skip('the sources are not a git checkout')
    names = [name for name in listing.stdout.decode().split('\0') if name and (checkout / name).is_file()]

    def copy(target: Path) -> Path:
        for name in names:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(checkout / name, target / name)
        return target

    return copy


@pytest.fixture
def run_python():
    """Return a function that runs this Python with arguments, and answers its status and what it said."""

    def run(*arguments: object, cwd: Path, **variables: str) -> tuple[int, str]:
        env = {name: value for name, value in os.environ.items() if name not in ('PYTHONPATH', 'AMENT_PREFIX_PATH')}
        result = subprocess.run([sys.executable, *map(str, arguments)], cwd=cwd, env=env | variables, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return result.returncode, result.stdout

    return run
