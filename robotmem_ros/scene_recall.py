"""Scenes meet memories: what an entered scene brings back, unasked."""

from __future__ import annotations

from dataclasses import replace

from robotmem_ros.core.payload import check_name
from robotmem_ros.core.scene_key import normalise_key
from robotmem_ros.model import Filters, Memory, Scene, SceneHit
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import candidates, collections, memories, scenes
from robotmem_ros.worth import Worth, ranked, retention_of


def advance(rt: Runtime) -> list[SceneHit]:
    """Let the tracker decide, and give each scene that was entered with its memories.

    Being shown does not reinforce a memory: only being asked for does.
    """
    events = rt.scenes.advance(rt.clock.now_ns())
    return [
        SceneHit(counted(rt, e.scene), e.created, e.similarity, e.situation, memories_of(rt, e.scene), e.at_ns)
        for e in events
    ]


def counted(rt: Runtime, scene: Scene) -> Scene:
    """Give a scene with the count of all that entering it may bring: its memories and those of the scenes above it."""
    with rt.store.read() as tx:
        collection_id = collections.known_id(tx, scene.collection)
        ids = [] if collection_id is None else scenes.ids_above(tx, collection_id, scene.key)
        return replace(scene, memory_count=scenes.memory_count(tx, *ids))


def memories_of(rt: Runtime, scene: Scene) -> tuple[Memory, ...]:
    """Give the memories of a scene and of those above it, by effective worth: confidence × retention."""
    settings = rt.settings
    filters = Filters(
        collection=scene.collection,
        now_ns=rt.time.now().now_ns,
        min_confidence=settings.decay.recall_threshold,
        scene_key=scene.key,
    )
    anywhere = replace(filters, scene_key='')  # a memory of a scene above is not of this one
    with rt.store.read() as tx:
        ids = scenes.memory_ids(tx, filters, settings.decay, ancestors=True)
        found = candidates.load(tx, ids, anywhere, settings.decay).values()
        kept = {item.id: retention_of(item, settings) for item in found}
        best = ranked(Worth(item, item.confidence * kept[item.id], retention=kept[item.id]) for item in found)
        best = best[: settings.scenes.hit_memories]
        full = memories.load(tx, [w.candidate.id for w in best], anywhere, settings.decay)
    return tuple(w.shown(full[w.candidate.id]) for w in best)


def list_scenes(rt: Runtime, collection: str, prefix: str) -> list[Scene]:
    """Give the scenes of a collection whose key is ``prefix`` or lies under it; an unknown collection has none."""
    name = rt.collection(check_name(collection, 'collection'))
    with rt.store.read() as tx:
        collection_id = collections.known_id(tx, name)
        if collection_id is None:
            return []
        return scenes.list_scenes(
            tx, collection_id, normalise_key(prefix, rt.settings.scenes.weights, field='prefix') if prefix else ''
        )


def declare(rt: Runtime, key: str, collection: str) -> tuple[str, bool]:
    """Make a scene exist under a normalised key; gives the key and whether it is new."""
    name, normal = rt.collection(check_name(collection, 'collection')), normalise_key(key, rt.settings.scenes.weights)
    now = rt.time.stamp().utc_ns
    with rt.store.write() as tx:
        collection_id = collections.collection_id(tx, name)
        scene, created = scenes.declare(tx, collection_id, normal, now)
    rt.scenes.reload()
    return scene.key, created
