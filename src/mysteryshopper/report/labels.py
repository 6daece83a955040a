"""What people voted, and how far they and the judges agree, as a report shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mysteryshopper.core import Estimate, Json, Metric
from mysteryshopper.experiment.labels.agreeing import Labelled
from mysteryshopper.judges.people import DEFINITIONS, MAJORITY, majority
from mysteryshopper.report.numbers import number, with_interval
from mysteryshopper.report.text import one_line

MOST_ROWS = 200
"""Things that a report lists vote by vote."""

_EACH = "any annotator"
_CONSTANT = "always the commonest answer"
_OTHERS = "majority of the others"
_MEASURES = ("agreement", "kappa", "alpha")
_OF_PERSON = ("people_with_others", "people_with_others_kappa")
_OF_JUDGE = ("judge_with_others", "judge_with_others_kappa")
_STEMS = ("people", "judge_people")


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """How far two sides agree, as text.

    Attributes:
        who: A judge or an annotator.
        other: An annotator, the majority, or all people.
        criterion: What on.
        agreement: Share of equal answers, with its interval; a dash where it does not apply.
        kappa: Cohen's kappa.
        alpha: Krippendorff's alpha.
        n: Things that both answered.
        reason: Why something is undefined.
        is_judge: The first side is a judge.
    """

    who: str
    other: str
    criterion: str
    agreement: str
    kappa: str
    alpha: str
    n: str
    reason: str
    is_judge: bool


@dataclass(frozen=True, slots=True)
class VotedRow:
    """One thing vote by vote: its case, criterion, what each annotator and judge said, and who stands alone."""

    case: str
    criterion: str
    votes: tuple[tuple[str, str], ...]
    judged: tuple[tuple[str, str], ...]
    apart: bool


def is_of_people(metric: Metric) -> bool:
    """Whether a number says how far people agree, with each other or with a judge."""
    return metric.name in DEFINITIONS


def agreement_rows(metrics: Sequence[Metric]) -> list[AgreementRow]:
    """Return the numbers on agreement, two sides a row: judges with people first, people with each other then."""
    found: dict[tuple[str, str, str, bool], dict[str, Estimate]] = {}
    for metric in metrics:
        place = _place(metric)
        if place is not None:
            (who, other, is_judge), measure = place
            found.setdefault((who, other, _about(metric.group), is_judge), {})[measure] = metric.estimate
    rows = [_row(*key, parts) for key, parts in found.items()]
    return sorted(rows, key=lambda row: not row.is_judge)


def _place(metric: Metric) -> tuple[tuple[str, str, bool], str] | None:
    """Return both sides of a number, whether the first is a judge, and which measure it is."""
    group, name = metric.group, metric.name
    measure = "kappa" if name.endswith("_kappa") else "agreement"
    if name.startswith("people_with_others"):
        return (group.get("annotator", _EACH), _OTHERS, False), measure
    if name == "constant_with_others":
        return (_CONSTANT, _OTHERS, False), "agreement"
    if name.startswith("judge_with_others"):
        return (group["judge"], _OTHERS, True), measure
    if name == "people_alpha":
        return ("people", "each other", False), "alpha"
    for stem in _STEMS:
        measure = name.removeprefix(f"{stem}_")
        if name.startswith(f"{stem}_") and measure in _MEASURES:
            is_judge = stem == "judge_people"
            first = group["judge"] if is_judge else group["annotator"]
            return (first, group["annotator"] if is_judge else group["other"], is_judge), measure
    return None


def _about(group: Mapping[str, str]) -> str:
    told = [group[key] for key in ("criterion", "of", "label", "level", "pair") if key in group]
    return ", ".join(dict.fromkeys(told))


def _row(who: str, other: str, about: str, is_judge: bool, parts: Mapping[str, Estimate]) -> AgreementRow:
    cells = [with_interval(parts[name]) if name in parts else "–" for name in _MEASURES]
    reasons = dict.fromkeys(
        f"{name}: {one.reason}" if len(parts) > 1 else one.reason for name, one in parts.items() if one.reason
    )
    return AgreementRow(
        one_line(who),
        one_line(other),
        one_line(about),
        cells[0],
        cells[1],
        cells[2],
        str(max(one.n for one in parts.values())),
        one_line("; ".join(reasons), 600),
        is_judge,
    )


def voted_rows(found: Sequence[Labelled]) -> list[VotedRow]:
    """Return what was voted on thing by thing, those on which a judge and the majority differ first."""
    rows = [_voted(one) for one in found]
    return sorted(rows, key=lambda row: not row.apart)


def _voted(one: Labelled) -> VotedRow:
    most = majority(list(one.votes.values()))
    apart = most is not None and any(value is not None and _far(value, most, one) for value in one.judged.values())
    votes = tuple((one_line(name), _told(value, one)) for name, value in one.votes.items())
    judged = tuple((one_line(name), _told(value, one)) for name, value in one.judged.items())
    return VotedRow(one_line(one.case), one_line(one.criterion), votes, judged, apart)


def _far(value: Json, most: Json, one: Labelled) -> bool:
    return abs(value - most) >= 0.5 if one.sort == "score" else bool(value != most)


def _told(value: Json, one: Labelled) -> str:
    """Return a value in words: of a pair the system that was preferred, or the side where both are one system's."""
    if value is None:
        return "–"
    if one.sort == "score":
        return number(float(value))
    if one.sort == "label":
        return one_line(str(value))
    if value == 0.5:
        return "tie"
    place = int(value)
    names = one.systems
    return one_line(names[place]) if len(set(names)) == len(names) > place else ("first", "second")[place]


