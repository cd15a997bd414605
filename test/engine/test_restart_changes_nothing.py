"""Forgetting and association against a model (contract 6, 7): what a memory is worth depends on time and use alone.

Not on how often the timer ran, nor on how often the node was started, ended or killed in between.
"""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from robotmem_ros.clock import ManualClock
from robotmem_ros.engine import Engine
from robotmem_ros.model import Filters, LearnRequest, Memory
from robotmem_ros.recall import retention_of
from robotmem_ros.settings import PromotionSettings, Settings
from robotmem_ros.store import edges, memories
from robotmem_ros.store.store import Store
from robotmem_ros.timekeeping import Moment

DAY = 86_400 * 10**9
NO_PROMOTION = Settings(promotion=PromotionSettings(automatic=False))


class Expected:
    """What a memory must be worth."""

    def __init__(self, confidence: float, is_rule: bool, at_ns: int) -> None:
        self.confidence, self.is_rule, self.anchor_ns, self.used_ns, self.uses = confidence, is_rule, at_ns, 0, 0

    def effective(self, now_ns: int) -> float:
        faded = self.confidence * 0.99 ** ((now_ns - self.anchor_ns) / DAY)
        return max(faded, min(0.3, self.confidence)) if self.is_rule else faded

    def retention(self, now_ns: int) -> float:
        return (self.uses + 1) ** 0.6 * 2 ** (-(now_ns - self.anchor_ns) / DAY / 3)

    def use(self, now_ns: int) -> None:
        if not self.used_ns or now_ns - self.used_ns >= 60 * 10**9:
            self.anchor_ns = self.used_ns = now_ns
            self.uses += 1


class LifeOfARobot(RuleBasedStateMachine):
    """Learns, uses, lets time pass, ticks or not, and is restarted at any point."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = ManualClock()
        self.expected: dict[int, Expected] = {}
        self.edges: dict[tuple[int, int], tuple[float, int]] = {}
        self.engine = self.opened()

    def opened(self) -> Engine:
        return Engine(Store.open(str(Path(self.folder.name) / 'm.db')), self.clock, lambda: None, NO_PROMOTION)

    @initialize()
    def begin(self) -> None:
        for _ in range(3):
            self.learn(0.9, False)

    @rule(confidence=st.floats(0.0, 1.0), is_rule=st.booleans())
    def learn(self, confidence: float, is_rule: bool) -> None:
        number = len(self.expected)
        made = self.engine.learn(LearnRequest(
            f'note{number} of thing{number}', confidence=confidence, category='constraint' if is_rule else ''))
        self.expected[made.memory_id] = Expected(confidence, is_rule, self.clock.now)

    @rule(data=st.data())
    def use(self, data: st.DataObject) -> None:
        ids = data.draw(st.lists(st.sampled_from(sorted(self.expected)), min_size=1, max_size=4, unique=True))
        self.engine._rt.usage.add(ids, self.engine._rt.time.now())
        now = self.clock.now
        for memory_id in ids:
            self.expected[memory_id].use(now)
        for pair in itertools.combinations(sorted(ids), 2):
            weight, at = self.edges.get(pair, (0.0, 0))
            if not at or now - at >= 60 * 10**9:
                self.edges[pair] = (weight * 2 ** (-(now - at) / DAY / 30) + 1.0, now)

    @rule(days=st.floats(0.0, 5.0))
    def time_passes(self, days: float) -> None:
        self.clock.advance(days=days)

    @rule()
    def tick(self) -> None:
        while self.engine.tick():
            pass

    @rule()
    def stop_and_start(self) -> None:
        self.engine.close()
        self.engine = self.opened()

    @precondition(lambda self: len(self.engine._rt.usage) == 0)
    @rule()
    def kill(self) -> None:
        """With nothing queued: a kill may lose queued reinforcement, never anything else."""
        self.engine._rt.store.close()
        self.engine = self.opened()

    @rule()
    def the_machine_is_restarted(self) -> None:
        self.engine.close()
        self.clock.reboot()
        self.engine = self.opened()

    @rule(threshold=st.floats(0.0, 1.0))
    def look(self, threshold: float) -> None:
        now = self.clock.now
        below = sum(
            e.retention(now) < threshold and not e.is_rule for i, e in self.expected.items()
            if i not in self.engine._rt.usage.waiting())
        clear = all(abs(e.retention(now) - threshold) > 1e-9 for e in self.expected.values())
        assert not clear or self.engine.maintain(dry_run=True, gc_threshold=threshold).gc_retired == below

    @precondition(lambda self: len(self.engine._rt.usage) == 0)
    @invariant()
    def all_is_worth_what_time_and_use_make_it(self) -> None:
        now = self.clock.now
        with self.engine._rt.store.read() as tx:
            found = memories.load(tx, list(self.expected), Filters('default', now), NO_PROMOTION.decay)
            weights = {pair: edges.weight_of(tx, *pair, now, 30.0) for pair in self.edges}
        assert found.keys() == self.expected.keys()
        for memory_id, expected in self.expected.items():
            memory: Memory = found[memory_id]
            assert 0.0 <= memory.confidence <= 1.0
            assert memory.confidence == pytest.approx(expected.effective(now), rel=1e-9)
            assert memory.stored_confidence == expected.confidence, 'confidence stays as learned'
            assert retention_of(memory, NO_PROMOTION) == pytest.approx(expected.retention(now), rel=1e-9)
        for pair, (weight, at) in self.edges.items():
            assert weights[pair] == pytest.approx(weight * 2 ** (-(now - at) / DAY / 30), rel=1e-9)

    def teardown(self) -> None:
        self.engine.close()
        self.folder.cleanup()


LifeOfARobot.TestCase.settings = settings(
    max_examples=30, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck))
test_life_of_a_robot = LifeOfARobot.TestCase

recall_of_some = st.tuples(st.integers(0, 20), st.sets(st.integers(1, 4), min_size=1))
uses = st.lists(recall_of_some, min_size=1, max_size=8, unique_by=lambda use: use[0])


def state(folder: Path, recalls: Sequence[tuple[int, set[int]]]) -> tuple[list[object], list[float]]:
    """What a file holds after these recalls, in their order; the first number is their hour."""
    folder.mkdir()
    clock = ManualClock()
    engine = Engine(Store.open(str(folder / 'm.db')), clock, lambda: None, NO_PROMOTION)
    for i in range(4):
        engine.learn(LearnRequest(f'note{i} of thing{i}'))
    for hour, ids in recalls:
        at = clock.now + hour * 3600 * 10**9
        engine._rt.usage.add(sorted(ids), Moment(at, at, at))
    while engine.tick():
        pass
    clock.advance(days=30)
    with engine._rt.store.read() as tx:
        rows: list[object] = list(tx.execute('SELECT id, use_count, last_accessed, decay_anchor FROM memory'))
        pairs = itertools.combinations(range(1, 5), 2)
        weights = [edges.weight_of(tx, a, b, clock.now, 30.0) for a, b in pairs]
    engine.close()
    return rows, weights


@given(uses, st.randoms())
@settings(max_examples=20, deadline=None)
def test_the_order_of_recalls_does_not_matter(recalls: list[tuple[int, set[int]]], random: object) -> None:
    """Those of one day, however they come to be applied."""
    shuffled = list(recalls)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as folder:
        rows, weights = state(Path(folder) / 'a', sorted(recalls))
        others, other_weights = state(Path(folder) / 'b', shuffled)
    assert rows == others
    assert all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(weights, other_weights))
