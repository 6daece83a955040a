"""What iEvaLM measures of rankings: per label, mean over labels, intervals clustered by dialogue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeAlias

from mysteryshopper.core import Estimate, Fault, Metric, Store
from mysteryshopper.metrics import expected_gain, expected_reciprocal_rank, expected_within, success_rate
from mysteryshopper.protocols.positions import Position

Score: TypeAlias = Callable[[Position, int], float]
"""What a position is worth at depth k."""

_SCORES: tuple[tuple[str, str, Score, Callable[[int, int, int], float]], ...] = (
    ("label_recall", "Labels within the first {k}", Position.within, expected_within),
    ("label_mrr", "1/rank of a label within the first {k}, else 0", Position.reciprocal, expected_reciprocal_rank),
    ("label_ndcg", "1/log2(rank+1) of a label within the first {k}, else 0", Position.gain, expected_gain),
)
"""Name, what it is in words, its value with ties ordered by id, and its expectation over their random order."""

_OVER = (
    "mean over target labels; a unit that failed by the system's fault counts as a miss, other failures are left out"
)


@dataclass
class _Labels:
    """All target labels of one system."""

    positions: list[Position | None] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    units: int = 0
    leaky: int = 0
    unknown: int = 0


def measure_rankings(
    store: Store, setting: str, ks: Sequence[int], ties: Literal["expected", "id"]
) -> Iterator[Metric]:
    """Yield the metrics of every system of a run, in the order of the experiment file."""
    found = _collect(store)
    for system in store.plan.systems:
        labels = found[system]
        group = {"setting": setting, "system": system}
        control = store.plan.is_control(system)
        for name, estimate, definition in _numbers(labels, ks, ties):
            yield Metric(name, group, estimate, definition, control)


def _collect(store: Store) -> dict[str, _Labels]:
    found: dict[str, _Labels] = defaultdict(_Labels)
    for stored in store.dialogues(nodes=False):
        labels, dialogue = found[stored.unit.system], stored.dialogue
        data = dialogue.data
        known = data.get("positions")
        for place in range(len(data["targets"])):
            labels.positions.append(Position.from_json(known[place]) if known is not None else None)
            labels.faults.append(dialogue.fault)
            labels.clusters.append(dialogue.root)
        labels.units += 1
        labels.leaky += bool(data["in_history"])
        labels.unknown += len(data["unknown"])
    return found


def _numbers(
    labels: _Labels, ks: Sequence[int], ties: Literal["expected", "id"]
) -> Iterator[tuple[str, Estimate, str]]:
    def values(score: Score, k: int) -> list[float | None]:
        return [None if position is None else score(position, k) for position in labels.positions]

    at_random = "equal scores at the expectation of a random order"
    rule = "equal scores ordered by ascending id" if ties == "id" else at_random
    for name, formula, by_id, expected in _SCORES:
        score = by_id if ties == "id" else partial(_expected, expected)
        for k in ks:
            words = f"{formula.format(k=k)}: {_OVER}; {rule}."
            yield f"{name}@{k}", _rate(labels, values(score, k)), words
    if ties == "id":
        for k in ks:
            words = f"{_SCORES[0][1].format(k=k)}: {_OVER}; {at_random}."
            yield f"label_recall_expected@{k}", _rate(labels, values(partial(_expected, expected_within), k)), words
    yield (
        "turns_with_target_in_history",
        Estimate(float(labels.leaky), n=labels.units, method="count"),
        "Units whose history already names one of the targets; a system can score there by repeating it.",
    )
    yield (
        "labels_outside_catalogue",
        Estimate(float(labels.unknown), n=len(labels.positions) + labels.unknown, method="count"),
        "Labels that are no item of the data set; no system could rank them, so they are left out of n.",
    )


def _rate(labels: _Labels, values: Sequence[float | None]) -> Estimate:
    return success_rate(zip(values, labels.faults, strict=True), labels.clusters).estimate


def _expected(formula: Callable[[int, int, int], float], position: Position, k: int) -> float:
    return position.expected(formula, k)