def people_sentences(metrics: Sequence[Metric]) -> list[str]:
    """Return in a sentence for each judge and criterion how far it agrees with people, beside what people reach."""
    reached = {
        (one.name, _thing(one.group)): one.estimate
        for one in metrics
        if one.name in (*_OF_PERSON, "constant_with_others") and "annotator" not in one.group
    }
    judges = {(one.name, one.group["judge"], _about(one.group)): one.estimate for one in metrics if _is_left_out(one)}
    told = []
    for metric in metrics:
        group, found = metric.group, metric.estimate
        whole = metric.name == "judge_people_agreement" and group["annotator"] == MAJORITY and "pair" not in group
        if not whole or found.value is None:
            continue
        about, thing = _about(group), _thing(group)
        own = [judges.get((name, group["judge"], about)) for name in _OF_JUDGE]
        if "label" in group and own[0] is None:  # without people's votes the table says it all
            continue
        text = (
            f"The judge {one_line(group['judge'])} says what most people say in {with_interval(found)} of"
            f" {found.n:,} on {one_line(about)}"
        )
        person = [reached.get((name, thing)) for name in _OF_PERSON]
        constant = reached.get(("constant_with_others", thing))
        if own[0] is not None and own[0].value is not None and person[0] is not None and constant is not None:
            text += (
                f"; with the majority of the others, one person left out at a time, it agrees in {_both(own)}, where"
                f" the person left out reaches {_both(person)}, and always the commonest answer"
                f" {with_interval(constant)}"
            )
        told.append(f"{text}.")
    return told


def _is_left_out(metric: Metric) -> bool:
    return metric.name in _OF_JUDGE


def _both(found: Sequence[Estimate | None]) -> str:
    """Return a share with its interval, and kappa behind it where it is defined."""
    share, kappa = found
    told = with_interval(share) if share is not None else "–"
    return f"{told} (kappa {with_interval(kappa)})" if kappa is not None and kappa.value is not None else told


def _thing(group: Mapping[str, str]) -> tuple[str, ...]:
    """Return what people voted on: the label of imported dialogues, or the criterion of a sheet."""
    if "label" in group:
        return group["label"], group["level"]
    return group["criterion"], group.get("of", "")
