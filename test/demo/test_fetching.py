"""The recording is checked, cached, whole or absent, and its absence is one sentence."""

from __future__ import annotations

import hashlib
import io
import tarfile
from pathlib import Path
from typing import Any

import fetch
import pytest

CONTENT = b'a recording'


def archive_with(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode='w:gz') as tar:
        entry = tarfile.TarInfo(fetch.MEMBER)
        entry.size = len(content)
        tar.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


@pytest.fixture
def archive(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """An archive that is taken for the pinned one."""
    data = archive_with(CONTENT)
    monkeypatch.setattr(fetch, 'ARCHIVE_SHA256', hashlib.sha256(data).hexdigest())
    monkeypatch.setattr(fetch, 'MEMBER_SHA256', hashlib.sha256(CONTENT).hexdigest())
    return data


def test_it_is_fetched_once(archive: bytes, tmp_path: Path) -> None:
    calls = []

    def download(folder: Path) -> None:
        calls.append(folder)
        (folder / fetch.ARCHIVE).write_bytes(archive)

    for _ in range(2):
        path = fetch.recording(tmp_path / 'cache', download)
        assert path.read_bytes() == CONTENT
    assert len(calls) == 1
    assert [entry.name for entry in (tmp_path / 'cache').iterdir()] == [path.name]


def test_a_damaged_cache_is_fetched_again(archive: bytes, tmp_path: Path) -> None:
    (tmp_path / Path(fetch.MEMBER).name).write_bytes(CONTENT[:5])
    path = fetch.recording(tmp_path, lambda folder: (folder / fetch.ARCHIVE).write_bytes(archive))
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize('other', [archive_with(b'another recording'), b'', None])
def test_another_archive_is_refused_and_leaves_nothing(archive: bytes, tmp_path: Path, other: bytes | None) -> None:
    def download(folder: Path) -> None:
        if other is not None:
            (folder / fetch.ARCHIVE).write_bytes(other)

    with pytest.raises(fetch.NoRecording, match=r'evo-1\.38\.1\.tar\.gz is not the file'):
        fetch.recording(tmp_path, download)
    assert not list(tmp_path.iterdir())


def test_another_recording_in_the_archive_is_refused(
    archive: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, 'MEMBER_SHA256', '0' * 64)
    with pytest.raises(fetch.NoRecording, match=r'\.mcap is not the file'):
        fetch.recording(tmp_path, lambda folder: (folder / fetch.ARCHIVE).write_bytes(archive))
    assert not list(tmp_path.iterdir())


def test_without_a_network_it_says_so_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('PIP_NO_INDEX', '1')
    monkeypatch.setenv('PIP_FIND_LINKS', str(tmp_path))
    with pytest.raises(fetch.NoRecording) as caught:
        fetch.recording(tmp_path / 'cache')
    sentence = str(caught.value)
    assert 'evo 1.38.1' in sentence and 'network' in sentence and '\n' not in sentence
    assert not list((tmp_path / 'cache').iterdir())


def test_the_cache_follows_xdg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: Any) -> None:
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    assert fetch.cache_folder() == tmp_path / 'robotmem_ros'
    monkeypatch.delenv('XDG_CACHE_HOME')
    monkeypatch.setenv('HOME', str(tmp_path / 'home'))
    assert fetch.cache_folder() == tmp_path / 'home' / '.cache' / 'robotmem_ros'
