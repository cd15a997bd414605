"""`python -m benchmarks.scenes`: what scenes cost, with 10, 1 000 and 10 000 of them in the file.

* a fingerprint: five features that changed are taken in, have settled, and are matched with all scenes (bar: 0.2 ms
  at 1 000 scenes); once without and once with the visit that is written for it;
* 100 messages a second for an hour of driving, a place every five seconds: share of one core (bar: 5 %), growth of
  the file;
* what the scenes take in memory.

Numbers go to build/scenes.json.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.measure import Times, resident_mb
from robotmem_ros.core.emergence import counted
from robotmem_ros.core.scene_key import feature, key_of
from robotmem_ros.model import EMERGENT, Feature
from robotmem_ros.scenes import SceneTracker
from robotmem_ros.settings import SceneSettings
from robotmem_ros.store import collections, scenes
from robotmem_ros.store.store import Store

SIZES = (10, 1_000, 10_000)
NS_PER_S = 10**9
NAME = 'bench'
PEERS = 7
RATE_HZ, PLACE_EVERY_S = 100, 5.0
NOON_NS = 1_780_000_000 * NS_PER_S


def seen_at(number: int) -> list[tuple[str, str]]:
    """Give what holds in scene ``number``: a channel that all share, a place of two scenes, one of seven peers."""
    return [('chan', 'radio'), ('place', f'p{number // 2}'), ('peer', f'operator_{number % PEERS}'), ('task', 'carry'),
            ('topic', f't{number % 50}')]


def features_at(number: int) -> list[Feature]:
    """Give the same as features."""
    return [made for kind, value in seen_at(number) if (made := feature(kind, value)) is not None]


def fill(store: Store, count: int, settings: SceneSettings) -> None:
    """Write ``count`` scenes of two parts each, visited five times."""
    with store.write() as tx:
        collection_id = collections.collection_id(tx, NAME)
        for number in range(count):
            seen = dict.fromkeys(counted({}, features_at(number)), 5)
            key = key_of((each for each in seen if each.kind in ('place', 'peer')), settings.weights)
            scenes.create(tx, collection_id, key, EMERGENT, 5, seen, NOON_NS)


def measure(count: int, hours: float) -> dict[str, Any]:
    """Measure with ``count`` scenes."""
    with tempfile.TemporaryDirectory() as folder:
        settings = SceneSettings()
        store = Store.open(str(Path(folder) / 'memory.db'))
        fill(store, count, settings)
        store.checkpoint(truncate=True)
        gc.collect()
        before_mb = resident_mb()
        tracker = SceneTracker(store, settings, NAME)
        clock = Clock(tracker)
        begun = time.perf_counter()
        clock.arrive(seen_at(0))
        loaded_ms = (time.perf_counter() - begun) * 1e3
        memory_mb = resident_mb() - before_mb
        matched, written = clock.fingerprints(count)
        row = {
            'scenes': count, 'load_ms': loaded_ms, 'memory_mb': memory_mb, 'fingerprint_p50_ms': matched.p50,
            'fingerprint_p95_ms': matched.p95, 'visit_p50_ms': written.p50, 'visit_p95_ms': written.p95,
            **clock.drive(count, hours, store),
        }
        store.close()
    return row


class Clock:
    """Lets time pass for a tracker, as a timer that is always in time would."""

    def __init__(self, tracker: SceneTracker) -> None:
        self.tracker, self.now = tracker, NOON_NS + NS_PER_S

    def decide(self) -> None:
        """Take every decision that is due."""
        while (due := self.tracker.due_ns()) is not None and due <= self.now:
            self.tracker.advance(self.now)

    def arrive(self, seen: list[tuple[str, str]]) -> None:
        """See something else, and let it settle."""
        self.tracker.observe('camera', seen, self.now)
        self.now += NS_PER_S
        self.decide()

    def fingerprints(self, count: int, repeats: int = 300) -> tuple[Times, Times]:
        """Time fingerprints that change: within time that was lived through, so that no visit is written, and after."""
        numbers = itertools.cycle(range(0, count, max(1, count // 97)))
        end = self.now
        self.now -= 2 * repeats * NS_PER_S  # a recording that loops: all is matched, nothing is written
        matched = Times(tuple(sorted(self._timed(next(numbers)) for _ in range(repeats))))
        self.now = end + 2 * repeats * NS_PER_S
        written = Times(tuple(sorted(self._timed(next(numbers)) for _ in range(100))))
        return matched, written

    def _timed(self, number: int) -> float:
        begun = time.perf_counter()
        self.arrive(seen_at(number))
        return (time.perf_counter() - begun) * 1e3

    def drive(self, count: int, hours: float, store: Store) -> dict[str, float]:
        """Take 100 messages a second, most of them the same as before; gives the share of a core, and the growth."""
        messages = int(hours * 3600 * RATE_HZ)
        per_place = int(PLACE_EVERY_S * RATE_HZ)
        store.checkpoint(truncate=True)
        before = store.file_bytes()
        begun = time.process_time()
        for i in range(messages):
            self.tracker.observe('camera', seen_at(i // per_place % count), self.now)
            self.now += NS_PER_S // RATE_HZ
            self.decide()
        cpu_s = time.process_time() - begun
        store.checkpoint(truncate=True)
        return {
            'message_us': cpu_s / messages * 1e6, 'core_share_at_100_hz': cpu_s / (messages / RATE_HZ),
            'file_growth_kb_per_hour': (store.file_bytes() - before) / 1024 / hours,
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--sizes', type=int, nargs='+', default=SIZES, help='scenes in the file')
    parser.add_argument('--hours', type=float, default=1.0, help='length of the drive')
    parser.add_argument('--json', type=Path, default=Path('build/scenes.json'), help='where the numbers go')
    options = parser.parse_args()
    report = []
    for count in options.sizes:
        report.append(measure(count, options.hours))
        print(f'{count:,} scenes')
        for name, value in report[-1].items():
            if name != 'scenes':
                print(f'  {name.replace("_", " "):28} {value:10.3f}')
        print(flush=True)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(report, indent=2) + '\n', 'utf-8')
    print(f'written to {options.json}')


if __name__ == '__main__':
    main()
