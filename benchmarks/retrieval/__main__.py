"""`python -m benchmarks.retrieval`: how often the evidence of a question is among the first ten memories recalled.

Run it from the root of the checkout, or as the last part of `make bench`. Constants are chosen on `--part tune`
only; `--part fresh`, the default, which nobody looked at before they were fixed, says what they are worth, and
`--part report`, which was looked at on the way, stays for comparison. The table goes to standard output, the
numbers to build/retrieval/<part>.json.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.retrieval import friendsqa, realtalk, squad
from benchmarks.retrieval.figures import Values, interval, recall_at, reciprocal_rank
from benchmarks.retrieval.memory import Memory, RememberingEmbedder
from benchmarks.retrieval.sets import DocumentSet
from benchmarks.retrieval.systems import BASELINE, OURS, SYSTEMS
from robotmem_ros.embed.loading import load

BUILD = Path('build/retrieval')


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog='python -m benchmarks.retrieval', description=__doc__)
    parser.add_argument('--part', choices=['tune', 'report', 'fresh'], default='fresh', help='what is asked')
    parser.add_argument('--realtalk', type=Path, help='a clone of danny911kr/REALTALK: asked too, but for fresh')
    parser.add_argument('--friendsqa', type=Path, help='a clone of emorynlp/FriendsQA: asked too, for fresh')
    options = parser.parse_args(arguments)
    embedder = RememberingEmbedder(load(), BUILD)
    data = {'SQuAD sentences': squad.load(options.part, BUILD)}
    if options.realtalk is not None and options.part != 'fresh':
        data['REALTALK chats'] = realtalk.load(options.part, options.realtalk)
    if options.friendsqa is not None and options.part == 'fresh':
        data['FriendsQA scenes'] = friendsqa.load(options.friendsqa)
    report = {name: measured(sets, embedder) for name, sets in data.items()}
    for name, rows in report.items():
        print(f'\n{name}, part {options.part}: {described(data[name])}\n\n{table(rows)}')
    path = BUILD / f'{options.part}.json'
    path.write_text(json.dumps(report, indent=2) + '\n', 'utf-8')
    print(f'\nwritten to {path}')


def measured(sets: list[DocumentSet], embedder: RememberingEmbedder) -> list[dict[str, Any]]:
    """Let every system answer every question; give one row a system."""
    values: dict[str, tuple[Values, Values]] = {}
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(Path(folder) / 'memory.db', embedder)
        became = {one.name: memory.learn(one) for one in sets}
        embedder.save()
        begun = time.monotonic()
        for system in SYSTEMS:
            recalls, ranks = [], []
            for one in sets:
                for question, answer in zip(one.questions, memory.answers(one, system)):
                    evidence = {became[one.name][i] for i in question.evidence}
                    recalls.append(recall_at(answer, evidence))
                    ranks.append(reciprocal_rank(answer, evidence))
            values[system.name] = np.array(recalls), np.array(ranks)
            embedder.save()
        memory.close()
    print(f'{len(SYSTEMS)} systems asked in {time.monotonic() - begun:.0f} s', flush=True)
    return [row(name, *found, *values[BASELINE]) for name, found in values.items()]


def row(name: str, recall: Values, rank: Values, base_recall: Values, base_rank: Values) -> dict[str, Any]:
    """Give one system's figures, beside the half-and-half mix."""
    return {
        'system': name, 'recall_at_10': float(recall.mean()), 'mrr_at_10': float(rank.mean()),
        'recall_difference': interval(recall, base_recall), 'mrr_difference': interval(rank, base_rank),
    }


def described(sets: list[DocumentSet]) -> str:
    """Say how much was learned and asked."""
    texts, questions = sum(len(one.texts) for one in sets), sum(len(one.questions) for one in sets)
    return f'{len(sets)} memories, {texts:,} texts, {questions:,} questions'


def table(rows: list[dict[str, Any]]) -> str:
    """Give the figures as a Markdown table; differences are to the half-and-half mix, with the 95 % interval."""
    lines = ['| fusion | evidence in the first ten | difference | MRR@10 | difference |', '|---|---|---|---|---|']
    for each in rows:
        name = f'**{each["system"]}**' if each['system'] == OURS else each['system']
        lines.append(
            f'| {name} | {100 * each["recall_at_10"]:.1f} % | {_difference(each["recall_difference"], 100, 1)} '
            f'| {each["mrr_at_10"]:.3f} | {_difference(each["mrr_difference"], 1, 3)} |'
        )
    return '\n'.join(lines)


def _difference(found: tuple[float, float, float], scale: float, digits: int) -> str:
    if not any(found):
        return ''
    mean, low, high = (f'{scale * value:+.{digits}f}' for value in found)
    return f'{mean} ({low} to {high})'


if __name__ == '__main__':
    main()
