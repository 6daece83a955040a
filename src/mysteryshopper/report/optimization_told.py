"""A prompt optimisation in plain sentences: what was gained, and whether the judge held out says so, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.numbers import count, p_value, with_interval
from mysteryshopper.report.text import one_line

_GAIN, _AGREEMENT = "gain", "gain_agreement"
_ENOUGH, _LEVEL = 10, 0.05  # people from whom on an interval is given, and what a test must fall below


@dataclass(frozen=True, slots=True)
class Told:
    """The result in a sentence, what the judge held out says of it, and whether that makes it clear."""

    text: str
    beside: str
    sure: str


def optimization_told(metrics: Sequence[Metric]) -> list[Told]:
    """Return the result of an optimisation; nothing where there was none."""
    gains = [metric for metric in metrics if metric.name == _GAIN and "part" in metric.group]
    decided = next((one for one in gains if one.group["part"] == "decided"), None)
    if decided is None:
        return []
    rounds = int(_value(metrics, "rounds"))
    kept = int(_value(metrics, "improvements"))
    if not kept:
        return [Told(f"None of {count(rounds)} rounds was better than the initial prompt, which is kept.", "", "open")]
    text = (
        f"{count(kept)} of {count(rounds)} rounds brought a better prompt. The best one's gain over the initial one is"
        f" {_told(decided)}, by the judge that decided, {one_line(decided.group['judge'])}."
    )
    checked = next((one for one in gains if one.group["part"] == "held out"), None)
    if checked is None:
        return [Told(text, "No judge was held out, so nobody has checked it: a judge's own choice flatters.", "open")]
    verdict, sure = _verdict(checked.estimate)
    agreement = next((one for one in metrics if one.name == _AGREEMENT), None)
    same = "" if agreement is None else f" The two agree on {with_interval(agreement.estimate)} of the pairs."
    beside = f"The judge held out, {one_line(checked.group['judge'])}, {verdict}: {_told(checked)}.{same}"
    return [Told(text, beside, sure)]


def _verdict(found: Estimate) -> tuple[str, str]:
    if found.value is None:
        return "could not say", "open"
    if not _is_told_apart(found):
        return "does not show a gain that this run can tell from none", "open"
    return ("confirms the gain", "clear") if found.value > 0 else ("says the opposite", "open")


def _is_told_apart(found: Estimate) -> bool:
    """Whether a gain is not 0: by its interval, or where all people agree, which leaves none, by its test."""
    if found.low is not None and found.high is not None:
        return found.low > 0 or found.high < 0
    return (found.clusters or 0) >= _ENOUGH and found.p is not None and found.p < _LEVEL


def _told(metric: Metric) -> str:
    found = metric.estimate
    if found.value is None:
        return "not known"
    test = f" ({p_value(found.p)})" if found.low is None and found.p is not None else ""
    return f"{with_interval(found)}{test}, {count(found.n)} pairs"


def _value(metrics: Sequence[Metric], name: str) -> float:
    return next((one.estimate.value or 0.0 for one in metrics if one.name == name and not one.group), 0.0)
