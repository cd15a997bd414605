"""Draws a MarkerArray as rviz would show it from above, into a PNG: for those without rviz, and for the README."""

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont
from visualization_msgs.msg import Marker

WIDTH, MARGIN_M, SMOOTH = 1200, 1.0, 3
BACKGROUND, GRID, INK = (48, 48, 48), (72, 72, 72), (225, 225, 225)
LEGEND_HEIGHT = 58
MORE_FONTS = ('NotoSansCJK-Regular.ttc', 'wqy-microhei.ttc', 'wqy-zenhei.ttc', 'DejaVuSans.ttf')
"""Where Pillow's own has not the signs of a text."""
FEWEST_PIXELS = 13
"""Texts are never smaller than this, or nobody can read them."""


@dataclass(frozen=True)
class View:
    """From metres to pixels, x to the right, y up: the upper left corner in metres, and pixels to a metre."""

    left: float
    top: float
    scale: float

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        """Give the pixel of a point."""
        return (x - self.left) * self.scale, (self.top - y) * self.scale


def shown(markers: Sequence[Any]) -> list[Any]:
    """Give what a viewer has left on its screen when the array has come: later ones replace, DELETEALL empties."""
    found: dict[tuple[str, int], Any] = {}
    for marker in markers:
        if marker.action == Marker.DELETEALL:
            found = {key: kept for key, kept in found.items() if marker.ns and key[0] != marker.ns}
        elif marker.action == Marker.DELETE:
            found.pop((marker.ns, marker.id), None)
        else:
            found[marker.ns, marker.id] = marker
    return list(found.values())


def draw(markers: Sequence[Any], path: Path, width: int = WIDTH) -> None:
    """Draw what is shown of ``markers`` into a PNG of ``width`` pixels; without any, an empty grid."""
    visible = sorted(shown(markers), key=lambda marker: marker.pose.position.z)
    view, height = fit(visible, width)
    large = View(view.left, view.top, view.scale * SMOOTH)
    image = Image.new('RGB', (width * SMOOTH, height * SMOOTH), BACKGROUND)
    pen = ImageDraw.Draw(image, 'RGBA')
    grid(pen, large, image.size)
    for kinds in ((Marker.CYLINDER,), (Marker.LINE_LIST,), (Marker.SPHERE,)):
        for marker in visible:
            if marker.type in kinds:
                SHAPES[marker.type](pen, large, marker)
    image = image.resize((width, height), Image.Resampling.LANCZOS)
    words = [marker for marker in visible if marker.type == Marker.TEXT_VIEW_FACING]
    texts(ImageDraw.Draw(image, 'RGBA'), view, words, visible, width)
    image = with_legend(image)
    image.save(path, optimize=True)


