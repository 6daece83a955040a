"""How systems come out: mean scores, shares of labels, pairs won and lost; and how much could not be read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from mysteryshopper.core import Criterion, Estimate, Fault, Metric, Plan, Unjudged
from mysteryshopper.judges.observing import Observation, place_of, sort_of
from mysteryshopper.metrics import PairOutcome, graded_mean, mean, proportion, success_rate, tally_pairs

_Arm = tuple[str, str, str, str]  # judge, criterion, user, system

_LEFT_OUT = "what could not be judged or read is left out, and in the bounds"
_SCORE = "Mean score from {low:g} to {high:g} over judged cases, of repeats the mean; {left_out}."
_LABEL = "Share of rulings that gave this label, over rulings that could be read."
_UNREAD = "Share of rulings without a value after one more try, over all rulings asked for, controls included."
_WIN_RATE = (
    "Wins and half of ties and inconsistent pairs, over pairs judged; the system against `versus`, each pair shown in"
    " both orders, {left_out}."
)
_PAIRS = {
    "wins": "Share of pairs in which the system is preferred in both orders.",
    "losses": "Share of pairs in which `versus` is preferred in both orders.",
    "ties": "Share of pairs that are a tie in both orders, those that look the same included.",
    "inconsistent": "Share of pairs on which the two orders disagree.",
    "net_wins": "Wins minus losses, over pairs judged: above 0 the system is the better one.",
    "consistency": "Share of pairs with the same verdict in both orders, over pairs that the judge was asked about.",
}
_BETTER: dict[str, Literal["higher", "lower"] | None] = {
    "wins": "higher",
    "losses": "lower",
    "ties": None,
    "inconsistent": "lower",
    "net_wins": "higher",
    "consistency": "higher",
}


@dataclass
class _Graded:
    """Scores of one arm, one a case; None where it has no value."""

    criterion: Criterion
    values: list[float | None] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)

    def mean(self) -> Estimate:
        """Return the mean score; a case without a value is the judge's fault."""
        faults: list[Fault] = ["judge" if value is None else "none" for value in self.values]
        scale = (self.criterion.low, self.criterion.high)
        if scale == (0, 1) and set(self.values) <= {0, 1, None}:  # yes or no: an interval for shares
            return success_rate(zip(self.values, faults, strict=True), self.clusters).estimate
        return graded_mean(self.values, faults, self.clusters, scale).estimate


class Grades:
    """Mean scores by judge, criterion, user and system."""

    def __init__(self, plan: Plan, failed: Iterable[Unjudged] = ()) -> None:
        """Make it; `plan` knows which systems are controls, `failed` are the cases that could not be judged."""
        self._plan = plan
        self._arms: dict[_Arm, _Graded] = {}
        self._missed = {(one.judge, one.case.id): one for one in failed}

    def add(self, observations: Sequence[Observation]) -> None:
        """Count the observations of one case in; repeats of one judge count as their mean."""
        by_judge: dict[tuple[str, str], list[Observation]] = {}
        for seen in observations:
            if seen.sort == "score" and not seen.control:
                by_judge.setdefault((seen.judge, seen.criterion.name), []).append(seen)
        for seen_again in by_judge.values():
            first = seen_again[0]
            if self._missed:  # another repeat failed: the case is judged all the same
                self._missed.pop((first.judge, first.case), None)
            read = [value for seen in seen_again if (value := seen.mean) is not None]
            value = sum(read) / len(read) if read else None
            self._put(first.judge, first.criterion, first.user, first.systems, first.cluster, value)

    def _miss(self, failed: Unjudged) -> None:
        case = failed.case
        user, systems, cluster = place_of(case)
        for criterion in case.criteria:
            if sort_of(case, criterion) == "score" and not case.control:
                self._put(failed.judge, criterion, user, systems, cluster, None)

    def _put(
        self,
        judge: str,
        criterion: Criterion,
        user: str,
        systems: Sequence[str],
        cluster: str,
        value: float | None,
    ) -> None:
        arm = (judge, criterion.name, user, systems[0] if systems else "")
        if (graded := self._arms.get(arm)) is None:
            graded = self._arms[arm] = _Graded(criterion)
        graded.values.append(value)
        graded.clusters.append(cluster)

    def metrics(self) -> Iterator[Metric]:
        """Yield `score`; cases that no repeat was judged of are left out, and in the bounds."""
        for failed in self._missed.values():
            self._miss(failed)
        for arm, graded in self._arms.items():
            asked = graded.criterion
            definition = _SCORE.format(low=asked.low, high=asked.high, left_out=_LEFT_OUT)
            control = self._plan.is_control(arm[3])
            yield Metric("score", _group(arm), graded.mean(), definition, control, asked.better)


