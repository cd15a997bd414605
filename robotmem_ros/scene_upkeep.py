"""Housekeeping of scenes, by the tick and on request. Nothing here needs a model.

The merging of twins that older programs left behind and a rebuild both copy the file first, through the
backup API, beside it: what they do cannot be taken back otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from robotmem_ros.core.old_keys import current_key, is_current
from robotmem_ros.core.payload import check_name
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import collections, scene_upkeep, scenes
from robotmem_ros.store.scene_upkeep import BUCKETS_A_WRITE, OldScene
from robotmem_ros.store.tx import Tx

KEYS_A_LOOK = 64
ROWS_A_SLICE = 100
ALL = -1
"""No limit, as SQL writes it."""


def merge_twins(rt: Runtime, deadline: int) -> bool:
    """Look at scenes that came since the last look, and give those with an old key the one that it means today.

    Each scene is looked at once in the life of this process; a file of today costs one step into an index.
    """
    with rt.store.read() as tx:
        found = scene_upkeep.keys_after(tx, rt.scene_cursor, KEYS_A_LOOK)
    if not found:
        return False
    weights = rt.settings.scenes.weights
    old = [scene for scene in found if not is_current(scene.key, weights)]
    if old:
        rt.scene_cursor = _merge(rt, old, deadline)
        return True
    rt.scene_cursor = found[-1].id
    return len(found) == KEYS_A_LOOK


def _merge(rt: Runtime, old: Sequence[OldScene], deadline: int) -> int:
    """Give as many scenes their key as there is time for, one at least; gives the id of the last."""
    weights, last = rt.settings.scenes.weights, 0
    if not rt.has_scene_backup:
        backup_beside(rt, 'before-merging-scenes')
        rt.has_scene_backup = True
    with rt.scenes.changing(), rt.store.write(background=True, durable=False) as tx:
        for scene in old:
            if last and rt.clock.steady_ns() >= deadline:
                break
            key = current_key(scene.key, scene.origin, scene_upkeep.stored_features(tx, scene), weights)
            scene_upkeep.rename(tx, scene, key)
            last = scene.id
    return last


def twins(rt: Runtime, tx: Tx) -> int:
    """Count the scenes that `merge_twins` has still to unite with another."""
    weights, names, count = rt.settings.scenes.weights, set(), 0
    for scene in scene_upkeep.keys_after(tx, rt.scene_cursor, ALL):
        if not is_current(scene.key, weights):
            key = current_key(scene.key, scene.origin, scene_upkeep.stored_features(tx, scene), weights)
            name = scene.collection_id, key
            count += name in names or scenes.id_of(tx, *name) not in (None, scene.id)
            names.add(name)
    return count


def faded_refs(rt: Runtime, tx: Tx) -> int:
    """Count the ties that `forget_situations` has to remove."""
    now = rt.time.now().now_ns
    return scene_upkeep.faded_refs(tx, scene_upkeep.limits(now, rt.settings.scenes)) if now > 0 else 0


def forget_situations(rt: Runtime, deadline: int) -> bool:  # noqa: ARG001  one slice of it is short
    """Remove evidence and emergent scenes that never came back, and ties that have faded to nothing."""
    now = rt.time.now().now_ns
    if now <= 0:
        return False
    due = scene_upkeep.limits(now, rt.settings.scenes)
    with rt.store.read() as tx:
        if not scene_upkeep.any_due(tx, due):
            return False
    with rt.scenes.changing():
        scene = rt.scenes.current()
        with rt.store.write(background=True, durable=False) as tx:
            looked = scene_upkeep.forget(tx, due, scene.id if scene is not None else 0, ROWS_A_SLICE)
    return looked == ROWS_A_SLICE


def rebuild(rt: Runtime, collection: str, dry_run: bool) -> tuple[str, int]:
    """Copy the file, then drop a collection's emergent scenes; gives the copy's path and how many went.

    Declared scenes stay. The others grow again from visits to come, and find the memories that were learned in
    them: by the fingerprint of each occurrence, read with the settings in force.

    :raises StoreError: if the copy cannot be made; nothing is dropped then.
    """
    name = rt.collection(check_name(collection, 'collection'))
    with rt.store.read() as tx:
        collection_id = collections.known_id(tx, name)
        count = 0 if collection_id is None else scene_upkeep.count_emergent(tx, collection_id)
        other = [] if collection_id is None else scene_upkeep.old_buckets(tx, collection_id, rt.settings.scenes)
    if dry_run or collection_id is None:
        return '', count
    path = backup_beside(rt, 'before-rebuilding-scenes')
    for i in range(0, len(other), BUCKETS_A_WRITE):
        with rt.store.write() as tx:
            scene_upkeep.put_buckets(tx, other[i:i + BUCKETS_A_WRITE])
    with rt.scenes.changing(), rt.store.write() as tx:
        return path, scene_upkeep.drop_emergent(tx, collection_id)


def backup_beside(rt: Runtime, why: str) -> str:
    """Copy the file into its own folder, under a name that is free; gives the path."""
    path, number = f'{rt.store.path}.{why}', 1
    while os.path.lexists(path):
        number += 1
        path = f'{rt.store.path}.{why}-{number}'
    rt.store.backup(path, partial(rt.progress, 'copying'))
    return path
