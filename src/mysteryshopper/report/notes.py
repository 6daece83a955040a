"""What a reader must know before the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mysteryshopper.core import Metric
from mysteryshopper.judges.tallies import control_warnings
from mysteryshopper.report.inputs import ReportInput, insiders, local_models
from mysteryshopper.report.labels import people_sentences
from mysteryshopper.report.losses import losses
from mysteryshopper.report.numbers import direction
from mysteryshopper.report.standing import is_of_system, primary, standings
from mysteryshopper.report.text import one_line

_MOST_SENTENCES = 12
_PARTS = ("run", "systems", "judges")
_UNREAD = "unread"
_CONTROLS = {
    "control_worse": "That the judge {judge} can tell a planted worse case from the real one is not shown {where}",
    "control_same": "The judge {judge} prefers one of two by the same system {where}",
    "prefers_first": "The judge {judge} leans to the one shown first, or to the one shown last, {where}",
}
_MUCH = 0.2  # a share of lost units from which on the reader is warned


@dataclass(frozen=True, slots=True)
class Note:
    """One sentence; a `warning` changes what the numbers can be used for, a `remark` does not.

    Attributes:
        level: Which of the two.
        text: The sentence.
        about: `run` is about all numbers and is said before any of them; `systems` and `judges` follow the result.
    """

    level: Literal["warning", "remark"]
    text: str
    about: Literal["run", "systems", "judges"] = "systems"


def notes(report: ReportInput) -> list[Note]:
    """Return the notes of a report, the weightiest first: of the run, of systems, and then of judges."""
    found = []
    if models := local_models(report.experiment):
        found.append(
            Note(
                "warning",
                f"A demonstration: the local model ({_named(models)}) took part. It proves that everything works; it "
                "does not simulate people, so no number here says anything about a system.",
                "run",
            )
        )
    if users := insiders(report.experiment):
        found.append(
            Note(
                "warning",
                f"Users that were given their targets took part ({_named(users)}): what they say can give the answer "
                "away, so their results are not comparable with those of users that know only a wish.",
                "run",
            )
        )
    found.extend(_lost(report))
    found.extend(_control_notes(report.metrics))
    found.extend(_judges(report.metrics))
    found.extend(Note("remark", text, "judges") for text in people_sentences(report.metrics))
    return sorted(found, key=lambda note: (_PARTS.index(note.about), note.level != "warning"))


def judge_warnings(metrics: Sequence[Metric]) -> list[str]:
    """Return what control cases say of judges that can't tell, one sentence each."""
    return [one_line(text, 1_000) for text in control_warnings(tuple(metrics))]


def _judges(metrics: Sequence[Metric]) -> list[Note]:
    """Return one note on the controls of each judge, and one on each that could hardly be read."""
    shares: dict[str, list[float]] = {}
    for metric in metrics:
        value = metric.estimate.value
        if metric.name == _UNREAD and "status" not in metric.group and value is not None:
            shares.setdefault(metric.group.get("judge", ""), []).append(value)
    unread = [
        f"The judge {one_line(judge)} could not be read in {min(found):.0%} of its rulings or more: look at its raw"
        " replies beneath the dialogues before anything else of it."
        for judge, found in shares.items()
        if min(found) >= _MUCH  # what no rule can tell of a dialogue is missing on single criteria, never on all
    ]
    return [Note("warning", text, "judges") for text in (*unread, *_failed(metrics))]


def _failed(metrics: Sequence[Metric]) -> list[str]:
    """Return what control cases say of judges, in one sentence for each judge and sort of control."""
    sorts: dict[tuple[str, str], list[Metric]] = {}
    for metric in metrics:
        if metric.name in _CONTROLS:
            sorts.setdefault((metric.group.get("judge", ""), metric.name), []).append(metric)
    spoken = []
    for (judge, name), found in sorts.items():
        failed = [one for one in found if control_warnings([one])]
        if len(failed) == 1:
            spoken.extend(control_warnings(failed))
        elif failed:
            named = _named([one.group.get("criterion", "") for one in failed])
            where = f"on {len(failed)} of {len(found)} criteria ({named}); the part on judges has the figures."
            spoken.append(_CONTROLS[name].format(judge=judge, where=where))
    return [one_line(text, 1_000) for text in spoken]


def _lost(report: ReportInput) -> list[Note]:
    counts = losses(report.summary, report.store.units())
    tried = counts.complete + counts.lost
    if not tried or counts.lost < _MUCH * tried:
        return []
    what = "No unit was complete" if not counts.complete else f"{counts.lost / tried:.0%} of the units run were lost"
    example = next((row.examples[0] for row in counts.rows if row.examples), "").rstrip(". ")
    why = f", most often by this: {example}. S" if example else ": s"
    return [Note("warning", f"{what}{why}ee whose fault it was before reading anything into the numbers.", "run")]


def _control_notes(metrics: Sequence[Metric]) -> list[Note]:
    compared = any(is_of_system(metric) and direction(metric) for metric in metrics if not metric.control)
    if not compared:
        return []
    if not any(metric.control for metric in metrics):
        return [
            Note("remark", "No control took part, so nothing shows what a system that does not listen would reach.")
        ]
    weighty = primary(metrics)  # the tables mark the other metrics
    found = [one for one in standings(metrics) if one.metric == weighty]
    spoken = [Note("warning" if one.not_beaten else "remark", one.sentence) for one in found if one.sentence]
    spoken.sort(key=lambda note: note.level != "warning")
    if found and not spoken:
        return [Note("remark", f"Every system is above every control on {one_line(weighty)}, intervals apart.")]
    if (left := len(spoken) - _MOST_SENTENCES) > 0:
        return [*spoken[:_MOST_SENTENCES], Note("remark", f"{left} more such comparisons are marked in the table.")]
    return spoken


def _named(names: Sequence[str]) -> str:
    return ", ".join(one_line(name) for name in names)
