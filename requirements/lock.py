"""
Write the lock files kilted.txt, jazzy.txt (ROS 2) and python.txt (the rest) beside this script from the .in files.

Run it by hand with ``make lock`` when a pin is to move. ``make install`` installs the locks with ``--no-deps``, so what
is not listed is not there. They are resolved for the Python that runs this; where the oldest supported Python has no
such version any more, its newest one is listed beside it under a marker.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
OLDEST = '3.10'

# ROS wheels ask for lark-parser, the older name of lark, which installs the same module over it.
LEFT_OUT = {'lark-parser', 'pip'}


def resolve(*arguments: str) -> dict[str, str]:
    """Return name -> version of everything that ``pip install`` would install for the arguments."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / 'report.json'
        subprocess.run([sys.executable, '-m', 'pip', 'install', '--quiet', '--dry-run', '--ignore-installed',
                        '--target', folder, '--report', report, *arguments], check=True)
        items = [item['metadata'] for item in json.loads(report.read_text())['install']]
    versions = {re.sub('[-_.]+', '-', item['name']).lower(): item['version'] for item in items}
    return {name: version for name, version in versions.items() if name not in LEFT_OUT}


def requirements(name: str) -> list[str]:
    """Return the requirements of a file, without comments."""
    lines = (line.split('#')[0].strip() for line in (HERE / name).read_text().splitlines())
    return [line for line in lines if line]


def write(name: str, lines: list[str]) -> None:
    """Write a lock file."""
    (HERE / name).write_text('# Written by requirements/lock.py; edit the .in files.\n' + '\n'.join(lines) + '\n')


def lock_ros(name: str, names: list[str]) -> dict[str, str]:
    """Write the ROS wheels that the names need; return what they need besides."""
    versions = resolve(*names)
    write(name, [f'{package}=={versions[package]}' for package in sorted(versions)
                 if package.startswith('ros-') and not package.startswith('ros-jazzy-')])
    return {package: version for package, version in versions.items() if not package.startswith('ros-')}


def lock_python(name: str, names: list[str]) -> None:
    """Write what the names need, with a line more where the oldest Python needs another version."""
    # Those under a marker are pinned by hand, since pip reads markers for the Python that runs it.
    marked = [name for name in names if ';' in name]
    names = [name for name in names if ';' not in name]
    versions = resolve(*names)
    bounds = {re.split('[<=>]', line)[0]: line for line in names}
    oldest = resolve('--no-deps', '--python-version', OLDEST, *(bounds.get(package, package) for package in versions))
    lines = []
    for package, version in sorted(versions.items()):
        if oldest[package] == version:
            lines.append(f'{package}=={version}')
        else:
            lines += [f'{package}=={version}; python_version > "{OLDEST}"',
                      f'{package}=={oldest[package]}; python_version <= "{OLDEST}"']
    write(name, sorted(lines + marked))


if __name__ == '__main__':
    ros = requirements('ros.in')
    needed = lock_ros('kilted.txt', [*ros, *requirements('kilted.in')])
    # The ros-jazzy-* packages hold nothing but the pins that make the unprefixed ones Jazzy's.
    needed |= lock_ros('jazzy.txt', [*ros, *(name.replace('ros-', 'ros-jazzy-', 1) for name in ros)])
    asked = requirements('python.in')
    named = {re.split('[<=>;]', line)[0].replace('_', '-').lower() for line in asked}
    # The wheels' own dist-infos (rclpy beside ros-rclpy) never show here: pip reports what it would download.
    lock_python('python.txt', [*asked, *(name for name in needed if name not in named)])
