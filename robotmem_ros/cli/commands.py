"""The table of commands: what each asks of which service, and how its answer is shown."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from robotmem_ros.cli import show, values
from robotmem_ros.cli.options import collection_option, option, place_options, tag_option, text_argument


@dataclass(frozen=True)
class Command:
    """One line of the command line: ``request`` gives the request's fields that differ from its defaults."""

    path: str
    service: str
    type_name: str
    summary: str
    example: str
    arguments: Callable[[ArgumentParser], None]
    request: Callable[[Namespace], dict[str, Any]]
    show: Callable[[Any], str]


def _learn_arguments(parser: ArgumentParser) -> None:
    text_argument(parser, 'insight', 'the text, as it is to be kept; - reads it from standard input')
    option(parser, '--context', 'JSON object on when it holds', metavar='JSON')
    option(parser, '--category', 'e.g. observation; constraint, postmortem and gotcha are protected')
    option(parser, '--session', 'session that it belongs to', metavar='ID')
    parser.add_argument('--confidence', type=float, default=0.9, help='how sure, 0 to 1 (default: %(default)s)')
    parser.add_argument('--strength', type=float, default=1.0, help='how firmly kept, 1 to 2 (default: %(default)s)')
    tag_option(parser, 'a tag; may be repeated')
    option(parser, '--scene', 'key of a scene to hang it on')
    place_options(parser, '--at', 'where it holds, metres')
    collection_option(parser)


def _learn_request(given: Namespace) -> dict[str, Any]:
    return {
        'insight': given.insight, 'context': given.context, 'category': given.category, 'session_id': given.session,
        'collection': given.collection, 'confidence': given.confidence, 'strength': given.strength,
        'tags': given.tags, 'scene': given.scene, 'pose': values.pose(given.at, given.frame), 'map_id': given.map_id,
    }


def _recall_arguments(parser: ArgumentParser) -> None:
    meaning = 'words or a sentence; left out: by the other criteria (place, time, scene, tag) alone'
    text_argument(parser, 'query', meaning, nargs='?', default='')
    parser.add_argument('-n', type=values.whole(32), default=5, help='how many, 1 to 1000 (default: %(default)s)')
    parser.add_argument('--min-confidence', type=float, default=0.3, metavar='C',
                        help='effective confidence at least (default: %(default)s)')
    place_options(parser, '--near', 'order by distance to this place, metres')
    parser.add_argument('--radius', type=float, default=0.0, help='around --near, metres; 0: no limit')
    option(parser, '--scene', 'only this scene and those below it')
    option(parser, '--session', 'only what was learned in this session', metavar='ID')
    option(parser, '--context-session', 'associates of what this session recalled lately', metavar='ID')
    option(parser, '--category', 'only this category')
    option(parser, '--type', 'only fact or perception')
    tag_option(parser, 'only with this tag; may be repeated')
    option(parser, '--context-filter', 'JSON object: dotted path to a value or {"$lt": value} …', metavar='JSON')
    option(parser, '--spatial-sort', 'JSON object: field, target, max_distance', metavar='JSON')
    times = {'--since': 'only from then on: 2h, 3d (ago) or an ISO time', '--until': 'only before then'}
    for name, meaning in times.items():
        parser.add_argument(name, type=values.instant, default={}, metavar='TIME', help=meaning)
    parser.add_argument('--no-reinforce', action='store_true', help='look without counting it as use')
    parser.add_argument('--plain', action='store_true', help='leave association out: only what matches')
    collection_option(parser)


def _recall_request(given: Namespace) -> dict[str, Any]:
    return {
        'query': given.query, 'n': given.n, 'min_confidence': given.min_confidence, 'session_id': given.session,
        'context_session': given.context_session, 'collection': given.collection, 'category': given.category,
        'type': given.type, 'tags': given.tags, 'context_filter': given.context_filter,
        'spatial_sort': given.spatial_sort, 'near': values.pose(given.near, given.frame), 'radius': given.radius,
        'map_id': given.map_id, 'since': given.since, 'until': given.until, 'scene': given.scene,
        'reinforce': not given.no_reinforce, 'plain': given.plain,
    }


def _prefix_argument(parser: ArgumentParser) -> None:
    text_argument(parser, 'prefix', 'only this key and those below it', nargs='?', default='')
    collection_option(parser)


def _id_argument(parser: ArgumentParser) -> None:
    parser.add_argument('id', type=values.whole(64), help='of a memory, as recall shows it')


def _link_arguments(parser: ArgumentParser) -> None:
    parser.add_argument('a', type=values.whole(64), help='id of a memory')
    parser.add_argument('b', type=values.whole(64), help='id of another one')
    parser.add_argument('--weight', type=float, default=1.0, help='added to the edge (default: %(default)s)')


