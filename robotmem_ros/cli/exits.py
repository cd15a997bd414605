"""Exit codes, and what is said on standard error."""

from __future__ import annotations

import sys

DONE, REFUSED, USAGE, ABSENT, INTERRUPTED = 0, 1, 2, 3, 130


def complain(sentence: str, status: int) -> int:
    """Say what is wrong on standard error."""
    print(f'robotmem: {sentence}', file=sys.stderr)
    return status


def note(sentence: str) -> None:
    """Say something by the way, where it does not disturb the output."""
    print(f'robotmem: note: {sentence}', file=sys.stderr)
