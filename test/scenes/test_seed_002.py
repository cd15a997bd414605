"""Seed 002: each root cause that its plan names, R1 to R5, as a test that was red with the behaviour it describes."""

from __future__ import annotations

import itertools

import apsw
import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.engine import Engine
from robotmem_ros.model import LearnRequest, RecallRequest

FLAVOURS = ('qq+part', 'QQ Part', 'mc:event', '任务', '  cam  ')


def visit(engine: Engine, clock: ManualClock, *features: tuple[str, str]) -> list[str]:
    """See this for a second, then nothing of it; gives the keys of the scenes that were entered."""
    engine.observe('test', features)
    clock.advance(seconds=1.0)
    hits = engine.advance_scenes()
    engine.observe('test', [(kind, '') for kind, _ in features])
    clock.advance(seconds=1.0)
    engine.advance_scenes()
    return [hit.scene.key for hit in hits]


def strengths(engine: Engine) -> dict[str, int]:
    return {scene.key: scene.strength for scene in engine.list_scenes()}


def evidence(db_path: str) -> dict[str, int]:
    file = apsw.Connection(db_path)
    try:
        return dict(file.execute('SELECT bucket, visits FROM situation_evidence').fetchall())
    finally:
        file.close()


@pytest.mark.parametrize('value', FLAVOURS)
def test_r1_one_situation_has_one_key_on_every_path(engine: Engine, clock: ManualClock, value: str) -> None:
    """R1: emerging, declaring, writing and reading say the same; what was written is what the hit brings back."""
    for _ in range(2):
        emerged = visit(engine, clock, ('chan', value), ('topic', 'x'))
    wanted = f'chan:{value}'
    assert engine.declare_scene(wanted) == (emerged[0], False)
    engine.learn(LearnRequest('the channel is slow', scene=wanted))
    assert len(engine.list_scenes()) == 1
    assert engine.recall(RecallRequest(scene=wanted)).memories[0].scenes == (emerged[0],)
    (scene,) = engine.list_scenes()
    assert (scene.memory_count, scene.strength) == (1, 2)


def test_r2_the_hour_is_no_identity(engine: Engine, clock: ManualClock, db_path: str) -> None:
    """R2: neither the key nor the evidence bucket holds it: morning and evening are two visits of one situation."""
    assert visit(engine, clock, ('chan', 'qq'), ('part', 'morning')) == []
    assert evidence(db_path) == {'chan:qq': 1}
    assert visit(engine, clock, ('chan', 'qq'), ('part', 'evening')) == ['chan:qq']
    assert visit(engine, clock, ('part', 'night'), ('topic', 'x')) == [], 'no dominant feature, no scene'


def test_r3_twins_are_found_by_the_tick(engine: Engine, clock: ManualClock, db_path: str) -> None:
    """R3: the housekeeping of memories visits scenes as well, and needs no model for it."""
    engine.declare_scene('chan:qq/topic:lunch')
    with engine._rt.store.write() as tx:
        tx.execute("INSERT INTO scene (collection_id, key, origin, strength, created_at) SELECT collection_id,"
                   " 'auto:chan:qq+topic:lunch', 'emergent', 270, 1 FROM scene")
        tx.execute("INSERT INTO scene_feature (scene_id, kind, value) VALUES (2, 'chan', 'qq'), (2, 'topic', 'lunch')")
    while engine.tick():
        pass
    assert strengths(engine) == {'chan:qq/topic:lunch': 270}


def test_r4_who_is_there_tells_situations_apart(engine: Engine, clock: ManualClock) -> None:
    """R4: one channel, two people: two scenes, whatever comes first; the channel does not crowd the person out."""
    for peer, order in itertools.product('ab', (1, -1)):
        visit(engine, clock, *[('chan', 'qq'), ('tool', 'mail'), ('task', 'sort'), ('peer', peer)][::order])
    assert set(strengths(engine)) == {'peer:a/chan:qq', 'peer:b/chan:qq'}


def test_r5_a_new_scene_clears_its_own_evidence_only(engine: Engine, clock: ManualClock, db_path: str) -> None:
    """R5: two buckets with one visit each; one becomes a scene, the other's visit still counts."""
    for key in ('hall', 'dock'):
        visit(engine, clock, ('place', key))
    assert visit(engine, clock, ('place', 'hall')) == ['place:hall']
    assert evidence(db_path) == {'place:dock': 1}
    assert visit(engine, clock, ('place', 'dock')) == ['place:dock']
