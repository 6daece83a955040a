"""What iEvaLM measures: recall and its kin on all units and on those without a leak, and how dialogues went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from mysteryshopper.core import Estimate, Metric, Store
from mysteryshopper.protocols.ievalm.audit import KINDS
from mysteryshopper.protocols.ievalm.chats import chat_numbers, coverage_numbers, question_numbers, unanswered
from mysteryshopper.protocols.ievalm.labels import Listed
from mysteryshopper.protocols.ievalm.options import DEFAULT_TURNS, IEvaLMOptions
from mysteryshopper.protocols.ievalm.readings import Reading, readings

Arm: TypeAlias = tuple[str, str, str]
"""Setting, user and system."""

Number: TypeAlias = tuple[str, Mapping[str, str], Estimate, str]
"""Name, what the group holds further, estimate and definition."""

_LOWER = frozenset({"missing_recommendation", "turns_without_items", "first_hit_turn", "unread_choices"})
_NEITHER = frozenset(
    {"turns_with_target_in_history", "labels_outside_catalogue", "leaky_units", "no_information_answers", "questions"}
)
_CURVE = 10  # the depth at which turns are told apart, or the nearest to it

_LEAK_WORDS = {
    "history": "the data links one of the targets in what was said before the turn",
    "named": "one of the targets is named (title, alias or a misspelling) in what was said before the turn",
    "reply": "the simulated user names one of the targets before the system does",
    "attribute": "the title of one of the targets stands in a value that may be told about it",
}


def measure_units(store: Store, options: IEvaLMOptions) -> Iterator[Metric]:
    """Yield the metrics of every setting, user and system of a run, in the order of the experiment file.

    Each is there for all units (`leaks: all`) and for those without a leak (`leaks: free`), side by side.
    """
    arms: dict[Arm, list[Reading]] = {}
    for unit in readings(store.dialogues(nodes=False), options):
        arms.setdefault((unit.setting, unit.user, unit.system), []).append(unit)
    for setting in options.settings:
        users: Sequence[str] = store.plan.users if setting == "free" else ("",)
        for user in users:
            for system in store.plan.systems:
                units = arms.get((setting, user, system), [])
                group = {"setting": setting, **({"user": user} if user else {}), "system": system}
                for name, further, estimate, words in _of_arm(units, setting, store, options):
                    control = store.plan.is_control(system)
                    yield Metric(name, {**group, **further}, estimate, words, control, _better(name))


def _of_arm(units: Sequence[Reading], setting: str, store: Store, options: IEvaLMOptions) -> Iterator[Number]:
    clean = [unit for unit in units if not unit.leaky]
    turns = store.plan.turns or DEFAULT_TURNS
    for pair in zip(_numbers(units, setting, turns, options), _numbers(clean, setting, turns, options), strict=True):
        for leaks, (name, further, estimate, words) in zip(("all", "free"), pair, strict=True):
            yield name, {**further, "leaks": leaks}, estimate, words
    yield from unanswered(units)
    yield from _audit(units)


def _numbers(units: Sequence[Reading], setting: str, turns: int, options: IEvaLMOptions) -> Iterator[Number]:
    if setting == "free":
        yield from chat_numbers(units)
        for name in ("shown", "ranked") if options.rank else ("shown",):
            yield from _of_list(units, name, turns, options)
        yield from coverage_numbers(units, turns)
        return
    for name, estimate, words in Listed(units, "ranked", max(options.ks), options.ties).numbers(options.ks):
        yield name, {}, estimate, words
    if setting == "attribute":
        yield from question_numbers(units)


def _of_list(units: Sequence[Reading], name: str, turns: int, options: IEvaLMOptions) -> Iterator[Number]:
    """Yield the numbers of what was shown or ranked: at the turn that counts, and by turn at one depth."""
    deepest = max(options.ks)
    where = " of what was shown" if name == "shown" else " of its ranking before the reply"
    counted = f"{where} at the first turn with a label within {deepest}, else the last"
    for metric, estimate, words in Listed(units, name, deepest, options.ties).numbers(options.ks, counted):
        yield metric, {"list": name}, estimate, words
    k = min(options.ks, key=lambda depth: (abs(depth - _CURVE), depth))
    for turn in range(1, turns + 1):
        estimate = Listed(units, name, deepest, options.ties, turn=turn).label("label_recall", k)
        words = (
            f"Labels within the first {k}{where} in this turn (a dialogue that ended before keeps its last list):"
            " mean over target labels, faults as elsewhere."
        )
        yield f"label_recall_by_turn@{k}", {"list": name, "turn": str(turn)}, estimate, words


def _audit(units: Sequence[Reading]) -> Iterator[Number]:
    def count(number: int, n: int) -> Estimate:
        return Estimate(float(number), n=n, method="count")

    for kind in KINDS:
        words = f"Units in which {_LEAK_WORDS[kind]}."
        yield "leaky_units", {"leak": kind}, count(sum(bool(unit.leaks.get(kind)) for unit in units), len(units)), words
    words = "Units with a leak of any kind that the option `audit` counts; the others are the ones under `leaks: free`."
    yield "leaky_units", {"leak": "any"}, count(sum(unit.leaky for unit in units), len(units)), words
    words = "Units whose history already names one of the targets; a system can score there by repeating it."
    linked = sum(bool(unit.leaks.get("history")) for unit in units)
    yield "turns_with_target_in_history", {}, count(linked, len(units)), words
    words = "Labels that are no item of the data set; no system could rank them, so they are left out of n."
    unknown, known = sum(unit.unknown for unit in units), sum(unit.targets for unit in units)
    yield "labels_outside_catalogue", {}, count(unknown, known + unknown), words


def _better(name: str) -> Literal["higher", "lower"] | None:
    return "lower" if name in _LOWER else None if name in _NEITHER else "higher"
