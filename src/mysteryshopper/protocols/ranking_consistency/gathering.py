"""Where rankings come from: the scores and verdicts of this run, or the scores that finished runs left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mysteryshopper.core import Json, Score, Store
from mysteryshopper.judges.observing import observe
from mysteryshopper.protocols.ranking_consistency.rankings import Ranked

Conditions = dict[str, dict[str, Ranked]]


class Gathered:
    """Scores by name and condition, taken in one at a time."""

    def __init__(self) -> None:
        """Make it empty."""
        self._found: dict[str, dict[tuple[str, str, str], Ranked]] = {}
        self._order: dict[str, int] = {}

    def add(self, score: Score, *, run: str = "", judge: str = "") -> None:
        """Take in a score, as it came about under its user, a run and a judge."""
        where = (run, score.user, judge)
        for part in where:
            self._order.setdefault(part, len(self._order))
        self._found.setdefault(score.name, {}).setdefault(where, Ranked("")).add(score)

    def conditions(self) -> Conditions:
        """Return conditions as they first came, named by what tells them apart; scores under one alone are left out."""
        named: Conditions = {}
        for score, found in self._found.items():
            kept = {where: ranked for where, ranked in found.items() if ranked.values}
            if len(kept) < 2:
                continue
            differ = [len({where[place] for where in kept}) > 1 for place in range(3)]
            for where, ranked in sorted(kept.items(), key=self._place):
                ranked.name = " · ".join(part for part, tells in zip(where, differ, strict=True) if tells and part)
                named.setdefault(score, {})[ranked.name] = ranked
        return named

    def _place(self, kept: tuple[tuple[str, str, str], Ranked]) -> list[int]:
        """Return where a condition stands: as runs, users and judges first came."""
        return [self._order[part] for part in kept[0]]


def of_this_run(store: Store, scores: Iterable[Score]) -> Gathered:
    """Gather a run's scores by user, and what each judge gave single dialogues; controls of judges say nothing."""
    found = Gathered()
    for score in scores:
        found.add(score)
    for score, judge in judged_scores(store):
        found.add(score, judge=judge)
    return found


def judged_scores(store: Store) -> Iterator[tuple[Score, str]]:
    """Yield what judges gave every single dialogue on every criterion with a direction, with the judge's name."""
    for stored in store.verdicts(messages=False):
        unit = stored.case.unit
        for seen in observe(stored) if stored.repeat == 0 else ():
            if seen.sort == "score" and not seen.control and seen.criterion.better and seen.systems:
                name, better = seen.criterion.name, seen.criterion.better
                yield (
                    Score(name, unit, seen.user, seen.systems[0], seen.cluster, seen.mean, better=better),
                    stored.judge,
                )


def pack(rows: Iterable[Mapping[str, Json]]) -> dict[str, Any]:
    """Return the scores of a finished run as JSON that is not much larger than they are."""
    packed: dict[str, Any] = {}
    for row in rows:
        name, user, system = (str(row.get(key) or "") for key in ("name", "user", "system"))
        arm = (
            packed.setdefault(name, {})
            .setdefault(user, {})
            .setdefault(system, {"better": row.get("better"), "control": bool(row.get("control")), "units": {}})
        )
        arm["units"][str(row["unit"])] = [row.get("cluster") or row["unit"], row.get("value")]
    return packed


def unpack(packed: Mapping[str, Any]) -> Iterator[tuple[Score, bool]]:
    """Yield the scores of `pack`, each with whether its system is a control."""
    for name, users in packed.items():
        for user, systems in users.items():
            for system, arm in systems.items():
                for unit, (cluster, value) in arm["units"].items():
                    score = Score(name, unit, user, system, cluster, value, better=arm["better"])
                    yield score, bool(arm["control"])


def of_finished_runs(store: Store) -> tuple[Gathered, set[str]]:
    """Gather what was read of finished runs, and the systems that were controls there."""
    found, controls = Gathered(), set[str]()
    for stored in store.dialogues(nodes=False):
        for score, control in unpack(stored.dialogue.data["scores"]):
            found.add(score, run=stored.unit.id)
            if control:
                controls.add(score.system)
    return found, controls