def fit(markers: Sequence[Any], width: int) -> tuple[View, int]:
    """Give the view that holds all, and the height of the image in pixels."""
    points = [(p.x, p.y, r) for marker in markers for p, r in extent(marker)] or [(0.0, 0.0, 1.0)]
    left, right = min(x - r for x, _, r in points) - MARGIN_M, max(x + r for x, _, r in points) + MARGIN_M
    bottom, top = min(y - r for _, y, r in points) - MARGIN_M, max(y + r for _, y, r in points) + MARGIN_M
    scale = width / (right - left)
    height = min(max(int((top - bottom) * scale), width // 4), width)
    return View(left, (top + bottom) / 2 + height / scale / 2, scale), height


def extent(marker: Any) -> list[tuple[Any, float]]:
    """Give points of a marker, each with the radius around it that must be seen, metres."""
    if marker.type == Marker.LINE_LIST:
        return [(point, 0.0) for point in marker.points]
    return [(marker.pose.position, marker.scale.x / 2.0)]


def grid(pen: Any, view: View, size: tuple[int, int]) -> None:
    """A line for each metre."""
    for i in range(math.floor(view.left), math.ceil(view.left + size[0] / view.scale) + 1):
        x, _ = view.pixel(i, 0.0)
        pen.line((x, 0, x, size[1]), fill=GRID, width=SMOOTH)
    for i in range(math.floor(view.top - size[1] / view.scale), math.ceil(view.top) + 1):
        _, y = view.pixel(0.0, i)
        pen.line((0, y, size[0], y), fill=GRID, width=SMOOTH)


def colour(marker: Any, light: float = 0.0) -> tuple[int, int, int, int]:
    """Give a marker's colour for the pen; ``light`` moves it towards white."""
    rgb = (marker.color.r, marker.color.g, marker.color.b)
    red, green, blue = (round(255 * (part + (1.0 - part) * light)) for part in rgb)
    return red, green, blue, round(255 * marker.color.a)


def disc(pen: Any, view: View, marker: Any) -> None:
    """A cylinder from above."""
    x, y = view.pixel(marker.pose.position.x, marker.pose.position.y)
    r = marker.scale.x / 2.0 * view.scale
    pen.ellipse((x - r, y - r, x + r, y + r), fill=colour(marker))


def ball(pen: Any, view: View, marker: Any) -> None:
    """A sphere from above, with the light from the upper left."""
    disc(pen, view, marker)
    if marker.color.a > 0.5:
        x, y = view.pixel(marker.pose.position.x, marker.pose.position.y)
        r = marker.scale.x / 2.0 * view.scale
        for share, light in ((0.62, 0.18), (0.3, 0.4)):
            cx, cy = x - 0.22 * r, y - 0.22 * r
            pen.ellipse((cx - share * r, cy - share * r, cx + share * r, cy + share * r), fill=colour(marker, light))


def lines(pen: Any, view: View, marker: Any) -> None:
    """Pairs of points."""
    across = max(round(marker.scale.x * view.scale), SMOOTH)
    for a, b in zip(marker.points[::2], marker.points[1::2], strict=True):
        pen.line((*view.pixel(a.x, a.y), *view.pixel(b.x, b.y)), fill=colour(marker), width=across)


SHAPES = {Marker.CYLINDER: disc, Marker.SPHERE: ball, Marker.LINE_LIST: lines}


def texts(pen: Any, view: View, markers: Sequence[Any], others: Sequence[Any], width: int) -> None:
    """Write each text over its point, or where there is room as near to it as can be."""
    taken = [around(view, marker) for marker in others if marker.type == Marker.SPHERE]
    for marker in markers:
        size = max(marker.scale.z * view.scale, FEWEST_PIXELS)
        words, font = drawable(marker.text, size)
        x, y = view.pixel(marker.pose.position.x, marker.pose.position.y)
        half = pen.textlength(words, font=font) / 2.0 + 4.0
        middle = min(max(x, half), width - half)
        for base in (y + 3.0 * step for step in sorted(range(-200, 200), key=abs)):
            box = (middle - half, base - size, middle + half, base + 3.0)
            if not any(hits(box, other) for other in taken):
                break
        taken.append(box)
        pen.line((x, y, x, base + 3.0 if base < y else base - size), fill=(*colour(marker)[:3], 110))
        ink = {'fill': colour(marker), 'stroke_width': 2, 'stroke_fill': BACKGROUND}
        pen.text((middle, base), words, font=font, anchor='ms', **ink)


Box = tuple[float, float, float, float]


def around(view: View, marker: Any) -> Box:
    """Give the box of pixels that a sphere takes, with a little air."""
    x, y = view.pixel(marker.pose.position.x, marker.pose.position.y)
    r = marker.scale.x / 2.0 * view.scale + 4.0
    return x - r, y - r, x + r, y + r


def hits(a: Box, b: Box) -> bool:
    """Whether two boxes overlap."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def drawable(words: str, size: float) -> tuple[str, Any]:
    """Give a text and a font that has all its signs; where there is none on this machine, say so in its place."""
    for font in fonts(size):
        if all(has(font, sign) for sign in set(words)):
            return words, font
    return f'({len(words)} signs that no font here has)', ImageFont.load_default(size)


def fonts(size: float) -> Iterator[Any]:
    """Give the fonts of this machine, the one that Pillow brings first."""
    yield ImageFont.load_default(size)
    for name in MORE_FONTS:
        with contextlib.suppress(OSError):  # not on this machine
            yield ImageFont.truetype(name, size)


def has(font: Any, sign: str) -> bool:
    """Whether a font has a sign, or draws its box for those that it has not."""
    return sign.isspace() or bytes(font.getmask(sign)) != bytes(font.getmask('\U0010ffff'))


def with_legend(image: Any) -> Any:
    """Add a strip below that says what is what."""
    from robotmem_ros.ros.markers import IN_FORCE, WHITE, confidence_colour

    whole = Image.new('RGB', (image.width, image.height + LEGEND_HEIGHT), (30, 30, 30))
    whole.paste(image, (0, 0))
    pen, font, y = ImageDraw.Draw(whole, 'RGBA'), ImageFont.load_default(15), image.height + LEGEND_HEIGHT / 2
    for i in range(100):
        red, green, blue = (round(255 * part) for part in confidence_colour(i / 99))
        pen.line((20 + i, y - 7, 20 + i, y + 7), fill=(red, green, blue))
    pen.text((128, y), 'confidence 0 to 1', font=font, fill=INK, anchor='lm')
    for x, r in ((290, 5), (306, 7), (326, 10)):
        pen.ellipse((x - r, y - r, x + r, y + r), fill=(160, 160, 160))
    pen.text((344, y), 'how often it was recalled', font=font, fill=INK, anchor='lm')
    pen.line((560, y, 600, y), fill=tuple(round(255 * part) for part in WHITE), width=2)
    pen.text((608, y), 'recalled together', font=font, fill=INK, anchor='lm')
    pen.ellipse((766, y - 12, 790, y + 12), fill=(*(round(255 * part) for part in IN_FORCE), 110))
    pen.text((798, y), 'the scene in force and its memories', font=font, fill=INK, anchor='lm')
    pen.text((image.width - 16, y), 'grid: 1 m', font=font, fill=INK, anchor='rm')
    return whole
