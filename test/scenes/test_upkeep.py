"""What the tick makes of scenes over time: twins of older files become one, what never came back is let go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from robotmem_ros import scene_upkeep
from robotmem_ros.clock import ManualClock
from robotmem_ros.core.scene_key import feature
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, RecallRequest, Scene
from robotmem_ros.runtime import Runtime
from robotmem_ros.settings import Settings
from robotmem_ros.store.store import Store

OLD = Path(__file__).parents[1] / 'data' / 'old_scene_keys.sql'
Open = Callable[..., Engine]


def settle(engine: Engine) -> None:
    for _ in range(1000):
        if not engine.tick():
            return
    raise AssertionError('the tick never ends')


def scenes(engine: Engine) -> dict[str, Scene]:
    return {scene.key: scene for scene in engine.list_scenes()}


def rows(db_path: str) -> dict[str, list[Any]]:
    """Give all rows of the tables of scenes. (Through apsw: a second SQLite in one process would undo its locks.)"""
    tables = ('scene', 'scene_feature', 'scene_ref', 'situation_evidence', 'occurrence')
    file = apsw.Connection(db_path)
    try:
        return {table: list(file.execute(f'SELECT * FROM {table} ORDER BY 1, 2')) for table in tables}  # noqa: S608
    finally:
        file.close()


def visit(engine: Engine, clock: ManualClock, **kinds: str) -> list[str]:
    """See this for a second, then nothing of it; gives the scenes that were entered."""
    engine.observe('test', list(kinds.items()))
    clock.advance(seconds=1.0)
    hits = engine.advance_scenes()
    engine.observe('test', [(kind, '') for kind in kinds])
    clock.advance(seconds=1.0)
    engine.advance_scenes()
    return [hit.scene.key for hit in hits]


@pytest.fixture
def old_file(db_path: str) -> str:
    """A file with the keys of older programs."""
    Store.open(db_path).close()
    file = apsw.Connection(db_path)
    file.execute(OLD.read_text('utf-8')).fetchall()
    file.close()
    return db_path


def test_twins_of_an_older_file_become_one(
    old_file: str, open_engine: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SCN-13, seed 002 R3: one scene, 5 memories, strength 273, the declared name; one copy made before."""
    monkeypatch.setattr(scene_upkeep, 'KEYS_A_LOOK', 2)
    engine = open_engine()
    settle(engine)
    lab = scenes(engine)['place:lab/chan:cam']
    assert (lab.origin, lab.strength, lab.memory_count) == ('declared', 273, 5)
    assert {memory.id for memory in engine.recall(RecallRequest(scene='place:lab', n=9)).memories} == {1, 2, 3, 4, 5}
    (before,) = Path(old_file).parent.glob('*.before-merging-scenes*')
    assert [row[2] for row in rows(str(before))['scene']][:2] == ['chan:cam+place:lab', 'chan:cam_place:lab']


def test_a_maintenance_pass_says_what_becomes_of_scenes(
    old_file: str, open_engine: Open, clock: ManualClock, db_path: str
) -> None:
    """Contract 3: counts of what was or would be done: twins merged, ties that have faded."""
    engine = open_engine()
    before = rows(db_path)
    planned = engine.maintain(dry_run=True)
    assert rows(db_path) == before
    done = engine.maintain()
    assert done.scenes_merged == planned.scenes_merged == len(before['scene']) - len(rows(db_path)['scene']) > 0
    assert engine.maintain().scenes_merged == 0
    engine.declare_scene('place:cellar')
    for text in ('the cellar is damp', 'the cellar has rats'):
        engine.learn(LearnRequest(text, scene='place:cellar'))
    clock.advance(seconds=200 * 86_400.0)
    ties = len(rows(db_path)['scene_ref'])
    planned = engine.maintain(dry_run=True, gc_threshold=0.0)
    done = engine.maintain(gc_threshold=0.0)
    assert done.scene_refs_pruned == planned.scene_refs_pruned == ties - len(rows(db_path)['scene_ref']) >= 2
    assert engine.maintain(gc_threshold=0.0).scene_refs_pruned == 0


def test_features_are_united_by_their_one_spelling(old_file: str, open_engine: Open) -> None:
    """SCN-13: `Cup` and `cup` are one feature, and its visits are added."""
    engine = open_engine()
    settle(engine)
    key = scenes(engine)['place:lab/chan:cam'].id
    counts = {(kind, value): visits for scene, kind, value, visits in rows(old_file)['scene_feature'] if scene == key}
    assert counts == {('chan', 'cam'): 273, ('place', 'lab'): 273, ('object', 'cup'): 202, ('tool', 'gripper'): 3}


