"""FriendsQA (Yang and Choi 2019, Apache-2.0): scenes of a series, each line with its speaker, and questions about them.

People talk and lean on what was said before; a scene is a session, the scenes of a season's last episodes are one
memory, the evidence are the lines in which annotators found the answer. Of each question, which has a paraphrase
too, the first wording is asked. The repository (github.com/emorynlp/FriendsQA) is in no package, so a clone has to
be at hand; nothing of it is kept here. All of it is there to report on: nothing was tuned on it.
"""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.retrieval.sets import DocumentSet, Question, Text, joined

FILES = ('dat/friendsqa_dev.json', 'dat/friendsqa_tst.json')
"""The training part, which is three times as large, is left out."""


def load(clone: Path) -> list[DocumentSet]:
    """Give one memory a season, its scenes in the order of the series."""
    scenes = [scene for name in FILES for scene in json.loads((clone / name).read_text('utf-8'))['data']]
    seasons = groupby(sorted(scenes, key=lambda scene: str(scene['title'])), key=lambda scene: scene['title'][:3])
    return [joined([_scene(scene) for scene in group], f'friends {season}') for season, group in seasons]


def _scene(scene: dict[str, Any]) -> DocumentSet:
    (body,) = scene['paragraphs']
    texts = tuple(Text(_line(said), '') for said in body['utterances:'])
    questions = []
    for item in body['qas']:
        evidence = frozenset(answer['utterance_id'] for answer in item['answers'])
        if evidence and 'Paraphrased' not in item['id']:
            questions.append(Question(item['question'], evidence))
    return DocumentSet(scene['title'], texts, tuple(questions))


def _line(said: dict[str, Any]) -> str:
    """Give a line as it is learned; a note on what is seen has no speaker."""
    speakers = [name for name in said['speakers'] if not name.startswith('#')]
    return f'{" and ".join(speakers)}: {said["utterance"]}' if speakers else said['utterance']
