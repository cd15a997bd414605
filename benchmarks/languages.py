"""`python -m benchmarks.languages`: whose answers come first when question and memory differ in language.

All 48 sentences lie in one file. It is asked through the engine: by words alone, and with each model; the vectors
alone are ranked beside it. An answer counts when it stands first.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.language_questions import QUESTIONS, Question
from robotmem_ros.clock import SystemClock
from robotmem_ros.embed.loading import MODELS, load
from robotmem_ros.engine import Engine
from robotmem_ros.errors import EmbeddingFailed, ModelUnavailable
from robotmem_ros.model import LearnRequest, RecallRequest
from robotmem_ros.ports import Embedder, Vector
from robotmem_ros.settings import RecallSettings, Settings
from robotmem_ros.store.store import Store

Answer = Callable[[str], str]
SENTENCES = tuple(text for asked in QUESTIONS.values() for question in asked for text in question[1:])


def main() -> None:
    """Measure and print a table in Markdown."""
    rows: dict[str, list[int]] = {'words alone': through_engine(None)}
    for name in MODELS:
        try:
            embedder = load(model=name)
        except ModelUnavailable as error:
            print(f'{name}: not measured, {error}')
            continue
        rows[f'{name}, vectors alone'] = found_first(by_vectors(embedder))
        for weight in (0.5, 0.2):
            rows[f'{name}, as recalled with text_weight {weight}'] = through_engine(embedder, weight)
    print('| |', ' | '.join(QUESTIONS), '| all |')
    print('|---' * (len(QUESTIONS) + 2) + '|')
    for title, counts in rows.items():
        total = sum(map(len, QUESTIONS.values()))
        cells = [f'{count} of {len(asked)}' for count, asked in zip(counts, QUESTIONS.values())]
        print(f'| {title} |', ' | '.join(cells), f'| {sum(counts)} of {total} |')


def found_first(answer: Answer) -> list[int]:
    """Count, for each kind of question, those whose answer is what ``answer`` gives."""
    return [sum(_is_right(answer, question) for question in asked) for asked in QUESTIONS.values()]


def through_engine(embedder: Embedder | None, text_weight: float = 0.5) -> list[int]:
    """Learn all sentences, then ask as a robot's program does."""
    settings = Settings(recall=RecallSettings(text_weight=text_weight))
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(str(Path(folder) / 'memory.db'), settings.store)
        engine = Engine(store, SystemClock(), lambda: embedder, settings)
        for text in SENTENCES:
            assert engine.learn(LearnRequest(text)).status == 'created'

        def answer(question: str) -> str:
            found = engine.recall(RecallRequest(question, n=1, reinforce=False)).memories
            return found[0].content if found else ''

        counts = found_first(answer)
        engine.close()
    return counts


def by_vectors(embedder: Embedder) -> Answer:
    """Give the sentence of the greatest cosine; none for a question that the model cannot read."""
    known = {text: vector for text in SENTENCES if (vector := _vector(embedder, text)) is not None}

    def answer(question: str) -> str:
        asked = _vector(embedder, question)
        return '' if asked is None or not known else max(known, key=lambda text: float(known[text] @ asked))

    return answer


def _vector(embedder: Embedder, text: str) -> Vector | None:
    try:
        return embedder.embed(text)
    except EmbeddingFailed:
        return None


def _is_right(answer: Answer, question: Question) -> bool:
    return answer(question[0]) == question[1]


if __name__ == '__main__':
    main()