def _gc_arguments(parser: ArgumentParser) -> None:
    parser.add_argument('--threshold', type=float, default=0.1, metavar='R',
                        help='retire short-term memories whose retention is below, 0 to 1 (default: %(default)s)')
    parser.add_argument('--purge-after', type=float, default=0.0, metavar='DAYS',
                        help='also remove for good what was retired that long ago; 0: nothing (default)')
    parser.add_argument('--duplicates', action='store_true', help='also supersede exact duplicates of an older file')
    parser.add_argument('--dry-run', action='store_true', help='only count what would be done')
    collection_option(parser)


def _gc_request(given: Namespace) -> dict[str, Any]:
    return {
        'gc_threshold': given.threshold, 'purge_after_days': given.purge_after, 'dry_run': given.dry_run,
        'cleanup_duplicates': given.duplicates, 'collection': given.collection,
    }


def _forget_arguments(parser: ArgumentParser) -> None:
    _id_argument(parser)
    text_argument(parser, 'reason', 'why; it is kept with the memory')


def _update_arguments(parser: ArgumentParser) -> None:
    _id_argument(parser)
    text_argument(parser, 'insight', 'the new text; - reads it from standard input')
    option(parser, '--context', 'JSON object that replaces the old one', metavar='JSON')


def _backup_argument(parser: ArgumentParser) -> None:
    text_argument(parser, 'path', 'where to; left out: beside the database', nargs='?', default='')


def _start_arguments(parser: ArgumentParser) -> None:
    option(parser, '--context', 'JSON object on what the episode is about', metavar='JSON')
    collection_option(parser)


def _end_arguments(parser: ArgumentParser) -> None:
    text_argument(parser, 'session', 'id that sessions start printed')
    parser.add_argument('--outcome', type=float, help='how well it went, 0 to 1')


def _end_request(given: Namespace) -> dict[str, Any]:
    score = {} if given.outcome is None else {'has_outcome_score': True, 'outcome_score': given.outcome}
    return {'session_id': given.session, **score}


COMMANDS = (
    Command('learn', 'learn', 'Learn', 'store an insight',
            'robotmem learn \'the sign says "stop" — 停止\' --context \'{"force_n": {"value": 12.5}}\' --at 3.2 1.0',
            _learn_arguments, _learn_request, show.learned),
    Command('recall', 'recall', 'Recall', 'what matters for a question, a place, a time, a scene',
            'robotmem recall "slippery floor" --near 3.2 1.0 --radius 5',
            _recall_arguments, _recall_request, show.recalled),
    Command('scenes', 'list_scenes', 'ListScenes', 'situations that are recognised', 'robotmem scenes place:dock_2',
            _prefix_argument, lambda given: {'collection': given.collection, 'prefix': given.prefix}, show.scenes),
    Command('stats', 'stats', 'Stats', 'numbers on what is remembered', 'robotmem stats --json',
            collection_option, lambda given: {'collection': given.collection}, show.stats),
    Command('promote', 'promote', 'Promote', 'keep a memory for the long term', 'robotmem promote 7',
            _id_argument, lambda given: {'memory_id': given.id}, lambda answer: f'tier: {answer.tier}'),
    Command('link', 'link', 'Link', 'record that two memories belong together', 'robotmem link 7 12',
            _link_arguments, lambda given: {'memory_a': given.a, 'memory_b': given.b, 'weight': given.weight},
            lambda answer: f'weight now: {answer.weight:.3f}'),
    Command('update', 'update', 'Update', 'correct the text of a memory; its id stays',
            'robotmem update 7 "the door opens inwards"',
            _update_arguments,
            lambda given: {'memory_id': given.id, 'new_content': given.insight, 'context': given.context},
            lambda answer: f'corrected; it said: {show.printable(answer.old_content)}'),
    Command('forget', 'forget', 'Forget', 'retire a memory', 'robotmem forget 7 "the door was removed"',
            _forget_arguments, lambda given: {'memory_id': given.id, 'reason': given.reason},
            show.forgotten),
    Command('gc', 'maintain', 'Maintain', 'retire what has faded: its rows stay until they are purged',
            'robotmem gc --threshold 0.1 --dry-run', _gc_arguments, _gc_request, show.maintained),
    Command('backup', 'backup', 'Backup', 'a consistent copy of the database, while the node goes on',
            'robotmem backup ~/robotmem-copy.db',
            _backup_argument, lambda given: {'path': values.local_path(given.path)},
            lambda answer: f'{show.printable(answer.path)} ({answer.bytes / 1e6:.2f} MB)'),
    Command('sessions start', 'start_session', 'StartSession', 'begin an episode; prints its id',
            'robotmem sessions start --context \'{"task": "delivery"}\'',
            _start_arguments, lambda given: {'context': given.context, 'collection': given.collection},
            show.session_started),
    Command('sessions end', 'end_session', 'EndSession', 'end an episode: consolidate, and what matters next',
            'robotmem sessions end ID --outcome 0.9', _end_arguments, _end_request, show.session_ended),
)
