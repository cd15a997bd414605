"""The picture of a memory as markers for rviz and Foxglove. Pure: values in, messages out."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from robotmem_ros.core.places import MAX_COORDINATE_M
from robotmem_ros.picture import Picture
from robotmem_ros.ros.convert import text
from robotmem_ros.store.placed import PlacedMemory

CONFIDENCE_COLOURS = (
    (0.28, 0.18, 0.48), (0.19, 0.41, 0.56), (0.13, 0.57, 0.55), (0.37, 0.79, 0.38), (0.99, 0.91, 0.14),
)
"""From confidence 0 to 1 in equal steps: dark violet, blue, teal, green, yellow. Grows in lightness, so that
it can be read without telling red from green, too."""
IN_FORCE = (1.0, 0.55, 0.1)
"""Orange: the scene in force, and nothing else."""
WHITE = (0.95, 0.95, 0.95)
EDGE_BANDS = ((3.0, 0.30, 0.9), (1.5, 0.16, 0.65), (0.0, 0.08, 0.4))
"""Least effective weight, width as a share of the size, and alpha. One list of lines for each band: a list has one
width, and rviz takes no alpha from single points."""
LABEL_LENGTH = 72
FOLLOWS = 2.399963229728653
"""The golden angle, radians: what lies at one point is laid out as a sunflower lays its seeds."""

Spot = tuple[str, str]
"""Frame and map: coordinates are comparable within one."""
XYZ = tuple[float, float, float]


@dataclass(frozen=True)
class Style:
    """How it is drawn: diameter of a memory that was never used, metres; whether its text stands beside it."""

    size_m: float = 0.2
    text: bool = False


def marker_array(picture: Picture, style: Style) -> MarkerArray:
    """
    Give the whole picture: first one marker that deletes all, so that nothing old is left, then the full set.

    Stamps are zero and frames locked: a viewer then uses the newest transform, however simulated time jumps.
    """
    memories = [memory for memory in picture.memories if is_drawable(memory)]
    places = spread(memories, style.size_m)
    markers = [Marker(action=Marker.DELETEALL)]
    for memory in memories:
        markers += _memory(memory, places[memory.id], style)
    markers += _edges(picture, {memory.id: memory for memory in memories}, places, style)
    markers += _scene(picture, memories, places, style)
    return MarkerArray(markers=markers)


def is_drawable(memory: PlacedMemory) -> bool:
    """Whether it has a frame and finite coordinates: one NaN makes a viewer drop the whole message."""
    pose = memory.pose
    return bool(frame_of(pose.frame_id)) and all(abs(v) <= MAX_COORDINATE_M for v in (pose.x, pose.y, pose.z))


def frame_of(frame_id: str) -> str:
    """Give a frame as tf2 knows it: a slash before it is from ROS 1."""
    return text(frame_id).lstrip('/')


def spread(memories: list[PlacedMemory], size_m: float) -> dict[int, XYZ]:
    """
    Give each memory the point where it is drawn, metres: its own, or, where others are, one beside it.

    The first, which is worth the most, keeps the point; a second one lies a diameter and a half away.
    """
    taken: dict[tuple[Spot, int, int, int], int] = defaultdict(int)
    points = {}
    for memory in memories:
        pose, step = memory.pose, 1.5 * size_m
        cell = spot_of(memory), round(pose.x / step), round(pose.y / step), round(pose.z / step)
        rank = taken[cell]
        taken[cell] += 1
        radius, angle = step * math.sqrt(rank), FOLLOWS * rank
        points[memory.id] = (pose.x + radius * math.cos(angle), pose.y + radius * math.sin(angle), pose.z)
    return points


def spot_of(memory: PlacedMemory) -> Spot:
    """Give frame and map of a memory."""
    return frame_of(memory.pose.frame_id), memory.pose.map_id


def confidence_colour(confidence: float) -> tuple[float, float, float]:
    """Give red, green and blue in [0, 1] for a confidence in [0, 1]."""
    position = min(1.0, max(0.0, confidence)) * (len(CONFIDENCE_COLOURS) - 1)
    step = min(int(position), len(CONFIDENCE_COLOURS) - 2)
    share = position - step
    low, high = CONFIDENCE_COLOURS[step], CONFIDENCE_COLOURS[step + 1]
    red, green, blue = ((1.0 - share) * a + share * b for a, b in zip(low, high, strict=True))
    return red, green, blue


def diameter(use_count: int, size_m: float) -> float:
    """Give the diameter in metres: a half more for each tenfold use, at most two and a half times as wide."""
    return size_m * min(1.0 + 0.5 * math.log10(1 + max(use_count, 0)), 2.5)


def short(content: str) -> str:
    """Give a text as a label: one line, cut to ``LABEL_LENGTH`` signs."""
    line = ' '.join(text(content).split())
    return line if len(line) <= LABEL_LENGTH else f'{line[: LABEL_LENGTH - 1]}…'


def _memory(memory: PlacedMemory, point: XYZ, style: Style) -> Iterator[Marker]:
    width = diameter(memory.use_count, style.size_m)
    spot = spot_of(memory)
    number, colour = memory.id % 2**31, confidence_colour(memory.confidence)
    yield _marker(Marker.SPHERE, 'memories', spot, number, point, (width,) * 3, colour, 0.95)
    if memory.in_force:
        yield _marker(Marker.SPHERE, 'memories in force', spot, number, point, (1.7 * width,) * 3, IN_FORCE, 0.35)
    if style.text:
        above = (point[0], point[1], point[2] + width)
        label = _marker(Marker.TEXT_VIEW_FACING, 'texts', spot, number, above, (0.0, 0.0, style.size_m), WHITE, 1.0)
        label.text = short(memory.content)
        yield label


def _edges(
    picture: Picture, drawn: Mapping[int, PlacedMemory], places: Mapping[int, XYZ], style: Style
) -> Iterator[Marker]:
    lists: dict[tuple[Spot, int], list[XYZ]] = defaultdict(list)
    for a, b, weight in picture.edges:
        if a in drawn and b in drawn and spot_of(drawn[a]) == spot_of(drawn[b]):
            band = next((i for i, (least, _, _) in enumerate(EDGE_BANDS) if weight >= least), None)
            if band is not None:
                lists[spot_of(drawn[a]), band] += [places[a], places[b]]
    for number, ((spot, band), points) in enumerate(sorted(lists.items())):
        _, share, alpha = EDGE_BANDS[band]
        marker = _marker(
            Marker.LINE_LIST, 'edges', spot, number, (0.0, 0.0, 0.0), (share * style.size_m, 0.0, 0.0), WHITE, alpha)
        marker.points = [_point(point) for point in points]
        yield marker


def _scene(
    picture: Picture, memories: list[PlacedMemory], places: Mapping[int, XYZ], style: Style
) -> Iterator[Marker]:
    """Draw the scene in force: a disc where its place is, and its key above it, or else above its first memory."""
    if not picture.scene:
        return
    held = next((memory for memory in memories if memory.in_force), None)
    centre = picture.centre
    if centre is not None:
        spot, point = (frame_of(centre.frame_id), centre.map_id), (centre.x, centre.y, centre.z)
        across, flat = 2.0 * picture.radius_m, 0.1 * style.size_m
        below = (point[0], point[1], point[2] - flat)
        yield _marker(Marker.CYLINDER, 'scene in force', spot, 0, below, (across, across, flat), IN_FORCE, 0.3)
    elif held is not None:
        spot, point = spot_of(held), places[held.id]
    else:
        return
    above = (point[0], point[1], point[2] + 5.0 * style.size_m)
    height = (0.0, 0.0, 1.5 * style.size_m)
    label = _marker(Marker.TEXT_VIEW_FACING, 'scene in force', spot, 1, above, height, IN_FORCE, 1.0)
    label.text = text(picture.scene)
    yield label


def _marker(
    kind: int, namespace: str, spot: Spot, number: int, point: XYZ, scale: XYZ, colour: XYZ, alpha: float
) -> Marker:
    frame, map_id = spot
    # A namespace for each map: a viewer switches them one by one.
    on_map = f', map {text(map_id)}' if map_id else ''
    marker = Marker(type=kind, id=number, ns=namespace + on_map, frame_locked=True)
    marker.header.frame_id = frame
    marker.pose.position = _point(point)
    marker.scale.x, marker.scale.y, marker.scale.z = (float(v) for v in scale)
    marker.color = ColorRGBA(r=colour[0], g=colour[1], b=colour[2], a=alpha)
    return marker


def _point(point: XYZ) -> Point:
    return Point(x=float(point[0]), y=float(point[1]), z=float(point[2]))
