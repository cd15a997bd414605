"""A memory that satisfies the criteria is found behind thousands that do not, in both searches."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from robotmem_ros.model import Condition, Filters, Pose, SpatialSort
from robotmem_ros.settings import DecaySettings
from robotmem_ros.store import collections, fulltext, memories, occurrences, vectors
from robotmem_ros.store.memories import NewMemory
from robotmem_ros.store.occurrences import Occurrence
from robotmem_ros.store.store import Store
from robotmem_ros.store.tx import Tx

OTHERS = 10_000
NOW = 1_800_000_000 * 10**9
HERE = Pose('map', 100.0, 100.0, map_id='hall')

CRITERIA: dict[str, dict[str, Any]] = {
    'confidence': {'min_confidence': 0.8}, 'session': {'session_id': 's1'}, 'category': {'category': 'rare'},
    'type': {'type': 'perception'}, 'tags': {'tags': ('x', 'y')}, 'context': {'context': (Condition(('n',), 'gt', 5),)},
    'near': {'near': HERE, 'radius_m': 2.0}, 'map': {'map_id': 'hall'}, 'since': {'since_ns': NOW},
    'until': {'until_ns': NOW, 'since_ns': NOW}, 'scene': {'scene_key': 'place:hall'},
    'outside of a session': {'exclude_session': 's2'},
    'position in the context': {'spatial': SpatialSort(('at',), (1.0, 1.0), 0.5)},
    'place and time': {'near': HERE, 'radius_m': 2.0, 'since_ns': NOW, 'map_id': 'hall'},
    'scene and type': {'scene_key': 'place:hall', 'type': 'perception', 'since_ns': NOW},
    'position and context': {
        'spatial': SpatialSort(('at',), (1.0, 1.0), 0.5), 'context': (Condition(('n',), 'gt', 5),)},
    'all': {'session_id': 's1', 'tags': ('x',), 'map_id': 'hall', 'near': HERE, 'radius_m': 2.0, 'min_confidence': 0.8},
}


@pytest.fixture(scope='module')
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, int]]:
    """10 000 perfect matches that fail every criterion, and one poor match that satisfies all."""
    store = Store.open(str(tmp_path_factory.mktemp('crowd') / 'm.db'))
    with store.write(durable=False) as tx:
        vectors.ensure_space(tx, 'm', 4, '1' * 16)
        c = collections.collection_id(tx, 'c')
        for i in range(OTHERS):
            other = memories.insert(tx, NewMemory(c, 'fact', 'dock dock', NOW - 10, confidence=0.5, session_id='s2'))
            vectors.put(tx, other, c, np.asarray([1, i * 1e-9, 0, 0], np.float32))
            occurrences.add(tx, other, Occurrence(
                NOW - 10, session_id='s2', context='{"n": 1, "at": [5, 5]}', pose=Pose('map', 0.0, 0.0, map_id='yard')))
            memories.add_tags(tx, other, ['x'] if i % 2 else ['y'])
        wanted = memories.insert(tx, NewMemory(
            c, 'perception', 'a dock ' + 'word ' * 50, NOW, confidence=0.9, category='rare', session_id='s1'))
        vectors.put(tx, wanted, c, np.asarray([0.1, 1, 0, 0], np.float32))
        occurrences.add(tx, wanted, Occurrence(NOW, session_id='s1', context='{"n": 9, "at": [1, 1.2]}', pose=HERE))
        memories.add_tags(tx, wanted, ['x', 'y'])
        for number, key in ((1, 'place:hall/peer:x'), (2, 'place:hall2')):
            tx.execute("INSERT INTO scene VALUES (?, ?, ?, 'declared', 0, 1, 0)", (number, c, key))
        tx.execute('INSERT INTO scene_ref VALUES (1, ?, 1, 1)', (wanted,))
        tx.execute('INSERT INTO scene_ref SELECT 2, id, 1, 1 FROM memory WHERE id < ?', (wanted,))
    yield store, wanted
    store.close()


@pytest.mark.parametrize('name', CRITERIA)
def test_the_one_that_satisfies_is_found(crowd: tuple[Store, int], name: str) -> None:
    """Contract 8: every criterion is applied inside the search, not to its results."""
    store, wanted = crowd
    with store.read() as tx:
        is_found_alone(tx, wanted, Filters(collection='c', now_ns=NOW, **CRITERIA[name]))


def test_what_came_later_does_not_hide_what_was_there_until_then(crowd: tuple[Store, int]) -> None:
    """Contract 8: ``until``, which would let the other test's older memories through."""
    store, wanted = crowd
    with contextlib.suppress(Undo), store.write(durable=False) as tx:
        tx.execute('UPDATE occurrence SET at = ? WHERE memory_id <> ?', (NOW + 10, wanted))
        is_found_alone(tx, wanted, Filters(collection='c', now_ns=NOW, until_ns=NOW))
        raise Undo


class Undo(Exception):
    """Rolls a block back."""


def is_found_alone(tx: Tx, wanted: int, filters: Filters) -> None:
    decay = DecaySettings()
    assert [i for i, _ in vectors.nearest(tx, np.asarray([1, 0, 0, 0], np.float32), filters, decay, 5)] == [wanted]
    assert [i for i, _ in fulltext.search(tx, [('dock',)], filters, decay, 5)] == [wanted]
    assert memories.recent(tx, filters, decay, 5) == [wanted]
    assert memories.count(tx, filters, decay, 1000) == 1
