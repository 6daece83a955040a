"""How dialogues went: success, reward, what was never recommended, coverage of what is wanted, and what was asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from mysteryshopper.core import Estimate
from mysteryshopper.metrics import graded_mean, success_rate
from mysteryshopper.protocols.ievalm.labels import FAULTS
from mysteryshopper.protocols.ievalm.readings import Reading

_Number: TypeAlias = tuple[str, Mapping[str, str], Estimate, str]

_SUCCESS = f"Share of dialogues in which the user took a target that was shown: mean over units; {FAULTS}."
_EVER = f"Share of dialogues in which a target was shown, taken or not: mean over units; {FAULTS}."
_FIRST = "Number of the first system turn that showed a target: mean over dialogues in which one did, without a fault."
_REWARD = (
    "User turns that take a target over all turns of both sides (reward per dialogue length): mean over units;"
    f" {FAULTS}."
)
_ROUNDS = (
    "User turns that take a target over system turns that recommend (what is said before the first recommendation is no"
    " round): mean over dialogues with a recommendation, without a fault."
)
_MISSING = (
    "Share of units in which the system never recommended anything; they count as misses in all other metrics. Over"
    " units without a fault."
)
_EMPTY = (
    "Share of a dialogue's system turns that show no item, as where it asks back: mean over dialogues without a fault."
)
_FILTERED = (
    "Share of a dialogue's rounds in which the user named a target before the system did, and the sentence was taken"
    " out before the system read it: mean over dialogues without a fault."
)
_COVERAGE = (
    "Share of targets shown in any turn up to this one (preference coverage, judged on what was shown); a dialogue that"
    f" ended before keeps what it had: mean over units; {FAULTS}."
)
_INCREASE = "Preference coverage of this turn minus that of the turn before: mean over units without a fault."
_NOTHING = (
    "Units in which this attribute was asked for and no target has a value of it, over units in which it was asked for."
)
_QUESTIONS = "Attributes asked for: mean over units without a fault."
_UNREAD = "Choices of what to do next that could not be read; the fixed order of attributes went on in their place."


def chat_numbers(units: Sequence[Reading]) -> Iterator[_Number]:
    """Yield success, shown targets, first hit, reward and missing recommendations of free chat.

    Units without a target in the catalogue held no dialogue and are passed over.
    """
    units = [unit for unit in units if unit.targets]
    yield (
        "success",
        {},
        _rate(units, [None if unit.success is None else float(unit.success) for unit in units]),
        _SUCCESS,
    )
    yield "ever_hit", {}, _rate(units, [float(unit.data.get("first_hit") is not None) for unit in units]), _EVER
    firsts = [unit.data.get("first_hit") for unit in units]
    yield "first_hit_turn", {}, _mean(units, [None if first is None else float(first) for first in firsts]), _FIRST
    yield "reward_per_length", {}, _rate(units, [_reward(unit) for unit in units]), _REWARD
    yield "successful_rounds", {}, _mean(units, [_rounds(unit) for unit in units]), _ROUNDS
    yield "missing_recommendation", {}, _mean(units, [float(not unit.recommended) for unit in units]), _MISSING
    empty: list[Sequence[bool]] = [unit.data.get("empty", ()) for unit in units]
    yield (
        "turns_without_items",
        {},
        _mean(units, [sum(turns) / len(turns) if turns else None for turns in empty]),
        _EMPTY,
    )
    filtered = [_share(unit.data.get("filtered"), len(empty_)) for unit, empty_ in zip(units, empty, strict=True)]
    yield "filtered_turns", {}, _mean(units, filtered), _FILTERED


def coverage_numbers(units: Sequence[Reading], turns: int) -> Iterator[_Number]:
    """Yield preference coverage and its increase by turn."""
    units = [unit for unit in units if unit.targets]
    covered = [unit.coverage(turns) for unit in units]
    for turn in range(turns):
        values = [shares[turn] for shares in covered]
        yield "preference_coverage", {"turn": str(turn + 1)}, _rate(units, values), _COVERAGE
    for turn in range(turns):
        grown = [_grown(shares, turn) for shares in covered]
        yield "preference_coverage_increase", {"turn": str(turn + 1)}, _mean(units, grown), _INCREASE


def question_numbers(units: Sequence[Reading]) -> Iterator[_Number]:
    """Yield what the questions for attributes came to."""
    yield "missing_recommendation", {}, _mean(units, [float(not unit.recommended) for unit in units]), _MISSING
    yield "questions", {}, _mean(units, [float(len(unit.data.get("asked", ()))) for unit in units]), _QUESTIONS
    unread = sum(unit.data.get("unread_choices", 0) for unit in units)
    yield "unread_choices", {}, Estimate(float(unread), n=len(units), method="count"), _UNREAD


def unanswered(units: Sequence[Reading]) -> Iterator[_Number]:
    """Yield how many answers told nothing, by attribute."""
    names = dict.fromkeys(name for unit in units for name in unit.data.get("asked", ()))
    for name in names:
        asked = [unit for unit in units if name in unit.data.get("asked", ())]
        count = sum(name in unit.data["nothing"] for unit in asked)
        estimate = Estimate(float(count), n=len(asked), method="count")
        yield "no_information_answers", {"attribute": name}, estimate, _NOTHING


def _rounds(unit: Reading) -> float | None:
    recommending = sum(not empty for empty in unit.data.get("empty", ()))
    return min(1.0, unit.data["accepting"] / recommending) if recommending else None


def _share(count: int | None, rounds: int) -> float | None:
    return None if count is None or not rounds else min(1.0, count / rounds)


def _reward(unit: Reading) -> float | None:
    length = unit.data.get("utterances", 0)
    return unit.data["accepting"] / length if length else None


def _grown(shares: Sequence[float | None], turn: int) -> float | None:
    now = shares[turn]
    before = shares[turn - 1] if turn else 0.0
    return None if now is None or before is None else now - before


def _rate(units: Sequence[Reading], values: Sequence[float | None]) -> Estimate:
    pairs = [(value, unit.fault) for value, unit in zip(values, units, strict=True)]
    return success_rate(pairs, [unit.cluster for unit in units]).estimate


def _mean(units: Sequence[Reading], values: Sequence[float | None]) -> Estimate:
    return graded_mean(values, [unit.fault for unit in units], [unit.cluster for unit in units]).estimate
