"""The benchmarks run from the checkout's root; it goes to the end of the path: the package is the installed one."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))
