"""What is drawn of a MarkerArray is what a viewer would show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import picture
import pytest
from PIL import Image
from visualization_msgs.msg import Marker

from robotmem_ros.core.places import Centre
from robotmem_ros.model import Pose
from robotmem_ros.picture import Picture
from robotmem_ros.ros.markers import IN_FORCE, Style, confidence_colour, marker_array
from robotmem_ros.store.placed import PlacedMemory


def memory(number: int, x: float, y: float, text: str = 'x', in_force: bool = False) -> PlacedMemory:
    return PlacedMemory(number, text, 'fact', '', 'stm', 0, 0.9, Pose('map', x, y), in_force)


SCENE = {'scene': 'place:p1', 'centre': Centre('p1', '', 'map', 0.0, 8.0), 'radius_m': 1.5}


def drawn(found: Picture, path: Path, text: bool = False) -> tuple[Any, picture.View]:
    markers = marker_array(found, Style(0.4, text)).markers
    picture.draw(markers, path)
    view, _ = picture.fit(picture.shown(markers), picture.WIDTH)
    return opened(path), view


def opened(path: Path) -> Any:
    with Image.open(path) as png:
        png.load()
    return png


def near(pixel: tuple[int, ...], colour: tuple[float, ...], within: float) -> bool:
    return all(abs(a - 255 * b) < within for a, b in zip(pixel, colour, strict=True))


def test_memories_edges_and_the_scene_stand_where_they_are(tmp_path: Path) -> None:
    found = Picture((memory(1, 0.0, 0.0), memory(2, 12.0, 4.0)), ((1, 2, 9.0),), **SCENE)
    png, view = drawn(found, tmp_path / 'p.png')

    def at(x: float, y: float) -> tuple[int, ...]:
        column, row = view.pixel(x, y)
        return png.getpixel((round(column), round(row)))

    assert png.format == 'PNG' and png.size[0] == picture.WIDTH
    assert near(at(0.12, -0.12), confidence_colour(0.9), 30) and near(at(12.12, 3.88), confidence_colour(0.9), 30)
    assert sum(at(6.0, 2.0)) > 400, 'the edge is light'
    red, green, blue = at(-0.7, 8.5)
    assert red > green > blue and near((red, green, blue), tuple(0.3 * c + 0.7 * 48 / 255 for c in IN_FORCE), 12)
    assert max(at(6.3, 7.3)) < 90, 'nothing is there'


def test_texts_do_not_lie_on_each_other(tmp_path: Path) -> None:
    """Ink of two labels at one point stands on different lines."""
    first, second, far = memory(1, 0.0, 0.0, 'a long label'), memory(2, 0.0, 0.0, 'another label'), memory(9, 9.0, 0.0)
    one, _ = drawn(Picture((first, far)), tmp_path / 'a.png', text=True)
    two, _ = drawn(Picture((first, second, far)), tmp_path / 'b.png', text=True)

    def rows(png: Any) -> int:
        left = png.convert('L').crop((0, 0, png.width // 2, png.height - picture.LEGEND_HEIGHT))
        return int((np.asarray(left).max(axis=1) > 225).sum())

    assert rows(two) > 1.5 * rows(one) > 0


def test_signs_that_no_font_has_are_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, 'MORE_FONTS', ('no-such-font.ttf',))
    words, _ = picture.drawable('充电桩', 14.0)
    assert words == '(3 signs that no font here has)'
    assert picture.drawable('charger', 14.0)[0] == 'charger'


def test_nothing_to_see_is_an_empty_grid(tmp_path: Path) -> None:
    png, _ = drawn(Picture(), tmp_path / 'p.png')
    assert np.asarray(png)[:200].min() > 40 and np.asarray(png)[:200].max() < 80


def test_later_markers_replace_and_deleteall_empties() -> None:
    def made(number: int, action: int = Marker.ADD, ns: str = 'a') -> Marker:
        return Marker(id=number, ns=ns, action=action)

    assert [m.id for m in picture.shown([made(1), made(2), made(1)])] == [1, 2]
    assert picture.shown([made(1), made(1, Marker.DELETE)]) == []
    assert [m.id for m in picture.shown([made(1), made(0, Marker.DELETEALL, ''), made(3)])] == [3]
    assert [m.ns for m in picture.shown([made(1), made(1, ns='b'), made(0, Marker.DELETEALL, 'a')])] == ['b']


def test_the_readme_shows_the_picture_of_the_demo(demo_folder: Path) -> None:
    path = demo_folder.parent / 'docs' / 'demo.png'
    assert path.stat().st_size < 200_000 and opened(path).size[0] == picture.WIDTH
    assert '(docs/demo.png)' in (demo_folder.parent / 'README.md').read_text('utf-8')
