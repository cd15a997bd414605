"""Times as text: RFC 3339 in UTC, to the nanosecond, so that nothing is lost on the way."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

from robotmem_ros.errors import InvalidRequest

NS = 10**9
LATEST_NS = 9 * 10**18
"""In the year 2255; a signed 64-bit number of nanoseconds ends in 2262."""
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_TIME = re.compile(
    r'(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9})\d*)?\s*(Z|[+-]\d\d:?\d\d)?)?',
    re.ASCII | re.IGNORECASE,
)


def text_of(ns: int) -> str:
    """Give UTC nanoseconds as ``2026-02-19T08:00:00.5Z``; '' for 0, which is no time."""
    if not ns:
        return ''
    moment = _EPOCH + timedelta(seconds=ns // NS)
    fraction = f'.{ns % NS:09d}'.rstrip('0') if ns % NS else ''
    return f'{moment:%Y-%m-%dT%H:%M:%S}{fraction}Z'


def ns_of(text: str, field: str) -> int:
    """Read a date (its first moment) or a time, UTC where it names no zone; 0 for ''.

    :raises InvalidRequest: for anything else, or outside of 1970 to 2255.
    """
    if not text:
        return 0
    match = _TIME.fullmatch(text.strip())
    wanted = 'a date (2026-02-19) or a time (2026-02-19T08:00:00Z) from 1970 to 2255'
    if match is None:
        raise InvalidRequest(field, wanted, text)
    date, clock, fraction, zone = match.groups()
    offset = '+00:00' if zone in (None, 'Z', 'z') else f'{zone[:3]}:{zone[-2:]}'
    try:
        moment = datetime.fromisoformat(f'{date}T{clock or "00:00"}{offset}')
    except ValueError as error:
        raise InvalidRequest(field, wanted, text) from error
    ns = (moment - _EPOCH) // timedelta(seconds=1) * NS + int((fraction or '').ljust(9, '0'))
    if not 0 < ns <= LATEST_NS:
        raise InvalidRequest(field, wanted, text)
    return ns
