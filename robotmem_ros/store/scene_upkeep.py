"""What becomes of scenes over time: twins merged, what never came back forgotten, all of it let go for a rebuild."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from robotmem_ros.core.decay import NS_PER_DAY
from robotmem_ros.core.emergence import MAX_COUNTED
from robotmem_ros.core.old_keys import Raw, flat
from robotmem_ros.core.scene_key import feature, identity, key_of
from robotmem_ros.model import DECLARED, EMERGENT, Feature
from robotmem_ros.settings import SceneSettings
from robotmem_ros.store.tx import Row, Tx

FADED = 0.05
"""A tie of this strength is removed: a single one, 4.3 half-lives later."""
BUCKETS_A_WRITE = 500

_FLAT = "replace(replace(lower(key), '+', '_'), '/', '_')"
_RAISED = 'SET weight = max(weight, excluded.weight), last_updated = max(last_updated, excluded.last_updated)'


@dataclass(frozen=True, slots=True)
class OldScene:
    """A scene whose key has to be looked at."""

    id: int
    collection_id: int
    key: str
    origin: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Stamps (ns) up to which evidence, emergent scenes and ties are due."""

    evidence_ns: int
    scenes_ns: int
    refs_ns: int


def keys_after(tx: Tx, scene_id: int, limit: int) -> list[OldScene]:
    """Give the next scenes by id, of any collection; ids only grow, so what was looked at stays looked at."""
    rows = tx.execute(
        'SELECT id, collection_id, key, origin FROM scene WHERE id > ? ORDER BY id LIMIT ?', (scene_id, limit))
    return [OldScene(*row) for row in rows]


def stored_features(tx: Tx, old: OldScene) -> set[Raw]:
    """Give the features, as they were stored, of a scene and of its twins: those with the same `flat` key."""
    text = flat(old.key)
    alike = [scene_id for scene_id, key in tx.execute(
        f'SELECT id, key FROM scene WHERE collection_id = ? AND instr({_FLAT}, ?) > 0', (old.collection_id, text))
        if flat(key) == text]
    return {(kind, value) for kind, value in tx.execute(
        'SELECT kind, value FROM scene_feature WHERE scene_id IN (SELECT value FROM json_each(?))',
        (json.dumps([*alike, old.id]),))}


def rename(tx: Tx, old: OldScene, key: str) -> None:
    """Give a scene another key; one that has it already is the same situation, and both become one.

    References and memories move, features are united and their visits added, strengths are added. Of two
    the declared one stays, and of equals the one that had the name. A scene that another pass has renamed since it was
    looked at stays as it is.
    """
    if tx.value('SELECT key FROM scene WHERE id = ?', (old.id,)) != old.key:
        return
    there = tx.one('SELECT id, origin FROM scene WHERE collection_id = ? AND key = ? AND id <> ?',
                   (old.collection_id, key, old.id))
    kept = old.id if there is None or (old.origin == DECLARED != there[1]) else int(there[0])
    if there is not None:
        _unite(tx, kept, old.id if kept != old.id else int(there[0]))
    tx.execute('UPDATE scene SET key = ? WHERE id = ?', (key, kept))
    _rewrite_features(tx, kept)
    tx.execute(
        "UPDATE occurrence SET bucket = ?1 WHERE bucket = ?2 AND bucket <> ''"  # so that the index on it can be used
        ' AND ?3 = (SELECT m.collection_id FROM memory m WHERE m.id = memory_id)', (key, old.key, old.collection_id))
    tx.execute('DELETE FROM situation_evidence WHERE collection_id = ? AND bucket IN (?, ?)',
               (old.collection_id, old.key, key))


def _unite(tx: Tx, kept: int, gone: int) -> None:
    args = {'kept': kept, 'gone': gone}
    tx.execute(
        'INSERT INTO scene_ref (scene_id, memory_id, weight, last_updated)'
        ' SELECT :kept, memory_id, weight, last_updated FROM scene_ref WHERE scene_id = :gone'
        f' ON CONFLICT DO UPDATE {_RAISED}', args)
    tx.execute(
        'INSERT INTO scene_feature (scene_id, kind, value, visits) SELECT :kept, kind, value, visits FROM scene_feature'
        ' WHERE scene_id = :gone ON CONFLICT DO UPDATE SET visits = visits + excluded.visits', args)
    tx.execute(
        'UPDATE scene SET strength = scene.strength + g.strength, created_at = min(scene.created_at, g.created_at),'
        ' last_hit = max(scene.last_hit, g.last_hit) FROM scene g WHERE g.id = :gone AND scene.id = :kept', args)
    tx.execute('DELETE FROM scene WHERE id = :gone', args)  # its features and references go by foreign keys


def _rewrite_features(tx: Tx, scene_id: int) -> None:
    """Write the features of a scene in their one spelling; those that only differed in it are one."""
    rows = tx.execute('SELECT kind, value, visits FROM scene_feature WHERE scene_id = ?', (scene_id,))
    united: dict[Feature, int] = {}
    for kind, value, visits in rows:
        if (made := feature(kind, value)) is not None:
            united[made] = united.get(made, 0) + visits
    most = sorted(united.items(), key=lambda each: (-each[1], each[0]))[:MAX_COUNTED]
    now = [(each.kind, each.value, visits) for each, visits in most]
    if sorted(now) != sorted((kind, value, visits) for kind, value, visits in rows):
        tx.execute('DELETE FROM scene_feature WHERE scene_id = ?', (scene_id,))
        tx.executemany('INSERT INTO scene_feature (scene_id, kind, value, visits) VALUES (?, ?, ?, ?)',
                       [(scene_id, *each) for each in now])


