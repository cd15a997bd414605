"""The benchmarks run from the root of the checkout; it goes to the end of the path, so that the package is the installed one."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))
