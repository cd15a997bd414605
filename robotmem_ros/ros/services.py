"""The services: one table, and one wrapper around every entry of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import robotmem_ros.srv as srv
from robotmem_ros.core.scene_key import feature, withdrawn_kind
from robotmem_ros.engine import Engine
from robotmem_ros.errors import Conflict
from robotmem_ros.ros import convert

READ, WRITE, LONG = 'read', 'write', 'long'
"""Callback groups: reads run beside each other, writes one at a time, long work apart from both."""

Handler = Callable[[Engine, Any, Any], None]
"""Serves a request with the engine and fills the response, or raises."""


@dataclass(frozen=True)
class Service:
    """One service: its private name, its type, what serves it, and where it runs."""

    name: str
    type: Any
    handler: Handler
    group: str

    @property
    def is_write(self) -> bool:
        """Whether it needs the file to be writable."""
        return self.group == WRITE


def start_session(engine: Engine, request: Any, response: Any) -> None:
    """Begin an episode."""
    started = engine.start_session(request.context, request.collection)
    response.session_id, response.collection = convert.text(started.session_id), convert.text(started.collection)
    response.active_memories_count = convert.whole(started.active_memories_count)


def end_session(engine: Engine, request: Any, response: Any) -> None:
    """End an episode."""
    ended = engine.end_session(request.session_id, request.outcome_score if request.has_outcome_score else None)
    for name in ('merged_groups', 'superseded_count', 'decayed_count'):
        setattr(response, name, convert.whole(getattr(ended, name)))
    response.compression_ratio, response.avg_similarity = float(ended.compression_ratio), float(ended.avg_similarity)
    response.related_memories, response.warning = convert.memories_to_msg(ended.related_memories)
    response.summary_json = _json(ended.summary)


def learn(engine: Engine, request: Any, response: Any) -> None:
    """Store an insight."""
    learned = engine.learn(convert.learn_from_msg(request))
    response.status, response.method = convert.text(learned.status), convert.text(learned.method)
    response.memory_id, response.similarity = convert.whole(learned.memory_id), float(learned.similarity)
    response.similar = [convert.similar_to_msg(similar) for similar in learned.similar]
    response.scenes = [convert.text(key) for key in learned.scenes]
    response.warning = _joined(convert.text(learned.warning), convert.without_frame(request.pose, 'pose'))


def update(engine: Engine, request: Any, response: Any) -> None:
    """Correct a memory."""
    response.old_content = convert.text(engine.update(request.memory_id, request.new_content, request.context))


def forget(engine: Engine, request: Any, response: Any) -> None:  # noqa: ARG001  a handler like the others
    """Retire a memory."""
    engine.forget(request.memory_id, request.reason)


def recall(engine: Engine, request: Any, response: Any) -> None:
    """Answer a question."""
    found = engine.recall(convert.recall_from_msg(request))
    response.memories, cut = convert.memories_to_msg(found.memories)
    response.total, response.mode = convert.whole(found.total, 0, 2**31 - 1), convert.text(found.mode)
    response.query_ms = float(found.query_ms)
    response.warning = _joined(convert.text(found.warning), cut, convert.without_frame(request.near, 'near'))


def save_perception(engine: Engine, request: Any, response: Any) -> None:
    """Take in one perception, acknowledged."""
    perception = convert.perception_from_msg(request.perception)
    response.memory_id = convert.whole(engine.save_perception(perception))
    refused = [pair for pair in perception.features if feature(*pair) is None and not withdrawn_kind(*pair)]
    if refused:
        kind, value = refused[0]
        response.warning = convert.text(f'features: {len(refused)} left out, first {kind[:40]!r}: {value[:40]!r}')
    elif not perception.features and not perception.description:
        response.warning = 'perception: neither features nor a description, so that nothing was taken in'


def promote(engine: Engine, request: Any, response: Any) -> None:
    """Move a memory to the long-term tier."""
    response.tier = convert.text(engine.promote(request.memory_id))


def declare_scene(engine: Engine, request: Any, response: Any) -> None:
    """Name a scene."""
    key, created = engine.declare_scene(request.key, request.collection)
    response.key, response.created = convert.text(key), bool(created)


def list_scenes(engine: Engine, request: Any, response: Any) -> None:
    """Look at the scenes."""
    response.scenes = [convert.scene_to_msg(scene) for scene in engine.list_scenes(request.collection, request.prefix)]


def rebuild_scenes(engine: Engine, request: Any, response: Any) -> None:
    """Let emergent scenes grow again."""
    path, removed = engine.rebuild_scenes(request.collection, request.dry_run)
    response.backup_path, response.removed = convert.text(path), convert.whole(removed)


def link(engine: Engine, request: Any, response: Any) -> None:
    """Record a co-occurrence by hand."""
    response.weight = float(engine.link(request.memory_a, request.memory_b, request.weight))


def maintain(engine: Engine, request: Any, response: Any) -> None:
    """One maintenance pass."""
    done = engine.maintain(
        request.collection, request.dry_run, gc_threshold=request.gc_threshold,
        purge_after_days=request.purge_after_days,
        cleanup_duplicates=request.cleanup_duplicates,
    )
    _fill(response, asdict(done))


def stats(engine: Engine, request: Any, response: Any) -> None:
    """Count what is remembered."""
    counts = engine.stats(request.collection)
    _fill(response, {**counts, **flat(counts)})
    response.stats_json = _json(counts)


def flat(counts: Mapping[str, Any]) -> dict[str, Any]:
    """Give the counts that the engine groups under the names of ``Stats.srv``."""
    status, types, tiers = counts['by_status'], counts['by_type'], counts['by_tier']
    bands, scenes = counts['bands'], counts['scenes']
    return {
        'active': status.get('active', 0), 'superseded': status.get('superseded', 0),
        'forgotten': status.get('forgotten', 0) + status.get('retired', 0),
        'stm': tiers.get('stm', 0), 'ltm': tiers.get('ltm', 0),
        'facts': types.get('fact', 0), 'perceptions': types.get('perception', 0),
        'scenes_emergent': scenes['emergent'], 'scenes_declared': scenes['declared'],
        'sessions_open': counts['open_sessions'], 'sessions_idle': counts['idle_sessions'],
        'sessions_ended': counts['ended_sessions'],
        'band_fading': bands['faded'], 'band_danger': bands['danger'],
        'band_healthy': bands['healthy'], 'band_strong': bands['strong'], 'file_bytes': counts['db_bytes'],
    }


def backup(engine: Engine, request: Any, response: Any) -> None:
    """Copy the file while it is in use."""
    path, size = engine.backup(request.path)
    response.path, response.bytes = convert.text(path), convert.whole(size)


SERVICES = (
    Service('start_session', srv.StartSession, start_session, WRITE),
    Service('end_session', srv.EndSession, end_session, WRITE),
    Service('learn', srv.Learn, learn, WRITE),
    Service('update', srv.Update, update, WRITE),
    Service('forget', srv.Forget, forget, WRITE),
    Service('recall', srv.Recall, recall, READ),
    Service('save_perception', srv.SavePerception, save_perception, WRITE),
    Service('promote', srv.Promote, promote, WRITE),
    Service('declare_scene', srv.DeclareScene, declare_scene, WRITE),
    Service('list_scenes', srv.ListScenes, list_scenes, READ),
    Service('rebuild_scenes', srv.RebuildScenes, rebuild_scenes, LONG),
    Service('link', srv.Link, link, WRITE),
    Service('maintain', srv.Maintain, maintain, LONG),
    Service('stats', srv.Stats, stats, READ),
    Service('backup', srv.Backup, backup, LONG),
)


def refusal(service: Service, sentence: str, error: BaseException) -> Any:
    """Give the response to a request that was not served."""
    response = service.type.Response(success=False, error=convert.text(sentence))
    if isinstance(error, Conflict) and hasattr(response, 'duplicate_of'):
        response.duplicate_of = convert.whole(error.other_id)
    return response


def _joined(*warnings: str) -> str:
    return '; '.join(filter(None, warnings))


def _json(value: Mapping[str, Any]) -> str:
    return convert.text(json.dumps(value, ensure_ascii=False, default=str))


def _fill(response: Any, values: Mapping[str, Any]) -> None:
    """Put each value into the field of its name, where the response has one."""
    for name, kind in response.get_fields_and_field_types().items():
        if name not in values or name in ('success', 'error', 'warning'):
            continue
        value = values[name]
        setattr(response, name, convert.text(value) if kind == 'string' else
                float(value) if kind == 'double' else convert.whole(value))
