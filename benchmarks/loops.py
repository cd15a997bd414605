"""`python -m benchmarks.loops [drive.csv ...]`: real drives with returns to known ground, through the scene tracker.

Ground truth is geometry alone, R = 5 m (`benchmarks.drives`). A return is recognised by a hit within two radii of
travel after its beginning; a hit is right on known ground within two radii; no scene is hit a second time without
having been left. Beside the places of this package stand a plain grid and discs of one radius, under the same
tracker. DRIVE.csv has columns t_s, x_m, y_m. All numbers go to build/loops.json.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.drives import AGO_M, Drive, Flags, from_csv, kitti_00, known_ground, returns
from demo.fetch import NoRecording
from robotmem_ros.model import Pose
from robotmem_ros.scenes import SceneTracker
from robotmem_ros.settings import SceneSettings
from robotmem_ros.store.store import Store

RADIUS_M = 5.0
NS_PER_S = 10**9
TUNED_ON = ('drive_06', 'drive_09')
"""The shares in `core.places` were chosen on these; the others are what counts."""

Observe = Callable[[SceneTracker, float, float, int], object]


@dataclass
class Driven:
    """What was told at which pose (index, key), and which scene was in force after each pose."""

    hits: list[tuple[int, str]] = field(default_factory=list)
    in_force: list[str] = field(default_factory=list)


def by_places(tracker: SceneTracker, x: float, y: float, now_ns: int) -> None:
    """The way of this package: poses."""
    tracker.observe_pose('amcl', Pose('map', x, y), now_ns)


def by_grid(tracker: SceneTracker, x: float, y: float, now_ns: int) -> None:
    """Cells of a plain grid, two radii wide."""
    cell = f'{math.floor(x / (2 * RADIUS_M))}_{math.floor(y / (2 * RADIUS_M))}'
    tracker.observe('grid', [('place', cell)], now_ns)


def by_discs() -> Observe:
    """Discs of one radius without any memory: always the nearest one, a new one where none is within reach."""
    centres: list[tuple[float, float]] = []

    def observe(tracker: SceneTracker, x: float, y: float, now_ns: int) -> None:
        away = [math.hypot(x - cx, y - cy) for cx, cy in centres]
        nearest = min(range(len(away)), key=away.__getitem__, default=None)
        if nearest is None or away[nearest] > RADIUS_M:
            nearest = len(centres)
            centres.append((x, y))
        tracker.observe('discs', [('place', f'd{nearest}')], now_ns)
    return observe


WAYS: dict[str, Callable[[], Observe]] = {'places': lambda: by_places, 'grid': lambda: by_grid, 'discs': by_discs}


def drive_through(drive: Drive, observe: Observe) -> Driven:
    """Drive along, with a timer that is always in time."""
    driven = Driven()
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(str(Path(folder) / 'memory.db'))
        tracker = SceneTracker(store, SceneSettings(place_radius_m=RADIUS_M), 'drive')
        for i, (t, (x, y)) in enumerate(zip(drive.t_s, drive.xy_m, strict=True)):
            now = NS_PER_S + round(float(t) * NS_PER_S)
            decide(tracker, now, i, driven)
            observe(tracker, float(x), float(y), now)
            decide(tracker, now, i, driven)
            scene = tracker.current()
            driven.in_force.append('' if scene is None else scene.key)
        store.close()
    return driven


def decide(tracker: SceneTracker, now_ns: int, pose: int, driven: Driven) -> None:
    """Take every decision that is due."""
    while (due := tracker.due_ns()) is not None and due <= now_ns:
        driven.hits += [(pose, event.scene.key) for event in tracker.advance(max(due, 1))]


def judged(drive: Drive, driven: Driven, radius_m: float = RADIUS_M, ago_m: float = AGO_M) -> dict[str, Any]:
    """Compare with geometry."""
    known, nearly = known_ground(drive, radius_m, ago_m), known_ground(drive, 2 * radius_m, ago_m)
    found = list(returns(drive, known))
    misses = [cause for each in found if (cause := cause_of_miss(drive, driven, each.first, radius_m))]
    recognised = np.array([bool(key) for key in driven.in_force])
    known_m = float(drive.step_m[known].sum())
    return {
        'drive': drive.name, 'tuned_on': drive.name in TUNED_ON, 'metres': float(drive.travel_m[-1]),
        'known_metres': known_m, 'known_metres_recognised': float(drive.step_m[known & recognised].sum()),
        'returns': len(found), 'returns_recognised': len(found) - len(misses), 'misses': misses,
        'hits': len(driven.hits), 'hits_right': int(sum(nearly[pose] for pose, _ in driven.hits)),
        'hits_again_without_leaving': hits_again(driven),
        'metres_lost_by_cause': lost_metres(drive, driven, known),
    }


def cause_of_miss(drive: Drive, driven: Driven, first: int, radius_m: float) -> str:
    """Say why a return was missed, ``''`` if it was not."""
    begin = drive.travel_m[first]
    later = [(float(drive.travel_m[pose] - begin), key) for pose, key in driven.hits if pose >= first]
    if later and later[0][0] <= 2 * radius_m:
        return ''
    before = f'scene {driven.in_force[first]}' if driven.in_force[first] else 'no scene'
    after = f'the next hit, {later[0][1]}, came after {later[0][0]:.1f} m' if later else 'no hit came'
    return f'at {begin:.0f} m: {before} was in force; {after}'


def hits_again(driven: Driven) -> int:
    """Count hits of the scene that had been in force ever since it was last hit."""
    again, last = 0, dict[str, int]()
    for pose, key in driven.hits:
        if key in last and all(each == key for each in driven.in_force[last[key]:pose]):
            again += 1
        last[key] = pose
    return again


def lost_metres(drive: Drive, driven: Driven, known: Flags) -> dict[str, float]:
    """Give the metres on known ground in no recognised scene: on the way in, or further on (a place that was new)."""
    lost = {'entering known ground': 0.0, 'within it': 0.0}
    entering = False
    for i, key in enumerate(driven.in_force):
        entering = known[i] and not key and (entering or i == 0 or not known[i - 1])
        if known[i] and not key:
            lost['entering known ground' if entering else 'within it'] += float(drive.step_m[i])
    return lost


def summary(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Give the shares over several drives."""
    total = {name: sum(row[name] for row in rows) for name in (
        'known_metres', 'known_metres_recognised', 'returns', 'returns_recognised', 'hits', 'hits_right',
        'hits_again_without_leaving')}
    return {
        'returns_recognised': total['returns_recognised'] / max(1, total['returns']),
        'hits_right': total['hits_right'] / max(1, total['hits']),
        'known_metres_recognised': total['known_metres_recognised'] / max(1e-9, total['known_metres']),
        'hits_again_without_leaving': total['hits_again_without_leaving'],
    }


