"""Words find a memory however either of them is written, in any script, without a model or any extra package."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest

from robotmem_ros import consolidation
from robotmem_ros.clock import ManualClock
from robotmem_ros.core import text as texts
from robotmem_ros.engine import Engine
from robotmem_ros.errors import StoreError
from robotmem_ros.model import LearnRequest, RecallRequest
from robotmem_ros.settings import Settings
from robotmem_ros.store import text_form
from robotmem_ros.store.store import Store

Open = Callable[..., Engine]
OTHERS = (
    'lamp seven flickers', '门口有一个箱子', 'ロボットは箱を運ぶ', '로봇이 상자를 옮긴다', 'робот несёт ящик',
    'le robot porte la boîte',
)


def wide(text: str) -> str:
    return text.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})


def found(engine: Engine, query: str) -> list[str]:
    return [m.content for m in engine.recall(RecallRequest(query, reinforce=False)).memories]


SPELLINGS = [
    ('bin-7 needs 12.5 N', [wide('bin-7'), 'BIN 7', 'bin7', wide('12.5N')]),
    ('走廊地面湿滑', ['湿滑', '廊', '走廊 地面', '地面湿']),
    ('サーボモーターが熱い', ['ｻｰﾎﾞ', 'モーター', unicodedata.normalize('NFD', 'サーボ'), '熱い', '熱']),
    ('はさみを取る', ['はさみ', 'さみ', unicodedata.normalize('NFD', 'はさみ')]),
    ('충전소는 문 옆에 있다', ['충전소', unicodedata.normalize('NFD', '충전소'), '문', '충전']),
    ('Дверь открыта ночью', ['ДВЕРЬ', 'открыта', unicodedata.normalize('NFD', 'дверь')]),
    ('ёлка стоит у входа', ['елка', unicodedata.normalize('NFD', 'Ёлка')]),
    ('café près de l’entrée', ['cafe', 'CAFÉ', unicodedata.normalize('NFD', 'café'), 'près', "l'entrée"]),
    ('Türöffner prüfen', ['turoffner', unicodedata.normalize('NFD', 'Türöffner'), 'PRÜFEN']),
    ('η θήκη είναι άδεια', ['θηκη', 'ΘΉΚΗ', unicodedata.normalize('NFD', 'άδεια')]),
    ('battery 🔋 is empty ⚠️', ['🔋', '⚠', '⚠\ufe0f', '🔋 ok']),
    ('wave 👋🏽 at people', ['👋', '👋🏿']),
    ('ﬁnd the ①st oﬃce', ['find', 'office', '1']),
]


@pytest.mark.parametrize(('text', 'queries'), SPELLINGS, ids=[text for text, _ in SPELLINGS])
def test_found_however_written(open_engine: Open, text: str, queries: list[str]) -> None:
    """FTS-03, FTS-05, DUP-08: one text, many spellings of the query, first among texts of all scripts."""
    engine = open_engine(None)
    for other in OTHERS:
        engine.learn(LearnRequest(other))
    engine.learn(LearnRequest(text))
    assert {query: found(engine, query)[:1] for query in queries} == {query: [text] for query in queries}


@pytest.mark.parametrize(('text', 'queries'), SPELLINGS, ids=[text for text, _ in SPELLINGS])
def test_found_however_learned(open_engine: Open, text: str, queries: list[str]) -> None:
    """FTS-03, DUP-08: the other direction; what was learned is in the rare spelling, the question in the usual one."""
    for number, form in enumerate(('NFC', 'NFD', 'NFKC', 'NFKD')):
        engine = open_engine(None)
        collection = str(number)
        learned = wide(unicodedata.normalize(form, text).upper())
        engine.learn(LearnRequest(learned, collection=collection))
        for query in (text, *queries):
            answer = engine.recall(RecallRequest(query, collection=collection, reinforce=False)).memories
            assert [m.content for m in answer] == [learned], (form, query)
        # The guard reads ① unfolded: it may be a name.
        assert engine.learn(LearnRequest(text, collection=collection)).status == 'duplicate' or '①' in text


def other_form(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let texts be cut as another version would: by blanks, in upper case."""
    patch = monkeypatch.context()
    context = patch.__enter__()
    context.setattr(texts, 'FORM', '0, of another version')
    context.setattr(texts, 'index_text', lambda text: text.upper())
    context.setattr(texts, 'content_hash', lambda text: 'ffff0000ffff0000')
    return patch


