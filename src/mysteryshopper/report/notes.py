"""What a reader must know before the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mysteryshopper.core import Metric
from mysteryshopper.judges.tallies import control_warnings
from mysteryshopper.report.inputs import ReportInput, insiders, local_models
from mysteryshopper.report.losses import losses
from mysteryshopper.report.standing import is_of_system, primary, standings
from mysteryshopper.report.text import one_line

_MOST_SENTENCES = 12
_MOST_JUDGES = 2
_MUCH = 0.2  # a share of lost units from which on the reader is warned


@dataclass(frozen=True, slots=True)
class Note:
    """One sentence; a `warning` changes what the numbers can be used for, a `remark` does not."""

    level: Literal["warning", "remark"]
    text: str


def notes(report: ReportInput) -> list[Note]:
    """Return the notes of a report, the weightiest first."""
    found = []
    if models := local_models(report.experiment):
        found.append(
            Note(
                "warning",
                f"A demonstration: the local model ({_named(models)}) took part. It proves that everything works; it "
                "does not simulate people, so no number here says anything about a system.",
            )
        )
    if users := insiders(report.experiment):
        found.append(
            Note(
                "warning",
                f"Users that were given their targets took part ({_named(users)}): what they say can give the answer "
                "away, so their results are not comparable with those of users that know only a wish.",
            )
        )
    found.extend(_lost(report))
    found.extend(_control_notes(report.metrics))
    found.extend(_judges(report.metrics))
    return sorted(found, key=lambda note: note.level != "warning")


def judge_warnings(metrics: Sequence[Metric]) -> list[str]:
    """Return what control cases say of judges that can't tell, one sentence each."""
    return [one_line(text, 1_000) for text in control_warnings(tuple(metrics))]


def _judges(metrics: Sequence[Metric]) -> list[Note]:
    found = judge_warnings(metrics)
    spoken = [Note("warning", text) for text in found[:_MOST_JUDGES]]
    if (left := len(found) - _MOST_JUDGES) > 0:
        spoken.append(Note("warning", f"{left} more such sentences on judges stand in the part on judges."))
    return spoken


def _lost(report: ReportInput) -> list[Note]:
    counts = losses(report.summary, ())
    tried = counts.complete + counts.lost
    if not tried or counts.lost < _MUCH * tried:
        return []
    what = "No unit was complete" if not counts.complete else f"{counts.lost / tried:.0%} of the units run were lost"
    return [Note("warning", f"{what}: see whose fault it was before reading anything into the numbers.")]


def _control_notes(metrics: Sequence[Metric]) -> list[Note]:
    compared = any(is_of_system(metric) for metric in metrics if not metric.control)
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