class Labels:
    """Shares of labels by judge, criterion, user and system."""

    def __init__(self, plan: Plan) -> None:
        """Make it; `plan` knows which systems are controls."""
        self._plan = plan
        self._arms: dict[_Arm, tuple[Criterion, list[tuple[str, str]]]] = {}

    def add(self, observations: Sequence[Observation]) -> None:
        """Count the observations of one case in."""
        for seen in observations:
            if seen.sort == "label" and not seen.control:
                arm = (seen.judge, seen.criterion.name, seen.user, seen.systems[0] if seen.systems else "")
                rows = self._arms.setdefault(arm, (seen.criterion, []))[1]
                rows.extend((value, seen.cluster) for value in seen.values if value is not None)

    def metrics(self) -> Iterator[Metric]:
        """Yield `label_share` for every label."""
        for arm, (criterion, rows) in self._arms.items():
            clusters = [cluster for _, cluster in rows]
            for label in criterion.labels:
                share = proportion([value == label for value, _ in rows], clusters)
                group = {**_group(arm), "label": label}
                yield Metric("label_share", group, share, _LABEL, self._plan.is_control(arm[3]))


@dataclass
class Paired:
    """How the pairs of one arm came out for the first of each.

    Attributes:
        outcomes: One a pair and repeat; None where it could not be read.
        clusters: The cluster of each.
        asked: Whether a judge was asked about it, in both orders.
        missed: How many could not be judged or read; those that could not be judged are no outcomes.
    """

    outcomes: list[PairOutcome | None] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    asked: list[bool] = field(default_factory=list)
    missed: int = 0

    @classmethod
    def joined(cls, parts: Iterable[Paired]) -> Paired:
        """Return the pairs of several arms together."""
        whole = cls()
        for part in parts:
            whole.outcomes += part.outcomes
            whole.clusters += part.clusters
            whole.asked += part.asked
            whole.missed += part.missed
        return whole

    def add(self, seen: Observation) -> None:
        """Count an observation in."""
        outcome = pair_result(seen)
        self.put(outcome, seen.cluster, asked=not seen.equal and len(set(seen.orders)) > 1)
        self.missed += outcome is None

    def put(self, outcome: PairOutcome | None, cluster: str, *, asked: bool) -> None:
        """Count a pair in."""
        self.outcomes.append(outcome)
        self.clusters.append(cluster)
        self.asked.append(asked)

    def numbers(self) -> Iterator[tuple[str, Estimate, Literal["higher", "lower"] | None]]:
        """Yield `win_rate`, `wins`, `losses`, `ties`, `inconsistent`, `net_wins` and `consistency`, and what is better.

        What was missed is in the bounds of the win rate.
        """
        tally = tally_pairs(self.outcomes, self.clusters, self.asked)
        rate = tally.win_rate
        if self.missed:
            total, won = rate.n + self.missed, (rate.value or 0.0) * rate.n
            rate = replace(rate, bounds=(won / total, (won + self.missed) / total))
        yield "win_rate", rate, "higher"
        for name, outcome in (("wins", "win"), ("losses", "loss"), ("ties", "tie"), ("inconsistent", "inconsistent")):
            hits = [None if found is None else found == outcome for found in self.outcomes]
            yield name, proportion(hits, self.clusters), _BETTER[name]
        points = {"win": 1.0, "loss": -1.0, "tie": 0.0, "inconsistent": 0.0}
        net = mean([None if found is None else points[found] for found in self.outcomes], self.clusters)
        yield "net_wins", net, _BETTER["net_wins"]
        yield "consistency", tally.consistency, _BETTER["consistency"]


