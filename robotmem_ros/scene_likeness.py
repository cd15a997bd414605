"""Recall by likeness: a situation that is no scene, or not yet, gives the memories of the scenes most like it.

The request has no field of its own for it: ``scene`` names a situation by its features, as any key does. Where
that key, or one below it, is a scene, its memories are meant and nothing else; where it is none, those of the
scenes whose usual features resemble the key's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from robotmem_ros.core.scene_key import features_of
from robotmem_ros.model import Filters
from robotmem_ros.question import Question
from robotmem_ros.settings import Settings
from robotmem_ros.store import collections, scenes
from robotmem_ros.store.tx import Tx

NAMED = 3
"""Scenes that the warning names."""


def likened(tx: Tx, question: Question, settings: Settings) -> Question:
    """Give the question with the likest scenes in the place of one that does not exist, and a warning that says so."""
    filters = question.filters
    collection_id = collections.known_id(tx, filters.collection) if filters.scene_key else None
    if collection_id is None or scenes.ids_for_key(tx, collection_id, filters.scene_key):
        return question
    weights = settings.scenes.weights
    found = scenes.likest(tx, collection_id, features_of(filters.scene_key, weights), settings.scenes)
    names = ', '.join(f'{scene.key} ({alike:.2f})' for scene, alike in found[:NAMED])
    instead = f'these are like it: {names}' if found else 'and none is like it'
    note = f'scene: {filters.scene_key} is no scene, {instead}'
    return replace(
        question, filters=replace(filters, like_scenes={scene.key: alike for scene, alike in found}),
        warning='; '.join(filter(None, (question.warning, note))),
    )


def likeness(tx: Tx, ids: Sequence[int], filters: Filters) -> dict[int, float]:
    """Give for each memory how like its scene is to the one asked for; nothing where scenes were not likened."""
    collection_id = collections.known_id(tx, filters.collection) if filters.like_scenes else None
    if collection_id is None or not filters.like_scenes:
        return {}
    return scenes.likeness_of(tx, ids, collection_id, filters.like_scenes)
