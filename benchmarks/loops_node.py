"""`python -m benchmarks.loops_node [drive.csv ...]`: the same as `benchmarks.loops`, but through the node.

Poses go out as messages, in simulated time, and what counts is what comes back on `~/scene_hit`. By default the
recorded tour of the demo (a TurtleBot under Nav2, in an office, 36 m, there and back) is driven three times; its
radii are those of the demo, and ground is known 6 m of travel later. Speed is the real time's multiple: simulated time
is looked at fifty times a second, so that much more of it makes decisions late.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import yaml

from benchmarks import loops
from benchmarks.drives import AGO_M, Drive, drive_of, from_csv
from demo.fetch import cache_folder, recording
from demo.node_process import NodeProcess, free_domain

POSE_TOPIC, NODE = '/amcl_pose', '/robotmem'
MARGIN_M, SETTLE_S = 0.4, 0.5
OFFICE_RADIUS_M, OFFICE_AGO_M = 1.5, 6.0
NS_PER_S = 10**9
BEGIN_NS = 1_000 * NS_PER_S


def office_tour(laps: int) -> Drive:
    """Give the recorded tour, driven ``laps`` times with a minute between."""
    from demo.recording import read

    recorded = [each for each in read(recording(cache_folder())).messages if each.topic == POSE_TOPIC]
    times = np.array([each.at_ns / NS_PER_S for each in recorded])
    path = np.array([(p.x, p.y) for p in (each.message.pose.pose.position for each in recorded)])
    later = np.concatenate([times + lap * (times[-1] + 60.0) for lap in range(laps)])
    return drive_of('office tour', later, np.concatenate([path] * laps))


def drive_through_node(drive: Drive, radius_m: float, speed: float) -> loops.Driven:
    """Start a node, drive along, and stop it."""
    import rclpy
    from rclpy.signals import SignalHandlerOptions

    domain = free_domain()
    os.environ |= {'ROS_DOMAIN_ID': str(domain), 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / 'parameters.yaml').write_text(yaml.safe_dump({'/**': {'ros__parameters': {
            'db_path': str(folder / 'memory.db'), 'use_sim_time': True, 'embed': {'model_path': str(folder / 'none')},
            'scenes': {'place_radius_m': radius_m, 'place_margin_m': MARGIN_M},
            'taps': {'names': ['pose'], 'pose': {
                'topic': POSE_TOPIC, 'kind': 'place', 'rate_hz': 1000.0,
                'type': 'geometry_msgs/msg/PoseWithCovarianceStamped'}},
        }}}), 'utf-8')
        arguments = ['--ros-args', '--params-file', str(folder / 'parameters.yaml'), '--log-level', 'warn']
        with NodeProcess(arguments, folder / 'node.log'):
            context = rclpy.Context()
            rclpy.init(args=[], context=context, domain_id=domain, signal_handler_options=SignalHandlerOptions.NO)
            try:
                told = Publisher(context).drive(drive, speed)
            finally:
                context.try_shutdown()
        centres = read_centres(folder / 'memory.db')
    return driven_of(drive, told, centres, radius_m)


class Publisher:
    """Publishes time and poses, and keeps the hits that come: their stamps (ns) and keys."""

    def __init__(self, context: Any) -> None:
        import rclpy
        from geometry_msgs.msg import PoseWithCovarianceStamped
        from rclpy.executors import SingleThreadedExecutor
        from rclpy.qos import DurabilityPolicy, QoSProfile
        from robotmem_ros.msg import SceneHit
        from rosgraph_msgs.msg import Clock

        self._node = rclpy.create_node('driver', context=context, enable_rosout=False)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._clock = self._node.create_publisher(Clock, '/clock', 10)
        self._pose = self._node.create_publisher(PoseWithCovarianceStamped, POSE_TOPIC, latched)
        self._told: list[tuple[int, str]] = []
        self._node.create_subscription(SceneHit, f'{NODE}/scene_hit', self._hit, 100)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self._node)
        threading.Thread(target=self._executor.spin, daemon=True).start()

    def _hit(self, hit: Any) -> None:
        self._told.append((hit.header.stamp.sec * NS_PER_S + hit.header.stamp.nanosec, hit.key))

    def drive(self, drive: Drive, speed: float) -> list[tuple[int, str]]:
        """Drive along, ``speed`` times as fast as it was."""
        from geometry_msgs.msg import PoseWithCovarianceStamped
        from rosgraph_msgs.msg import Clock

        while not self._pose.get_subscription_count():
            self._clock.publish(Clock())
            time.sleep(0.1)
        time.sleep(2.0)  # until both sides know of each other
        begun = time.monotonic()
        for t, (x, y) in zip(drive.t_s, drive.xy_m, strict=True):
            time.sleep(max(0.0, begun + float(t) / speed - time.monotonic()))
            now, pose = Clock(), PoseWithCovarianceStamped()
            now.clock.sec, now.clock.nanosec = divmod(BEGIN_NS + round(float(t) * NS_PER_S), NS_PER_S)
            pose.header.stamp, pose.header.frame_id = now.clock, 'map'
            pose.pose.pose.position.x, pose.pose.pose.position.y = float(x), float(y)
            self._clock.publish(now)
            self._pose.publish(pose)
        time.sleep(1.0)
        self._executor.shutdown()
        return self._told


def read_centres(path: Path) -> dict[str, tuple[float, float]]:
    """Give the centre of each place in the file, by the key of its scene."""
    file = apsw.Connection(str(path))
    found = {f'place:{name}': (x, y) for name, x, y in file.execute('SELECT name, x, y FROM place')}
    file.close()
    return found


def driven_of(
    drive: Drive, told: list[tuple[int, str]], centres: dict[str, tuple[float, float]], radius_m: float
) -> loops.Driven:
    """Put the hits where they were told.

    Leaving is not told: a scene is in force until the next hit, or until its place has been left for as long as a
    decision takes.
    """
    at = np.searchsorted(drive.t_s, [(stamp - BEGIN_NS) / NS_PER_S for stamp, _ in told])
    hits = [(min(int(pose), len(drive.t_s) - 1), key) for pose, (_, key) in zip(at, told, strict=True)]
    keys = dict(hits)
    in_force, key, left_s = [], '', -1.0
    for pose, (t, here) in enumerate(zip(drive.t_s, drive.xy_m, strict=True)):
        key = keys.get(pose, key)
        is_inside = pose in keys or not key or np.hypot(*(here - centres[key])) <= radius_m + MARGIN_M
        left_s = -1.0 if is_inside else float(t) if left_s < 0 else left_s
        if left_s >= 0 and t - left_s > SETTLE_S:
            key = ''
        in_force.append(key)
    return loops.Driven(hits, in_force)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('drives', type=Path, nargs='*', help='CSV files with t_s, x_m, y_m, judged with 5 m')
    parser.add_argument('--speed', type=float, default=3.0, help='recorded seconds in a real one')
    parser.add_argument('--json', type=Path, default=Path('build/loops_node.json'), help='where the numbers go')
    options = parser.parse_args()
    tours = [(office_tour(laps=3), OFFICE_RADIUS_M, OFFICE_AGO_M)]
    tours += [(from_csv(path), loops.RADIUS_M, AGO_M) for path in options.drives]
    rows = []
    for drive, radius_m, ago_m in tours:
        driven = drive_through_node(drive, radius_m, options.speed)
        rows.append(loops.judged(drive, driven, radius_m, ago_m))
        loops.show(drive.name, loops.summary([rows[-1]]))
        for miss in rows[-1]['misses']:
            print(f'    missed {miss}')
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(rows, indent=2) + '\n', 'utf-8')
    print(f'\nwritten to {options.json}')


if __name__ == '__main__':
    main()
