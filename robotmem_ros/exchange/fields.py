"""The fields of a JSON object or of front matter, by the type that is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robotmem_ros.core.payload import check_name, check_unit
from robotmem_ros.errors import InvalidRequest
from robotmem_ros.exchange.times import ns_of

MOST_COUNT = 2**53


class Fields:
    """The fields of one JSON object, by the type that is wanted; a wrong one is refused by its name."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def has(self, name: str) -> bool:
        """Tell whether there is a value."""
        return self._values.get(name) is not None

    def text(self, name: str, default: str = '') -> str:
        """Give a text."""
        return str(self._typed(name, str, 'a text', default))

    def name(self, name: str, limit: int = 200) -> str:
        """Give a short text without control signs."""
        return check_name(self.text(name), name, limit)

    def time(self, name: str) -> int:
        """Give a time, UTC nanoseconds, 0 where there is none."""
        return ns_of(self.text(name), name)

    def number(self, name: str, default: float, low: float, high: float) -> float:
        """Give a number of a closed range."""
        value = self._typed(name, (int, float), 'a number', default)
        return check_unit(float(value), name, low, high)

    def whole(self, name: str, default: int = 0) -> int:
        """Give a whole number from 0 on."""
        value = self._typed(name, int, 'a whole number', default)
        if not 0 <= value <= MOST_COUNT:
            raise InvalidRequest(name, f'a whole number from 0 to {MOST_COUNT}', value)
        return int(value)

    def items(self, name: str, kind: type | tuple[type, ...], limit: int) -> list[Any]:
        """Give a list of at most ``limit`` values of one kind."""
        values = self._typed(name, list, 'a list', [])
        if len(values) > limit or not all(isinstance(value, kind) and not isinstance(value, bool) for value in values):
            raise InvalidRequest(name, f'a list of at most {limit} of one kind', values)
        return list(values)

    def objects(self, name: str, limit: int = 1000) -> list[Fields]:
        """Give a list of objects."""
        return [Fields(value) for value in self.items(name, dict, limit)]

    def inner(self, name: str) -> Fields | None:
        """Give an object, ``None`` where there is none."""
        value = self._typed(name, dict, 'an object', None)
        return None if value is None else Fields(value)

    def identity(self, name: str) -> str:
        """Give an id: a text or a whole number."""
        value = str(self._typed(name, (str, int), 'a text or a whole number', ''))
        return check_name(value, name)

    def _typed(self, name: str, kind: type | tuple[type, ...], wanted: str, default: Any) -> Any:
        value = self._values.get(name)
        if value is None:
            return default
        if not isinstance(value, kind) or isinstance(value, bool):
            raise InvalidRequest(name, wanted, value)
        return value
