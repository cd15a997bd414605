"""All that can be set, in groups, each with its default, unit, range and meaning.

The node declares its ROS parameters from these fields (``group.field``), ``config/robotmem.yaml``
and the README are tested against them: this file is where a parameter is documented.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from robotmem_ros.day import check_zone
from robotmem_ros.errors import InvalidRequest


def setting(
    default: Any, meaning: str, *, low: float = -math.inf, high: float = math.inf, unit: str = '', fixed: bool = False
) -> Any:
    """Declare one setting: what it means, its closed range, its unit, and whether it is fixed once configured."""
    notes = {'meaning': meaning, 'low': low, 'high': high, 'unit': unit, 'fixed': fixed}
    if isinstance(default, (dict, list)):
        return field(default_factory=lambda: type(default)(default), metadata=notes)
    return field(default=default, metadata=notes)


@dataclass(frozen=True)
class StoreSettings:
    """How the file is written."""

    busy_timeout_s: float = setting(5.0, 'how long a write waits for another process', low=0.0, high=60.0, unit='s')
    perceptions_durable: bool = setting(True, 'wait for the disk before a perception is acknowledged')
    max_perceptions: int = setting(100_000, 'stored perceptions of a collection; the oldest go', low=1, high=10_000_000)


@dataclass(frozen=True)
class EmbedSettings:
    """Which model gives texts their meaning."""

    model: str = setting(
        'minilm', 'minilm reads English, multilingual 16 languages as one (a package of its own)', fixed=True
    )
    model_path: str = setting('', "folder or .onnx file of a model of one's own, in place of minilm", fixed=True)
    threads: int = setting(1, 'threads of one model call', low=1, high=64, fixed=True)


@dataclass(frozen=True)
class LearnSettings:
    """When a text repeats a memory (contract 4; seed 000)."""

    jaccard_duplicate: float = setting(0.70, 'token overlap above which a text is a duplicate', low=0.5, high=1.0)
    cosine_duplicate: float = setting(0.85, 'cosine from which a text is a duplicate', low=0.5, high=1.0)
    cosine_proved: float = setting(
        0.65, 'cosine from which it is one where the guard proves agreement', low=0.4, high=1.0
    )
    similar_from: float = setting(0.40, 'overlap or cosine from which a memory is listed as similar', low=0.0, high=1.0)


@dataclass(frozen=True)
class ConsolidationSettings:
    """What the end of a session merges (contract 5; seed 000)."""

    jaccard_threshold: float = setting(0.50, 'token overlap above which two facts may merge', low=0.3, high=1.0)
    semantic_threshold: float = setting(0.0, 'cosine that also lets two facts merge; 0: off', low=0.0, high=1.0)


@dataclass(frozen=True)
class DecaySettings:
    """How memories fade (contract 6; Ebbinghaus, seed 004)."""

    rate_per_day: float = setting(0.01, 'share of the confidence lost each day', low=0.0, high=0.99, unit='1/day')
    stm_half_life_days: float = setting(3.0, 'half-life of a short-term memory', low=0.001, high=1e6, unit='day')
    ltm_half_life_days: float = setting(30.0, 'half-life of a long-term memory', low=0.001, high=1e6, unit='day')
    repeat_s: float = setting(
        60.0, 'repeated recalls of a memory within this time count once', low=0.0, high=86_400.0, unit='s'
    )
    use_exponent: float = setting(0.6, 'weight of use in retention', low=0.0, high=2.0)
    recall_threshold: float = setting(0.3, 'floor of protected categories', low=0.0, high=1.0)
    gc_threshold: float = setting(0.1, 'retention below which an STM memory may be retired', low=0.0, high=1.0)


@dataclass(frozen=True)
class GcSettings:
    """What is retired without being asked for (contract 6). ``~/maintain`` retires on request, whatever stands here."""

    automatic: bool = setting(False, 'retire, in time powered on, what stays below decay.gc_threshold')
    daily_share: float = setting(
        0.01, 'most of a collection that is retired in a day powered on', low=0.0, high=0.01, unit='1/day'
    )


@dataclass(frozen=True)
class PromotionSettings:
    """What moves a memory to the long-term tier by itself (contract 6); how often it was polled never does."""

    automatic: bool = setting(True, 'promote without being asked for')
    days: int = setting(3, 'different days of recall that promote', low=2, high=3650)
    good_outcome: float = setting(0.8, 'outcome score from which a session went well', low=0.0, high=1.0)
    good_sessions: int = setting(
        2, 'sessions that went well and in which it was learned that promote', low=1, high=1000
    )


@dataclass(frozen=True)
class SessionSettings:
    """What becomes of sessions that nobody ends (SES-02)."""

    open_limit_days: float = setting(
        7.0, 'time without a learn after which an open session is ended; 0: never', low=0.0, high=36_500.0, unit='day'
    )


@dataclass(frozen=True)
class ClockSettings:
    """How the machine's clock is watched (contract 6, Time)."""

    step_s: float = setting(
        1.0, 'jump against the steady clock from which on it is a step', low=0.1, high=3600.0, unit='s'
    )


