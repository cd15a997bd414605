"""The demo succeeds only if scenes emerged, hits carried memories, and recalls found what was learned."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pytest
import run
from report import Report
from story import INSIGHTS, QUESTIONS

IDS = {insight: number for number, insight in enumerate(INSIGHTS, 1)}


def drives(**changes: Any) -> tuple[Any, Any]:
    first = {'ids': IDS, 'hits': [SimpleNamespace(created=True, memories=[1])], 'told': {1}}
    second = {'ids': {}, 'hits': [SimpleNamespace(created=False, memories=[1])], 'told': set(IDS.values())}
    for name, value in changes.items():
        drive, field = name.split('_', 1)
        (first if drive == 'first' else second)[field] = value
    return SimpleNamespace(**first), SimpleNamespace(**second)


def robot(scenes: int = 5, memories: tuple[int, ...] = (), mode: str = 'hybrid') -> Any:
    answers = {
        'list_scenes': SimpleNamespace(scenes=[None] * scenes),
        'recall': SimpleNamespace(memories=[memory(number) for number in memories], mode=mode, query_ms=1.0),
    }
    return SimpleNamespace(call=lambda service, **fields: answers[service], status=SimpleNamespace(mode=mode))


def memory(number: int) -> Any:
    return SimpleNamespace(
        id=number, content=f'memory {number}', category='x', confidence=0.9, score=0.5, has_pose=False,
        pose=SimpleNamespace(pose=SimpleNamespace(position=None)),
    )


def test_all_is_well() -> None:
    assert run.judge(robot(), *drives()) == []


@pytest.mark.parametrize(('scenes', 'changes', 'said'), [
    (2, {}, 'at least three scenes'),
    (5, {'first_hits': []}, 'a scene must emerge'),
    (5, {'first_ids': dict.fromkeys(INSIGHTS, 1)}, 'memories of their own'),
    (5, {'second_told': set(range(2, 9))}, INSIGHTS[0].text),
])
def test_each_expectation_is_named_when_it_fails(scenes: int, changes: dict[str, Any], said: str) -> None:
    failed = run.judge(robot(scenes), *drives(**changes))
    assert len(failed) == 1
    assert said in failed[0]


def test_an_answer_without_the_insight_fails_the_question() -> None:
    report = Report(io.StringIO())
    for question in QUESTIONS:
        expected = IDS[question.expected]
        assert run.ask(report, robot(memories=(99, expected)), question, expected) == ''
        assert question.expected.text in run.ask(report, robot(memories=(99,)), question, expected)


def test_without_a_model_only_the_question_of_meaning_is_waived() -> None:
    report = Report(io.StringIO())
    blind = robot(memories=(99,), mode='bm25_only')
    waived = [question for question in QUESTIONS if not run.ask(report, blind, question, IDS[question.expected])]
    assert waived == [question for question in QUESTIONS if question.needs_model]


def test_a_terminal_gets_a_bar_and_a_file_does_not() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stream, bar in ((Terminal(), True), (io.StringIO(), False)):
        report = Report(stream)
        report.progress('drive', 30.0, 60.0)
        report.say('a line')
        report.end_progress()
        assert ('[###' in stream.getvalue()) is bar
        assert 'a line\n' in stream.getvalue()
