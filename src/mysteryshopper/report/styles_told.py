"""How far simulated users write in the style asked for, in plain sentences: by judges, and by counting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mysteryshopper.core import Metric
from mysteryshopper.report.numbers import number, with_interval
from mysteryshopper.report.text import one_line

SCORE = "style_f1"
SHUFFLED = ", shuffled"
CONSTANT = "constant answer"


@dataclass(frozen=True, slots=True)
class Told:
    """One user's styles as one source found them, what chance comes to, and whether every style is beyond it."""

    text: str
    beside: str
    sure: str


def styles_told(metrics: Sequence[Metric]) -> list[Told]:
    """Return a sentence for each user and who found the styles (judges, features); none where no style was asked for.

    A style is told apart from chance where its F1 lies above 97.5 % of what shuffled requests come to.
    """
    found = [metric for metric in metrics if metric.name == SCORE]
    pairs = dict.fromkeys((one.group["user"], one.group["by"]) for one in found if not one.control)
    return [_told(user, by, [one for one in found if one.group["user"] == user]) for user, by in pairs]


def is_of_confusion(metric: Metric) -> bool:
    """Whether a number is a cell of a table of what was asked for against what was found, which is drawn as one."""
    return {"asked", "found"} <= metric.group.keys()


def _told(user: str, by: str, scores: Sequence[Metric]) -> Told:
    own = {one.group["style"]: one.estimate for one in scores if one.group["by"] == by}
    chance = {one.group["style"]: one.estimate for one in scores if one.group["by"] == by + SHUFFLED}
    constant = {one.group["style"]: one.estimate.value for one in scores if one.group["by"] == CONSTANT}
    listed = ", ".join(f"{one_line(style)} {with_interval(estimate)}" for style, estimate in own.items())
    text = f"{one_line(user)}, by {one_line(by)}: {listed} (macro F1 of the style found against the one asked for)."
    held = [style for style, estimate in own.items() if estimate.value is not None and style in chance]
    beyond = [style for style in held if (own[style].value or 0.0) > (chance[style].high or 0.0)]
    lost = [one_line(style) for style in held if style not in beyond]
    parts = []
    if lost:
        parts.append(f"No better than requests shuffled among each person's dialogues: {', '.join(lost)}.")
    elif held:
        parts.append("Every style is told apart from requests shuffled among each person's dialogues.")
    if constant:
        told = ", ".join(f"{one_line(style)} {number(value)}" for style, value in constant.items())
        parts.append(f"A user who always writes in one way comes to {told}.")
    return Told(text, " ".join(parts), "" if not held else "open" if lost else "clear")