@dataclass(frozen=True)
class HebbianSettings:
    """How recalls tie memories together (contract 7; Hebb, seed 004)."""

    half_life_days: float = setting(30.0, 'half-life of an edge', low=0.001, high=1e6, unit='day')
    boost: float = setting(0.3, 'weight of association in the score', low=0.0, high=1.0)
    linked_results: int = setting(5, 'top results of one recall that are linked', low=0, high=20)
    max_edges: int = setting(64, 'edges of one memory; the weakest go', low=1, high=10_000)
    repeat_s: float = setting(60.0, 'repeats of a pair within this time count once', low=0.0, high=86_400.0, unit='s')


@dataclass(frozen=True)
class RecallSettings:
    """How an answer is put together (contract 8)."""

    candidates: int = setting(50, 'candidates that each search arm gives', low=10, high=4096)
    min_cosine: float = setting(0.2, 'cosine below which a vector is no match', low=-1.0, high=1.0)
    match_cosine: float = setting(
        0.4, 'cosine from which a vector alone is a direct match, which no neighbour passes', low=-1.0, high=1.0
    )
    text_weight: float = setting(0.5, 'weight of BM25 in the fusion; the vectors have the rest', low=0.0, high=1.0)
    context_weight: float = setting(0.4, 'what a good neighbour in the same session adds to a score', low=0.0, high=1.0)
    retention_bound: float = setting(0.10, 'most that use and age change a score, as a share', low=0.0, high=0.5)
    near_weight: float = setting(0.2, 'most that closeness adds where `near` has no radius', low=0.0, high=1.0)
    source_weight: float = setting(1.5, 'factor of memories made on the real robot', low=1.0, high=3.0)
    robot_frames: tuple[str, ...] = setting(
        ('base_link', 'base_footprint'), 'frames of the robot itself: `near` in one of them means where the robot is'
    )
    map_frame: str = setting('map', 'frame that `near` is carried into by tf2 while no tap has given a pose')


FEATURE_WEIGHTS = {
    'peer': 1.2,
    'place': 1.1,
    'chan': 1.0,
    'robot': 1.0,
    'task': 0.9,
    'tool': 0.8,
    'object': 0.6,
    'topic': 0.4,
    'part': 0.2,
}


@dataclass(frozen=True)
class SceneSettings:
    """How situations become scenes (contract 9; seed 002)."""

    weights: dict[str, float] = setting(
        FEATURE_WEIGHTS, 'weight of each kind of feature', low=0.0, high=10.0, fixed=True
    )
    dominant_weight: float = setting(0.5, 'least weight of a feature that identifies', low=0.0, high=10.0)
    join_threshold: float = setting(0.5, 'likeness from which a situation is a known scene', low=0.0, high=1.0)
    likeness_threshold: float = setting(0.35, 'likeness from which a scene is recalled', low=0.0, high=1.0)
    min_visits: int = setting(2, 'visits that make a scene', low=1, high=100)
    settle_s: float = setting(
        0.5, 'how long features must stand still before they decide', low=0.0, high=60.0, unit='s'
    )
    feature_ttl_s: float = setting(
        0.0, 'time to live of a perceived feature; 0: until replaced', low=0.0, high=1e6, unit='s'
    )
    day_zone: str = setting(
        'local', "zone of the part of the day: local (the system's), utc, an offset such as +02:00, or off"
    )
    place_radius_m: float = setting(1.0, 'radius of a place', low=0.01, high=1000.0, unit='m')
    place_margin_m: float = setting(0.3, 'how far beyond its radius a place is kept', low=0.0, high=1000.0, unit='m')
    ref_half_life_days: float = setting(
        30.0, 'half-life of the tie of a memory to a scene', low=0.001, high=1e6, unit='day'
    )
    forget_evidence_days: float = setting(
        90.0,
        'a situation that is no scene yet is forgotten so long after its last visit',
        low=0.001,
        high=1e6,
        unit='day',
    )
    forget_scenes_days: float = setting(
        180.0, 'an emergent scene is forgotten so long after its last visit', low=0.001, high=1e6, unit='day'
    )
    hit_memories: int = setting(10, 'memories in one scene hit', low=0, high=100)
    repeat_s: float = setting(0.0, 'hit again while staying, this often; 0: never', low=0.0, high=86_400.0, unit='s')

    def __post_init__(self) -> None:
        check_zone(self.day_zone, 'scenes.day_zone')


