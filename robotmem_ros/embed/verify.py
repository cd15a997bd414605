"""Checks that a prepared model still means what the plain one means."""

from __future__ import annotations

import numpy as np

from robotmem_ros.ports import Embedder

LEAST_COSINE = 0.97
"""Mean cosine between both models' vectors of a sentence; measured: 0.992."""

PARAPHRASES = (
    ('the gripper slips on wet boxes', 'grip force must be higher when the carton is damp'),
    ('battery is low near dock two', 'charge runs out close to the second charging station'),
    ('open the red door', 'the door that is red should be opened'),
    ('reduce the speed in the hallway', 'drive slower in the corridor'),
    ('recalibrate the lidar after a bump', 'the laser scanner must be calibrated again after a collision'),
    ('the camera is blinded by sunlight', 'in the morning the sun dazzles the camera'),
    ('the operator wants the tool handed over slowly', 'give tools to the human worker without haste'),
    ('the map has an error at the stairs', 'around the staircase the map is wrong'),
)


def mean_cosine(one: Embedder, other: Embedder) -> float:
    """Give the mean cosine between both embedders' vectors of the same sentences, -1 to 1."""
    sentences = [sentence for pair in PARAPHRASES for sentence in pair]
    return float(np.mean([one.embed(sentence) @ other.embed(sentence) for sentence in sentences]))


def misranked(embedder: Embedder) -> list[str]:
    """Give the sentences whose own paraphrase is not the nearest of all paraphrases."""
    others = np.array([embedder.embed(second) for _, second in PARAPHRASES])
    nearest = [int(np.argmax(others @ embedder.embed(first))) for first, _ in PARAPHRASES]
    return [PARAPHRASES[i][0] for i, found in enumerate(nearest) if found != i]


def fault_of(prepared: Embedder, plain: Embedder) -> str:
    """Say in one clause why ``prepared`` must not replace ``plain``; empty if it may."""
    if prepared.dim != plain.dim:
        return f'{prepared.dim} dimensions instead of {plain.dim}'
    cosine = mean_cosine(prepared, plain)
    if cosine < LEAST_COSINE:
        return f'mean cosine {cosine:.3f} to the plain model, at least {LEAST_COSINE} expected'
    lost = sorted(set(misranked(prepared)) - set(misranked(plain)))
    return f'{lost[0]!r} no longer finds its paraphrase' if lost else ''
