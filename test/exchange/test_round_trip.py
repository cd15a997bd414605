"""Export → import into an empty file: the same answers to the same questions, and the same rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from robotmem_ros.exchange import front_matter, times, vault
from robotmem_ros.exchange.json_form import to_json
from robotmem_ros.exchange.json_reader import record_of, record_of_text
from robotmem_ros.exchange.sources import open_source
from robotmem_ros.store import edges
from robotmem_ros.store.records import EdgeRecord


def test_jsonl_gives_the_same_answers_and_rows(full: Any, empty: Any) -> None:
    summary = empty.take(full.export())
    assert (summary.refused, summary.refusals, summary.joined, summary.known) == (0, [], 0, 0)
    assert empty.rows() == full.rows()
    empty.settle()
    assert all(full.answers())
    assert empty.answers() == full.answers()
    assert empty.engine.stats()['by_tier'] == full.engine.stats()['by_tier']


def test_the_fixture_holds_one_of_everything(full: Any) -> None:
    """Else the round trip proves less than it says."""
    assert {name: bool(rows) for name, rows in full.rows().items()} == dict.fromkeys(full.rows(), True)


def test_importing_twice_adds_nothing(full: Any, empty: Any) -> None:
    data = full.export()
    first = empty.take(data)
    before = empty.rows()
    second = empty.take(data)
    assert (second.created, second.joined, second.known, second.edges, second.refused) == (0, 0, first.created, 0, 0)
    assert empty.rows() == before
    third = full.take(data)
    assert (third.created, third.known, third.refused) == (0, first.created, 0)
    assert full.rows() == before


def test_what_was_forgotten_stays_forgotten(full: Any) -> None:
    """UPD-02: an old export does not bring back what a user retired since."""
    data = full.export()
    (found,) = [m for m in full.engine.recall(_all()).memories if m.content == 'the tool rack is full']
    full.engine.forget(found.id, 'sold')
    before = full.rows()
    assert full.take(data).created == 0
    assert full.rows() == before


def test_a_corrected_text_is_known_by_its_old_one(full: Any) -> None:
    data = full.export()
    (found,) = [m for m in full.engine.recall(_all()).memories if m.content == 'the tool rack is full']
    full.engine.update(found.id, 'the tool rack was sold')
    before = full.rows()
    assert full.take(data).created == 0
    assert full.rows() == before


def test_two_perceptions_that_are_quite_the_same_stay_two(full: Any, empty: Any) -> None:
    from robotmem_ros.model import PerceptionInput

    same = PerceptionInput(perception_type='visual', description='a red crate')
    for most in (1, 3):
        full.engine.save_perceptions([same] * (most - most // 3))
        data = full.export()
        for _ in range(2):
            empty.take(data)
            assert [row[2] for row in empty.rows()['memory']].count('a red crate') == most


def test_an_ended_session_answers_the_same_again(full: Any, empty: Any) -> None:
    """SES-01: the end of an imported session can be asked for again, with the memories under their new ids."""
    empty.learn('something that was here before')
    empty.take(full.export())
    (session,) = full.rows()['session']
    old, new = (world.engine.end_session(session[0]) for world in (full, empty))
    assert [m.content for m in old.related_memories] == [m.content for m in new.related_memories]
    assert (old.superseded_count, old.decayed_count) == (new.superseded_count, new.decayed_count)


def test_markdown_gives_the_same_memories(full: Any, empty: Any, tmp_path: Path) -> None:
    folder = tmp_path / 'vault'
    with full.store.read() as tx:
        assert vault.write(folder, tx, lambda edge: edge.weight) == len(full.rows()['memory'])
    source = open_source(str(folder))
    summary = empty.engine.import_records(source.lines)
    assert summary.refusals == []
    rows, expected = empty.rows(), full.rows()
    assert {name: sorted(map(str, found)) for name, found in rows.items()} == {
        name: sorted(map(str, found)) for name, found in expected.items()
    }
    again = empty.engine.import_records(open_source(str(folder)).lines)
    assert (again.created, again.joined, again.edges) == (0, 0, 0)
    assert empty.rows() == rows


def test_one_tier_brings_the_edges_among_it_only(full: Any, empty: Any) -> None:
    kinds = [json.loads(line)['kind'] for line in full.export(tier='ltm').splitlines()]
    assert (kinds.count('memory'), kinds.count('edge')) == (1, 0)
    assert empty.take(full.export(tier='ltm')).refused == 0


def test_what_is_here_already_hangs_on_the_scenes_that_come(empty: Any) -> None:
    empty.learn('the bay door sticks')
    line = {'kind': 'memory', 'id': '1', 'content': 'the bay door sticks', 'created_at': '2026-02-15',
            'scenes': [{'key': 'place:bay', 'weight': 0.5, 'last_updated': '2026-02-15'}]}
    assert empty.take(json.dumps(line).encode()).joined == 1
    assert [row[:3] for row in empty.rows()['tie']] == [('place:bay', 'the bay door sticks', 0.5)]


def test_everything_can_go_into_one_collection(full: Any, empty: Any) -> None:
    assert empty.take(full.export(), 'lab').refused == 0
    assert {row[0] for row in empty.rows()['memory']} == {'lab'}


def test_an_edge_keeps_its_date_to_fade(full: Any, empty: Any) -> None:
    empty.take(full.export())
    empty.clock.advance(days=3650)
    with empty.store.read() as tx:
        assert edges.any_due(tx, empty.clock.now_ns())


def _all() -> Any:
    from robotmem_ros.model import RecallRequest

    return RecallRequest(n=100, min_confidence=0, since_ns=1, reinforce=False)


@given(st.integers(1, times.LATEST_NS))
def test_a_time_survives_to_the_nanosecond(ns: int) -> None:
    assert times.ns_of(times.text_of(ns), 'at') == ns


TEXTS = st.text(st.characters(blacklist_categories=('Cs',), blacklist_characters='\0')).filter(
    lambda text: vault.MARK not in text
)


@given(TEXTS, TEXTS)
def test_a_note_keeps_every_sign(content: str, extra: str) -> None:
    """Whatever a text holds (rules, front matter, carriage returns), what is read is what was written."""
    text = front_matter.join({'kind': 'memory', 'extra': extra}, content + vault.MARK)
    front, body = front_matter.split(text)
    assert (front['extra'], body.partition(vault.MARK)[0]) == (extra, content)


def test_records_are_one_line_of_json(full: Any) -> None:
    for line in full.export().splitlines()[1:]:
        record = record_of_text(line.decode())
        assert record_of(to_json(record)) == record
    assert record_of(to_json(EdgeRecord('a', 'b', 0.1 + 0.2, 5))) == EdgeRecord('a', 'b', 0.1 + 0.2, 5)
