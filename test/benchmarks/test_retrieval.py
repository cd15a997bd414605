"""The retrieval benchmark: its figures, its cut of texts, and that it asks the real engine."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from benchmarks.retrieval import friendsqa, squad
from benchmarks.retrieval.figures import interval, recall_at, reciprocal_rank
from benchmarks.retrieval.memory import Memory, RememberingEmbedder
from benchmarks.retrieval.sets import DocumentSet, Question, Text, joined
from benchmarks.retrieval.systems import SYSTEMS, half_and_half, reciprocal_ranks
from robotmem_ros.embed.hashing import HashEmbedder

LIFTS = DocumentSet(
    'lifts',
    (Text('the lift is broken', 'a'), Text('it is repaired on monday', 'a'), Text('cups need a soft grip', 'b')),
    (Question('when is the lift repaired', frozenset([1])), Question('repairs of lifts', frozenset([1]))),
)


def test_what_an_answer_is_worth() -> None:
    assert recall_at([3, 1, 2], {1, 9}) == 0.5
    assert recall_at([*range(20)], {15}) == 0.0
    assert reciprocal_rank([3, 1, 2], {2, 1}) == 0.5
    assert reciprocal_rank([*range(20)], {15}) == 0.0


def test_the_interval_holds_chance_and_leaves_out_a_real_difference() -> None:
    """Paired: a small gain on every question is beyond chance, however much the questions differ."""
    draw = np.random.default_rng(1)
    hard = draw.random(400)
    mean, low, high = interval(hard + 0.01 + 0.001 * draw.standard_normal(400), hard, draws=500)
    assert 0.0 < low < mean < high < 0.011
    _, low, high = interval(hard + draw.standard_normal(400), hard, draws=500)
    assert low < 0.0 < high


def test_sentences_are_cut_where_they_end() -> None:
    text = 'Dr. Smith went to the U.S. embassy in 1999. "It was late." The door of bay 7 was shut! Was it?'
    cut = squad.sentences(text)
    assert [sentence for _, sentence in cut] == [
        'Dr. Smith went to the U.S. embassy in 1999.', '"It was late." The door of bay 7 was shut!', 'Was it?']
    assert all(text[start:].startswith(sentence) for start, sentence in cut)


def test_joined_sets_keep_their_evidence_and_their_sessions_apart() -> None:
    both = joined([LIFTS, LIFTS], 'both')
    assert [sorted(question.evidence) for question in both.questions] == [[1], [1], [4], [4]]
    assert len({text.session for text in joined([LIFTS, DocumentSet('x', LIFTS.texts, ())], 'both').texts}) == 4


def test_the_others_are_what_their_names_say() -> None:
    text, vector = {1: 8.0, 2: 4.0}, {2: 0.6, 3: 0.3}
    assert half_and_half(text, vector, 0.9) == {1: 0.5, 2: 0.75, 3: 0.25}
    crowd = {key: 1.0 - key / 1000 for key in range(70)}
    assert half_and_half({}, crowd, 0.9).keys() == set(range(50))
    assert reciprocal_ranks(text, vector, 0.9) == pytest.approx({1: 1 / 61, 2: 1 / 62 + 1 / 61, 3: 1 / 62})


def test_every_system_is_asked_through_the_engine(tmp_path: Path) -> None:
    memory = Memory(tmp_path / 'memory.db', RememberingEmbedder(HashEmbedder(), tmp_path))
    became = memory.learn(LIFTS)
    answers = {system.name: memory.answers(LIFTS, system) for system in SYSTEMS}
    memory.close()
    assert len(set(became)) == 3
    assert all(set(answer[0]) == {became[0], became[1]} for answer in answers.values())
    stems = {name: answer[1] for name, answer in answers.items()}
    assert stems.pop('vectors only') == []  # the hash embedder knows no stems
    assert all(set(answer) == {became[0], became[1]} for answer in stems.values())


def test_vectors_are_computed_once(tmp_path: Path) -> None:
    class Counted(HashEmbedder):
        calls = 0

        def embed(self, text: str):
            Counted.calls += 1
            return super().embed(text)

    for _ in range(2):
        embedder = RememberingEmbedder(Counted(), tmp_path)
        vector = embedder.embed('the lift is broken')
        embedder.save()
    assert Counted.calls == 1
    assert np.allclose(vector, HashEmbedder().embed('the lift is broken'))


def test_another_wheel_is_refused(tmp_path: Path) -> None:
    (tmp_path / squad.WHEEL).write_bytes(b'something else')
    with pytest.raises(RuntimeError, match='SHA-256'):
        squad.wheel(tmp_path)


def test_what_was_looked_at_on_the_way_is_no_part_of_the_fresh_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    articles = [
        {'title': f'thing {number}', 'paragraphs': [{
            'context': f'Thing {number} stands in the hall.',
            'qas': [{'question': f'Where is {number}?', 'answers': [{'answer_start': 0}]}],
        }]} for number in range(2 * squad.ARTICLES)
    ]
    with zipfile.ZipFile(tmp_path / 'wheel', 'w') as archive:
        archive.writestr(squad.FILES['report'], json.dumps({'data': articles}))
    monkeypatch.setattr(squad, 'wheel', lambda folder: folder / 'wheel')
    report, fresh = (
        {text.content for one in squad.load(part, tmp_path) for text in one.texts} for part in ('report', 'fresh'))
    assert len(report) == len(fresh) == squad.ARTICLES
    assert not report & fresh


def test_scenes_of_a_season_are_one_memory_in_their_order(tmp_path: Path) -> None:
    """Lines name who speaks, notes do not; paraphrases of a question are left out."""
    def scene(title: str, question: str) -> dict[str, object]:
        lines = [(['#NOTE#'], '[ a lift ]'), (['Ann'], 'It broke .'), (['Bo', 'Cy'], 'No !')]
        answers = [{'utterance_id': 1}, {'utterance_id': 0}]
        return {'title': title, 'paragraphs': [{
            'utterances:': [{'speakers': who, 'utterance': said} for who, said in lines],
            'qas': [{'id': f'{title}_What{end}', 'question': question, 'answers': answers}
                    for end in ('', '_Paraphrased')],
        }]}

    (tmp_path / 'dat').mkdir()
    parts = ([scene('s01_e02_c01', 'second'), scene('s02_e01_c01', 'other')], [scene('s01_e01_c09', 'first')])
    for name, scenes in zip(friendsqa.FILES, parts):
        (tmp_path / name).write_text(json.dumps({'data': scenes}))
    first, second = friendsqa.load(tmp_path)
    assert [text.content for text in first.texts[:3]] == ['[ a lift ]', 'Ann: It broke .', 'Bo and Cy: No !']
    assert len({text.session for text in first.texts}) == 2
    assert first.questions == (Question('first', frozenset([0, 1])), Question('second', frozenset([3, 4])))
    assert [question.query for question in second.questions] == ['other']
