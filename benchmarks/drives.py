"""Long real drives that come back to known ground, and what geometry says about each of them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from demo.fetch import cache_folder, member

KITTI_00 = (
    ('evo-1.38.1/test/data/KITTI_00_gt.txt', '90791a4113df979b149fa9e1104e960ea59f525a8318a202dbb6aec1a3d88793'),
    ('evo-1.38.1/test/data/KITTI_00_gt_times.txt', '99a2899466cdc28dd292b4856d214a8b0aab035b91b02bb6afcb4ff363e7d421'),
)
"""Ground truth and times of sequence 00 of the KITTI odometry benchmark (Geiger et al. 2012), in evo's archive."""
AGO_M = 60.0
"""Ground is known where the path was more than this much travel ago."""
STAYS_M = 10.0
"""A return is one once it has stayed on known ground for so long."""

Floats = NDArray[np.floating[Any]]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Drive:
    """A path on the plane: ``t_s`` since its beginning, ``xy_m`` of shape (n, 2), ``travel_m`` along the path."""

    name: str
    t_s: Floats
    xy_m: Floats
    travel_m: Floats

    @property
    def step_m(self) -> Floats:
        """The way from the pose before to each pose."""
        return np.diff(self.travel_m, prepend=0.0)


@dataclass(frozen=True)
class Return:
    """Comes back to known ground at pose ``first`` and leaves it after pose ``last``."""

    first: int
    last: int


def drive_of(name: str, t_s: Iterable[float], xy_m: Iterable[Sequence[float]]) -> Drive:
    """Make a drive of times and positions."""
    times, path = np.asarray(list(t_s), float), np.asarray(list(xy_m), float)
    steps = np.hypot(*np.diff(path, axis=0).T)
    return Drive(name, times - times[0], path, np.concatenate([[0.0], np.cumsum(steps)]))


def from_csv(path: Path) -> Drive:
    """Read ``t_s, x_m, y_m``."""
    with path.open(newline='') as file:
        rows = [(float(row['t_s']), (float(row['x_m']), float(row['y_m']))) for row in csv.DictReader(file)]
    return drive_of(path.stem, (t for t, _ in rows), (xy for _, xy in rows))


def kitti_00() -> Drive:
    """Give KITTI 00: rows of 3 x 4 matrices in the camera's frame (x right, y down, z ahead): the plane is x, z.

    :raises demo.fetch.NoRecording: if it is not in the cache and cannot be fetched.
    """
    poses, times = (member(cache_folder(), *each) for each in KITTI_00)
    return drive_of('KITTI_00', np.loadtxt(times), np.loadtxt(poses)[:, [3, 11]])


def known_ground(drive: Drive, reach_m: float, ago_m: float = AGO_M) -> Flags:
    """Say of each pose whether the path was within ``reach_m`` of it more than ``ago_m`` of travel ago."""
    known = np.zeros(len(drive.t_s), np.bool_)
    ends = np.searchsorted(drive.travel_m, drive.travel_m - ago_m, side='left')
    for i, (here, end) in enumerate(zip(drive.xy_m, ends, strict=True)):
        known[i] = bool(end) and ((drive.xy_m[:end] - here) ** 2).sum(axis=1).min() <= reach_m ** 2
    return known


def returns(drive: Drive, known: Flags) -> Iterator[Return]:
    """Give the stretches on known ground that last for 10 m of travel or more."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], known, [False]]).astype(int)))
    for first, end in zip(edges[::2], edges[1::2], strict=True):
        if drive.travel_m[end - 1] - drive.travel_m[first] >= STAYS_M:
            yield Return(int(first), int(end) - 1)
