"""What a run took: calls, tokens and money by role, and how long callers waited."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from mysteryshopper.core import Call, JsonObject
from mysteryshopper.report.numbers import count, money
from mysteryshopper.report.text import one_line
from mysteryshopper.report.turns import duration


@dataclass(frozen=True, slots=True)
class Use:
    """What one role took, in words."""

    role: str
    calls: str
    cached: str
    input_tokens: str
    output_tokens: str
    cost: str


@dataclass(frozen=True, slots=True)
class Wait:
    """How long calls of one block took, in words: half of them less than `median`, all but 5 % less than `slow`."""

    role: str
    component: str
    calls: str
    median: str
    slow: str


def usage(summary: JsonObject) -> list[Use]:
    """Return the rows of a summary's usage."""
    return [
        Use(
            one_line(str(role)),
            count(use.get("calls")),
            count(use.get("cached")),
            count(use.get("input_tokens")),
            count(use.get("output_tokens")),
            money(use.get("cost")),
        )
        for role, use in summary.get("usage", {}).items()
    ]


def waits(calls: Iterable[Call]) -> list[Wait]:
    """Return the durations of all calls that were sent, by role and block; streaming."""
    found: dict[tuple[str, str], array[float]] = defaultdict(lambda: array("d"))
    for call in calls:
        if not call.cached:
            found[call.address.role, call.address.component].append(call.ms)
    rows = []
    for (role, component), times in sorted(found.items()):
        ordered = sorted(times)
        rows.append(
            Wait(
                one_line(role or "protocol"),
                one_line(component or "–"),
                count(len(ordered)),
                duration(_quantile(ordered, 0.5)),
                duration(_quantile(ordered, 0.95)),
            )
        )
    return rows


def _quantile(ordered: list[float], share: float) -> float:
    """Return the smallest value that at least this share of values do not pass."""
    place = max(-(-len(ordered) * share // 1) - 1, 0)
    return ordered[min(int(place), len(ordered) - 1)]
