"""REALTALK (Lee et al. 2025, arXiv 2502.13270): ten chats of two people over 21 days, with questions about them.

The nearest to a robot that listens: short messages that lean on one another. Only the ten real chats of the
``data`` folder are read. The repository (github.com/danny911kr/REALTALK) states no licence and is in no
package, so a clone has to be at hand; nothing of it is kept here.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from benchmarks.retrieval.sets import DocumentSet, Question, Text

TUNED = frozenset({3, 8})
"""Chats (of 1 to 10) that belong to the part to tune on; the other eight have 546 questions."""
_SESSION = re.compile(r'session_(\d+)')


def load(part: str, clone: Path) -> list[DocumentSet]:
    """Give the chats of ``part`` (``tune`` or ``report``); a message begins with its speaker's name."""
    return [
        _chat(path.stem, json.loads(path.read_text('utf-8')))
        for path in sorted((clone / 'data').glob('Chat_*.json'))
        if (int(path.name.split('_')[1]) in TUNED) == (part == 'tune')
    ]


def _chat(name: str, chat: dict[str, Any]) -> DocumentSet:
    texts: list[Text] = []
    places: dict[str, int] = {}
    for session in sorted(filter(_SESSION.fullmatch, chat), key=lambda key: int(key[8:])):
        for message in chat[session]:
            said = message['clean_text'].strip()
            if said:
                places[message['dia_id']] = len(texts)
                texts.append(Text(f'{message["speaker"]}: {said}', session))
    questions = []
    for item in chat['qa']:
        evidence = frozenset(places[key.strip()] for key in item['evidence'] if key.strip() in places)
        if evidence and item['question']:
            questions.append(Question(item['question'], evidence))
    return DocumentSet(name, tuple(texts), tuple(questions))
