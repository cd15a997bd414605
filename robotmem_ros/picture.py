"""What a person sees of a memory on a map: the memories with a place, what ties them, the scene in force."""

from __future__ import annotations

from dataclasses import dataclass, replace

from robotmem_ros.core.places import PLACE, Centre
from robotmem_ros.model import Scene
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import collections, placed, places, scenes
from robotmem_ros.store.placed import PlacedMemory

EDGES_A_MEMORY = 4
"""Edges drawn per memory drawn, on average: the strongest; more is a tangle."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Values are rounded to what can be seen, so that equal pictures look the same and others do not.

    :ivar memories: the most worth first.
    :ivar edges: pairs of their ids with the effective weight, the strongest first.
    :ivar scene: key of the scene in force, '' for none.
    :ivar centre: its place, where it has one that a pose led to; ``radius_m``: how far that reaches.
    """

    memories: tuple[PlacedMemory, ...] = ()
    edges: tuple[tuple[int, int, float], ...] = ()
    scene: str = ''
    centre: Centre | None = None
    radius_m: float = 0.0


def picture(rt: Runtime, most: int) -> Picture:
    """Give the picture of the node's own collection with at most ``most`` memories."""
    settings, scene, now = rt.settings, rt.scenes.current(), rt.time.now()
    robot_frames = settings.recall.robot_frames
    here = rt.scenes.last_pose()
    if here is not None and here.frame_id in robot_frames:
        here = None
    with rt.store.read() as tx:
        collection_id = collections.known_id(tx, settings.collection)
        if collection_id is None:
            return Picture()
        above = scenes.ids_above(tx, collection_id, scene.key) if scene is not None else []
        found = placed.best(
            tx, collection_id, now.now_ns, settings.decay, most, here=here, no_places=robot_frames, scene_ids=above)
        ids = [memory.id for memory in found]
        ties = placed.edges(tx, ids, now.now_ns, settings.hebbian.half_life_days, EDGES_A_MEMORY * most)
        centre = places.named(tx, collection_id, place_of(scene))
    return Picture(
        tuple(replace(memory, confidence=round(memory.confidence, 2)) for memory in found),
        tuple((a, b, round(weight, 1)) for a, b, weight in ties),
        scene.key if scene is not None else '', centre, settings.scenes.place_radius_m,
    )


def place_of(scene: Scene | None) -> str:
    """Give the value of the place that a scene's key names, '' where it names none."""
    parts = scene.key.split('/') if scene is not None else []
    return next((part[len(PLACE) + 1:] for part in parts if part.startswith(f'{PLACE}:')), '')
