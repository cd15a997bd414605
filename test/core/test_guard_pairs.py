"""The guard against labelled pairs: no distinct fact is taken for a repetition, many paraphrases are."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from robotmem_ros.core.guard import agreement, guard

PAIRS = json.loads((Path(__file__).parents[1] / 'data' / 'dedup_pairs.json').read_text(encoding='utf-8'))
DISTINCT = [pair for pair in PAIRS if not pair['duplicate']]
PARTS = ('develop', 'held_out')


def of_part(part: str, duplicate: bool) -> list[dict[str, str]]:
    return [pair for pair in PAIRS if pair['part'] == part and pair['duplicate'] is duplicate]


def test_the_pairs_cover_what_the_contract_names():
    assert len(PAIRS) >= 150
    kinds = Counter(pair['kind'] for pair in DISTINCT)
    named = 'quantity unit identifier direction polarity exception object colour order qualifier time place'
    for kind in named.split():
        assert kinds[kind] >= 3, kind
    assert {pair['language'] for pair in PAIRS} == {'en', 'zh'}


@pytest.mark.parametrize('pair', DISTINCT, ids=lambda pair: pair['id'])
def test_distinct_facts_never_pass_in_either_order(pair):
    """DUP-01, DUP-02, CON-01, CON-04, UPD-01."""
    for a, b in ((pair['a'], pair['b']), (pair['b'], pair['a'])):
        verdict = guard(a, b)
        assert not verdict.same and not verdict.proved and verdict.reason


def test_agreement_is_the_verdict_without_its_reason():
    verdicts = [(guard(pair['a'], pair['b']), agreement(pair['a'], pair['b'])) for pair in PAIRS]
    assert all(told == (verdict.same, verdict.proved) for verdict, told in verdicts)
    assert {told for _, told in verdicts} == {(False, False), (True, True)}


@pytest.mark.parametrize('part', PARTS)
def test_at_least_a_quarter_of_true_paraphrases_pass(part, record_property):
    pairs = of_part(part, duplicate=True)
    share = sum(guard(pair['a'], pair['b']).same for pair in pairs) / len(pairs)
    record_property('share', share)
    print(f'{part}: {share:.0%} of {len(pairs)} paraphrases pass the guard')
    assert share >= 0.25


@pytest.mark.parametrize('pair', of_part('develop', duplicate=False), ids=lambda pair: pair['id'])
def test_the_reason_names_the_kind_of_difference(pair):
    assert guard(pair['a'], pair['b']).reason.startswith(pair['reason'])


def test_the_reasons_hold_on_pairs_that_were_kept_aside():
    pairs = of_part('held_out', duplicate=False)
    named = sum(guard(pair['a'], pair['b']).reason.startswith(pair['reason']) for pair in pairs)
    print(f'held_out: {named} of {len(pairs)} reasons as labelled')
    assert named / len(pairs) >= 0.85
