"""Perceptions: what was observed feeds the situation, and what is described is stored.

Perceptions repeat by nature, so each is stored; their vectors are made later, by the tick. Only the very same message
(its source, number and stamp) is stored once: a recording that is played again brings nothing new.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

from robotmem_ros.core.payload import check_choice, check_data, check_insight, check_name
from robotmem_ros.errors import InvalidRequest, RobotMemError, StoreError
from robotmem_ros.model import PERCEPTION, PERCEPTION_TYPES, Feature, PerceptionInput, Pose
from robotmem_ros.runtime import Runtime
from robotmem_ros.store import collections, memories, occurrences
from robotmem_ros.store.memories import NewMemory
from robotmem_ros.store.occurrences import Occurrence
from robotmem_ros.store.tx import Tx
from robotmem_ros.timekeeping import Moment
from robotmem_ros.validation import check_pose, open_session

MIN_DESCRIPTION = 3
MAX_FEATURES = 256
CONFIDENCE = 0.9
"""Confidence of a stored perception."""
SMALLEST_PART = 20
"""Perceptions that are stored though a request waits, some milliseconds of work: one each would let the queue run over
where requests never end and a commit waits long for the disk."""


def save_perception(rt: Runtime, perception: PerceptionInput) -> int:
    """Store one perception and give its id; 0 where it only carried features.

    :raises RobotMemError: what is wrong with it; nothing is stored.
    """
    (result,) = save_perceptions(rt, [perception])
    if isinstance(result, RobotMemError):
        raise result
    return result


def save_perceptions(rt: Runtime, batch: Sequence[PerceptionInput]) -> list[int | RobotMemError]:
    """Store a batch in as few transactions as requests allow; a bad one is refused alone, its reason in its place."""
    now = rt.time.now().utc_ns
    results = [_prepared(rt, item, now) for item in batch]
    described = [(i, p) for i, p in enumerate(results) if isinstance(p, PerceptionInput) and p.description]
    ids: dict[int, int | RobotMemError] = {}
    if described:
        moment = rt.time.stamp()
        ids = _stored_in_parts(rt, deque(described), _Here.now(rt, moment), moment)
    return [r if isinstance(r, RobotMemError) else ids.get(i, 0) for i, r in enumerate(results)]


@dataclass(frozen=True, slots=True)
class _Here:
    """Where the robot is, and in which situation: one for a batch, all of whose features have been observed by then."""

    pose: Pose | None
    bucket: str
    fingerprint: tuple[Feature, ...]

    @classmethod
    def now(cls, rt: Runtime, moment: Moment) -> _Here:
        now = moment.utc_ns
        return cls(rt.scenes.last_pose(), rt.scenes.bucket(now), rt.scenes.situation(now))


ELSEWHERE = _Here(None, '', ())
"""Of another collection than the robot's own, nothing is known."""


def _stored_in_parts(
    rt: Runtime, waiting: deque[tuple[int, PerceptionInput]], here: _Here, moment: Moment
) -> dict[int, int | RobotMemError]:
    """Store all, and let a request that waits for the writer go between two parts: a flood must not hold it up.

    :raises StoreError: if the first part cannot be written. Of a later one, what is left is refused with the reason.
    """
    done: dict[int, int | RobotMemError] = {}
    while waiting:
        part: dict[int, int | RobotMemError] = {}
        try:
            with rt.store.write(durable=rt.settings.store.perceptions_durable) as tx:
                while waiting and not (len(part) >= SMALLEST_PART and rt.store.user_waits()):
                    i, item = waiting[0]
                    part[i] = _stored(rt, tx, item, here, moment)
                    waiting.popleft()
        except StoreError as error:
            if not done:
                raise
            return done | dict.fromkeys([*part, *(i for i, _ in waiting)], error)
        done |= part
    return done


def _prepared(rt: Runtime, item: PerceptionInput, now: int) -> PerceptionInput | RobotMemError:
    """Check one perception, then let its features into the situation."""
    try:
        item = _checked(item)
    except RobotMemError as error:
        return error
    if item.features and rt.collection(item.collection) == rt.scenes.collection:
        rt.scenes.observe(item.source or 'perception', item.features, now)
    return item


def _checked(item: PerceptionInput) -> PerceptionInput:
    if len(item.features) > MAX_FEATURES:
        raise InvalidRequest('features', f'at most {MAX_FEATURES}', len(item.features))
    if item.description:
        check_insight(item.description, 'description')
        if len(item.description.strip()) < MIN_DESCRIPTION:
            raise InvalidRequest('description', f'at least {MIN_DESCRIPTION} characters, or none', item.description)
    return replace(
        item,
        source=check_name(item.source, 'source'),
        session_id=check_name(item.session_id, 'session_id'),
        collection=check_name(item.collection, 'collection'),
        perception_type=check_choice(item.perception_type, 'perception_type', PERCEPTION_TYPES) or PERCEPTION_TYPES[0],
        data=check_data(item.data, 'data'),
        pose=check_pose(item.pose, 'pose'),
    )


def _stored(rt: Runtime, tx: Tx, item: PerceptionInput, robot: _Here, moment: Moment) -> int | RobotMemError:
    collection = rt.collection(item.collection)
    try:
        open_session(tx, item.session_id, collection)
    except RobotMemError as error:
        return error
    collection_id, now = collections.collection_id(tx, collection), moment.utc_ns
    if (
        item.seq
        and item.stamp_ns
        and (known := occurrences.perceived_already(tx, collection_id, item.source, item.seq, item.stamp_ns))
    ):
        return known
    memory_id = memories.insert(
        tx,
        NewMemory(
            collection_id=collection_id,
            type=PERCEPTION,
            content=item.description,
            confidence=CONFIDENCE,
            created_at_ns=now,
            perception_type=item.perception_type,
            data=item.data,
            source=item.source,
            seq=item.seq,
            session_id=item.session_id,
            anchor_ns=moment.anchor_ns,
        ),
    )
    here = robot if collection == rt.scenes.collection else ELSEWHERE
    occurrences.add(
        tx,
        memory_id,
        Occurrence(
            at_ns=now,
            observed_at_ns=item.stamp_ns,
            session_id=item.session_id,
            pose=item.pose or here.pose,
            bucket=here.bucket,
            fingerprint=here.fingerprint,
        ),
    )
    return memory_id
