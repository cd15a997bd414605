"""What a candidate is worth in an answer: its likeness, then association, then source and retention (contract 8)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from robotmem_ros.core.decay import bounded_factor, retention
from robotmem_ros.core.ranking import final_score, place
from robotmem_ros.model import LTM, Filters, Memory
from robotmem_ros.settings import Settings
from robotmem_ros.store.candidates import Candidate


@dataclass(frozen=True, slots=True)
class Worth:
    """A weighed candidate: its score, and the parts of it that an answer shows."""

    candidate: Candidate
    score: float
    text: float = 0.0
    vector: float = 0.0
    tie: float = 0.0
    retention: float = 0.0

    def shown(self, memory: Memory) -> Memory:
        """Give the memory, read in full, with these scores."""
        return replace(
            memory, score=self.score, score_text=self.text, score_vector=self.vector, score_hebbian=self.tie,
            retention=self.retention,
        )


def weigh(
    item: Candidate, likeness: float, settings: Settings, *, text: float = 0.0, vector: float = 0.0, tie: float = 0.0
) -> Worth:
    """Weigh a candidate whose likeness to the question is in [0, 1].

    :param tie: association with what was recalled lately, in [0, 1].
    """
    kept = retention_of(item, settings)
    factor = bounded_factor(kept, settings.recall.retention_bound)
    source = settings.recall.source_weight if _is_real(item.context) else 1.0
    return Worth(item, final_score(likeness, tie, settings.hebbian.boost, source, factor), text, vector, tie, kept)


def ranked(items: Iterable[Worth]) -> list[Worth]:
    """Order by score, then newer first, then id: equal scores have a stable order."""
    return sorted(items, key=lambda w: place(w.score, w.candidate.created_at_ns, w.candidate.id))


def closeness(item: Candidate, filters: Filters, settings: Settings) -> float:
    """Where ``near`` has no radius, what is closer weighs more: up to ``near_weight``, half of it at 1 m."""
    near, pose = filters.near, item.pose
    if near is None or filters.radius_m or pose is None or pose.frame_id != near.frame_id:
        return 0.0
    map_id = filters.map_id or near.map_id
    if map_id and pose.map_id != map_id:
        return 0.0
    away = math.dist((near.x, near.y, near.z), (pose.x, pose.y, pose.z))
    return settings.recall.near_weight / (1.0 + away)


def retention_of(item: Candidate | Memory, settings: Settings) -> float:
    """Give a memory's retention: its use against its age, by the half-life of its tier (seed 004)."""
    decay = settings.decay
    half_life = decay.ltm_half_life_days if item.tier == LTM else decay.stm_half_life_days
    return retention(item.use_count, item.age_ns, half_life, item.strength, decay.use_exponent)


def _is_real(context: str) -> bool:
    """Tell whether the context says ``env.sim_or_real`` is ``real``; most contexts never mention it."""
    if '"sim_or_real"' not in context:
        return False
    env = json.loads(context).get('env')
    return isinstance(env, dict) and env.get('sim_or_real') == 'real'
