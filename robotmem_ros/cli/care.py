"""`robotmem doctor` and `robotmem restore`."""

from __future__ import annotations

import time
from argparse import Namespace
from dataclasses import asdict

from robotmem_ros import doctor as examining
from robotmem_ros.cli import show
from robotmem_ros.cli.exits import DONE, REFUSED, complain
from robotmem_ros.cli.progress import Bar
from robotmem_ros.errors import RobotMemError
from robotmem_ros.offline import WAIT
from robotmem_ros.store import backups, paths

SIGNS = {examining.OK: 'ok  ', examining.WARN: 'warn', examining.FAIL: 'FAIL'}


def doctor(given: Namespace) -> int:
    """Print one line for each subject; exit code 1 where something fails."""
    findings = []
    try:
        for finding in examining.examination(given.file or paths.default()):
            findings.append(finding)
            if not given.json:
                print(line(finding), flush=True)
    except RobotMemError as error:
        return complain(show.printable(str(error)), REFUSED)
    if given.json:
        print(show.as_json({'findings': [asdict(finding) for finding in findings]}))
    return REFUSED if any(finding.level == examining.FAIL for finding in findings) else DONE


def line(finding: examining.Finding) -> str:
    """Give one line, and below it what to do."""
    text = f'{SIGNS[finding.level]}  {finding.subject:<11} {show.printable(finding.text)}'
    return f'{text}\n      → {show.printable(finding.advice)}' if finding.advice else text


def restore(given: Namespace) -> int:
    """Put a backup in place."""
    stamp = time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())
    try:
        with Bar('restoring') as bar:
            file = given.file or paths.default()
            target, kept = backups.restore(given.backup, file, stamp, WAIT.busy_timeout_s, bar.at)
    except RobotMemError as error:
        return complain(show.printable(str(error)), REFUSED)
    if given.json:
        print(show.as_json({'path': target, 'kept': kept}))
    else:
        print(f'restored: {show.printable(target)}' + (f'\nthe old file: {show.printable(kept)}' if kept else ''))
    return DONE
