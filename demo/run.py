"""Replay a real recording through the real node, twice, and show what the robot remembers (`make demo`).

Exit status 0 only if scenes emerged, their hits carried memories, and recalls found what was learned.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # where Python is told to keep a script's folder off its path (-P), too
os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')

import fetch  # noqa: E402  (needs the two lines above)
import recording as recordings  # noqa: E402
from drive import Drive  # noqa: E402
from geometry_msgs.msg import PoseStamped  # noqa: E402
from node_process import NodeFailed, NodeProcess, free_domain  # noqa: E402
from player import Player  # noqa: E402
from report import Report, day, point  # noqa: E402
from robot import MEMORY, Robot, Silent  # noqa: E402
from story import INSIGHTS, POSE_TOPIC, QUESTIONS, Question  # noqa: E402

DAY_NS = 86_400 * 10**9
PATIENCE_S = 30.0
WHAT = (
    'A recorded drive through an office is replayed twice over ROS 2. On the first drive the robot learns things about '
    'the places where it is. The memory node listens to its pose and its task; a situation that comes back becomes a '
    f'scene, and whenever it is entered again the node publishes what was learned there on {MEMORY}/scene_hit, unasked.'
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo; 0 when every expectation held, 1 when one failed, 130 when interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--speed', type=float, default=8.0, help='recorded seconds per second (default: %(default)g)')
    parser.add_argument('--folder', type=Path, default=HERE.parent / 'build' / 'demo',
                        help='where the database and the log of each run go (default: %(default)s)')
    given = parser.parse_args(arguments)
    if not 0.1 <= given.speed <= 50.0:
        parser.error('--speed must lie between 0.1 and 50')
    report = Report()
    try:
        return run(report, given.speed, given.folder.expanduser().resolve())
    except (fetch.NoRecording, NodeFailed) as problem:
        report.say(f'The demo cannot start: {problem}.')
        return 1
    except KeyboardInterrupt:
        report.end_progress()
        report.say('Interrupted; the node has been stopped.')
        return 130


def run(report: Report, speed: float, folder: Path) -> int:
    """Fetch, start, drive twice, ask, judge."""
    report.heading('A robot that remembers')
    report.say(WHAT)
    report.say()
    tour = recordings.read(fetch.recording(fetch.cache_folder()))
    introduce(report, tour, speed)
    folder = folder / datetime.now().astimezone().strftime('%Y-%m-%dT%H-%M-%S')
    folder.mkdir(parents=True)
    database, domain = folder / 'robotmem.db', free_domain()
    os.environ['ROS_DOMAIN_ID'] = str(domain)
    parameters = ['--ros-args', '--params-file', str(HERE / 'demo.yaml'), '-p', f'db_path:={database}']
    failed: list[str] = []
    with NodeProcess(parameters, folder / 'node.log') as node:
        try:
            with Robot(domain) as robot:
                failed = tell(report, robot, node, tour, speed)
                draw(report, robot.markers, folder / 'markers.png')
            if not failed and (status := node.stop()):
                failed = [f'the node ended with status {status} when it was interrupted']
        except (NodeFailed, Silent) as problem:
            report.end_progress()
            failed = [f'{problem}.']
        if failed:
            report.failures(failed, node.last_lines())
    where(report, folder, kept=not failed)
    return 1 if failed else 0


def introduce(report: Report, tour: recordings.Recording, speed: float) -> None:
    """Say what is replayed, and what is left out."""
    topics = ', '.join(sorted(tour.topics))
    seconds = tour.duration_ns / 1e9
    count = len(tour.messages)
    report.say(f'Recording: {seconds:.0f} s of a TurtleBot under Nav2, {count} messages on {topics}; at {speed:g}x.')
    for topic, (type_name, count) in sorted(tour.skipped.items()):
        report.say(f'Left out: {topic} ({count} of {type_name}, which is not installed).')


def tell(report: Report, robot: Robot, node: NodeProcess, tour: recordings.Recording, speed: float) -> list[str]:
    """The two drives and the questions; gives the expectations that failed."""
    player = Player(robot, tour, speed)
    # Stamped as yesterday's and today's, so that the file is of use when the demo is over.
    today_ns = time.time_ns() - tour.start_ns - tour.duration_ns - 10 * 10**9
    wait_until_ready(report, robot, node, player, tour.start_ns + today_ns - DAY_NS)

    report.heading(f'1. First drive ({day(tour.start_ns + today_ns - DAY_NS)}): the robot learns as it goes')
    first = Drive(robot, tour, report, 'first drive', today_ns - DAY_NS)
    first.go(player, INSIGHTS)
    summary(report, first)

    report.heading(f'2. The same tour a day later ({day(tour.start_ns + today_ns)}): it asks for nothing, and is told')
    second = Drive(robot, tour, report, 'second drive', today_ns)
    second.go(player)
    summary(report, second)

    report.heading(f'3. Questions, as any program would ask {MEMORY}/recall')
    answers = [ask(report, robot, question, first.ids[question.expected]) for question in QUESTIONS]
    failed = judge(robot, first, second) + [sentence for sentence in answers if sentence]
    if not robot.sees('memories', set(first.ids.values())):
        failed.append(f'{MEMORY}/markers must show all that was learned')
    robot.sees('edges', {0}, timeout_s=3.0)  # what was just recalled together is tied by the next tick
    return failed


def wait_until_ready(report: Report, robot: Robot, node: NodeProcess, player: Player, now_ns: int) -> None:
    """Wait for the node, its services, its taps and its model.

    :raises Silent: when it is not ready in time.
    """
    deadline_s = time.monotonic() + PATIENCE_S
    while not (is_ready(robot, now_ns) and player.heard(POSE_TOPIC)):
        node.check()
        if time.monotonic() > deadline_s:
            status = robot.status
            said = f'its status is {status.state}, {status.reason!r}' if status else 'it never told its status'
            raise Silent(f'the node was not ready within {PATIENCE_S:g} s: {said}')
        robot.publish_clock(now_ns)
        time.sleep(0.05)
    if robot.status.mode != 'hybrid':
        report.say(f'Note: recall works by words only ({robot.status.reason or "no sentence model"}).')


def is_ready(robot: Robot, now_ns: int) -> bool:
    """Whether the node serves in full, in the recording's time."""
    return bool(robot.status and robot.status.ready and robot.knows_the_time(now_ns) and robot.is_connected())


