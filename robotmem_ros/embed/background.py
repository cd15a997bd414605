"""Loads the embedder beside a running node, which answers in text mode meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Literal

from robotmem_ros.errors import RobotMemError
from robotmem_ros.ports import Embedder

State = Literal['idle', 'loading', 'ready', 'missing']


class BackgroundEmbedder:
    """
    An embedder that arrives later, or never; every method returns at once and none raises.

    It is loaded once: a missing model does not come by itself, and trying again and again would
    fill the log (EMB-02). A new object is a new attempt.

    :param load: gives the embedder or raises; runs in a thread of its own.
    :param on_change: called from that thread once the state is ``ready`` or ``missing``.
    """

    def __init__(self, load: Callable[[], Embedder], on_change: Callable[[], None] | None = None) -> None:
        self._load, self._on_change = load, on_change
        self._lock, self._done = Lock(), Event()
        self._state: State = 'idle'
        self._embedder: Embedder | None = None
        self._error: Exception | None = None
        self._is_released = False

    def start(self) -> None:
        """Begin loading; further calls do nothing."""
        with self._lock:
            if self._state != 'idle':
                return
            self._state = 'loading'
        # Not a daemon: the interpreter must not be torn down under native code that still loads.
        Thread(target=self._work, name='robotmem-model', daemon=False).start()

    def get(self) -> Embedder | None:
        """Give the embedder once it is ready, else ``None``; fits :data:`ports.EmbedderSource`."""
        return self._embedder

    def release(self) -> None:
        """
        Let go of the model, or of one that is still on its way; :meth:`get` gives ``None`` from now on.

        Its memory is the system's and weighs nothing for Python's collector, which would keep a dozen of them.
        """
        with self._lock:
            self._is_released, self._embedder = True, None

    def wait(self, timeout_s: float) -> bool:
        """Wait until loading has ended either way; ``False`` after ``timeout_s`` seconds."""
        return self._done.wait(timeout_s)

    @property
    def state(self) -> State:
        """``idle`` before :meth:`start`, then ``loading``, then ``ready`` or ``missing`` for good."""
        return self._state

    @property
    def reason(self) -> str:
        """Why the model is missing and how to provide it, one sentence; empty otherwise."""
        if self._error is None:
            return ''
        if isinstance(self._error, RobotMemError):
            return str(self._error)
        return f'embedding model unavailable: {type(self._error).__name__}: {self._error}'

    @property
    def error(self) -> Exception | None:
        """What loading raised, for a log with its traceback."""
        return self._error

    def _work(self) -> None:
        try:
            embedder = self._load()
            with self._lock:
                self._embedder = None if self._is_released else embedder
                self._state = 'ready'
        except Exception as error:  # noqa: BLE001  whatever it was, the node lives on in text mode and says why
            self._error = error
            self._state = 'missing'
        self._done.set()
        if self._on_change is not None:
            self._on_change()
