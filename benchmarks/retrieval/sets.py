"""What a retrieval benchmark asks and of what: texts in sessions, questions with the texts that answer them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Text:
    """A memory to learn: what was said, and in which session (a paragraph, a chat of one day)."""

    content: str
    session: str


@dataclass(frozen=True)
class Question:
    """``evidence``: positions of the texts that answer it."""

    query: str
    evidence: frozenset[int]


@dataclass(frozen=True)
class DocumentSet:
    """The memories of one robot, in the order in which they were learned, and what it is asked about them."""

    name: str
    texts: tuple[Text, ...]
    questions: tuple[Question, ...]


def joined(sets: list[DocumentSet], name: str) -> DocumentSet:
    """Put several sets one after another: one memory that knows of several things."""
    texts: list[Text] = []
    questions: list[Question] = []
    for one in sets:
        first = len(texts)
        texts += [Text(text.content, f'{one.name} {text.session}') for text in one.texts]
        questions += [Question(q.query, frozenset(first + i for i in q.evidence)) for q in one.questions]
    return DocumentSet(name, tuple(texts), tuple(questions))
