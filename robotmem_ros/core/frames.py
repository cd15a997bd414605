"""Rigid motions in space: carry a pose from one frame into another."""

from __future__ import annotations

from dataclasses import replace

from robotmem_ros.model import Pose

Quaternion = tuple[float, float, float, float]


def compose(outer: Pose, inner: Pose) -> Pose:
    """Give ``inner``, which is expressed in the frame that ``outer`` places, in the frame of ``outer``."""
    x, y, z = rotate(outer.quaternion, (inner.x, inner.y, inner.z))
    return replace(
        outer, x=outer.x + x, y=outer.y + y, z=outer.z + z, quaternion=multiply(outer.quaternion, inner.quaternion)
    )


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Hamilton product of two quaternions (x, y, z, w): first ``b``, then ``a``."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def rotate(q: Quaternion, v: tuple[float, float, float]) -> tuple[float, float, float]:
    """Rotate a vector by a quaternion, which is normalised first; a zero quaternion rotates nothing."""
    norm = sum(c * c for c in q) ** 0.5
    if norm == 0.0:
        return v
    unit = (q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm)
    conjugate = (-unit[0], -unit[1], -unit[2], unit[3])
    x, y, z, _ = multiply(multiply(unit, (v[0], v[1], v[2], 0.0)), conjugate)
    return x, y, z
