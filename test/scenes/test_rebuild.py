"""Rebuilding: a copy first, emergent scenes go, and grow again with the memories that were learned in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from robotmem_ros.clock import ManualClock
from robotmem_ros.engine import Engine
from robotmem_ros.errors import InvalidRequest, StoreError
from robotmem_ros.model import LearnRequest, RecallRequest
from robotmem_ros.settings import FEATURE_WEIGHTS, Settings
from robotmem_ros.store.store import Store

Open = Callable[..., Engine]


def visit(engine: Engine, clock: ManualClock, learn: str = '', **kinds: str) -> list[str]:
    """See this for a second, learn something there, then see nothing of it; gives the memories of what was entered."""
    engine.observe('test', list(kinds.items()))
    clock.advance(seconds=1.0)
    hits = engine.advance_scenes()
    if learn:
        engine.learn(LearnRequest(learn))
    engine.observe('test', [(kind, '') for kind in kinds])
    clock.advance(seconds=1.0)
    engine.advance_scenes()
    return [memory.content for hit in hits for memory in hit.memories]


def keys(engine: Engine, collection: str = '') -> dict[str, str]:
    return {scene.key: scene.origin for scene in engine.list_scenes(collection)}


@pytest.fixture
def lived(engine: Engine, clock: ManualClock) -> Engine:
    """A robot with two emergent scenes and a declared one, each with a memory."""
    engine.declare_scene('place:cellar')
    engine.learn(LearnRequest('the cellar is dark', scene='place:cellar'))
    visit(engine, clock, 'the hall door is stiff', place='hall')
    visit(engine, clock, place='hall')
    visit(engine, clock, 'operator 7 wants the cups first', place='hall', peer='7')
    visit(engine, clock, place='dock')
    visit(engine, clock, place='dock')
    visit(engine, clock, place='yard')
    return engine


def test_a_dry_run_counts_and_changes_nothing(lived: Engine, db_path: str) -> None:
    before = keys(lived)
    assert lived.rebuild_scenes(dry_run=True) == ('', 2)
    assert keys(lived) == before and len(list(Path(db_path).parent.glob('*.before*'))) == 0


def test_emergent_scenes_go_and_declared_ones_stay(lived: Engine, db_path: str) -> None:
    """Seed 002, step 3: a copy through the backup API that holds all of it, and no evidence is left."""
    before = keys(lived)
    path, removed = lived.rebuild_scenes()
    assert removed == 2 and keys(lived) == {'place:cellar': 'declared'}
    assert [m.content for m in lived.recall(RecallRequest(scene='place:cellar')).memories] == ['the cellar is dark']
    assert lived.recall(RecallRequest('stiff door')).memories, 'memories themselves stay'
    copy = Engine(Store.open(path), ManualClock(), lambda: None, Settings())
    assert keys(copy) == before
    copy.close()
    assert Path(path).parent == Path(db_path).parent


def test_they_grow_again_and_find_their_memories(lived: Engine, clock: ManualClock) -> None:
    """Contract 4: each occurrence keeps its fingerprint; two new visits, and what was learned there is told."""
    lived.rebuild_scenes()
    assert visit(lived, clock, place='hall') == []
    assert set(visit(lived, clock, place='hall')) == {'the hall door is stiff', 'operator 7 wants the cups first'}
    visit(lived, clock, place='hall', peer='7')
    visit(lived, clock, place='hall', peer='7')
    assert keys(lived) == {
        'place:cellar': 'declared', 'place:hall': 'emergent', 'place:hall/peer:7': 'emergent'}
    assert 'operator 7 wants the cups first' in visit(lived, clock, place='hall', peer='7')


def test_a_repeat_is_found_again_where_it_was_repeated(lived: Engine, clock: ManualClock) -> None:
    """Contract 4: the occurrence of a duplicate, too, keeps its fingerprint."""
    visit(lived, clock, 'the hall door is stiff', place='dock')
    assert lived.stats()['by_status'] == {'active': 3}
    lived.rebuild_scenes()
    visit(lived, clock, place='dock')
    assert visit(lived, clock, place='dock') == ['the hall door is stiff']


def test_all_evidence_goes_too(lived: Engine, clock: ManualClock) -> None:
    lived.rebuild_scenes()
    visit(lived, clock, place='yard')
    assert 'place:yard' not in keys(lived), 'the visit before the rebuild no longer counts'


def test_the_scene_in_force_is_not_in_force_any_more(lived: Engine, clock: ManualClock) -> None:
    """Learning goes on, and hangs on nothing that is gone."""
    lived.observe('test', [('place', 'hall')])
    clock.advance(seconds=1.0)
    lived.advance_scenes()
    lived.rebuild_scenes()
    assert lived.scenes.current() is None
    assert lived.learn(LearnRequest('the hall lamp flickers')).scenes == ()


def test_it_takes_the_settings_in_force(lived: Engine, clock: ManualClock, open_engine: Open) -> None:
    """With other weights a situation has another identity: memories follow by their fingerprints."""
    lived.close()
    settings = Settings()
    weights = {**FEATURE_WEIGHTS, 'place': 0.1}
    engine = open_engine(settings=replace(settings, scenes=replace(settings.scenes, weights=weights)))
    engine.rebuild_scenes()
    visit(engine, clock, place='ramp', peer='7')
    assert visit(engine, clock, place='dock', peer='7') == ['operator 7 wants the cups first']


def test_each_rebuild_has_a_copy_of_its_own(lived: Engine) -> None:
    paths = [lived.rebuild_scenes()[0] for _ in range(3)]
    assert len(set(paths)) == 3 and all(Path(path).is_file() for path in paths)


def test_without_a_copy_nothing_is_dropped(lived: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    before = keys(lived)

    def fail(self: Store, path: str, on_pages: object) -> int:
        raise StoreError(path, 'the disk is full')

    monkeypatch.setattr(Store, 'backup', fail)
    with pytest.raises(StoreError, match='full'):
        lived.rebuild_scenes()
    assert keys(lived) == before


def test_other_collections_are_left_alone(lived: Engine) -> None:
    before = keys(lived)
    assert lived.rebuild_scenes('elsewhere') == ('', 0)
    lived.declare_scene('place:hall', 'elsewhere')
    lived.rebuild_scenes('elsewhere')
    assert keys(lived) == before and keys(lived, 'elsewhere') == {'place:hall': 'declared'}
    with pytest.raises(InvalidRequest):
        lived.rebuild_scenes('x' * 1000)
