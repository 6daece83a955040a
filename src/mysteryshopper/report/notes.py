"""What a reader must know before the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mysteryshopper.core import Metric
from mysteryshopper.report.inputs import ReportInput, insiders, local_models
from mysteryshopper.report.standing import headline_names, standings
from mysteryshopper.report.text import one_line

_MOST_SENTENCES = 12


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
    return [*found, *_control_notes(report.metrics)]


def _control_notes(metrics: Sequence[Metric]) -> list[Note]:
    compared = any(metric.group.get("system") for metric in metrics if not metric.control)
    if not compared:
        return []
    if not any(metric.control for metric in metrics):
        return [
            Note("remark", "No control took part, so nothing shows what a system that does not listen would reach.")
        ]
    first = set(headline_names(metrics))
    found = [one for one in standings(metrics) if one.metric in first]
    spoken = [Note("warning" if one.not_beaten else "remark", one.sentence) for one in found if one.sentence]
    spoken.sort(key=lambda note: note.level != "warning")
    if found and not spoken:
        return [Note("remark", "Every system is above every control on the first metrics, intervals apart.")]
    if (left := len(spoken) - _MOST_SENTENCES) > 0:
        return [*spoken[:_MOST_SENTENCES], Note("remark", f"{left} more such comparisons are marked in the table.")]
    return spoken


def _named(names: Sequence[str]) -> str:
    return ", ".join(one_line(name) for name in names)
