"""Import this before numpy: its products take one core then, as the yardstick of contract 10 does."""

from __future__ import annotations

import os

os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
