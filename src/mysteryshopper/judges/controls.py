"""Controls of judges: a system against itself, a planted worse one, and the place in which something is shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from mysteryshopper.core import Metric
from mysteryshopper.judges.observing import Observation
from mysteryshopper.judges.outcomes import pair_result
from mysteryshopper.metrics import proportion, tally_pairs

_SAME = (
    "Win rate of a system against itself, over pairs that the judge was asked about: wins and half of ties and"
    " inconsistent pairs; a fair judge comes to 0.5."
)
_SAME_UNDECIDED = (
    "Share of ties and of pairs on which the two orders disagree, over pairs of a system against itself that the judge"
    " was asked about."
)
_WORSE = (
    "Share of planted-worse cases in which the judge prefers the real one, or scores it higher; a tie, an equal score"
    " and orders that disagree count half, so that a judge who can't tell comes to 0.5."
)
_FIRST = (
    "Share of decided showings in which the one shown first is preferred, over all pairs; a judge whom the place does"
    " not sway comes to 0.5."
)

_Key = tuple[str, str]


class Controls:
    """What controls say of judges."""

    def __init__(self) -> None:
        """Make it."""
        self._same: dict[_Key, list[Observation]] = defaultdict(list)
        self._worse_pairs: dict[_Key, list[tuple[float | None, str]]] = defaultdict(list)
        self._worse: dict[_Key, list[tuple[str, float, str]]] = defaultdict(list)
        self._better: dict[_Key, str | None] = {}
        self._real: dict[_Key, dict[str, float]] = defaultdict(dict)
        self._first: dict[_Key, list[tuple[bool, str]]] = defaultdict(list)

    def add(self, observations: Sequence[Observation]) -> None:
        """Count the observations of one case in: of scores the first repeat, of pairs all."""
        for seen in observations:
            key = (seen.judge, seen.criterion.name)
            if seen.sort == "pair":
                self._add_pair(key, seen)
            elif seen.sort == "score" and seen.repeat == 0 and (score := seen.mean) is not None:
                self._better[key] = seen.criterion.better
                if seen.control == "worse":
                    self._worse[key].append((seen.real, score, seen.cluster))
                elif not seen.control:
                    self._real[key][seen.case] = score

    def _add_pair(self, key: _Key, seen: Observation) -> None:
        if seen.control == "same" and not seen.equal:
            self._same[key].append(seen)
        elif seen.control == "worse":
            outcome = seen.outcome
            self._worse_pairs[key].append((None if outcome is None else 1 - outcome, seen.cluster))
        if not seen.equal:
            self._first[key] += [
                (value == ("AB", "BA").index(order), seen.cluster)
                for value, order in zip(seen.values, seen.orders, strict=True)
                if value in (0, 1) and order in ("AB", "BA")
            ]

    def metrics(self) -> Iterator[Metric]:
        """Yield `control_same`, `control_same_undecided`, `control_worse` and `prefers_first`, where cases tell."""
        for key, seen in self._same.items():
            outcomes = [pair_result(one) for one in seen]
            clusters = [one.cluster for one in seen]
            rate = tally_pairs(outcomes, clusters).win_rate
            yield Metric("control_same", _group(key), rate, _SAME, control=True)
            undecided = [None if one is None else one in ("tie", "inconsistent") for one in outcomes]
            share = proportion(undecided, clusters)
            yield Metric("control_same_undecided", _group(key), share, _SAME_UNDECIDED, control=True)
        for key, pairs in self._worse_pairs.items():
            yield self._worse_metric(key, pairs)
        for key, planted in self._worse.items():
            if self._better[key] is not None:
                yield self._worse_metric(key, list(self._compared(key, planted)))
        for key, first in self._first.items():
            share = proportion([hit for hit, _ in first], [cluster for _, cluster in first])
            yield Metric("prefers_first", _group(key), share, _FIRST, control=True)

    def _compared(self, key: _Key, planted: list[tuple[str, float, str]]) -> Iterator[tuple[float | None, str]]:
        sign = -1 if self._better[key] == "lower" else 1
        for real, value, cluster in planted:
            if (other := self._real[key].get(real)) is not None:
                lead = sign * (other - value)
                yield (1.0 if lead > 0 else 0.0 if lead < 0 else 0.5), cluster

    def _worse_metric(self, key: _Key, found: list[tuple[float | None, str]]) -> Metric:
        share = proportion([value for value, _ in found], [cluster for _, cluster in found])
        return Metric("control_worse", _group(key), share, _WORSE, control=True, better="higher")


def _group(key: _Key) -> dict[str, str]:
    return {"judge": key[0], "criterion": key[1]}
