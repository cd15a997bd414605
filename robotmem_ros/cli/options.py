"""Arguments and options that several commands have."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from robotmem_ros.cli import values


def text_argument(parser: ArgumentParser, name: str, meaning: str, **options: Any) -> None:
    """A text, by its place."""
    parser.add_argument(name, type=values.utf8, help=meaning, **options)


def option(parser: ArgumentParser, name: str, meaning: str, **options: Any) -> None:
    """A text, by its name; empty where it is not given."""
    parser.add_argument(name, help=meaning, **{'type': values.utf8, 'default': '', **options})


def place_options(parser: ArgumentParser, name: str, meaning: str) -> None:
    """A point with its frame and map."""
    parser.add_argument(name, type=float, nargs=2, metavar=('X', 'Y'), help=meaning)
    option(parser, '--frame', 'frame of X and Y (default: map)', default='map')
    option(parser, '--map-id', 'map that X and Y are on', metavar='MAP')


def tag_option(parser: ArgumentParser, meaning: str) -> None:
    """Any number of tags."""
    parser.add_argument('--tag', type=values.utf8, action='append', default=[], dest='tags', help=meaning)


def node_options(parser: Any) -> None:
    """Which node, and how long it is waited for; takes a parser or a group of one."""
    parser.add_argument('--node', type=values.node_name, default='/robotmem', help='its name (default: %(default)s)')
    parser.add_argument('--timeout', type=values.positive, default=5.0, metavar='S',
                        help='seconds to wait for the node, and again for its answer (default: %(default)g)')


def collection_option(parser: ArgumentParser) -> None:
    """The name space; empty: the node's own."""
    option(parser, '--collection', "name space; left out: the node's own", metavar='NAME')