def limits(now_ns: int, settings: SceneSettings) -> Limits:
    """Give what is due at a moment."""
    ties_days = settings.ref_half_life_days * math.log2(1.0 / FADED)
    return Limits(*(int(now_ns - days * NS_PER_DAY) for days in (
        settings.forget_evidence_days, settings.forget_scenes_days, ties_days)))


_DUE_SCENES = 'FROM scene WHERE origin = :emergent AND last_hit < :scenes'
_DUE_REFS = 'FROM scene_ref r JOIN memory m ON m.id = r.memory_id WHERE r.last_updated < :refs'


def any_due(tx: Tx, due: Limits) -> bool:
    """Tell whether anything may have to go: three looks into indexes."""
    return bool(tx.value(
        'SELECT EXISTS (SELECT 1 FROM situation_evidence WHERE last_at < :evidence)'
        f' OR EXISTS (SELECT 1 {_DUE_SCENES}) OR EXISTS (SELECT 1 FROM scene_ref WHERE last_updated < :refs)',
        _args(due)))


def faded_refs(tx: Tx, due: Limits) -> int:
    """Count the ties that have faded to nothing, and whose memories were not recalled meanwhile."""
    return int(tx.value(f'SELECT count(*) {_DUE_REFS} AND m.decay_anchor < :refs', _args(due)))


def forget(tx: Tx, due: Limits, in_force: int, limit: int) -> int:
    """Remove what is due, at most ``limit`` of each kind; gives how many rows of one kind were looked at, at most.

    A tie whose memory was recalled meanwhile is as fresh as that recall, and the scene in force has not been left.

    :param in_force: id of a scene that stays.
    """
    args = {**_args(due), 'in_force': in_force, 'limit': limit, 'day': NS_PER_DAY}
    tx.execute('DELETE FROM situation_evidence WHERE (collection_id, bucket) IN (SELECT collection_id, bucket'
               ' FROM situation_evidence WHERE last_at < :evidence ORDER BY last_at LIMIT :limit)', args)
    looked = tx.changes
    # A day later than need be, so that a robot that stands in one place writes this once a day and not every tick.
    tx.execute('UPDATE scene SET last_hit = :scenes + :day WHERE id = :in_force AND last_hit < :scenes', args)
    tx.execute(f'DELETE FROM scene WHERE id IN (SELECT id {_DUE_SCENES} ORDER BY last_hit LIMIT :limit)', args)
    removed = tx.changes
    ties: list[Row] = tx.execute(
        f'SELECT r.scene_id, r.memory_id, m.decay_anchor {_DUE_REFS} ORDER BY r.last_updated LIMIT :limit', args)
    tx.executemany('UPDATE scene_ref SET last_updated = ?3 WHERE scene_id = ?1 AND memory_id = ?2',
                   [tie for tie in ties if tie[2] >= due.refs_ns])
    tx.executemany('DELETE FROM scene_ref WHERE scene_id = ? AND memory_id = ?',
                   [tie[:2] for tie in ties if tie[2] < due.refs_ns])
    return max(looked, removed, len(ties))


def _args(due: Limits) -> dict[str, object]:
    return {'evidence': due.evidence_ns, 'scenes': due.scenes_ns, 'refs': due.refs_ns, 'emergent': EMERGENT}


def count_emergent(tx: Tx, collection_id: int) -> int:
    """Count the scenes that a rebuild would drop."""
    return int(tx.value('SELECT count(*) FROM scene WHERE collection_id = ? AND origin = ?', (collection_id, EMERGENT)))


def drop_emergent(tx: Tx, collection_id: int) -> int:
    """Remove all emergent scenes with what hangs on them, and all evidence; gives how many scenes."""
    tx.execute('DELETE FROM situation_evidence WHERE collection_id = ?', (collection_id,))
    tx.execute('DELETE FROM scene WHERE collection_id = ? AND origin = ?', (collection_id, EMERGENT))
    return tx.changes


def old_buckets(tx: Tx, collection_id: int, settings: SceneSettings) -> list[tuple[str, int]]:
    """Give (bucket, occurrence id) where the fingerprint of an occurrence, read with these settings, says another."""
    rows = tx.execute(
        "SELECT o.id, o.bucket, o.fingerprint FROM occurrence o JOIN memory m ON m.id = o.memory_id"
        " WHERE m.collection_id = ? AND m.status = 'active' AND o.fingerprint <> ''", (collection_id,))
    read: dict[str, str] = {}
    for _, _, text in rows:
        if text not in read:
            read[text] = _bucket(json.loads(text), settings)
    return [(read[text], occurrence_id) for occurrence_id, bucket, text in rows if read[text] != bucket]


def put_buckets(tx: Tx, changes: Sequence[tuple[str, int]]) -> None:
    """Write the buckets of occurrences."""
    tx.executemany('UPDATE occurrence SET bucket = ? WHERE id = ?', changes)


def _bucket(names: Iterable[str], settings: SceneSettings) -> str:
    return key_of(identity(map(Feature.read, names), settings.weights, settings.dominant_weight), settings.weights)
