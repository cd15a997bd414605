"""`robotmem doctor` and `robotmem restore`."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import asdict

from robotmem_ros import doctor as examining
from robotmem_ros.cli import node_findings, show
from robotmem_ros.cli.exits import DONE, REFUSED, complain
from robotmem_ros.cli.progress import Bar
from robotmem_ros.cli.target import LETS_GO, find
from robotmem_ros.doctor import Finding
from robotmem_ros.errors import RobotMemError, StoreOwned
from robotmem_ros.offline import WAIT
from robotmem_ros.store import backups

SIGNS = {examining.OK: 'ok  ', examining.WARN: 'warn', examining.FAIL: 'FAIL'}


def doctor(given: Namespace) -> int:
    """Print one line for each subject; exit code 1 where something fails."""
    findings = []
    try:
        for finding in examination(given):
            findings.append(finding)
            if not given.json:
                print(line(finding), flush=True)
    except RobotMemError as error:
        return complain(show.printable(str(error)), REFUSED)
    if given.json:
        print(show.as_json({'findings': [asdict(finding) for finding in findings]}))
    return REFUSED if any(finding.level == examining.FAIL for finding in findings) else DONE


def examination(given: Namespace) -> Iterator[Finding]:
    """Look at what works here, then at the node, then at its file; the quick things first."""
    yield from examining.versions()
    with find(given) as target:
        if target.node is None:
            if not given.file:
                yield node_findings.absent(target.absence, target.path)
        else:
            yield from node_findings.examination(target.node, given.timeout)
            try:
                target.node.check_reachable()
            except RobotMemError as problem:
                yield Finding('file', examining.WARN, str(problem))
                return
        yield from examining.examination(target.path)


def line(finding: Finding) -> str:
    """Give one line, and below it what to do."""
    text = f'{SIGNS[finding.level]}  {finding.subject:<13} {show.printable(finding.text)}'
    return f'{text}\n      → {show.printable(finding.advice)}' if finding.advice else text


def restore(given: Namespace) -> int:
    """Put a backup in place."""
    stamp = time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())
    try:
        with find(given) as found, Bar('restoring', shown=not given.json) as bar:
            meanwhile = found.to_change(shown=not given.json)
            target, kept = backups.restore(given.backup, found.path, stamp, WAIT.busy_timeout_s, bar.at, meanwhile)
    except StoreOwned as error:
        return complain(f'{show.printable(str(error))}; {LETS_GO}', REFUSED)
    except RobotMemError as error:
        return complain(show.printable(str(error)), REFUSED)
    if given.json:
        print(show.as_json({'path': target, 'kept': kept}))
    else:
        print(f'restored: {show.printable(target)}' + (f'\nthe old file: {show.printable(kept)}' if kept else ''))
    return DONE
