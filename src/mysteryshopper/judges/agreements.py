"""How far a judge agrees with itself and judges with each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from mysteryshopper.core import Estimate, Json, Metric
from mysteryshopper.judges.observing import Observation, Sort
from mysteryshopper.metrics import krippendorff_alpha, proportion

_ASKED = "repeats that are one call (equal questions at temperature 0) are no repeats"
_SELF = f"Krippendorff's alpha over repeated rulings of the judge on the same showing, {{scale}}; {_ASKED}."
_SELF_RAW = f"Share of showings on which all repeated rulings of the judge are the same; {_ASKED}."
_ONE_CALL = "all repeats of a showing are one call, as at temperature 0: they say nothing of the judge"
_BETWEEN = "Krippendorff's alpha of the two judges over cases that both ruled on; {scale}."
_BETWEEN_RAW = "Share of cases that both judges ruled on for which they say the same."
_SCALES = {"score": "squared differences of scores", "label": "equal or not", "pair": "equal or not"}


@dataclass
class _Rows:
    """Ratings of the same things, one row each, with the cluster of each."""

    sort: Sort
    rows: list[tuple[Json, ...]] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)

    def add(self, row: tuple[Json, ...], cluster: str) -> None:
        """Add one row."""
        self.rows.append(row)
        self.clusters.append(cluster)

    def metrics(self, name: str, group: dict[str, str], alpha: str, raw: str) -> Iterator[Metric]:
        """Yield alpha, and the share of rows whose values are all equal."""
        if not self.rows:
            for one, text in ((name, alpha.format(scale=_SCALES[self.sort])), (f"{name}_raw", raw)):
                yield Metric(
                    one, group, Estimate(None, clusters=0, reason=_ONE_CALL), text, control=True, better="higher"
                )
            return
        found = krippendorff_alpha(self.rows, "interval" if self.sort == "score" else "nominal", self.clusters)
        yield Metric(name, group, found, alpha.format(scale=_SCALES[self.sort]), control=True, better="higher")
        equal = [len(set(row)) == 1 if len(row) > 1 else None for row in map(_read, self.rows)]
        yield Metric(f"{name}_raw", group, proportion(equal, self.clusters), raw, control=True, better="higher")


class Agreements:
    """Ratings of the same thing by one judge again, and by different judges."""

    def __init__(self) -> None:
        """Make it."""
        self._own: dict[tuple[str, str], _Rows] = {}
        self._between: dict[tuple[str, str, str], _Rows] = {}

    def add(self, observations: Sequence[Observation]) -> None:
        """Count the observations of one case in; controls say nothing here, nor does what one judge ruled once."""
        if len({(seen.judge, seen.repeat) for seen in observations}) < 2:
            return
        by_criterion: dict[str, dict[str, list[Observation]]] = defaultdict(lambda: defaultdict(list))
        for seen in observations:
            if not seen.control and not seen.equal:
                by_criterion[seen.criterion.name][seen.judge].append(seen)
        for name, judges in by_criterion.items():
            for judge, given in judges.items():
                if len(given) > 1:
                    rows = self._own.setdefault((judge, name), _Rows(given[0].sort))
                    repeats = _asked(given)
                    for row in zip(*(one.values for one in repeats), strict=False) if len(repeats) > 1 else ():
                        rows.add(row, repeats[0].cluster)
            for first, second in combinations(sorted(judges), 2):
                one, other = judges[first][0], judges[second][0]
                if _comparable(one, other):
                    rows = self._between.setdefault((first, second, name), _Rows(one.sort))
                    rows.add((one.said, other.said), one.cluster)

    def metrics(self) -> Iterator[Metric]:
        """Yield `self_agreement` and `judge_agreement`, each with its raw form."""
        for (judge, criterion), rows in self._own.items():
            group = {"judge": judge, "criterion": criterion}
            yield from rows.metrics("self_agreement", group, _SELF, _SELF_RAW)
        for (first, second, criterion), rows in self._between.items():
            group = {"judge": first, "other": second, "criterion": criterion}
            yield from rows.metrics("judge_agreement", group, _BETWEEN, _BETWEEN_RAW)


def _asked(repeats: list[Observation]) -> list[Observation]:
    """Return the repeats without those that rest on the calls of an earlier one, which say nothing new."""
    by_calls: dict[object, Observation] = {}
    for seen in repeats:
        by_calls.setdefault(seen.calls or seen.repeat, seen)
    return list(by_calls.values())


def _comparable(one: Observation, other: Observation) -> bool:
    first, second = one.criterion, other.criterion
    return one.sort == other.sort and (first.labels, first.low, first.high) == (
        second.labels,
        second.low,
        second.high,
    )


def _read(row: tuple[Json, ...]) -> list[Json]:
    return [value for value in row if value is not None]