def show(name: str, shares: dict[str, float]) -> None:
    """Print one line."""
    print(f'  {name:32} returns {shares["returns_recognised"]:.3f}  hits right {shares["hits_right"]:.3f}  '
          f'metres {shares["known_metres_recognised"]:.3f}  again {shares["hits_again_without_leaving"]:.0f}')


def fetched() -> list[Drive]:
    """Give the drive that pip can fetch, or none, and say why."""
    try:
        return [kitti_00()]
    except NoRecording as error:
        print(f'KITTI_00 is left out: {error}')
        return []


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('drives', type=Path, nargs='*', help='CSV files with t_s, x_m, y_m')
    parser.add_argument('--json', type=Path, default=Path('build/loops.json'), help='where the numbers go')
    options = parser.parse_args()
    drives = [*fetched(), *map(from_csv, options.drives)]
    report: dict[str, Any] = {}
    print('bars: returns >= 0.95, hits right >= 0.98, metres >= 0.90, again 0\n')
    for way, make in WAYS.items():
        rows = [judged(drive, drive_through(drive, make())) for drive in drives]
        held_out = summary([row for row in rows if not row['tuned_on']])
        report[way] = {'drives': rows, 'held_out': held_out}
        print(way)
        for row in rows:
            show(f'{row["drive"]}{" (tuned on)" if row["tuned_on"] else ""}', summary([row]))
            for miss in row['misses']:
                print(f'    missed {miss}')
        show('all that was not tuned on', held_out)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(report, indent=2) + '\n', 'utf-8')
    print(f'\nwritten to {options.json}')


if __name__ == '__main__':
    main()
