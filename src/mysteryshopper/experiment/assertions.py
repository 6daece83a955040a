"""`assert:` of an experiment file: what must hold of the results."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from mysteryshopper.core import Metric

_SIGNS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
}
_COMPARISON = re.compile(r"\s*(>=|<=|==|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")
_GROUPS = ("system", "user", "judge")


class Assertion(BaseModel):
    """One thing that must hold: a comparison of a metric's value, or of an end of its interval.

    Every further key is a group the metric must be of (`system: mine`, `setting: original`). It holds if it holds for
    every metric of that name and group; controls count only where their system is named.
    """

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    metric: str = Field(description="Name of the metric, as in summary.json.")
    low: str | None = Field(default=None, description="Comparison for the lower end of the interval, as '>= 0.6'.")
    value: str | None = Field(default=None, description="Comparison for the value.")
    high: str | None = Field(default=None, description="Comparison for the upper end.")

    further_keys: ClassVar[tuple[str, ...]] = _GROUPS

    @property
    def group(self) -> dict[str, str]:
        """The groups that were named."""
        return dict(self.model_extra or {})

    @property
    def comparisons(self) -> dict[str, str]:
        """The comparisons that were given, by what they compare."""
        given = {"low": self.low, "value": self.value, "high": self.high}
        return {name: text for name, text in given.items() if text is not None}

    @field_validator("low", "value", "high")
    @classmethod
    def _is_comparison(cls, text: str | None) -> str | None:
        if text is not None and not _COMPARISON.fullmatch(text):
            raise ValueError(f"{text!r} is no comparison; write >=, >, <=, < or == and a number, as in '>= 0.6'")
        return text

    @model_validator(mode="after")
    def _complete(self) -> Assertion:
        for key, name in self.group.items():
            own = ("metric", "low", "value", "high", *_GROUPS)
            if key not in own and (near := get_close_matches(key, own, n=1, cutoff=0.7)):
                raise ValueError(f"there is no key {key!r}; did you mean {near[0]!r}?")
            if not isinstance(name, str):
                raise ValueError(f"the group {key!r} takes a text, in quotes if need be")
        if not self.comparisons:
            raise ValueError("nothing is asserted: give a comparison for low, value or high, as in low: '>= 0.6'")
        return self

    def __str__(self) -> str:
        """Return it in words, for reports."""
        group = "".join(f" {key}={name}" for key, name in self.group.items())
        return f"{self.metric}{group}: " + ", ".join(f"{key} {text.strip()}" for key, text in self.comparisons.items())


@dataclass(frozen=True, slots=True)
class Result:
    """How one assertion came out for one metric.

    Attributes:
        assertion: It in words.
        group: Group of the metric it was held against; that of the assertion where no metric fits.
        holds: Whether it holds.
        reason: What was found, in one sentence.
    """

    assertion: str
    group: Mapping[str, str]
    holds: bool
    reason: str


def check_assertions(assertions: Sequence[Assertion], metrics: Iterable[Metric]) -> list[Result]:
    """Hold assertions against the metrics of a run.

    A metric that is missing, undefined or without the interval asked for fails, with its reason.
    """
    rows = list(metrics)
    return [result for assertion in assertions for result in _check(assertion, rows)]


def _check(assertion: Assertion, metrics: Sequence[Metric]) -> list[Result]:
    group = assertion.group
    fitting = [
        metric
        for metric in metrics
        if metric.name == assertion.metric
        and all(metric.group.get(key) == name for key, name in group.items())
        and (not metric.control or "system" in group)
    ]
    if not fitting:
        return [Result(str(assertion), group, False, _missing(assertion, metrics))]
    return [_hold(assertion, metric) for metric in fitting]


def _hold(assertion: Assertion, metric: Metric) -> Result:
    estimate = metric.estimate
    reasons = []
    holds = True
    for name, text in assertion.comparisons.items():
        found: float | None = getattr(estimate, name)
        if found is None:
            holds = False
            reasons.append(f"{name} is undefined: {estimate.reason or 'no interval was made'}")
        else:
            holds &= _compare(found, text)
            reasons.append(f"{name} is {found:.6g} (n = {estimate.n})")
    return Result(str(assertion), dict(metric.group), holds, "; ".join(reasons) + ".")


def _compare(found: float, text: str) -> bool:
    match: Any = _COMPARISON.fullmatch(text)
    return _SIGNS[match[1]](found, float(match[2]))


def _missing(assertion: Assertion, metrics: Sequence[Metric]) -> str:
    names = sorted({metric.name for metric in metrics})
    if assertion.metric in names:
        return f"the metric {assertion.metric!r} was not measured for this group."
    near = get_close_matches(assertion.metric, names, n=1, cutoff=0.6)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return f"the run has no metric {assertion.metric!r}{hint}"
