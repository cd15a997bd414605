"""Robot sentences for measuring: many different facts of believable form, the same ones in every run."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

OBJECTS = ('cup', 'crate', 'pallet', 'door', 'drawer', 'cart', 'bottle', 'toolbox', 'hose', 'valve', 'shelf', 'gripper')
PLACES = ('dock', 'hall', 'aisle', 'kitchen', 'lab', 'ramp', 'corridor', 'garage', 'storage', 'workshop')
STATES = ('slips when wet', 'needs a slow approach', 'was moved to the left', 'blocks the lidar', 'is locked at night',
          'must be lifted with both arms', 'reflects the depth camera', 'is only reachable from the north')
QUERIES = ('which {object} slips when wet', 'is the {place} locked at night', 'where does the {object} block the lidar',
           'how do I approach the {object} in the {place}', '{place} {number}')


def facts(seed: int = 7) -> Iterator[str]:
    """Give facts without end; the number makes each of them a fact of its own."""
    draw = random.Random(seed)
    for number in itertools.count(1):
        thing, place, state = draw.choice(OBJECTS), draw.choice(PLACES), draw.choice(STATES)
        yield f'the {thing} {number} in {place} {draw.randint(1, 400)} {state}, seen by robot {draw.randint(1, 50)}'


def news(count: int, seed: int = 13) -> list[str]:
    """Give ``count`` facts half of words never heard before: nothing takes them for repeats."""
    draw = random.Random(seed)
    syllables = [first + second for first in 'bdfgklmnprstvz' for second in 'aeiou']
    return [
        f'the {draw.choice(OBJECTS)} in {draw.choice(PLACES)} {draw.choice(STATES)}: '
        + ' '.join(''.join(draw.choices(syllables, k=4)) for _ in range(8)) for _ in range(count)
    ]


def questions(count: int, seed: int = 11) -> list[str]:
    """Give ``count`` questions about such facts, all different from one another where possible."""
    draw = random.Random(seed)
    return [
        draw.choice(QUERIES).format(object=draw.choice(OBJECTS), place=draw.choice(PLACES), number=draw.randint(1, 400))
        + f' {i}' for i in range(count)
    ]
