"""From a verdict to a few small values: what the tallies keep of a case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from mysteryshopper.core import Case, Criterion, Json, Ruling, StoredVerdict

Sort = Literal["score", "label", "pair"]


class Observation(NamedTuple):  # a tuple: a run has one a case, criterion and judge, and it is made faster
    """What one judge said of one case on one criterion in one repeat.

    Attributes:
        case: Id of the case.
        judge: Name of the judge.
        criterion: The criterion.
        sort: What its values are.
        user: Name of the user block.
        systems: Name of the system of each exhibit.
        cluster: What makes cases depend on each other.
        control: As in `Case`.
        real: For a planted worse one by itself: id of the case of the real one.
        repeat: Number of the repeat.
        values: One a ruling: by order, and by node where a case is ruled on in parts. Scores are numbers, labels texts,
            pairs 0 or 1 (which exhibit) or 0.5 (tie).
        orders: Order of each value.
        statuses: Status of each ruling.
        equal: The two were the same, and nobody was asked.
        calls: Ids of the calls that the verdict rests on; empty where no model was asked.
    """

    case: str
    judge: str
    criterion: Criterion
    sort: Sort
    user: str
    systems: tuple[str, ...]
    cluster: str
    control: str
    real: str
    repeat: int
    values: tuple[Json, ...]
    orders: tuple[str, ...]
    statuses: tuple[str, ...]
    equal: bool
    calls: tuple[str, ...] = ()

    @property
    def mean(self) -> float | None:
        """For scores: the mean of what could be read."""
        if len(self.values) == 1:  # as nearly always
            return None if self.values[0] is None else float(self.values[0])
        read = [value for value in self.values if value is not None]
        return sum(read) / len(read) if read else None

    @property
    def outcome(self) -> float | None:
        """For pairs: which exhibit (0 or 1), or 0.5 for a tie and where orders disagree; None if one was not read."""
        if not self.values or None in self.values:
            return None
        return self.values[0] if self.is_consistent else 0.5

    @property
    def said(self) -> Json:
        """What it comes to: a score, a label, or how the pair came out; None where nothing could be read."""
        if self.sort == "score":
            return self.mean
        if self.sort == "pair":
            return self.outcome
        return self.values[0] if self.values else None

    @property
    def is_consistent(self) -> bool:
        """For pairs: whether all orders agree."""
        return len(set(self.values)) == 1


def place_of(case: Case) -> tuple[str, tuple[str, ...], str]:
    """Return user, systems and cluster of a case, as `case.data` names them."""
    data = case.data
    return (
        str(data.get("user") or ""),
        tuple(map(str, data.get("systems") or ())),
        str(data.get("cluster") or case.unit),
    )


def sort_of(case: Case, criterion: Criterion) -> Sort:
    """Return what values a criterion has in a case."""
    return "pair" if len(case.exhibits) == 2 else "label" if criterion.labels else "score"


def observe(stored: StoredVerdict) -> Iterator[Observation]:
    """Yield one observation for each criterion of the case, in its order; rulings on others are none of it."""
    case = stored.case
    user, systems, cluster = place_of(case)
    real = str(case.data.get("real") or "")
    sides = {exhibit.label: float(place) for place, exhibit in enumerate(case.exhibits)} | {"tie": 0.5}
    rulings: dict[str, list[Ruling]] = {}
    for ruling in stored.verdict.rulings:
        rulings.setdefault(ruling.criterion, []).append(ruling)
    for criterion in case.criteria:
        found = rulings.get(criterion.name, [])
        sort = sort_of(case, criterion)
        yield Observation(
            case.id,
            stored.judge,
            criterion,
            sort,
            user,
            systems,
            cluster,
            case.control,
            real,
            stored.repeat,
            tuple([_value(ruling.value, sort, sides) for ruling in found]),
            tuple([ruling.order for ruling in found]),
            tuple([ruling.status for ruling in found]),
            sort == "pair" and bool(found) and all("equal" in ruling.notes for ruling in found),
            stored.verdict.calls,
        )


def _value(value: Json, sort: Sort, sides: Mapping[str, float]) -> Json:
    if sort == "pair":
        return sides.get(value) if isinstance(value, str) else None
    if sort == "label":
        return value if isinstance(value, str) else None
    return value if isinstance(value, (int, float)) else None