class Pairs:
    """How pairs came out, by judge, criterion, user, system and the system it stood against."""

    def __init__(self, plan: Plan) -> None:
        """Make it; `plan` knows which systems are controls."""
        self._plan = plan
        self._arms: dict[tuple[str, str, str, str, str], Paired] = {}

    def add(self, observations: Sequence[Observation]) -> None:
        """Count the observations of one case in; every repeat counts."""
        for seen in observations:
            if seen.sort == "pair" and not seen.control:
                self._arm(seen.judge, seen.criterion.name, seen.user, seen.systems).add(seen)

    def miss(self, failed: Unjudged) -> None:
        """Count a case that could not be judged."""
        case = failed.case
        user, systems, _ = place_of(case)
        if len(case.exhibits) == 2 and not case.control:
            for criterion in case.criteria:
                self._arm(failed.judge, criterion.name, user, systems).missed += 1

    def _arm(self, judge: str, criterion: str, user: str, systems: Sequence[str]) -> Paired:
        first, second = (*systems, "", "")[:2]
        return self._arms.setdefault((judge, criterion, user, first, second), Paired())

    def metrics(self) -> Iterator[Metric]:
        """Yield the numbers of `Paired` for every arm."""
        definitions = {"win_rate": _WIN_RATE.format(left_out=_LEFT_OUT), **_PAIRS}
        for (*arm, versus), paired in self._arms.items():
            group = {**_group(arm), "versus": versus}
            control = self._plan.is_control(arm[3]) or self._plan.is_control(versus)
            for name, found, better in paired.numbers():
                yield Metric(name, group, found, definitions[name], control, better)


class Unread:
    """Rulings without a value."""

    def __init__(self) -> None:
        """Make it."""
        self._seen: dict[tuple[str, str], tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))

    def add(self, observations: Sequence[Observation]) -> None:
        """Count the observations of one case in; a criterion without any ruling is one that was left empty.

        Two that look the same, about which nobody was asked, leave nothing to be read.
        """
        for seen in observations:
            if seen.equal:
                continue
            found = seen.statuses or ("empty",)
            statuses, clusters = self._seen[seen.judge, seen.criterion.name]
            statuses += found
            clusters += (seen.cluster,) * len(found)

    def metrics(self) -> Iterator[Metric]:
        """Yield `unread`, in all and for every status that occurred."""
        for (judge, criterion), (statuses, clusters) in self._seen.items():
            group = {"judge": judge, "criterion": criterion}
            bad = set(statuses) - {"ok", "repaired"}
            whole = proportion([status in bad for status in statuses], clusters)
            yield Metric("unread", group, whole, _UNREAD, better="lower")
            for one in sorted(bad):
                share = proportion([status == one for status in statuses], clusters)
                yield Metric("unread", {**group, "status": one}, share, _UNREAD, better="lower")


def pair_result(seen: Observation) -> PairOutcome | None:
    """Return how a pair came out for its first exhibit; None where an order could not be read."""
    if (outcome := seen.outcome) is None:
        return None
    if not seen.is_consistent:
        return "inconsistent"
    return "win" if outcome == 0 else "loss" if outcome == 1 else "tie"


def _group(arm: Iterable[str]) -> dict[str, str]:
    names = dict(zip(("judge", "criterion", "user", "system"), arm, strict=True))
    return {name: value for name, value in names.items() if value or name in ("judge", "criterion")}
