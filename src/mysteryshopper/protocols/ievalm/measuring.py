"""What iEvaLM measures: recall and its kin on all units and on those without a leak, and how dialogues went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from mysteryshopper.core import Estimate, Metric, Store
from mysteryshopper.protocols.ievalm.audit import KINDS
from mysteryshopper.protocols.ievalm.chats import chat_numbers, coverage_numbers, question_numbers, unanswered
from mysteryshopper.protocols.ievalm.failures import failure_numbers
from mysteryshopper.protocols.ievalm.labels import Listed, unit_values
from mysteryshopper.protocols.ievalm.leaking import leak_numbers
from mysteryshopper.protocols.ievalm.opinions import measure_opinions
from mysteryshopper.protocols.ievalm.options import DEFAULT_TURNS, IEvaLMOptions
from mysteryshopper.protocols.ievalm.ranks import Valued, rank_numbers
from mysteryshopper.protocols.ievalm.readings import Reading, readings
from mysteryshopper.protocols.ievalm.scoring import paired
from mysteryshopper.protocols.ievalm.slices import Slice
from mysteryshopper.protocols.role_rates import RoleRates

Arm: TypeAlias = tuple[str, str, str]
"""Setting, user and system."""

Number: TypeAlias = tuple[str, Mapping[str, str], Estimate, str]
"""Name, what the group holds further, estimate and definition."""

_LOWER = frozenset(
    {"missing_recommendation", "turns_without_items", "first_hit_turn", "unread_choices", "rank", "filtered_turns"}
)
_NEITHER = frozenset(
    {
        "turns_with_target_in_history",
        "labels_outside_catalogue",
        "leaky_units",
        "no_information_answers",
        "questions",
        "failures",
        "hits_from_leaks",
    }
)
_RANK = (
    "Place among all systems of this run, controls included, by {of}{where} on the units that all of them have a value"
    " for; 1 is the best, equals share the mean of their places. The interval holds the places in 95 of 100 redraws of"
    " the human dialogues, for all systems at once."
)

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
        ours = {arm: units for arm, units in arms.items() if arm[0] == setting}
        longest = max((unit.data.get("longest", 0) for units in ours.values() for unit in units), default=0)
        for user in users:
            group = {"setting": setting, **({"user": user} if user else {})}
            by_system = {system: ours.get((setting, user, system), []) for system in store.plan.systems}
            for system, units in by_system.items():
                for name, further, estimate, words in _of_arm(units, setting, store, options, longest):
                    control = store.plan.is_control(system)
                    yield Metric(name, {**group, "system": system, **further}, estimate, words, control, _better(name))
            yield from _ranked(by_system, group, store, options)
            yield from paired([unit for units in by_system.values() for unit in units], group, store, options)
    yield from _roles(store, options)
    yield from measure_opinions(store, options)


def _roles(store: Store, options: IEvaLMOptions) -> Iterator[Metric]:
    """Yield how far the users of `free` kept their role; nothing without that setting."""
    if "free" not in options.settings:
        return
    rates = RoleRates("off" if options.as_published else options.guard)
    for stored in Slice(store, "free").dialogues():
        rates.add(stored.unit.user, stored.dialogue)
    for metric in rates.metrics():
        yield replace(metric, group={"setting": "free", **metric.group})


def _of_arm(
    units: Sequence[Reading], setting: str, store: Store, options: IEvaLMOptions, longest: int
) -> Iterator[Number]:
    clean = [unit for unit in units if not unit.leaky]
    turns = store.plan.turns or DEFAULT_TURNS
    both = (_numbers(some, setting, turns, options, longest) for some in (units, clean))
    for pair in zip(*both, strict=True):
        for leaks, (name, further, estimate, words) in zip(("all", "free"), pair, strict=True):
            yield name, {**further, "leaks": leaks}, estimate, words
    for name in _lists(setting, options):
        for metric, estimate, words in leak_numbers(units, name, options, _of(name) if setting == "free" else ""):
            yield metric, {"list": name} if setting == "free" else {}, estimate, words
    yield from failure_numbers(units, setting, max(options.ks), options.ties)
    yield from unanswered(units)
    yield from _audit(units)


def _numbers(
    units: Sequence[Reading], setting: str, turns: int, options: IEvaLMOptions, longest: int
) -> Iterator[Number]:
    if setting == "free":
        yield from chat_numbers(units)
        for name in _lists(setting, options):
            yield from _of_list(units, name, turns, options, longest)
        yield from coverage_numbers(units, turns)
        return
    counted, where = units, ""
    if setting == "attribute" and options.as_published:
        counted = [unit for unit in units if unit.recommended or unit.fault != "none"]
        where = " (units in which nothing was ever recommended are left out, as published)"
    for name, estimate, words in Listed(counted, "ranked", max(options.ks), options.ties).numbers(options.ks, where):
        yield name, {}, estimate, words
    if setting == "attribute":
        yield from question_numbers(units)


def _of_list(units: Sequence[Reading], name: str, turns: int, options: IEvaLMOptions, longest: int) -> Iterator[Number]:
    """Yield the numbers of what was shown or ranked: at the turn that counts, and by turn at one depth.

    Of what was shown, only at depths up to the one nearest to 10, unless a list was longer: beyond it nothing changes.
    """
    deepest = max(options.ks)
    where = _of(name)
    counted = f"{where} at the first turn with a label within {deepest}, else the last"
    ks = [k for k in options.ks if name == "ranked" or k <= options.near_ten or longest > options.near_ten]
    for metric, estimate, words in Listed(units, name, deepest, options.ties).numbers(ks, counted):
        yield metric, {"list": name}, estimate, words
    k = options.near_ten
    for turn in range(1, turns + 1):
        estimate = Listed(units, name, deepest, options.ties, turn=turn).label("label_recall", k)
        words = (
            f"Labels within the first {k}{where} in this turn (a dialogue that ended before keeps its last list):"
            " mean over target labels, faults as elsewhere."
        )
        yield f"label_recall_by_turn@{k}", {"list": name, "turn": str(turn)}, estimate, words


def _lists(setting: str, options: IEvaLMOptions) -> Sequence[str]:
    """Return the lists that a setting scores."""
    if setting != "free":
        return ("ranked",)
    return ("shown", "ranked") if options.rank or options.as_published else ("shown",)


def _of(name: str) -> str:
    return " of what was shown" if name == "shown" else " of its ranking before the reply"


def _ranked(
    by_system: Mapping[str, Sequence[Reading]], group: Mapping[str, str], store: Store, options: IEvaLMOptions
) -> Iterator[Metric]:
    """Yield the systems' places: by success in `free`, else by label recall; on all units and without leaks."""
    k = options.near_ten
    of = "success" if group["setting"] == "free" else f"label_recall@{k}"
    for leaks in ("all", "free"):
        valued = {
            system: [
                value for unit in units if leaks == "all" or not unit.leaky for value in _valued(unit, of, k, options)
            ]
            for system, units in by_system.items()
        }
        for system, estimate in rank_numbers(valued, store.plan.seed):
            where = " among units without a leak" if leaks == "free" else ""
            yield Metric(
                "rank",
                {**group, "system": system, "of": of, "leaks": leaks},
                estimate,
                _RANK.format(of=of, where=where),
                store.plan.is_control(system),
                "lower",
            )


def _valued(unit: Reading, of: str, k: int, options: IEvaLMOptions) -> Iterator[Valued]:
    if not unit.targets:
        return
    if of == "success":
        value = 0.0 if unit.fault == "system" else None if unit.fault != "none" else unit.success
        weight = 1
    else:
        value = dict(unit_values(unit, "ranked", (k,), options.ties, max(options.ks)))[of]
        weight = unit.targets
    if value is not None:
        yield Valued(unit.unit, unit.cluster, value * weight, weight)


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
    stem = name.split("@", 1)[0]
    return "lower" if stem in _LOWER else None if stem in _NEITHER else "higher"
