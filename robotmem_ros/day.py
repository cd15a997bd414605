"""The part of the day, a weak feature of every situation: it describes, and never identifies (seed 002, R2)."""

from __future__ import annotations

import re
import time

from robotmem_ros.errors import InvalidRequest

PART = 'part'
LOCAL, UTC, OFF = 'local', 'utc', 'off'
NS_PER_S, S_PER_DAY = 10**9, 86_400
BEGINS = ((5, 'morning'), (11, 'noon'), (14, 'afternoon'), (18, 'evening'), (22, 'night'))
"""The hour at which each part begins; before the first it is still night."""
_OFFSET = re.compile(r'([+-])(0?\d|1[0-4]):?([0-5]\d)?')


def check_zone(zone: str, field: str) -> str:
    """Give ``zone`` back if it is ``local`` (the system's), ``utc``, ``off``, or an offset such as ``+02:00``.

    :raises InvalidRequest: if it is none of these.
    """
    if zone not in (LOCAL, UTC, OFF) and not _OFFSET.fullmatch(zone):
        raise InvalidRequest(field, 'local, utc, off, or an offset such as +02:00', zone)
    return zone


def part_of_day(utc_ns: int, zone: str) -> str:
    """Give the part of the day at a moment, ``''`` where it is switched off or no time is known."""
    if zone == OFF or utc_ns <= 0:
        return ''
    hour = (utc_ns // NS_PER_S + _offset_s(utc_ns, zone)) % S_PER_DAY // 3600
    return next((name for begin, name in reversed(BEGINS) if hour >= begin), BEGINS[-1][1])


def _offset_s(utc_ns: int, zone: str) -> int:
    if zone == LOCAL:
        try:
            return time.localtime(utc_ns // NS_PER_S).tm_gmtoff
        except (OverflowError, OSError, ValueError):  # a date that the system's calendar does not reach
            return 0
    match = _OFFSET.fullmatch(zone)
    if match is None:
        return 0
    seconds = int(match[2]) * 3600 + int(match[3] or 0) * 60
    return -seconds if match[1] == '-' else seconds
