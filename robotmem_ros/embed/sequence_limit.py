"""How many tokens one run of a model takes, as its own configuration says."""

from __future__ import annotations

import json
from pathlib import Path

from robotmem_ros.errors import ModelUnavailable

DEFAULT_MAX_TOKENS = 256
"""What all-MiniLM-L6-v2 is configured for; its position table holds 512."""

_SMALLEST, _LARGEST = 16, 8192
# In the order of trust: the first is what sentence-transformers itself obeys.
_SETTINGS = (('sentence_bert_config.json', 'max_seq_length'), ('tokenizer_config.json', 'model_max_length'))


def sequence_limit(folder: Path) -> int:
    """
    Read the longest input, special tokens included, from the files beside a tokenizer.

    Values outside 16 to 8192 mean "no limit known" (exports write 1e30) and are passed over; without
    a usable one it is 256.

    :raises ModelUnavailable: if one of the files is not JSON.
    """
    for file, key in _SETTINGS:
        value = _setting(folder / file, key)
        if isinstance(value, int) and _SMALLEST <= value <= _LARGEST:
            return value
    return DEFAULT_MAX_TOKENS


def _setting(path: Path, key: str) -> object:
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text(encoding='utf-8'))
    except (OSError, ValueError) as error:
        raise ModelUnavailable(f'{path} cannot be read ({error})', 'repair or remove the file') from error
    return content.get(key) if isinstance(content, dict) else None
