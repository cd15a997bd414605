"""Scenes, what they keep of their visits, and the memories that hang on them.

Keys come here in their one spelling (`core.scene_key.normalise_key`), so that equality of text is
equality of scenes; what lies below a key is a range of the index on it (``/`` is followed by ``0``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from robotmem_ros.core.emergence import KnownScene, weighted_jaccard
from robotmem_ros.core.scene_key import ancestors as keys_above
from robotmem_ros.core.scene_key import features_of, weight_of
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.model import DECLARED, EMERGENT, Feature, Filters, Scene
from robotmem_ros.settings import FEATURE_WEIGHTS, DecaySettings, SceneSettings
from robotmem_ros.store import evidence
from robotmem_ros.store.collections import known_id
from robotmem_ros.store.filters import compile_filters
from robotmem_ros.store.tx import Tx

MAX_LIKE = 256
"""Scenes that are compared with a situation: those that share most of it."""
MAX_MEMORIES = 1000
"""Most memories of one scene that are answered: the limit of ``n``."""
_BELOW = "(s.key = :key OR (s.key > :key || '/' AND s.key < :key || '0'))"


def known(
    tx: Tx, collection_id: int, weights: Mapping[str, float] = FEATURE_WEIGHTS, prefix: str = '',
    ids: Sequence[int] | None = None,
) -> list[KnownScene]:
    """Give the scenes of a collection with what they keep of their visits, in the order of their keys."""
    where = f"s.collection_id = :collection AND (:key = '' OR {_BELOW})"
    args = {'collection': collection_id, 'key': prefix, 'ids': json.dumps(ids)}
    if ids is not None:
        where += ' AND s.id IN (SELECT value FROM json_each(:ids))'
    seen: dict[int, dict[Feature, int]] = {}
    for scene_id, kind, value, visits in tx.execute(
            'SELECT f.scene_id, f.kind, f.value, f.visits FROM scene s JOIN scene_feature f ON f.scene_id = s.id'
            f' WHERE {where}', args):
        seen.setdefault(scene_id, {})[Feature(kind, value)] = visits
    rows = tx.execute(
        f'SELECT s.id, s.key, s.origin, s.strength, s.last_hit FROM scene s WHERE {where} ORDER BY s.key', args)
    return [KnownScene(i, key, origin, strength, parts, seen.get(i, {}), hit)
            for i, key, origin, strength, hit in rows if (parts := _parts(key, weights))]


def list_scenes(tx: Tx, collection_id: int, prefix: str = '') -> list[Scene]:
    """Give the scenes whose key is ``prefix`` or lies below it; an empty prefix gives all."""
    name = tx.value('SELECT name FROM collection WHERE id = ?', (collection_id,), '')
    counts: dict[int, int] = dict(tx.execute(
        "SELECT r.scene_id, count(*) FROM scene_ref r JOIN memory m ON m.id = r.memory_id AND m.status = 'active'"
        ' JOIN scene s ON s.id = r.scene_id WHERE s.collection_id = ? GROUP BY r.scene_id', (collection_id,)))
    found = known(tx, collection_id, prefix=prefix)
    return [scene.as_scene(name, FEATURE_WEIGHTS, counts.get(scene.id, 0)) for scene in found]


def ids_for_key(tx: Tx, collection_id: int, key: str) -> list[int]:
    """Give the ids of the scene of this key and of those below it."""
    return [row[0] for row in tx.execute(
        f'SELECT s.id FROM scene s WHERE s.collection_id = :collection AND {_BELOW} ORDER BY s.key',
        {'collection': collection_id, 'key': key})]


def likest(
    tx: Tx, collection_id: int, features: Iterable[Feature], settings: SceneSettings
) -> list[tuple[KnownScene, float]]:
    """Give the scenes that are like a situation, with their likeness from ``likeness_threshold`` up, the likest first.

    Two-sided (`weighted_jaccard`), over their usual features; found through the index from features to scenes.
    """
    present = frozenset(features)
    weighed = [(each.kind, each.value, weight_of(each.kind, settings.weights)) for each in present]
    ids = [row[0] for row in tx.execute(
        'SELECT f.scene_id FROM json_each(:features) j JOIN scene_feature f'
        ' ON f.kind = j.value ->> 0 AND f.value = j.value ->> 1 JOIN scene s ON s.id = f.scene_id'
        ' WHERE s.collection_id = :collection GROUP BY f.scene_id'
        ' ORDER BY sum(j.value ->> 2) DESC, f.scene_id LIMIT :most',
        {'features': json.dumps(weighed), 'collection': collection_id, 'most': MAX_LIKE})]
    alike = [(scene, weighted_jaccard(scene.usual(), present, settings.weights))
             for scene in known(tx, collection_id, settings.weights, ids=ids)]
    return sorted((each for each in alike if each[1] >= settings.likeness_threshold), key=lambda each: -each[1])


def likeness_of(
    tx: Tx, memory_ids: Sequence[int], collection_id: int, likeness: Mapping[str, float]
) -> dict[int, float]:
    """Give for each memory the likeness of the likest of these scenes on which it hangs."""
    rows = tx.execute(
        'SELECT r.memory_id, s.key FROM scene_ref r JOIN scene s ON s.id = r.scene_id WHERE s.collection_id = ?'
        ' AND r.memory_id IN (SELECT value FROM json_each(?)) AND s.key IN (SELECT value FROM json_each(?))',
        (collection_id, json.dumps(list(memory_ids)), json.dumps(list(likeness))))
    best: dict[int, float] = {}
    for memory_id, key in rows:
        best[memory_id] = max(best.get(memory_id, 0.0), likeness[key])
    return best


def ids_above(tx: Tx, collection_id: int, key: str) -> list[int]:
    """Give the ids of the scene of this key and of those above it, the nearest first."""
    found = (id_of(tx, collection_id, each) for each in (key, *keys_above(key)))
    return [scene_id for scene_id in found if scene_id is not None]


def id_of(tx: Tx, collection_id: int, key: str) -> int | None:
    """Give the id of the scene of exactly this key; ``None`` if it is none."""
    found: int | None = tx.value('SELECT id FROM scene WHERE collection_id = ? AND key = ?', (collection_id, key))
    return found


def create(
    tx: Tx, collection_id: int, key: str, origin: str, strength: int, seen: Mapping[Feature, int], now_ns: int,
    weights: Mapping[str, float] = FEATURE_WEIGHTS,
) -> KnownScene:
    """Make a scene; what its bucket gathered is used up with it, and no other bucket is touched."""
    last_hit = now_ns if origin == EMERGENT else 0
    tx.execute(
        'INSERT INTO scene (collection_id, key, origin, strength, created_at, last_hit) VALUES (?, ?, ?, ?, ?, ?)',
        (collection_id, key, origin, strength, now_ns, last_hit))
    scene = KnownScene(tx.last_id, key, origin, strength, features_of(key, weights), seen, last_hit)
    _put_features(tx, scene.id, {}, seen)
    evidence.clear(tx, collection_id, key)
    attach_bucket(tx, scene.id, key, now_ns)
    return scene


def save(tx: Tx, before: KnownScene, after: KnownScene) -> None:
    """Write what a visit changed; a scene that was removed meanwhile stays removed."""
    tx.execute('UPDATE scene SET strength = ?, last_hit = ? WHERE id = ?',
               (after.strength, after.last_hit_ns, after.id))
    if tx.changes:
        _put_features(tx, after.id, before.seen, after.seen)


def declare(tx: Tx, collection_id: int, key: str, now_ns: int) -> tuple[Scene, bool]:
    """Make a scene exist by name, and say whether it is new. ``key`` is in its one spelling.

    An emergent scene of that key becomes a declared one: it keeps what it has and learns no more.
    """
    row = tx.one('SELECT id FROM scene WHERE collection_id = ? AND key = ?', (collection_id, key))
    if row is None:
        create(tx, collection_id, key, DECLARED, 0, dict.fromkeys(features_of(key), 0), now_ns)
    else:
        tx.execute('UPDATE scene SET origin = ? WHERE id = ? AND origin <> ?', (DECLARED, row[0], DECLARED))
    (scene,) = (each for each in list_scenes(tx, collection_id, key) if each.key == key)
    return scene, row is None


def attach(tx: Tx, scene_ids: Iterable[int], memory_id: int, now_ns: int) -> None:
    """Hang a memory on scenes; a tie that is there already is as fresh as a new one, and no scene comes back."""
    tx.executemany(
        'INSERT INTO scene_ref (scene_id, memory_id, weight, last_updated) SELECT id, ?, 1, ? FROM scene WHERE id = ?'
        ' ON CONFLICT DO UPDATE SET weight = max(weight, 1), last_updated = max(last_updated, excluded.last_updated)',
        [(memory_id, now_ns, scene_id) for scene_id in set(scene_ids)])


def attach_bucket(tx: Tx, scene_id: int, bucket: str, now_ns: int) -> int:
    """Hang on a scene what was learned in its situation before it existed; gives how many memories.

    What was learned in a more specific situation that is no scene belongs to it, too: it would have been in force.
    """
    learned = "SELECT o.memory_id FROM occurrence o WHERE o.bucket <> ''"  # so that the index on it can be used
    below = (f"{learned} AND o.bucket > :bucket || '/' AND o.bucket < :bucket || '0' AND NOT EXISTS (SELECT 1"
             ' FROM scene t JOIN scene s USING (collection_id) WHERE s.id = :scene AND t.key = o.bucket)')
    tx.execute(
        'INSERT INTO scene_ref (scene_id, memory_id, weight, last_updated) SELECT s.id, m.id, 1, :now'
        f' FROM ({learned} AND o.bucket = :bucket UNION {below}) d'
        ' JOIN scene s ON s.id = :scene JOIN memory m ON m.id = d.memory_id'
        " AND m.collection_id = s.collection_id AND m.status = 'active' WHERE true ON CONFLICT DO NOTHING",
        {'scene': scene_id, 'bucket': bucket, 'now': now_ns})
    return tx.changes


def memory_count(tx: Tx, *scene_ids: int) -> int:
    """Count the active memories that hang on a scene, or on any of several: each counts once."""
    return int(tx.value(
        "SELECT count(DISTINCT m.id) FROM scene_ref r JOIN memory m ON m.id = r.memory_id AND m.status = 'active'"
        ' WHERE r.scene_id IN (SELECT value FROM json_each(?))', (json.dumps(scene_ids),), 0))


def memory_ids(tx: Tx, filters: Filters, decay: DecaySettings, *, ancestors: bool = False) -> list[int]:
    """Give the memories of the scene ``filters.scene_key`` that satisfy the other filters, the newest tie first.

    :param ancestors: with those of the scenes above it (what a hit carries) instead of those below it (recall).
    """
    collection_id = known_id(tx, filters.collection)
    if collection_id is None:
        return []
    keys = (filters.scene_key,) if filters.like_scenes is None else filters.like_scenes
    find = ids_above if ancestors else ids_for_key
    ids = [scene_id for key in keys for scene_id in find(tx, collection_id, key)]
    where = compile_filters(replace(filters, scene_key=''), decay)
    args = {**where.args, 'scene_ids': json.dumps(ids), 'most': MAX_MEMORIES}
    return [row[0] for row in tx.execute(
        'SELECT m.id FROM scene_ref r JOIN memory m ON m.id = r.memory_id'
        f' WHERE r.scene_id IN (SELECT value FROM json_each(:scene_ids)) AND {where.sql}'
        ' GROUP BY m.id ORDER BY max(r.last_updated) DESC, m.id DESC LIMIT :most', args)]


def sharing(tx: Tx, ids: Sequence[int], limit: int) -> list[int]:
    """Give active memories that hang on the same scenes as these, those with the most scenes in common first."""
    return [row[0] for row in tx.execute(
        'WITH given AS (SELECT value AS id FROM json_each(:ids)),'
        ' shared AS (SELECT DISTINCT scene_id FROM scene_ref WHERE memory_id IN (SELECT id FROM given))'
        ' SELECT r.memory_id FROM shared JOIN scene_ref r ON r.scene_id = shared.scene_id'
        " JOIN memory m ON m.id = r.memory_id AND m.status = 'active'"
        ' WHERE r.memory_id NOT IN (SELECT id FROM given)'
        ' GROUP BY r.memory_id ORDER BY count(*) DESC, max(r.last_updated) DESC, r.memory_id DESC LIMIT :most',
        {'ids': json.dumps(list(ids)), 'most': limit})]


def _parts(key: str, weights: Mapping[str, float]) -> tuple[Feature, ...]:
    """Give the features of a key; none of one that an older program wrote and the tick has not renamed yet."""
    try:
        return features_of(key, weights)
    except InvalidRequest:
        return ()


def _put_features(tx: Tx, scene_id: int, before: Mapping[Feature, int], after: Mapping[Feature, int]) -> None:
    """Write only the counts that changed."""
    tx.executemany('DELETE FROM scene_feature WHERE scene_id = ? AND kind = ? AND value = ?',
                   [(scene_id, each.kind, each.value) for each in before if each not in after])
    tx.executemany(
        'INSERT INTO scene_feature (scene_id, kind, value, visits) VALUES (?, ?, ?, ?)'
        ' ON CONFLICT DO UPDATE SET visits = excluded.visits',
        [(scene_id, each.kind, each.value, visits) for each, visits in after.items() if before.get(each) != visits])
