"""Whose fault decides the denominator.

Fault `system`: the unit stays and is a failure for success-type metrics; graded metrics leave it out. Faults `user`,
`judge` and `infra`: left out, counted, and `bounds` say what they could have changed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mysteryshopper.core import Estimate, Fault
from mysteryshopper.metrics.checks import same_length
from mysteryshopper.metrics.intervals import mean, proportion


@dataclass(frozen=True, slots=True)
class Rated:
    """A number with what was left out of it.

    Attributes:
        estimate: The number. Its `bounds` are there where units were left out for someone's fault.
        answered: For a success-type number: its value over the units without any fault.
        left_out: Units left out, by fault; `undefined` are those without a value and without fault (nothing was
            relevant, nothing asked), which no bound counts.
        failed: Units that count as failures for the system's own fault.
    """

    estimate: Estimate
    answered: Estimate
    left_out: Mapping[str, int]
    failed: int = 0


def success_rate(
    outcomes: Iterable[tuple[float | bool | None, Fault]],
    clusters: Sequence[Hashable] | None = None,
    level: float = 0.95,
) -> Rated:
    """Estimate a success-type metric (success, hit, recall, reward): a proportion in which crashing never pays.

    Args:
        outcomes: Value in [0, 1] and fault of each unit. With fault `system` the value is 0 whatever it says; with
            fault `user`, `judge` or `infra` the unit is left out.
        clusters: The cluster of each unit.
        level: Confidence level.

    Returns:
        The rate over units without fault and those failed by the system, and the rate over units without fault.
        `bounds`: the rate if all units left out for a fault had failed, and if all had succeeded.
    """
    units = list(outcomes)
    if {fault for _, fault in units} <= {"none"}:
        numbers = [value for value, _ in units]
        rate, undefined = proportion(numbers, clusters, level), numbers.count(None)
        return Rated(rate, rate, {"undefined": undefined} if undefined else {})
    values = [value if fault == "none" else 0.0 if fault == "system" else None for value, fault in units]
    found = proportion(values, clusters, level)
    answered = proportion([value if fault == "none" else None for value, fault in units], clusters, level)
    left_out = _left_out(units, stays=("none", "system"))
    return Rated(
        replace(found, bounds=_bounds(values, _for_fault(left_out), (0.0, 1.0))),
        answered,
        left_out,
        sum(fault == "system" for _, fault in units),
    )


def graded_mean(
    values: Sequence[float | None],
    faults: Sequence[Fault],
    clusters: Sequence[Hashable] | None = None,
    scale: tuple[float, float] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Rated:
    """Estimate the mean of a grade (satisfaction, quality): only units without any fault count.

    Args:
        values: One a unit.
        faults: Whose fault it was, one a unit.
        clusters: The cluster of each unit.
        scale: Lowest and highest grade; the interval ends there, and `bounds` fill what was left out with either.
        level: Confidence level.
        seed: Seed of the bootstrap.

    Returns:
        The mean with a cluster bootstrap-t interval; `answered` is the same estimate.
    """
    same_length(values, faults, "values and faults")
    counted = [value if fault == "none" else None for value, fault in zip(values, faults, strict=True)]
    found = mean(counted, clusters, level, seed)
    left_out = _left_out(zip(values, faults, strict=True), stays=("none",))
    if scale is not None:
        if found.low is not None and found.high is not None:
            found = replace(found, low=max(found.low, scale[0]), high=min(found.high, scale[1]))
        found = replace(found, bounds=_bounds(counted, _for_fault(left_out), scale))
    return Rated(found, found, left_out)


def _left_out(units: Iterable[tuple[float | bool | None, Fault]], stays: Sequence[Fault]) -> Mapping[str, int]:
    counts: Counter[str] = Counter()
    for value, fault in units:
        if fault not in stays:
            counts[fault] += 1
        elif fault == "none" and value is None:
            counts["undefined"] += 1
    return dict(sorted(counts.items()))


def _for_fault(left_out: Mapping[str, int]) -> int:
    return sum(count for name, count in left_out.items() if name != "undefined")


def _bounds(
    values: Sequence[float | bool | None], left_out: int, scale: tuple[float, float]
) -> tuple[float, float] | None:
    if not left_out:
        return None
    counted = [float(value) for value in values if value is not None]
    total, n = math.fsum(counted), len(counted) + left_out
    return (total + left_out * scale[0]) / n, (total + left_out * scale[1]) / n
