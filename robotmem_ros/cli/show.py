"""Responses as people read them. Stored text is printed with its control signs escaped: it may come from anywhere."""

from __future__ import annotations

import json
import time
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import ROUND_DOWN, Decimal
from typing import Any

UNITS = ((86_400, 'd'), (3_600, 'h'), (60, 'min'), (1, 's'))


DISRUPTIVE = frozenset({'Cc', 'Cs', 'Zl', 'Zp'})
REORDERING = frozenset({'LRE', 'RLE', 'LRO', 'RLO', 'PDF', 'LRI', 'RLI', 'FSI', 'PDI'})


def printable(text: str) -> str:
    """Escape what would move the cursor, break or reorder the line of a terminal; every other sign stays."""
    return ''.join(
        sign.encode('unicode_escape').decode()
        if unicodedata.category(sign) in DISRUPTIVE or unicodedata.bidirectional(sign) in REORDERING
        else sign
        for sign in text
    )


def age(seconds: float) -> str:
    """Say a duration in its largest unit; what lies ahead of this machine's clock (simulated time) is 'ahead'."""
    if seconds < 0:
        return 'ahead'
    for size, unit in UNITS:
        if seconds >= size:
            return f'{seconds / size:.0f} {unit}'
    return '0 s'


def width(text: str) -> int:
    """Columns that a text takes in a terminal; East Asian wide signs take two."""
    return sum(2 if unicodedata.east_asian_width(sign) in 'WF' else 1 for sign in text)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Align columns; the last one is free, so that nothing is cut."""
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(width(line[column]) for line in lines) for column in range(len(head) - 1)]
    return '\n'.join(
        '  '.join([*(cell + ' ' * (size - width(cell)) for cell, size in zip(line, widths)), line[-1]]).rstrip()
        for line in lines
    )


def place(memory: Any) -> str:
    """Where the occurrence that is shown was learned, or a dash."""
    if not memory.has_pose:
        return '-'
    position, frame = memory.pose.pose.position, memory.pose.header.frame_id
    on_map = f' on {printable(memory.map_id)}' if memory.map_id else ''
    return f'({position.x:.1f}, {position.y:.1f}) {printable(frame)}{on_map}'


def confidence(value: float) -> str:
    """Three digits, never rounded up: 0.2996 is below a limit of 0.3, and must not look as if it were not (CLI-05).

    Three, since with two a memory learned at 0.9 would read 0.89 a second later.
    """
    return str(Decimal(repr(value)).quantize(Decimal('0.001'), ROUND_DOWN))


def memories(found: Sequence[Any]) -> str:
    """One line for each memory, best first."""
    now_s = time.time()
    rows = [
        (
            str(m.id), f'{m.score:.3f}', confidence(m.confidence), place(m), age(now_s - m.created_at.sec),
            printable(m.content),
        )
        for m in found
    ]
    return table(('id', 'score', 'conf', 'place', 'age', 'content'), rows)


def learned(answer: Any) -> str:
    """What became of an insight."""
    if answer.status == 'duplicate':
        first = (
            f'known already: memory {answer.memory_id} ({answer.method}, similarity {answer.similarity:.2f}) '
            'has one more occurrence'
        )
    else:
        first = f'learned: memory {answer.memory_id}'
    lines = [first]
    if answer.scenes:
        lines.append(f'hangs on: {", ".join(printable(key) for key in answer.scenes)}')
    lines += [f'similar:  {s.id} ({s.similarity:.2f}) {printable(s.content)}' for s in answer.similar]
    return '\n'.join(lines)


def recalled(answer: Any) -> str:
    """The memories of an answer, and how they were found."""
    found = f'{len(answer.memories)} of {answer.total} ({answer.mode}, {answer.query_ms:.1f} ms)'
    return f'{memories(answer.memories)}\n{found}' if answer.memories else f'nothing found ({answer.mode})'


def scenes(answer: Any) -> str:
    """One line for each scene."""
    if not answer.scenes:
        return 'no scene found: one emerges when a situation comes back; a prefix is whole parts, such as place:dock_2'
    now_s = time.time()
    rows = [
        (
            str(s.strength), str(s.memory_count), s.origin,
            age(now_s - s.last_hit.sec) if s.last_hit.sec else 'never', printable(s.key),
        )
        for s in answer.scenes
    ]
    return table(('visits', 'memories', 'origin', 'last', 'key'), rows)


def stats(answer: Any) -> str:
    """The numbers, a line for each subject."""
    a = answer
    rows = [
        ('collection', printable(a.collection)),
        ('file', f'{printable(a.db_path)} ({a.file_bytes / 1e6:.2f} MB)'),
        ('memories', f'{a.active} active ({a.facts} facts, {a.perceptions} perceptions, {a.occurrences} occurrences); '
                     f'{a.superseded} superseded, {a.forgotten} forgotten, {a.total} in all'),
        ('tiers', f'{a.stm} short-term, {a.ltm} long-term'),
        ('retention', f'{a.band_strong} strong, {a.band_healthy} healthy, {a.band_danger} in danger, '
                      f'{a.band_fading} fading'),
        ('edges', f'{a.edges} between {a.linked_memories} memories'),
        ('scenes', f'{a.scenes_emergent} emergent, {a.scenes_declared} declared'),
        ('sessions', f'{a.sessions_open} open, {a.sessions_ended} ended'),
        ('vectors', f'{a.pending_vectors} pending'),
    ]
    more = json.loads(a.stats_json or '{}')
    if more.get('feature_kinds'):
        kinds = ', '.join(f'{kind} {count}' for kind, count in more['feature_kinds'].items())
        rows.append(('kinds', f'{printable(kinds)} (in how many scenes)'))
    if more.get('empty_scenes'):
        rows.append(('empty', f'{more["empty_scenes"]} scenes are hit but hold nothing'))
    return '\n'.join(f'{name:<11} {value}' for name, value in rows)


def maintained(answer: Any) -> str:
    """What one maintenance pass did, or would do; what is zero is not said, but for the memories."""
    counts = (
        (answer.purged, 'rows purged'), (answer.duplicates_superseded, 'duplicates superseded'),
        (answer.edges_pruned, 'edges pruned'), (answer.scene_refs_pruned, 'ties to scenes pruned'),
        (answer.scenes_merged, 'scenes merged'), (answer.vectors_made, 'vectors made'),
    )
    done = [f'{answer.gc_retired} memories retired', *(f'{count} {what}' for count, what in counts if count)]
    return f'{", ".join(done)} ({answer.file_bytes / 1e6:.2f} MB, {answer.elapsed_ms:.0f} ms)'


def session_started(answer: Any) -> str:
    """The id alone on the first line, so that a shell can take it."""
    return (
        f'{answer.session_id}\n'
        f'begun in {printable(answer.collection)}, where {answer.active_memories_count} memories are active'
    )


def session_ended(answer: Any) -> str:
    """What the episode's end did, and what matters next."""
    text = (
        f'ended: {answer.merged_groups} groups merged, {answer.superseded_count} memories superseded, '
        f'{answer.decayed_count} below half of their confidence'
    )
    return f'{text}\nrelated:\n{memories(answer.related_memories)}' if answer.related_memories else text


def forgotten(_answer: Any) -> str:
    """There is nothing more to say."""
    return 'forgotten'


def as_json(answer: dict[str, Any]) -> str:
    """The whole response, exactly."""
    return json.dumps(answer, ensure_ascii=False, indent=2)