def summary(report: Report, drive: Drive) -> None:
    """One line on a drive's scenes."""
    told, created = sum(1 for hit in drive.hits if hit.memories), sum(1 for hit in drive.hits if hit.created)
    report.say(
        f'{len(drive.hits)} situations recognised, {created} for the first time; {told} had something to tell, '
        f'{len(drive.told)} memories in all.'
    )


def ask(report: Report, robot: Robot, question: Question, expected_id: int) -> str:
    """Put one question and print the answer; gives a sentence when it does not hold what was learned."""
    near = PoseStamped()
    asked = [f'"{question.query}"'] if question.query else []
    if question.near:
        near.header.frame_id = 'map'
        near.pose.position.x, near.pose.position.y = question.near
        asked.append(f'within {question.radius_m:g} m of {point(*question.near)}')
    answer = robot.call('recall', query=question.query, n=2, near=near, radius=question.radius_m)
    report.say(f'{question.kind}: {", ".join(asked)}   ({answer.mode}, {answer.query_ms:.1f} ms)', 2, 4)
    for memory in answer.memories:
        report.memory(memory)
    if question.needs_model and robot.status.mode == 'bm25_only':
        return ''  # meaning needs the model, whose absence the node has reported
    if expected_id in [memory.id for memory in answer.memories]:
        return ''
    return f'recall {question.kind} ({", ".join(asked)}) must find "{question.expected.text}"'


def judge(robot: Robot, first: Drive, second: Drive) -> list[str]:
    """What must be true when both drives are over."""
    scenes = robot.call('list_scenes').scenes
    learned = set(first.ids.values())
    missing = [insight.text for insight, number in first.ids.items() if number not in second.told]
    checks: list[tuple[Any, str]] = [
        (len(scenes) >= 3, f'at least three scenes must emerge, {len(scenes)} did'),
        (any(hit.created for hit in first.hits), 'a scene must emerge on the way back of the first drive'),
        (len(learned) == len(INSIGHTS), f'all {len(INSIGHTS)} insights must be kept as memories of their own'),
        (not missing, f'the second drive must be told what the first one learned; missing: {"; ".join(missing)}'),
    ]
    return [sentence for holds, sentence in checks if not holds]


def draw(report: Report, markers: Sequence[Any], path: Path) -> None:
    """Draw what rviz would show at the end."""
    try:
        import picture
    except ImportError as error:
        report.say(f'No picture of the memories: {error}; pip install pillow brings it.')
    else:
        picture.draw(markers, path)


def where(report: Report, folder: Path, *, kept: bool) -> None:
    """Say where the files are, and how to go on."""
    database = folder / 'robotmem.db'
    report.heading('Where it is')
    for what, name in (('database', 'robotmem.db'), ('picture', 'markers.png'), ('node log', 'node.log')):
        if (folder / name).exists():
            report.say(f'{what:<8}  {folder / name}', 2, 10)
    if kept:
        report.say('Ask it yourself: start the node on this file, and then, in another terminal, the command line:')
        # The environment of make DISTRO=jazzy is .venv-jazzy; that of the default distribution has no ending.
        distro = Path(sys.prefix).name.partition('.venv-')[2]
        report.command(f"make run {f'DISTRO={distro} ' if distro else ''}ARGS='-p db_path:={database}'")
        report.command(f'{Path(sys.executable).with_name("robotmem")} recall "slippery floor"')


if __name__ == '__main__':
    # A shell's background job would ignore the first, and the second would leave the node behind.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    sys.exit(main())