def test_a_file_of_another_form_is_indexed_anew(
    db_path: str, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FTS-06: at the next start, all at once, and said once; forgotten texts stay out; hashes are renewed too."""
    log: list[str] = []

    def start() -> Engine:
        return Engine(Store.open(db_path), clock, lambda: None, Settings(), log.append)

    patch = other_form(monkeypatch)
    old = start()
    kept = [old.learn(LearnRequest(f'走廊{number}号湿滑')).memory_id for number in range(450)]
    gone, merged = (old.learn(LearnRequest(text)).memory_id for text in ('走廊尽头', '走廊很长'))
    old.forget(gone, 'wrong')
    with old._rt.store.write() as tx:
        consolidation.supersede(tx, merged, kept[0], 'consolidated', old.settings.hebbian, clock.now)
    old.close()
    patch.__exit__(None, None, None)
    new = start()
    assert len(log) == 1 and '450 memories' in log[0]
    assert found(new, '7号湿滑')[0] == '走廊7号湿滑'
    assert new.recall(RecallRequest('走廊', n=1000, reinforce=False)).total >= 450
    with new._rt.store.read() as tx:
        assert text_form.is_current(tx)
        hashes = dict(tx.execute("SELECT id, content_hash FROM memory WHERE status = 'active'"))
        assert hashes == {i: texts.content_hash(f'走廊{number}号湿滑') for number, i in enumerate(kept)}
        indexed = tx.execute('SELECT rowid FROM memory_fts WHERE memory_fts MATCH ?', ('"走 廊"',))
        assert sorted(row[0] for row in indexed) == kept
        assert tx.execute('SELECT rowid FROM memory_fts WHERE memory_fts MATCH ?', ('"走廊7号湿滑"',)) == []
        absorbed = tx.value('SELECT content_hash FROM memory WHERE id = ?', (merged,))
        assert absorbed == texts.content_hash('走廊很长'), 'by it a text that was merged away leads to its keeper'
    assert new.learn(LearnRequest('走廊７号 湿滑')).status == 'duplicate'
    new.close()
    log.clear()
    start().close()
    assert log == []


def test_a_crash_while_indexing_leaves_the_old_index_whole(
    db_path: str, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FTS-06: never half of each; the next start does it."""
    patch = other_form(monkeypatch)
    old = Engine(Store.open(db_path), clock, lambda: None, Settings())
    old.learn(LearnRequest('Tür eins'))
    old.learn(LearnRequest('Tür zwei'))
    old.close()
    patch.__exit__(None, None, None)
    store = Store.open(db_path)

    def fail(text: str) -> str:
        if 'zwei' in text:
            raise StoreError(db_path, 'the disk is full')
        return text

    with monkeypatch.context() as failing:
        failing.setattr(texts, 'index_text', fail)
        with pytest.raises(StoreError, match='the disk is full'):
            Engine(store, clock, lambda: None, Settings())
    with store.read() as tx:
        assert not text_form.is_current(tx)
        assert len(tx.execute("SELECT rowid FROM memory_fts WHERE memory_fts MATCH 'tür'")) == 2
    engine = Engine(store, clock, lambda: None, Settings())
    assert sorted(found(engine, 'tur')) == ['Tür eins', 'Tür zwei']
    engine.close()


def test_a_new_file_is_of_this_form(open_engine: Open) -> None:
    engine = open_engine(None)
    with engine._rt.store.read() as tx:
        assert text_form.is_current(tx)
    assert unicodedata.unidata_version in texts.FORM
