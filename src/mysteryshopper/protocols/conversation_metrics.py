"""What the `conversation` protocol measures: how users were served, and how far they stayed in their role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from mysteryshopper.core import Estimate, Fault, Metric, Plan, Store
from mysteryshopper.judges.tallies import measure_verdicts
from mysteryshopper.metrics import Rated, graded_mean, mean, proportion, quantile, success_rate
from mysteryshopper.protocols.conversation_arms import Arm, Names, Roles, kinds_of
from mysteryshopper.protocols.conversation_rating import HIGHEST, LOWEST
from mysteryshopper.protocols.conversation_scores import BETTER, scores_of
from mysteryshopper.protocols.conversation_tokens import measure_tokens
from mysteryshopper.protocols.conversation_words import COMPARED, DEFINITIONS, NEED_GOAL, NO_GOAL
from mysteryshopper.protocols.differences import Differences
from mysteryshopper.protocols.role_rates import Guard, RoleRates

Arms: TypeAlias = dict[tuple[str, str], Arm]
Better: TypeAlias = Literal["higher", "lower"] | None

_OF_DIALOGUES = (
    "success",
    "success_answered",
    "wanted_shown",
    "turns_to_success",
    "user_rating",
    "rating_unread",
    "user_turns",
    "gave_up",
)
_OF_TURNS = ("latency_p50", "latency_p95", "system_words")
_BETTER: Mapping[str, Better] = {
    **BETTER,
    "success_answered": "higher",
    "success_by_style": "higher",
    "rating_unread": "lower",
    "latency_p50": "lower",
    "latency_p95": "lower",
    "flagged_turns": "lower",
    "tokens": "lower",
}


def measure_conversations(store: Store, guard: Guard = "reask") -> Iterator[Metric]:
    """Yield the metrics of every user with every system, in the order of the experiment file, then what judges said.

    The dialogues are read once; a few numbers are kept of each.

    Args:
        store: What the run left.
        guard: What the guard did about faulty turns.
    """
    plan = store.plan
    arms: Arms = {(user, system): Arm() for user in plan.users for system in plan.systems}
    roles = {user: Roles() for user in plan.users}
    rates = RoleRates(guard)
    differences = Differences(COMPARED)
    clusters = Names()
    for stored in store.dialogues():
        unit, dialogue = stored.unit, stored.dialogue
        cluster = clusters.number(dialogue.root)
        arms[unit.user, unit.system].add(dialogue, cluster)
        rates.add(unit.user, dialogue)
        for node in dialogue.nodes:
            if node.side == "user" and node.turn > 0:
                roles[unit.user].add(node, cluster)
        for score in scores_of(stored):
            differences.add(score)
    yield from _by_arm(_OF_DIALOGUES, arms, plan)
    yield from differences.metrics(plan)
    yield from _by_style(arms, plan)
    yield from _endings(arms, plan)
    yield from _by_arm(_OF_TURNS, arms, plan)
    yield from rates.metrics()
    for user, kept in roles.items():
        for detector, fired in kept.shares():
            yield _metric("flagged_turns", {"user": user, "detector": detector}, plan, proportion(fired, kept.clusters))
    yield from measure_tokens(store, DEFINITIONS["tokens"], _BETTER["tokens"])
    yield from measure_verdicts(store)


def _by_arm(names: Sequence[str], arms: Arms, plan: Plan) -> Iterator[Metric]:
    for name in names:
        for (user, system), arm in arms.items():
            if (estimate := _estimate(name, arm)) is not None:
                if name in NEED_GOAL and estimate.value is None and arm.clusters and not arm.goals:
                    estimate = replace(estimate, reason=NO_GOAL)
                yield _metric(name, {"user": user, "system": system}, plan, estimate)


def _by_style(arms: Arms, plan: Plan) -> Iterator[Metric]:
    for (user, system), arm in arms.items():
        for style, places in kinds_of(arm).items():
            group = {"user": user, "system": system, "style": style}
            yield _metric("success_by_style", group, plan, _success(arm, places).estimate)


def _endings(arms: Arms, plan: Plan) -> Iterator[Metric]:
    for (user, system), arm in arms.items():
        for ended, _ in sorted(Counter(arm.ended).items(), key=lambda pair: (-pair[1], pair[0])):
            share = proportion([float(one == ended) for one in arm.ended], arm.clusters)
            yield _metric("ended", {"user": user, "system": system, "ended": ended}, plan, share)


def _metric(name: str, group: Mapping[str, str], plan: Plan, estimate: Estimate) -> Metric:
    control = "system" in group and plan.is_control(group["system"])
    return Metric(name, group, estimate, DEFINITIONS[name], control, _BETTER.get(name))


def _estimate(name: str, arm: Arm) -> Estimate | None:
    """Return one number of one user with one system; None where it has nothing to tell."""
    if name == "success":
        return _success(arm).estimate
    if name == "success_answered":
        return _success(arm).answered if "system" in arm.faults else None
    if name == "wanted_shown":
        return success_rate(zip(arm.scores[name].list(), arm.blamed, strict=True), arm.clusters).estimate
    if name in ("user_rating", "rating_unread"):
        return _rating(name, arm)
    if name == "system_words":
        return mean(arm.words.values.list(), arm.words.clusters)
    if name in ("latency_p50", "latency_p95"):
        return quantile(arm.latency.values.list(), int(name[-2:]) / 100, arm.latency.clusters)
    values = arm.user_turns if name == "user_turns" else arm.scores[name]
    return graded_mean(values.list(), arm.faults, arm.clusters).estimate


def _success(arm: Arm, places: Sequence[int] | None = None) -> Rated:
    """Return the success of an arm, or of some of its dialogues."""
    values, faults, clusters = arm.scores["success"].list(), arm.blamed, arm.clusters
    chosen = range(len(values)) if places is None else places
    return success_rate([(values[place], faults[place]) for place in chosen], [clusters[place] for place in chosen])


def _rating(name: str, arm: Arm) -> Estimate | None:
    unread = arm.unread.list()
    if all(one is None for one in unread):
        return None  # nobody was asked
    if name == "rating_unread":
        return proportion(unread, arm.clusters) if any(unread) else None
    # A rating that can't be read is the user's failure: left out, and in the bounds.
    faults: list[Fault] = ["user" if one else fault for one, fault in zip(unread, arm.faults, strict=True)]
    return graded_mean(arm.scores["user_rating"].list(), faults, arm.clusters, scale=(LOWEST, HIGHEST)).estimate
