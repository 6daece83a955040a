"""One value a person, simulator and system: what runs are compared by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import fsum
from typing import NamedTuple

from mysteryshopper.core import Case, Dialogue, Score, Store, StoredDialogue, Unit
from mysteryshopper.protocols.branching.outcomes import Outcome, Outcomes
from mysteryshopper.protocols.branching.scoring import shared_by
from mysteryshopper.protocols.branching.verdicts import Key, points_of
from mysteryshopper.protocols.role_rates import ROLE_RATES, Guard, RoleRates
from mysteryshopper.protocols.simulator_comparison.talks import decided, met, pairs
from mysteryshopper.protocols.simulator_comparison.words import ALL


class _Pair(NamedTuple):
    """Where a pair belongs: the two simulators, and what both share."""

    first: str
    second: str
    scenario: str
    system: str
    repeat: int
    cluster: str

    @classmethod
    def of(cls, case: Case) -> _Pair:
        where, data = case.address, case.data
        first, second = map(str, data["systems"])
        return cls(first, second, where.unit, str(data["system"]), where.repeat, str(data["cluster"]))


_Judged = Mapping[Key, Mapping[_Pair, Outcomes]]


def simulator_scores(store: Store, guard: Guard) -> Iterator[Score]:
    """Yield every simulator's scores on every scenario, system and repeat; dialogues and verdicts are streamed.

    `win_rate (judge, criterion)` is the mean of what the simulator won against each other one on that scenario, as in
    the metric of that name: 1, 0, and half for draws and orders that disagree; a simulator that failed has lost. `all`,
    where there are several criteria, is the mean over them. None where nothing of it could be judged or read. Then what
    needs no judge: `failed` (1 or 0), the two role rates by dialogue (1 where it holds such a turn; None in another
    language than English, or without a word), and `user_turns` (None where there was a fault).

    Args:
        store: What the run left.
        guard: What the guard did about faulty turns.
    """
    lost: list[tuple[_Pair, Outcome]] = []
    plain: list[Score] = []
    rates = RoleRates(guard)

    def watch(stored: StoredDialogue) -> None:
        plain.extend(_plain(stored, rates))

    for talks in met(store, watch):
        for first, second in pairs(talks, store.plan.users):
            if (points := decided(first, second)) is not None:
                unit = first.unit
                names = (unit.user, second.unit.user, unit.id, unit.system, unit.repeat, first.cluster)
                lost.append((_Pair(*names), Outcome(points, first.cluster)))
    judged = {
        key: {**places, **{place: Outcomes([outcome]) for place, outcome in lost}}
        for key, places in points_of(store, 0, _Pair.of).items()
    }
    yield from _won(judged)
    for name in ("failed", *ROLE_RATES, "user_turns"):
        yield from (score for score in plain if score.name == name)


def _won(judged: _Judged) -> Iterator[Score]:
    """Yield what simulators won, judge by judge, all criteria together first."""
    for judge in dict.fromkeys(judge for judge, _ in judged):
        criteria = {criterion: places for (one, criterion), places in judged.items() if one == judge}
        several = {ALL: criteria} if len(criteria) > 1 else {}
        for criterion, parts in {**several, **{name: {name: places} for name, places in criteria.items()}}.items():
            yield from _of_each(f"win_rate ({judge}, {criterion})", parts)


def _of_each(name: str, parts: Mapping[str, Mapping[_Pair, Outcomes]]) -> Iterator[Score]:
    found: dict[tuple[str, str, str, int, str], list[float]] = {}
    for places in parts.values():
        for place, outcomes in places.items():
            for user, turned in ((place.first, False), (place.second, True)):
                held = found.setdefault((place.scenario, user, place.system, place.repeat, place.cluster), [])
                held.extend(1 - points if turned else points for points in outcomes.known)
    for (scenario, user, system, repeat, cluster), held in found.items():
        value = fsum(held) / len(held) if held else None
        yield shared_by(Unit(scenario, user, system, repeat), cluster).score(name, system, value)


def _plain(stored: StoredDialogue, rates: RoleRates) -> Iterator[Score]:
    unit, dialogue = stored.unit, stored.dialogue
    shared = shared_by(unit, dialogue.root)
    yield shared.score("failed", unit.system, float(dialogue.fault == "user"), "lower")
    faults = rates.in_dialogue(dialogue)
    for name in ROLE_RATES:
        yield shared.score(name, unit.system, None if faults is None else float(faults[name]), "lower")
    yield shared.score("user_turns", unit.system, _turns(dialogue), None)


def _turns(dialogue: Dialogue) -> float | None:
    if dialogue.fault != "none":
        return None
    return float(sum(node.side == "user" and node.turn > 0 for node in dialogue.nodes))
