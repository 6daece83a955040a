"""The result in plain sentences: what was asked, which system served which users better, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mysteryshopper.core import Metric
from mysteryshopper.report.curves_told import falls
from mysteryshopper.report.duels import duels
from mysteryshopper.report.inputs import ReportInput, block_names
from mysteryshopper.report.numbers import count, number, p_value, with_interval
from mysteryshopper.report.optimization_told import optimization_told
from mysteryshopper.report.rankings import rankings_told
from mysteryshopper.report.standing import Cell, Race, primary, races
from mysteryshopper.report.strengths_told import strengths_told
from mysteryshopper.report.styles_told import styles_told
from mysteryshopper.report.text import one_line
from mysteryshopper.report.where_told import told_first

MOST_ANSWERS = 4
"""Sentences of the headline; what they leave out stands in the tables."""

_MOST_NAMES = 6
_AGREES, _OVERALL, _PUBLISHED = "judge_pearson", "overall", "(published)"


@dataclass(frozen=True, slots=True)
class Answer:
    """One sentence of the headline, and what stands behind it.

    Attributes:
        text: Who served whom better.
        beside: The controls in one sentence; empty where there are none.
        sure: `clear` or `open`, whether the run tells the best system from the next; empty with one system.
    """

    text: str
    beside: str
    sure: str


@dataclass(frozen=True, slots=True)
class Headline:
    """What was asked, the answers, and how many further groups stand in the tables alone."""

    asked: str
    answers: tuple[Answer, ...]
    more: int


def headline(report: ReportInput) -> Headline:
    """Return the headline of a report."""
    name = primary(report.metrics)
    found = races(report.metrics, name) if name else []
    shared = _shared([race.rest for race in found])
    on_ground = [*strengths_told(report.metrics), *duels(report.metrics)]
    same = [Answer(duel.text, duel.beside, duel.sure) for duel in on_ground]
    borne = [Answer(fall.text, fall.beside, fall.sure) for fall in falls(report.metrics)]
    written = [Answer(one.text, one.beside, one.sure) for one in styles_told(report.metrics)]
    grown = [Answer(one.text, one.beside, one.sure) for one in optimization_told(report.metrics)]
    told = grown or same or borne or written
    ranked = [Answer(one.text, one.beside, one.sure) for one in rankings_told(report.metrics)]
    answers = ranked or told or [_answer(race, shared) for race in found] or _validity(report.metrics)
    return Headline(_asked(report), tuple(answers[:MOST_ANSWERS]), max(len(answers) - MOST_ANSWERS, 0))


def _asked(report: ReportInput) -> str:
    names = block_names(report.experiment)
    planned = int(report.summary.get("units", {}).get("planned", 0))
    users, systems, judges = (_listed(names.get(part, ())) for part in ("users", "systems", "judges"))
    who = f"Users {users} met systems {systems}" if users and systems else f"Systems {systems}" if systems else ""
    if who and not users:
        who += " were asked" if "," in systems else " was asked"
    units = f"{count(planned)} planned unit{'' if planned == 1 else 's'}"
    parts = [f"{who} in {units}" if who else units]
    if judges:
        parts.append(f"judged by {judges}")
    return f"{', '.join(parts)}."


def _validity(metrics: Sequence[Metric]) -> list[Answer]:
    """Return how far each judge agrees with people: the answer of a run that tells no systems apart."""
    found: dict[str, dict[str, list[Metric]]] = {}
    for metric in metrics:
        group = metric.group
        here = metric.name == _AGREES and group.get("level") == "dialogue" and group.get("part") == "all"
        if here and metric.estimate.value is not None and not group["judge"].endswith(_PUBLISHED):
            found.setdefault(group["judge"], {}).setdefault(group["criterion"], []).append(metric)
    answers = []
    for judge, criteria in found.items():
        criterion = _OVERALL if _OVERALL in criteria else next(iter(criteria))
        told = [f"{with_interval(one.estimate)} with {one_line(one.group['label'])}" for one in criteria[criterion]]
        more = f" and {len(told) - _MOST_NAMES} more" if len(told) > _MOST_NAMES else ""
        text = f"The judge {one_line(judge)}, on {one_line(criterion)}, correlates with what people said: "
        answers.append(Answer(f"{text}{', '.join(told[:_MOST_NAMES])}{more} (Pearson, dialogue by dialogue).", "", ""))
    return answers


def _answer(race: Race, shared: Cell) -> Answer:
    where = told_first(part for part in race.rest if part not in shared)
    lead = f"{where}: " if where else ""
    measure = one_line(race.metric)
    if not race.runners:
        best = race.controls[0]
        return Answer(f"{lead}only controls took part; the best is {_who(best)}, {measure} {_value(best)}.", "", "")
    best = race.runners[0]
    beside = _controls(race, best)
    if len(race.runners) == 1:
        return Answer(f"{lead}{_who(best)} reached {measure} {_value(best)}, n = {count(best.estimate.n)}.", beside, "")
    second = race.runners[1]
    if second.estimate.value == best.estimate.value:
        return Answer(f"{lead}{_who(best)} and {_who(second)} are level at {measure} {_value(best)}.", beside, "open")
    sure = race.certainty(best, second)
    proof = _proof(race, best, second)
    against = f"{measure} {_value(best)} against {_value(second)} of {_who(second)}"
    if sure == "clear":
        text = f"{lead}{_who(best)} served users best: {against}{proof}."
    elif sure == "open":
        text = f"{lead}{_who(best)} is ahead, but this run can't tell it from {_who(second)}: {against}{proof}."
    else:
        text = f"{lead}{_who(best)} is ahead, how surely is not known: {against}{proof}."
    return Answer(text, beside, "clear" if sure == "clear" else "open")


def _proof(race: Race, best: Metric, second: Metric) -> str:
    paired = race.differences.get((best.group["system"], second.group["system"]))
    if paired is None or paired.value is None:
        return ""
    parts = [f"paired difference {with_interval(paired)}"]
    if paired.p is not None:
        parts.append(p_value(paired.p))
    if paired.detectable is not None:
        parts.append(f"one of {number(paired.detectable)} would have been found four times in five")
    return f" ({'; '.join(parts)})"


def _controls(race: Race, best: Metric) -> str:
    if not race.controls:
        return ""
    control = race.controls[0]
    name = f"the best control, {_who(control)}, reached {_value(control)}"
    value, other = best.estimate.value or 0.0, control.estimate.value or 0.0
    if race.sign * other >= race.sign * value:
        return f"It does not beat the controls: {name}."
    sure = race.certainty(best, control)
    if sure == "clear":
        return f"That is clearly better than not listening at all: {name}."
    return f"Whether that is better than not listening at all this run can't tell: {name}."


def _who(metric: Metric) -> str:
    return one_line(metric.group["system"])


def _value(metric: Metric) -> str:
    return with_interval(metric.estimate)


def _shared(rests: Sequence[Cell]) -> Cell:
    if not rests:
        return ()
    common = set.intersection(*(set(rest) for rest in rests))
    return tuple(common)


def _listed(names: Sequence[str]) -> str:
    told = ", ".join(one_line(name) for name in names[:_MOST_NAMES])
    return f"{told} and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else told
