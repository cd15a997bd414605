"""What the end of a session answered, in the form that its second end can repeat, whatever came."""

from __future__ import annotations

import json

from robotmem_ros.core.payload import parse_json_object
from robotmem_ros.errors import InvalidRequest

_WHOLE = ('merged_groups', 'superseded_count', 'decayed_count')
_SHARES = ('compression_ratio', 'avg_similarity')


def result_of(text: str, ended: bool) -> str:
    """Check and complete the result of a session; an open one has none.

    :raises InvalidRequest: if a part of it is not what it must be.
    """
    if not ended:
        return ''
    given = parse_json_object(text, 'result')
    related, summary = given.get('related', []), given.get('summary', {})
    numbers = {name: given[name] for name in (*_WHOLE, *_SHARES) if name in given}
    if (not isinstance(summary, dict) or not isinstance(related, list) or any(type(i) is not int for i in related)
            or any(type(value) not in (int, float) for value in numbers.values())):
        raise InvalidRequest('result', 'what the end of a session answers: counts, related, summary', text)
    whole = {name: int(numbers.get(name, 0)) for name in _WHOLE}
    shares = {name: float(numbers.get(name, 0.0)) for name in _SHARES}
    summary = {'ended_by_tick': False, **summary}
    return json.dumps({**whole, **shares, 'related': related, 'summary': summary}, ensure_ascii=False)
