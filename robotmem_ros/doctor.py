"""Is everything well with a file and with what works on it? One finding a subject: how it is, and what to do."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from robotmem_ros.disk import LOW_BYTES, disk_of, megabytes
from robotmem_ros.embed.loading import MODELS, load
from robotmem_ros.errors import ModelUnavailable, OldFile, RobotMemError, StoreCorrupt, StoreError
from robotmem_ros.offline import WAIT
from robotmem_ros.ports import Embedder
from robotmem_ros.store import connection, ownership, paths
from robotmem_ros.store.checkup import Checkup, examine
from robotmem_ros.store.store import Store

OK, WARN, FAIL = 'ok', 'warn', 'fail'
EARLIEST = datetime(2026, 1, 1, tzinfo=timezone.utc)
"""This version is not older: a clock that shows less is wrong."""
AHEAD_S = 60
RESTORE = 'put a backup in its place: robotmem restore BACKUP (the file is kept aside)'
ANEW = 'robotmem export, and robotmem import into a new file'
LONG_WAL_BYTES = 2 * connection.WAL_LIMIT_BYTES
LIBRARIES = {'apsw': FAIL, 'sqlite-vec': WARN, 'onnxruntime': WARN, 'tokenizers': WARN, 'numpy': FAIL}
"""Distributions, and what it means that one is missing."""


@dataclass(frozen=True, slots=True)
class Finding:
    """How one subject is: ``ok``, ``warn`` (it works, with less) or ``fail``; ``advice`` says what to do."""

    subject: str
    level: str
    text: str
    advice: str = ''


def examination(path: str, load_model: Callable[..., Embedder] = load, now_s: float | None = None) -> Iterator[Finding]:
    """Look at a file and at what works on it, the quick things first.

    :param path: the database; one that is missing is no fault.
    :param load_model: loads a model by its name, given as ``model``; see ``embed.loading``.
    :param now_s: what the clock shows; default: the system's.
    """
    now_s = time.time() if now_s is None else now_s
    full = paths.resolve(path)
    yield from _disk(full)
    if not paths.size(full):
        yield Finding('file', OK, f'{full} does not exist yet', 'the node makes it when it starts')
        yield _clock(now_s, 0)
        yield _model(load_model, None)
        return
    yield _owner(full)
    yield _permissions(full)
    yield _wal(full)
    try:
        store = Store.open_to_read(full, WAIT)
    except StoreError as error:
        damaged = isinstance(error, StoreCorrupt) and not isinstance(error, OldFile)
        yield Finding('file', FAIL, str(error), RESTORE if damaged else '')
        yield _clock(now_s, 0)
        yield _model(load_model, None)
        return
    try:
        with store.read() as tx:
            found = examine(tx)
    except StoreError as error:
        yield Finding('content', FAIL, str(error), RESTORE)
        return
    finally:
        store.close()
    yield Finding('file', OK, f'{full}, schema version {store.migrated_from}, {store.file_bytes() / 1e6:.1f} MB')
    yield from _content(found)
    yield _clock(now_s, found.newest_ns)
    yield _model(load_model, found)


def versions() -> Iterator[Finding]:
    """Give what works here: Python, the libraries, ROS."""
    yield Finding('python', OK, f'{platform.python_version()} on {platform.machine()}')
    yield Finding('sqlite', OK, f'{connection.sqlite_version()} (of apsw)')
    for name, missing in LIBRARIES.items():
        try:
            yield Finding(name, OK, importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            yield Finding(name, missing, 'is not installed', f'pip install {name}')
    if importlib.util.find_spec('rclpy') is None:
        yield Finding('rclpy', WARN, 'is not installed: files can be asked, no node', 'source ROS 2, or make install')
    else:
        yield Finding('rclpy', OK, f'ROS 2 {os.environ.get("ROS_DISTRO") or "from wheels"}')


def _owner(full: str) -> Finding:
    owner = ownership.owner_of(full)
    return Finding('owner', OK, 'nobody: any command may change the file' if owner is None else
                   f'{owner}: with --file, commands only read; the node takes changes')


def _permissions(full: str) -> Finding:
    found = Path(full).stat()
    mode = stat.S_IMODE(found.st_mode)
    if found.st_uid != os.getuid():
        return Finding('permissions', WARN, f'belongs to user {found.st_uid}, not to you', f'sudo chown "$USER" {full}')
    if mode & 0o077:
        return Finding('permissions', WARN, f'mode {mode:04o}: others may read it', f'chmod 600 {full}*')
    return Finding('permissions', OK, f'mode {mode:04o}')


def _wal(full: str) -> Finding:
    size = paths.size(full + '-wal')
    text = f'{size / 1e6:.1f} MB wait beside the file'
    return Finding('wal', WARN, text, 'a process reads without end: restart it') if size > LONG_WAL_BYTES else \
        Finding('wal', OK, text)


def _disk(full: str) -> Iterator[Finding]:
    try:
        disk = disk_of(full)
    except OSError as error:
        yield Finding('disk', FAIL, f'cannot be looked at: {error.strerror}')
        return
    is_low = disk.free < LOW_BYTES + paths.size(full)
    level = FAIL if disk.is_nearly_full else WARN if is_low else OK
    advice = '' if level == OK else 'make room: a backup needs as much as the file'
    yield Finding('disk', level, f'{megabytes(disk.free)} free where {full} lies', advice)


def _content(found: Checkup) -> Iterator[Finding]:
    if found.problems:
        yield Finding('integrity', FAIL, '; '.join(found.problems), f'{RESTORE}; or {ANEW}')
    else:
        yield Finding('integrity', OK, f'every page was read; {found.active} active memories')
    wrong = found.unindexed + found.stray_texts
    text = f'{found.unindexed} memories missing, {found.stray_texts} too many'
    yield Finding('text index', FAIL if wrong else OK, text, ANEW if wrong else '')
    if found.lost_vectors < 0:
        yield Finding('vectors', WARN, 'sqlite-vec cannot be loaded: answers are by words', 'pip install sqlite-vec')
    elif found.lost_vectors:
        yield Finding('vectors', FAIL, f'{found.lost_vectors} are lost', ANEW)
    else:
        yield Finding('vectors', OK, f'{found.pending} memories wait for theirs' if found.pending else 'all there')


def _clock(now_s: float, newest_ns: int) -> Finding:
    shown = datetime.fromtimestamp(now_s, timezone.utc)
    text, advice = f'shows {shown:%Y-%m-%d %H:%M} UTC', 'set it, or let it be set: timedatectl set-ntp true'
    if shown < EARLIEST:
        return Finding('clock', WARN, text, advice)
    ahead_s = newest_ns / 1e9 - now_s
    if ahead_s > AHEAD_S:
        text += f', and the newest memory is {ahead_s / 3600:.1f} h ahead (simulated time also looks like this)'
        return Finding('clock', WARN, text, advice)
    return Finding('clock', OK, text)


def _model(load_model: Callable[..., Embedder], found: Checkup | None) -> Finding:
    try:
        embedder = _model_of(load_model, found)
        embedder.embed('a robot remembers')
    except ModelUnavailable as error:
        return Finding('model', WARN, f'{error.what}: answers are by words', error.how_to_provide)
    except RobotMemError as error:
        return Finding('model', FAIL, str(error), 'prepare it again: python3 -m robotmem_ros.embed.prepare')
    what = f'{embedder.name}, {embedder.dim} dimensions, fingerprint {embedder.fingerprint}'
    if found is None or found.space is None or found.space[2] == embedder.fingerprint:
        return Finding('model', OK, what)
    return Finding('model', WARN, f"{what}; the file's vectors are of {found.space[0]}",
                   'set embed.model or embed.model_path to that one, or let the node make all vectors anew')


def _model_of(load_model: Callable[..., Embedder], found: Checkup | None) -> Embedder:
    """Load that of the models at hand which made the file's vectors, or else the default one."""
    fingerprint = found.space[2] if found is not None and found.space is not None else ''
    for name in MODELS if fingerprint else ():
        with suppress(ModelUnavailable):
            embedder = load_model(model=name)
            if embedder.fingerprint == fingerprint:
                return embedder
    return load_model(model=MODELS[0])
