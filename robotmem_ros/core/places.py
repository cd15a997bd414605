"""Poses become places: the nearest known centre, kept until the robot is clearly out of it.

Centres have no borders in common, and noise at one place's rim changes nothing: a robot that has
left a place at radius + margin finds itself inside another one, nearer to its centre. A new centre
is founded, at the pose itself, only where no known one is within the radius. The cells below are an index for the
search and show nowhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from robotmem_ros.model import Pose

PLACE = 'place'
MAX_COORDINATE_M = 1e9
"""Farther from the origin of a frame than any robot; keeps squares and cells finite."""
DWELL_SHARE = 0.15
"""This share of the radius, gone since a place was entered, is dwelling in it, however fast."""
HOLD_SHARE = 0.25
"""A place that was founded just now holds the robot once it has gone this share of the radius in it."""
MAX_SOURCES = 64
"""Sources of poses that are followed; beyond it the first one begins anew, as if it had been lost."""


@dataclass(frozen=True, slots=True)
class Centre:
    """A place: its name (``p7``, unique in the collection) and its centre in metres, in a frame of a map."""

    name: str
    map_id: str
    frame_id: str
    x: float
    y: float
    z: float = 0.0

    def distance_m(self, pose: Pose) -> float:
        """Euclidean distance to a pose of the same frame and map."""
        return math.sqrt((self.x - pose.x) ** 2 + (self.y - pose.y) ** 2 + (self.z - pose.z) ** 2)

    def shares_frame(self, pose: Pose) -> bool:
        """Say whether coordinates can be compared at all."""
        return self.frame_id == pose.frame_id and self.map_id == pose.map_id


@dataclass(slots=True)
class Stay:
    """A source is in a place that it entered at a pose; ``is_new``: it founded it, and has not got far in it yet."""

    centre: Centre
    entered: Pose
    is_new: bool


_Cell = tuple[str, str, int, int, int]


class Places:
    """The known centres, and in which of them each source of poses is.

    :param radius_m: how far a centre reaches.
    :param margin_m: how far beyond it a source still counts as inside, once it is.
    """

    def __init__(self, radius_m: float, margin_m: float, centres: Iterable[Centre] = ()) -> None:
        self._radius_m, self._margin_m = radius_m, margin_m
        self._cells: dict[_Cell, list[Centre]] = {}
        self._inside: dict[str, Stay] = {}
        self._last_number = 0
        for centre in centres:
            self._add(centre)

    def locate(self, source: str, pose: Pose) -> tuple[Centre, bool]:
        """Give the place of a usable pose, and whether it was founded just now."""
        stay = self._inside.get(source)
        if stay is not None and self._is_kept(stay, pose):
            if not stay.is_new or self._progress(stay, pose) >= HOLD_SHARE:
                stay.is_new = False
                return stay.centre, False
            # Founded a step ago, on the way into a place that is known: nothing ties the robot to it yet.
            known = self._nearest(pose, besides=stay.centre)
            if known is None:
                return stay.centre, False
            self._inside[source] = Stay(known, pose, is_new=False)
            return known, False
        nearest = self._nearest(pose)
        centre = nearest or Centre(f'p{self._last_number + 1}', pose.map_id, pose.frame_id, pose.x, pose.y, pose.z)
        if nearest is None:
            self._add(centre)
        if len(self._inside) >= MAX_SOURCES and source not in self._inside:
            self._inside.pop(next(iter(self._inside)))
        self._inside[source] = Stay(centre, pose, is_new=nearest is None)
        return centre, nearest is None

    def progress(self, source: str, pose: Pose) -> float:
        """Give how far a source has got since it entered its place, as a share of the radius.

        Noise gets nowhere, however fast it is.
        """
        return self._progress(self._inside[source], pose)

    def resized(self, radius_m: float, margin_m: float) -> Places:
        """Give the same centres with another reach; every source stays where it is."""
        changed = Places(radius_m, margin_m, (each for cell in self._cells.values() for each in cell))
        changed._inside = dict(self._inside)
        return changed

    def _is_kept(self, stay: Stay, pose: Pose) -> bool:
        return (stay.centre.shares_frame(pose)
                and stay.centre.distance_m(pose) <= self._radius_m + self._margin_m)

    def _progress(self, stay: Stay, pose: Pose) -> float:
        return math.dist((stay.entered.x, stay.entered.y, stay.entered.z), (pose.x, pose.y, pose.z)) / self._radius_m

    def _add(self, centre: Centre) -> None:
        digits = centre.name[1:]
        if centre.name[:1] == 'p' and digits.isdecimal():
            self._last_number = max(self._last_number, int(digits))
        x, y, z = map(self._cell, (centre.x, centre.y, centre.z))
        self._cells.setdefault((centre.map_id, centre.frame_id, x, y, z), []).append(centre)

    def _nearest(self, pose: Pose, besides: Centre | None = None) -> Centre | None:
        within = ((centre.distance_m(pose), centre) for centre in self._around(pose) if centre is not besides)
        best = min((each for each in within if each[0] <= self._radius_m), key=lambda each: each[0], default=None)
        return None if best is None else best[1]

    def _around(self, pose: Pose) -> Iterator[Centre]:
        x, y, z = map(self._cell, (pose.x, pose.y, pose.z))
        for dx, dy, dz in product((-1, 0, 1), repeat=3):
            yield from self._cells.get((pose.map_id, pose.frame_id, x + dx, y + dy, z + dz), ())

    def _cell(self, coordinate_m: float) -> int:
        return math.floor(coordinate_m / self._radius_m)


def is_usable(pose: Pose) -> bool:
    """Say whether a pose can be a place: a frame is named, and every number is finite and within 1e9 m."""
    numbers = (pose.x, pose.y, pose.z)
    return (bool(pose.frame_id) and all(math.isfinite(each) for each in (*numbers, *pose.quaternion))
            and all(abs(each) <= MAX_COORDINATE_M for each in numbers))