def test_stored_features_decide_what_is_a_joiner(old_file: str, open_engine: Open) -> None:
    """Seed 002, R1 and R2: `+` and `_` joined, a sign within a value stays, the hour leaves the identity."""
    engine = open_engine()
    settle(engine)
    found = {key: scene.strength for key, scene in scenes(engine).items()}
    event, irc = (f'chan:{feature("chan", value).value}' for value in ('mc:event', 'irc_topic:x'))
    assert found == {
        'place:lab/chan:cam': 273, f'{event}/topic:mc': 9, 'chan:qq': 9, 'scene:kitchen': 0, 'tool:a_b': 2,
        'place:yard': 4, 'chan:cam/zone:7': 2, irc: 2,
    }
    assert scenes(engine)['place:yard'].origin == 'declared'


def test_what_a_key_means_is_of_its_collection(old_file: str, open_engine: Open) -> None:
    """Nothing crosses a collection: the same old key, in which ``+`` is a joiner here and part of a value there."""
    file = apsw.Connection(old_file)
    file.execute("""
    INSERT INTO collection (id, name) VALUES (2, 'other');
    INSERT INTO memory (id, collection_id, type, content, content_hash, confidence, created_at, decay_anchor)
    VALUES (6, 2, 'fact', 'the other lab is dark', '06', 0.9, 1779999990000000000, 1779999990000000000);
    INSERT INTO occurrence (memory_id, at, bucket) VALUES (6, 1779999990000000000, 'chan:cam_place:lab');
    INSERT INTO scene (id, collection_id, key, origin, strength, created_at, last_hit)
    VALUES (14, 2, 'chan:cam_place:lab', 'emergent', 2, 1770000000000000000, 1779999000000000000);
    INSERT INTO scene_feature (scene_id, kind, value, visits) VALUES (14, 'chan', 'cam_place:lab', 2);
    """).fetchall()
    file.close()
    settle(open_engine())
    buckets = {row[1]: row[-2] for row in rows(old_file)['occurrence']}
    assert buckets == dict.fromkeys(range(1, 6), 'place:lab/chan:cam') | {6: str(feature('chan', 'cam_place:lab'))}


