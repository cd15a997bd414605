"""The demo's modules are scripts beside each other, not a package: its folder goes onto the path."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

DEMO = Path(__file__).resolve().parents[2] / 'demo'
sys.path.insert(0, str(DEMO))


@pytest.fixture(scope='session')
def demo_folder() -> Path:
    return DEMO
