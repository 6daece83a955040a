"""One value a chain: what systems and runs are compared by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

from mysteryshopper.core import Case, Score, Store, StoredDialogue
from mysteryshopper.protocols.branching import Outcome
from mysteryshopper.protocols.branching.scoring import Shared, shared_by
from mysteryshopper.protocols.branching.verdicts import headlines, in_order, points_of, with_forfeits
from mysteryshopper.protocols.robustness.facts import CLEAN, FORFEIT, Noise, facts_of

_Place = tuple[Shared, str, Noise]

_PLAIN = ("wanted_shown", "wanted_shown_noisy", "items_kept")

COMPARED: Mapping[str, tuple[str, str]] = {
    "wanted_shown": (
        "wanted_shown_difference",
        "Difference in the share of clean queries answered with a wanted item.",
    ),
    "wanted_shown_noisy": (
        "wanted_shown_noisy_difference",
        "Difference in the share of careless queries answered with a wanted item, every noise that is not 0 alike.",
    ),
}
"""Scores whose paired differences a run tells: name of the metric, and what it is."""


@dataclass
class ChainValues:
    """What chains tell without a judge, kept chain by chain."""

    values: dict[str, dict[_Place, list[float]]] = field(default_factory=lambda: {name: {} for name in _PLAIN})
    lost: list[tuple[_Place, Outcome]] = field(default_factory=list)
    kinds: dict[str, None] = field(default_factory=dict)

    def add(self, stored: StoredDialogue) -> None:
        """Count one chain in."""
        unit, system = shared_by(stored.unit, stored.dialogue.root), stored.unit.system
        for places in self.values.values():
            places.setdefault((unit, system, CLEAN), [])
        for fact in facts_of(stored):
            place = (unit, system, fact.noise)
            self.kinds.update(dict.fromkeys(fact.noise[:1] if fact.noise != CLEAN else ()))
            if fact.name == FORFEIT:
                self.lost.append((place, Outcome(fact.value, unit.cluster)))
            elif fact.name in self.values and fact.value is not None:
                self.values[fact.name].setdefault(place, []).append(fact.value)

    def scores(self) -> Iterator[Score]:
        """Yield every chain's `wanted_shown`, `wanted_shown_noisy`, also by kind, and `items_kept`."""
        for name, held in self.values.items():
            yield from _scores(name, held, "", tuple(self.kinds) if name == "wanted_shown_noisy" else ())


def robustness_scores(store: Store) -> Iterator[Score]:
    """Yield every chain's scores: the mean of each noise first, then of all noises, those at rate 0 left out.

    `noisy_win_rate (judge, criterion)` over all noises, and `noisy_win_rate (judge, criterion, kind)` of the judge's
    headline by kind where there are several; then what needs no judge.
    """
    chains = ChainValues()
    for stored in store.dialogues():
        chains.add(stored)
    judged = with_forfeits(points_of(store, 1, _place), chains.lost, store.plan.judges)
    first = set(headlines(judged))
    for key in in_order(judged):
        points = {place: outcomes.known for place, outcomes in judged[key].items()}
        yield from _scores("noisy_win_rate", points, ", ".join(key), tuple(chains.kinds) if key in first else ())
    yield from chains.scores()


def _scores(name: str, values: Mapping[_Place, list[float]], judge: str, kinds: Sequence[str]) -> Iterator[Score]:
    """Yield a score over all noises, and, where there are several, one for each of these kinds."""
    parts = ["", *(kinds if len(kinds) > 1 else ())]
    for part in parts:
        found: dict[tuple[Shared, str], list[float]] = {}
        for (unit, system, (kind, rate)), held in values.items():
            known = found.setdefault((unit, system), [])
            if held and rate != "0" and part in ("", kind):
                known.append(fsum(held) / len(held))
        words = ", ".join(word for word in (judge, part) if word)
        for (unit, system), means in found.items():
            value = fsum(means) / len(means) if means else None
            yield unit.score(f"{name} ({words})" if words else name, system, value)


def _place(case: Case) -> _Place:
    return Shared.of(case), str(case.data["systems"][0]), (str(case.data["noise"]), str(case.data["rate"]))
