"""What the demo prints: calm lines for people, a progress bar where the output is a terminal."""

import sys
import textwrap
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

WIDTH = 100


class Report:
    """Prints lines above a progress bar; without a terminal there is no bar."""

    def __init__(self, stream: Any = None) -> None:
        self._stream = stream or sys.stdout
        self._bar = ''

    def say(self, text: str = '', indent: int = 0, hang: int = 0) -> None:
        """Print a paragraph, wrapped; ``hang`` is how much further its later lines are indented."""
        self._erase()
        lines = textwrap.wrap(
            text, WIDTH, initial_indent=' ' * indent, subsequent_indent=' ' * (indent + hang), break_on_hyphens=False,
            break_long_words=False,
        )
        print('\n'.join(lines), file=self._stream, flush=True)
        self._draw()

    def command(self, text: str) -> None:
        """Print what is to be copied into a shell: on one line, however long."""
        self._erase()
        print(f'    {text}', file=self._stream, flush=True)
        self._draw()

    def heading(self, text: str) -> None:
        """Begin a part."""
        self.say()
        self.say(text)
        self.say('-' * min(len(text), WIDTH))

    def progress(self, name: str, done_s: float, whole_s: float) -> None:
        """Move the bar; the same bar is not drawn again."""
        done_s = min(done_s, whole_s)
        share = done_s / whole_s
        bar = f'  {name:<12} [{"#" * int(share * 30):<30}] {clock(done_s)} of {clock(whole_s)}'
        if self._stream.isatty() and bar != self._bar:
            self._bar = bar
            self._draw()

    def end_progress(self) -> None:
        """Take the bar away."""
        self._erase()
        self._bar = ''

    def _draw(self) -> None:
        if self._bar:
            print(f'\r{self._bar}', end='', file=self._stream, flush=True)

    def _erase(self) -> None:
        if self._bar:
            print('\r' + ' ' * len(self._bar) + '\r', end='', file=self._stream)

    def event(self, at_s: float, position: tuple[float, float] | None, text: str, *below: str) -> None:
        """Print what happened on a drive: when, where (if that is known), what, and lines that belong to it."""
        head = f'{clock(at_s):>4}  {point(*position) if position else "":<13} '
        self.say(head + text, 2, len(head))
        for line in below:
            self.say(line, 2 + len(head), 1)

    def memory(self, memory: Any) -> None:
        """Print one memory of an answer: how well it fits, what it says, what kind it is and where it holds."""
        position = memory.pose.pose.position
        where = f', {point(position.x, position.y)}' if memory.has_pose else ''
        score = f'{memory.score:.2f}  '
        self.say(f'{score}"{memory.content}"', 6, len(score) + 1)
        self.say(f'{memory.category}, confidence {memory.confidence:.2f}{where}', 6 + len(score))

    def failures(self, failed: Sequence[str], log_lines: str) -> None:
        """Say which expectations failed, and how the node's log ends."""
        self.heading('The demo failed')
        for sentence in failed:
            self.say(f'- {sentence}', 2, 2)
        self.say("The end of the node's log:")
        print(textwrap.indent(log_lines or '(empty)', '    '), file=self._stream)


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    return f'{int(seconds) // 60}:{int(seconds) % 60:02d}'


def point(x: float, y: float) -> str:
    """A point on the map, metres."""
    return f'({x:.1f}, {y:.1f})'


def day(at_ns: int) -> str:
    """Date and time of a stamp, UTC."""
    return datetime.fromtimestamp(at_ns / 1e9, timezone.utc).strftime('%Y-%m-%d %H:%M UTC')
