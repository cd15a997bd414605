"""The confusion matrix of duplicates: that it counts what became of each pair, and that `make bench` prints it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.pairs import matrix, show
from robotmem_ros import consolidation, duplicates
from robotmem_ros.core.guard import Verdict
from robotmem_ros.embed.hashing import HashEmbedder

ROOT = Path(__file__).resolve().parents[2]
TRIED = ('learn', 'learn, reversed', 'end of session')
TOLD_APART = {'a': 'grip with 5 N', 'b': 'grip with 8 N', 'duplicate': False}
PARAPHRASE = {'a': 'Restart the camera after a fault', 'b': 'Restart the camera after the fault', 'duplicate': True}


def test_each_pair_is_tried_three_ways() -> None:
    found = matrix([TOLD_APART, PARAPHRASE], HashEmbedder())
    labels = ('distinct', 'paraphrase')
    assert dict(found) == {(how, label, label == 'paraphrase'): 1 for how in TRIED for label in labels}


def test_a_guard_that_lets_all_pass_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A lost fact must be seen in the table, in every row."""
    for module in (duplicates, consolidation):
        monkeypatch.setattr(module, 'guard', lambda *_: Verdict(True, '', True))
    monkeypatch.setattr(consolidation, 'signature', lambda _: ('one',))
    alike = {'a': 'charge at dock 1 takes 40 minutes with cable', 'b': 'charge at dock 1 takes 41 minutes with cable'}
    found = matrix([alike | {'duplicate': False}], HashEmbedder())
    assert [found[how, 'distinct', True] for how in TRIED] == [1, 1, 1]
    show('all', found)
    assert re.search(r'end of session +distinct +1 +0\n', capsys.readouterr().out)


def test_the_pairs_that_a_document_counts() -> None:
    pairs = json.loads((ROOT / 'test' / 'data' / 'dedup_pairs.json').read_text('utf-8'))
    page = (ROOT / 'docs' / 'duplicates.md').read_text('utf-8')
    for part in ('develop', 'held_out'):
        distinct, paraphrases = (sum(p['part'] == part and p['duplicate'] is d for p in pairs) for d in (False, True))
        assert re.search(rf'^\| {part} \| {distinct} \| {paraphrases} \|', page, re.MULTILINE)


def test_make_bench_runs_what_its_document_names() -> None:
    page = (ROOT / 'docs' / 'benchmarks.md').read_text('utf-8')
    recipe = (ROOT / 'Makefile').read_text('utf-8').split('\nbench:')[1].split('\n\n')[0]
    named = re.findall(r'^\| `benchmarks\.(\w+)`', page, re.MULTILINE)
    assert 'pairs' in named and all(re.search(rf'\b{name}\b', recipe) for name in named)
