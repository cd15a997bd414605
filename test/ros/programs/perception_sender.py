"""Sends perceptions at a rate, as a camera's driver would: with an interpreter of its own, which shares nothing.

Every one is numbered and stamped; of each ``BAD_EACH`` of them one is too short, where rubbish is asked for. Prints a
line when it begins and, at its end, how many seconds it took; then waits for its own end, so that nothing is lost.
"""

from __future__ import annotations

import argparse
import signal
import time

import rclpy
import robotmem_ros.msg as msg
from rclpy.duration import Duration
from rclpy.qos import QoSProfile

FIRST_STAMP_S = 1_700_000_000
BAD_EACH = 10


def perception(seq: int, is_rubbish: bool) -> msg.Perception:
    """Give one of a robot that walks from place to place."""
    features = [('place', f'p{seq // 500}'), ('object', f'o{seq % 9}'), *([('range', 'nan')] if is_rubbish else [])]
    seen = msg.Perception(
        seq=seq, source='camera', features=[msg.SituationFeature(kind=k, value=v) for k, v in features],
        description='ab' if is_rubbish else f'crate {seq} goes by')
    seen.header.stamp.sec, seen.header.stamp.nanosec = FIRST_STAMP_S + seq, 5
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('topic')
    parser.add_argument('--rate', type=float, help='messages a second')
    parser.add_argument('--count', type=int)
    parser.add_argument('--rubbish', action='store_true')
    asked = parser.parse_args()
    rclpy.init()
    node = rclpy.create_node('camera')
    publisher = node.create_publisher(msg.Perception, asked.topic, QoSProfile(depth=1000))
    while not publisher.get_subscription_count():
        time.sleep(0.01)
    # Two ends find each other one after the other: what is sent between is lost, and no number tells.
    publisher.publish(msg.Perception())
    publisher.wait_for_all_acked(Duration(seconds=20))
    print('begins', flush=True)
    begun = time.monotonic()
    for seq in range(1, asked.count + 1):
        publisher.publish(perception(seq, asked.rubbish and seq % BAD_EACH == 0))
        time.sleep(max(0.0, begun + seq / asked.rate - time.monotonic()))
    print(time.monotonic() - begun, flush=True)
    signal.pause()


if __name__ == '__main__':
    main()