def test_two_passes_at_once_lose_no_scene(
    old_file: str, open_engine: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tick has looked at the keys, and a request merges them before the tick comes to it."""
    engine = open_engine()

    def overtaken(rt: Runtime, why: str) -> str:
        rt.has_scene_backup = True
        while scene_upkeep.merge_twins(rt, 2**63):
            pass
        rt.scene_cursor = 0
        return why

    monkeypatch.setattr(scene_upkeep, 'backup_beside', overtaken)
    settle(engine)
    found = {key: (scene.origin, scene.strength) for key, scene in scenes(engine).items()}
    assert found['place:lab/chan:cam'] == ('declared', 273)
    assert (found['chan:qq'], found['scene:kitchen'], len(found)) == (('emergent', 9), ('declared', 0), 8)


def test_a_second_start_changes_nothing(old_file: str, open_engine: Open, clock: ManualClock) -> None:
    """SCN-13: no second copy, not a row."""
    engine = open_engine()
    settle(engine)
    engine.close()
    after = rows(old_file)
    again = open_engine()
    settle(again)
    assert rows(old_file) == after
    assert len(list(Path(old_file).parent.glob('*.before-merging-scenes*'))) == 1


def test_the_merged_scene_is_the_one_that_is_hit(old_file: str, open_engine: Open, clock: ManualClock) -> None:
    """SCN-08: the scene that comes back is the one on which the memories hang, also in the process that merged."""
    engine = open_engine()
    assert visit(engine, clock, place='hall') == ['place:hall']
    settle(engine)
    assert visit(engine, clock, place='lab', chan='cam') == ['place:lab/chan:cam']
    assert scenes(engine)['place:lab/chan:cam'].strength == 274


def test_a_merge_that_cannot_be_backed_up_does_not_happen(
    old_file: str, open_engine: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, before = open_engine(), rows(old_file)

    def fail(self: Store, path: str, on_pages: object) -> int:
        raise RuntimeError('no room')

    monkeypatch.setattr(Store, 'backup', fail)
    with pytest.raises(RuntimeError, match='no room'):
        settle(engine)
    assert rows(old_file) == before


def test_scenes_of_today_cost_a_tick_nothing(engine: Engine, clock: ManualClock, db_path: str) -> None:
    for _ in range(2):
        visit(engine, clock, place='hall')
        visit(engine, clock, chan='cam', object='a+b')
    settle(engine)
    before = rows(db_path), Path(f'{db_path}-wal').stat().st_size
    for _ in range(100):
        clock.advance(seconds=10.0)
        assert engine.tick() is False
    assert (rows(db_path), Path(f'{db_path}-wal').stat().st_size) == before
    assert not list(Path(db_path).parent.glob('*.before-*'))


def test_a_scene_is_looked_at_once(engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    monkeypatch.setattr(scene_upkeep, 'is_current', lambda key, weights: looked.append(key) or True)
    for place in ('hall', 'dock'):
        engine.declare_scene(f'place:{place}')
        for _ in range(3):
            settle(engine)
    assert looked == ['place:hall', 'place:dock']


def test_evidence_that_never_came_back_is_forgotten(engine: Engine, clock: ManualClock, db_path: str) -> None:
    visit(engine, clock, place='hall')
    clock.advance(days=60)
    visit(engine, clock, place='dock')
    clock.advance(days=31)
    settle(engine)
    assert [row[1] for row in rows(db_path)['situation_evidence']] == ['place:dock']
    assert visit(engine, clock, place='hall') == [], 'its visits count anew'


def test_scenes_that_never_return_are_forgotten(engine: Engine, clock: ManualClock) -> None:
    """The setting is half a year; a declared one stays, and so do the memories."""
    engine.declare_scene('place:cellar')
    for _ in range(2):
        visit(engine, clock, place='hall')
    learned = engine.learn(LearnRequest('the hall door is stiff', scene='place:hall/tool:key')).memory_id
    clock.advance(days=179)
    settle(engine)
    assert 'place:hall' in scenes(engine)
    clock.advance(days=2)
    settle(engine)
    assert set(scenes(engine)) == {'place:cellar', 'place:hall/tool:key'}
    assert engine.recall(RecallRequest('door', min_confidence=0.0)).memories[0].id == learned


def test_the_scene_in_force_is_not_forgotten(engine: Engine, clock: ManualClock) -> None:
    """A robot that stands for a year has not left."""
    visit(engine, clock, place='hall')
    engine.observe('test', [('place', 'hall')])
    clock.advance(seconds=1.0)
    engine.advance_scenes()
    clock.advance(days=365)
    settle(engine)
    assert engine.scenes.current() is not None and 'place:hall' in scenes(engine)


def test_forgetting_is_bounded_by_slice(engine: Engine, clock: ManualClock, db_path: str) -> None:
    with engine._rt.store.write() as tx:
        tx.execute("INSERT OR IGNORE INTO collection (id, name) VALUES (1, 'default')")
        tx.executemany('INSERT INTO situation_evidence VALUES (1, ?, 1, ?, ?)',
                       [(f'place:x{i}', clock.now_ns(), '{}') for i in range(250)])
    clock.advance(days=91)
    left = []
    while engine.tick():
        left.append(len(rows(db_path)['situation_evidence']))
    assert left == [150, 50] and not rows(db_path)['situation_evidence']


def test_ties_fade_once_by_elapsed_time(engine: Engine, clock: ManualClock) -> None:
    """However often the tick runs, a tie stays as it was written, and goes when it is worth nothing."""
    engine.declare_scene('place:hall')
    memory = engine.learn(LearnRequest('the hall door is stiff', scene='place:hall')).memory_id
    begun = clock.now

    def tie() -> list[tuple[object, ...]]:
        with engine._rt.store.read() as tx:
            return tx.execute('SELECT memory_id, weight, last_updated FROM scene_ref')

    for _ in range(30):
        clock.advance(days=1)
        settle(engine)
    assert tie() == [(memory, 1.0, begun)]
    clock.advance(days=98)
    settle(engine)
    assert len(tie()) == 1
    clock.advance(days=3)
    settle(engine)
    assert tie() == []


def test_a_tie_of_a_memory_that_is_used_stays(engine: Engine, clock: ManualClock, db_path: str) -> None:
    engine.declare_scene('place:hall')
    engine.learn(LearnRequest('the hall door is stiff', scene='place:hall'))
    for _ in range(4):
        clock.advance(days=60)
        engine.recall(RecallRequest('hall door'))
        settle(engine)
    assert scenes(engine)['place:hall'].memory_count == 1
    assert rows(db_path)['scene_ref'][0][3] > clock.now_ns() - 121 * 86_400 * 10**9, 'dated anew, or it would stay due'


def test_ties_go_with_their_memory(engine: Engine) -> None:
    """SCN-08: a forgotten memory hangs on nothing."""
    engine.declare_scene('place:hall')
    memory = engine.learn(LearnRequest('the hall door is stiff', scene='place:hall')).memory_id
    engine.forget(memory, 'test')
    assert scenes(engine)['place:hall'].memory_count == 0


def test_the_limits_are_settings(open_engine: Open, clock: ManualClock, db_path: str) -> None:
    settings = Settings()
    engine = open_engine(settings=replace(settings, scenes=replace(settings.scenes, forget_evidence_days=1.0)))
    visit(engine, clock, place='hall')
    clock.advance(days=1.1)
    settle(engine)
    assert rows(db_path)['situation_evidence'] == []


def test_a_robot_that_stands_for_half_a_year_writes_once_a_day(
    engine: Engine, clock: ManualClock, rows_written: Callable[[Engine], int]
) -> None:
    """Contract 6: an idle robot must not wear out its card, though its scene is older than any other may get."""
    for _ in range(2):
        visit(engine, clock, place='dock')
    engine.observe('test', [('place', 'dock')])
    clock.advance(seconds=1.0)
    engine.advance_scenes()
    clock.advance(days=200)
    settle(engine)
    before = rows_written(engine)
    clock.advance(days=0.9)
    settle(engine)
    assert rows_written(engine) == before
    clock.advance(days=30)
    settle(engine)
    assert list(scenes(engine)) == ['place:dock']
