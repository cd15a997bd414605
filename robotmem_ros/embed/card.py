"""The small ``model.json`` beside a prepared model: what it is, and where it comes from."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from robotmem_ros.errors import ModelUnavailable

CARD_FILE = 'model.json'

QUANTISED = 'dynamic int8, per channel, 7-bit weights, recipe 1'
"""Method of ``quantize.quantize``; raise the recipe's number when its result changes."""
PLAIN = 'as shipped'
"""Method of a model that is a copy of its source."""


@dataclass(frozen=True)
class ModelCard:
    """
    Provenance of one model folder.

    :param name: name for people, ``all-MiniLM-L6-v2 (dynamic int8)``.
    :param method: how the weights were made from the source; equal source and method, equal space.
    :param licence: SPDX expression of weights and tokenizer.
    :param max_tokens: longest input of one model run, special tokens included.
    :param sources: distribution and version that each file was made from, by file name.
    :param source_sha256: SHA-256 of each source file, by file name.
    :param sha256: SHA-256 of each file of this folder, by file name.
    """

    name: str
    method: str
    licence: str
    max_tokens: int
    sources: dict[str, str] = field(default_factory=dict)
    source_sha256: dict[str, str] = field(default_factory=dict)
    sha256: dict[str, str] = field(default_factory=dict)

    @property
    def space(self) -> str:
        """
        Identity of the vector space that the weights span.

        Taken from the recipe, not from the bytes: another onnxruntime writes the same quantised
        weights into other bytes, and a database must not lose its vectors over that.
        """
        source = self.source_sha256.get('model.onnx', '')
        return source if self.method == PLAIN else f'{self.method} of {source}'


def write_card(folder: Path, card: ModelCard) -> None:
    """Write ``card`` into ``folder``."""
    (folder / CARD_FILE).write_text(json.dumps(asdict(card), indent=2) + '\n', encoding='utf-8')


def read_card(folder: Path) -> ModelCard | None:
    """
    Read the card of ``folder``, ``None`` where it has none (a model of the user's own).

    :raises ModelUnavailable: if the file is there and is not a card.
    """
    path = folder / CARD_FILE
    if not path.is_file():
        return None
    try:
        return ModelCard(**json.loads(path.read_text(encoding='utf-8')))
    except (OSError, ValueError, TypeError) as error:
        raise ModelUnavailable(f'{path} is not a model card ({error})', 'remove the file or prepare the '
                               'model again: python3 -m robotmem_ros.embed.prepare') from error


def sha256_of(path: Path) -> str:
    """Give the SHA-256 of a file's bytes as 64 hex digits."""
    digest = hashlib.sha256()
    with path.open('rb') as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
