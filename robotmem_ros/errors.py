"""What can go wrong, as types. Every error carries its evidence and reads as one sentence.

The node puts ``str(error)`` into a response's ``error`` field, so the sentence names the field,
the limit and what came; the attributes hold the same facts for a program.
"""

from __future__ import annotations


class RobotMemError(Exception):
    """Root of all errors that this package raises on purpose."""


class InvalidRequest(RobotMemError):
    """A request field holds what cannot be served; nothing was changed.

    :param field: the field's name in the ``.srv`` or ``.msg`` file.
    :param expected: the limit or the form that was expected.
    :param got: what came instead, already shortened for a log line.
    """

    def __init__(self, field: str, expected: str, got: object) -> None:
        self.field, self.expected, self.got = field, expected, shorten(got)
        super().__init__(f'{field}: expected {expected}, got {self.got}')


class NotFound(RobotMemError):
    """Nothing usable has this name.

    :param what: kind of thing, ``memory`` or ``session``.
    :param key: the id that was asked for.
    :param why: what is known of it (``no such id``, ``forgotten``, ``superseded by 7``).
    """

    def __init__(self, what: str, key: object, why: str) -> None:
        self.what, self.key, self.why = what, key, why
        super().__init__(f'{what} {shorten(key)} not found: {why}')


class Conflict(RobotMemError):
    """The request contradicts what is stored (session of another collection, text that exists)."""

    def __init__(self, field: str, reason: str, other_id: int = 0) -> None:
        self.field, self.reason, self.other_id = field, reason, other_id
        super().__init__(f'{field}: {reason}')


class StoreError(RobotMemError):
    """The database file cannot be used as asked; ``path`` is the file."""

    def __init__(self, path: str, reason: str) -> None:
        self.path, self.reason = path, reason
        super().__init__(f'database {shorten_path(path)}: {reason}')


class StoreBusy(StoreError):
    """Another process held the file for longer than the busy limit; nothing was written."""


class StoreOwned(StoreError):
    """Another process owns the file: it alone writes; everybody may read. ``pid`` is 0 where it is not known."""

    def __init__(self, path: str, pid: int, owner: str) -> None:
        self.pid = pid
        super().__init__(path, f'is owned by {owner}, which alone may write it; stop that one, or use another file')


class StoreCorrupt(StoreError):
    """The file is damaged or not a database; it is left as it is."""


class OldFile(StoreCorrupt):
    """A file of robotmem 0.1: it is left as it is, and can be imported."""


class NewerSchema(StoreError):
    """The file was written by a newer version; it is left as it is."""

    def __init__(self, path: str, found: int, known: int) -> None:
        self.found, self.known = found, known
        super().__init__(path, f'schema version {found} is newer than {known}, the newest this version knows')


class ModelUnavailable(RobotMemError):
    """The embedding model cannot be loaded; the engine goes on in text mode."""

    def __init__(self, what: str, how_to_provide: str) -> None:
        self.what, self.how_to_provide = what, how_to_provide
        super().__init__(f'embedding model unavailable: {what}; {how_to_provide}')


class EmbeddingFailed(RobotMemError):
    """The model gave no usable vector for one text."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f'embedding failed: {reason}')


class NoTransform(RobotMemError):
    """Nobody has said where ``frame`` is in ``within`` at the moment asked for."""

    def __init__(self, frame: str, within: str, reason: str) -> None:
        self.frame, self.within, self.reason = frame, within, reason
        super().__init__(f'no transform from {shorten(frame)} to {shorten(within)}: {reason}')


class NotActive(RobotMemError):
    """The node is in a lifecycle state in which it neither stores nor answers."""

    def __init__(self, state: str) -> None:
        self.state = state
        super().__init__(f'the memory node is {state}, not active: ~/status says why; ros2 lifecycle set brings it up')


def shorten_path(path: str, limit: int = 200) -> str:
    """Give ``path`` with both ends, which tell it apart, and its length when something between them was cut."""
    if len(path) <= limit:
        return path
    return f'{path[:limit // 2]}…{path[-limit // 4:]} ({len(path)} characters)'


def shorten(value: object, limit: int = 80) -> str:
    """Give ``value`` as text of at most ``limit`` characters, with its length when it was cut."""
    text = value if isinstance(value, str) else repr(value)
    if len(text) > limit:
        return f'{text[:limit]!r}… ({len(text)} characters)'
    return repr(text) if isinstance(value, str) else text