@dataclass(frozen=True)
class TickSettings:
    """The housekeeping timer."""

    period_s: float = setting(10.0, 'time between two passes', low=0.01, high=86_400.0, unit='s')
    slice_ms: float = setting(5.0, 'longest time of one slice', low=0.5, high=100.0, unit='ms')


@dataclass(frozen=True)
class Settings:
    """Every group; ``collection`` is the name space of requests that name none."""

    collection: str = setting('default', 'name space of requests that name none', fixed=True)
    store: StoreSettings = field(default_factory=StoreSettings)
    embed: EmbedSettings = field(default_factory=EmbedSettings)
    learn: LearnSettings = field(default_factory=LearnSettings)
    consolidation: ConsolidationSettings = field(default_factory=ConsolidationSettings)
    decay: DecaySettings = field(default_factory=DecaySettings)
    gc: GcSettings = field(default_factory=GcSettings)
    promotion: PromotionSettings = field(default_factory=PromotionSettings)
    sessions: SessionSettings = field(default_factory=SessionSettings)
    clock: ClockSettings = field(default_factory=ClockSettings)
    hebbian: HebbianSettings = field(default_factory=HebbianSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    scenes: SceneSettings = field(default_factory=SceneSettings)
    tick: TickSettings = field(default_factory=TickSettings)


GROUPS: Mapping[str, type] = {
    'store': StoreSettings,
    'embed': EmbedSettings,
    'learn': LearnSettings,
    'consolidation': ConsolidationSettings,
    'decay': DecaySettings,
    'gc': GcSettings,
    'promotion': PromotionSettings,
    'sessions': SessionSettings,
    'clock': ClockSettings,
    'hebbian': HebbianSettings,
    'recall': RecallSettings,
    'scenes': SceneSettings,
    'tick': TickSettings,
}


def with_fixed_of(old: Any, new: Any) -> Any:
    """Give ``new`` with the values of ``old`` where a setting is fixed once configured.

    :param old: what is in force: :class:`Settings`, or one of its groups as ``new`` is.
    """
    kept = {}
    for item in fields(new):
        before, after = getattr(old, item.name), getattr(new, item.name)
        if is_dataclass(after):
            kept[item.name] = with_fixed_of(before, after)
        elif item.metadata['fixed']:
            kept[item.name] = before
    return replace(new, **kept)


def checked(group: Any, prefix: str = '') -> Any:
    """Give ``group`` back if every value is of its type and in its range.

    :raises InvalidRequest: naming the setting, its range and what came.
    """
    for item in fields(group):
        if 'meaning' in item.metadata:
            check_value(f'{prefix}{item.name}', getattr(group, item.name), item.metadata)
    return group


def check_value(name: str, value: Any, notes: Mapping[str, Any]) -> None:
    """Refuse a number outside its closed range; NaN is outside of every range.

    :raises InvalidRequest: naming the setting, its range and what came.
    """
    numbers = value.values() if isinstance(value, dict) else [value]
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            continue
        if not notes['low'] <= number <= notes['high']:
            unit = f' {notes["unit"]}' if notes['unit'] else ''
            raise InvalidRequest(name, f'{notes["low"]:g} to {notes["high"]:g}{unit}', value)
