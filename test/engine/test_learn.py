"""Learning: what is stored, what counts as a repeat, what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from robotmem_ros.embed.hashing import HashEmbedder
from robotmem_ros.engine import Engine
from robotmem_ros.errors import Conflict, EmbeddingFailed, InvalidRequest, NotFound
from robotmem_ros.model import LearnRequest, Pose, RecallRequest
from robotmem_ros.settings import SceneSettings, Settings

DOCK = LearnRequest('the charging dock is behind the green door', context='{"object": "dock"}', category='observation')


def contents(engine: Engine, query: str, **criteria: object) -> list[str]:
    return [m.content for m in engine.recall(RecallRequest(query, **criteria)).memories]


def test_a_learned_insight_comes_back_with_all_that_was_said(engine: Engine) -> None:
    pose = Pose('map', 1.0, 2.0, 0.5, map_id='lab')
    result = engine.learn(replace(DOCK, tags=('power', 'power', 'dock'), confidence=0.8, strength=1.5, pose=pose))
    assert (result.status, result.method) == ('created', 'none')
    (memory,) = engine.recall(RecallRequest('where is the charging dock')).memories
    assert memory.id == result.memory_id
    assert (memory.content, memory.context, memory.category) == (DOCK.insight, DOCK.context, 'observation')
    assert sorted(memory.tags) == ['dock', 'power']
    assert memory.confidence == pytest.approx(0.8)
    assert memory.strength == 1.5
    assert memory.pose == pose


def test_exact_repeat_is_a_duplicate_with_the_id_of_the_first(engine: Engine) -> None:
    """DUP-09: the answer names the memory that is repeated."""
    first = engine.learn(DOCK)
    again = engine.learn(replace(DOCK, context='{"object": "door"}'))
    assert (again.status, again.method, again.memory_id) == ('duplicate', 'exact', first.memory_id)
    assert again.similarity == 1.0


def test_a_duplicate_is_one_more_occurrence(engine: Engine) -> None:
    """Contract 4: confirmed at two places, one memory is found at both, and the answer shows the one that matched."""
    here, there = Pose('map', 0.0, 0.0), Pose('map', 50.0, 0.0)
    engine.learn(replace(DOCK, pose=here, context='{"where": "here"}'))
    engine.learn(replace(DOCK, pose=there, context='{"where": "there"}'))
    for pose, name in ((here, 'here'), (there, 'there')):
        (memory,) = engine.recall(RecallRequest(near=pose, radius=1.0)).memories
        assert memory.pose == pose
        assert memory.context == f'{{"where": "{name}"}}'
    crossed = RecallRequest(near=here, radius=1.0, context_filter='{"where": "there"}')
    assert engine.recall(crossed).memories == ()


def test_near_repeat_is_found_by_its_tokens(text_engine: Engine) -> None:
    first = text_engine.learn(DOCK)
    again = text_engine.learn(LearnRequest('The charging dock is behind a green door.'))
    assert (again.status, again.method, again.memory_id) == ('duplicate', 'jaccard', first.memory_id)


@pytest.mark.parametrize(('first', 'second'), [
    ('grip_force=12.5N works for cups', 'grip_force=8N works for cups'),
    ('marker 17 is at the east door', 'marker 71 is at the east door'),
    ('bay 4 is safe', 'bay 4 is not safe'),
    ('torque the bolt to 5 Nm', 'torque the bolt to 5 nm'),
    ('push the red door button before entering lab', 'do not push the red door button before entering lab'),
    ('三号门坏了', '四号门坏了'),
])
def test_facts_that_differ_are_both_kept(engine: Engine, first: str, second: str) -> None:
    """DUP-01, DUP-02: however alike two texts look, a number, a unit or a "not" makes another fact."""
    one, two = engine.learn(LearnRequest(first)), engine.learn(LearnRequest(second))
    assert two.status == 'created'
    assert one.memory_id != two.memory_id
    assert one.memory_id in [s.id for s in two.similar]


def test_a_duplicate_counts_only_within_its_collection_and_among_the_living(engine: Engine) -> None:
    """DUP-05."""
    kitchen = LearnRequest('kitchen floor is slippery', collection='home_a')
    first = engine.learn(kitchen)
    assert engine.learn(replace(kitchen, collection='home_b')).status == 'created'
    assert engine.learn(kitchen).memory_id == first.memory_id
    engine.forget(first.memory_id, 'dry again')
    assert engine.learn(kitchen).status == 'created'


@pytest.mark.parametrize(('change', 'field'), [
    ({'insight': ''}, 'insight'), ({'insight': ' \u200b\n'}, 'insight'), ({'insight': 'x' * 65_537}, 'insight'),
    ({'insight': 'ab\0cd'}, 'insight'), ({'context': '[1, 2]'}, 'context'), ({'context': '{"a": 1} x'}, 'context'),
    ({'context': '[' * 5000 + ']' * 5000}, 'context'), ({'confidence': math.nan}, 'confidence'),
    ({'confidence': 1.01}, 'confidence'), ({'strength': 0.5}, 'strength'), ({'tags': ('a', ' ')}, 'tags'),
    ({'collection': 'a\nb'}, 'collection'), ({'pose': Pose('map', math.inf, 0.0)}, 'pose.pose.position.x'),
])
def test_what_cannot_be_stored_is_refused_by_name_and_changes_nothing(
    engine: Engine, change: dict[str, object], field: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        engine.learn(replace(DOCK, **change))
    assert refused.value.field == field
    assert engine.stats()['total'] == 0


def test_sessions_are_checked(engine: Engine) -> None:
    """SES-01, SES-03: never started, of another collection, already ended."""
    with pytest.raises(NotFound, match='no such session'):
        engine.learn(replace(DOCK, session_id='made-up'))
    session = engine.start_session(collection='a').session_id
    with pytest.raises(Conflict, match='belongs to collection'):
        engine.learn(replace(DOCK, session_id=session, collection='b'))
    engine.end_session(session)
    with pytest.raises(NotFound, match='ended'):
        engine.learn(replace(DOCK, session_id=session, collection='a'))
    assert engine.stats('a')['total'] == 0


def test_a_fault_between_two_statements_leaves_nothing(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """One learn is one transaction: memory, text index, vector, occurrence, or none of them."""
    def broken(*args: object) -> None:
        raise MemoryError('injected')

    with monkeypatch.context() as patch:
        patch.setattr('robotmem_ros.store.occurrences.add', broken)
        with pytest.raises(MemoryError):
            engine.learn(DOCK)
    assert engine.stats()['total'] == 0
    assert contents(engine, 'charging dock') == []
    assert engine.learn(DOCK).status == 'created'


def test_a_model_that_fails_on_a_text_does_not_lose_the_text(open_engine: Callable[..., Engine]) -> None:
    class Failing(HashEmbedder):
        def embed(self, text: str) -> object:
            raise EmbeddingFailed('not today')

    engine = open_engine(Failing())
    assert engine.learn(DOCK).status == 'created'
    assert contents(engine, 'charging dock') == [DOCK.insight]
    assert engine.stats()['embedding_failures'] >= 1


def test_settings_that_are_fixed_keep_their_value(engine: Engine) -> None:
    """Contract 3: another collection, or other weights, would part what is learned from the situation it belongs to."""
    other = Settings(collection='other', scenes=SceneSettings(weights={'place': 0.1}, settle_s=2.0))
    engine.configure(other)
    assert (engine.settings.collection, engine.settings.scenes.weights) == ('default', Settings().scenes.weights)
    assert engine.settings.scenes.settle_s == 2.0
    engine.learn(DOCK)
    assert engine.stats('default')['total'] == 1


def test_scenes_are_read_again_only_where_one_was_declared(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A robot that names its scene with every insight: a thousand scenes are not read each time."""
    read: list[str] = []
    reload = engine.scenes.reload
    monkeypatch.setattr(engine.scenes, 'reload', lambda: (read.append('again'), reload()))
    for part in ('left', 'right', 'front'):
        assert engine.learn(LearnRequest(f'the {part} rack is full', scene='place:hall')).scenes == ('place:hall',)
    assert read == ['again']
