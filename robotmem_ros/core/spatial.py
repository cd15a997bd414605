"""Positions that writers keep in a memory's context."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any


def distance_at(context: str, path: Sequence[str], target: Sequence[float]) -> float | None:
    """Give the Euclidean distance of the numbers at ``path`` of a JSON object to ``target``.

    :returns: metres, or ``None`` where the context holds no such list of finite numbers of the same length.
    """
    position: Any = json.loads(context) if context.strip() else None
    for key in path:
        if not isinstance(position, dict) or key not in position:
            return None
        position = position[key]
    if not isinstance(position, list) or len(position) != len(target):
        return None
    if not all(isinstance(p, (int, float)) and not isinstance(p, bool) and math.isfinite(p) for p in position):
        return None
    return math.dist(position, target)
