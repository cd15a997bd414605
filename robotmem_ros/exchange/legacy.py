"""Files of robotmem 0.1 as records: active memories, their sessions and tags; its vectors are made anew.

Its confidences were lowered in place each time a session ended, so what is stored is the value of its last
update, and decays from there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from robotmem_ros.core.payload import check_choice, check_data, check_insight, check_json_object, check_name, check_unit
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.exchange.lines import Line, Source
from robotmem_ros.exchange.session_result import result_of
from robotmem_ros.exchange.times import ns_of
from robotmem_ros.model import FACT, PERCEPTION, PERCEPTION_TYPES
from robotmem_ros.store import legacy
from robotmem_ros.store.occurrences import Occurrence
from robotmem_ros.store.records import MemoryRecord, SessionRecord
from robotmem_ros.validation import MAX_TAGS, check_tags


def source(path: str) -> Source:
    """Give the lines of a file of robotmem 0.1.

    :raises StoreCorrupt: if it is damaged, or another program's.
    """
    with legacy.opened(path) as tx:
        total = legacy.count(tx)
    return Source('robotmem 0.1', total, _lines(path))


def _lines(path: str) -> Iterator[Line]:
    with legacy.opened(path) as tx:
        for row in legacy.sessions(tx):
            yield _line(f'session {row["external_id"]}', _session, row)
        for row in legacy.memories(tx):
            if row['status'] == 'active':
                yield _line(f'memory {row["id"]}', _memory, row)
            else:
                yield Line(f'memory {row["id"]}')


def _line(where: str, read: Any, row: Mapping[str, Any]) -> Line:
    try:
        return Line(where, read(row))
    except InvalidRequest as error:
        return Line(where, refusal=str(error))


def _session(row: Mapping[str, Any]) -> SessionRecord:
    ended = row['status'] != 'active'
    score = None if row['score'] is None else check_unit(float(row['score']), 'score', 0.0, 1.0)
    return SessionRecord(
        check_name(row['external_id'], 'session'), check_name(row['collection'], 'collection'),
        _context(row['context']),
        ns_of(row['created_at'] or '', 'created_at'), ns_of(row['updated_at'] or '', 'updated_at') if ended else 0,
        score, result_of('', ended))


def _memory(row: Mapping[str, Any]) -> MemoryRecord:
    created = ns_of(row['created_at'] or '', 'created_at')
    used = ns_of(row['last_accessed'] or '', 'last_accessed')
    session, context = check_name(row['session_id'] or '', 'session'), _context(row['context'])
    return MemoryRecord(
        str(row['id']), check_insight(row['content'], 'content'), check_name(row['collection'], 'collection'),
        type=check_choice(row['type'], 'type', (FACT, PERCEPTION)),
        category=check_name(row['category'] or '', 'category'),
        perception_type=check_choice(row['perception_type'] or '', 'perception_type', ('', *PERCEPTION_TYPES)),
        data=_data(row), confidence=check_unit(row['confidence'], 'confidence', 0.0, 1.0),
        use_count=max(0, int(row['access_count'] or 0)), session_id=session, created_at_ns=created,
        last_accessed_ns=used, anchor_ns=max(created, used, ns_of(row['updated_at'] or '', 'updated_at')),
        tags=check_tags(tuple(row['tags'][:MAX_TAGS])),
        occurrences=(Occurrence(created, session_id=session, context=context),) if created else ())


def _context(text: str | None) -> str:
    """Give the context; one that is no JSON object is kept as a text within one."""
    text = text or ''
    try:
        return check_json_object(text, 'context')
    except InvalidRequest:
        return check_json_object(json.dumps({'text': text}, ensure_ascii=False), 'context')


def _data(row: Mapping[str, Any]) -> str:
    parts = {name: _text(row[f'perception_{name}']) for name in ('data', 'metadata')}
    given = {name: text for name, text in parts.items() if text}
    if not given:
        return ''
    if list(given) == ['data'] and _is_json(given['data']):
        return given['data']
    values = {name: json.loads(text) if _is_json(text) else text for name, text in given.items()}
    return check_data(json.dumps(values, ensure_ascii=False), 'data')


def _text(value: str | bytes | None) -> str:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value.hex()
    return value or ''


def _is_json(text: str) -> bool:
    try:
        return bool(check_data(text, 'data'))
    except InvalidRequest:
        return False
