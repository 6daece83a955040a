"""A report before it is written: everything its pages say, gathered in few passes over the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mysteryshopper.core import Metric, Store
from mysteryshopper.report.dialogues import DialogueView, Pages, lay_out, views
from mysteryshopper.report.headline import Headline, headline
from mysteryshopper.report.index import Index, make_index
from mysteryshopper.report.inputs import ReportInput
from mysteryshopper.report.losses import Losses, losses
from mysteryshopper.report.notes import Note, notes
from mysteryshopper.report.opinions import Opinions, gather
from mysteryshopper.report.optimization_figures import optimization_figures
from mysteryshopper.report.plots import Figure, figures
from mysteryshopper.report.standing import is_of_system
from mysteryshopper.report.text import one_line


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a report shows of dialogues, whatever was measured: all of them, which page shows which, and rulings."""

    index: Index
    pages: Pages
    opinions: Opinions


def gather_dialogues(store: Store) -> Gathered:
    """Read all dialogues without their words, those that are shown with them, and all verdicts."""
    index = make_index(store.dialogues(nodes=False))
    pages = lay_out(store.dialogues(among=index.chosen_ids), index)
    return Gathered(index, pages, gather(store.verdicts(messages=False), index.chosen_ids))


@dataclass(frozen=True, slots=True)
class Book:
    """What all pages of a report are made from.

    Attributes:
        report: The input.
        title: Name of the run, or of its protocol.
        protocol: Name of the protocol.
        notes: What to know first.
        headline: The result in sentences.
        losses: What was lost.
        index: All dialogues.
        pages: Which page shows which of them.
        opinions: What judges ruled.
        figures: What is plotted.
    """

    report: ReportInput
    title: str
    protocol: str
    notes: Sequence[Note]
    headline: Headline
    losses: Losses
    index: Index
    pages: Pages
    opinions: Opinions
    figures: Sequence[Figure]

    def views(self) -> Iterator[list[DialogueView]]:
        """Yield the dialogues of each page, one page in memory at a time."""
        found = self.opinions.by_dialogue
        chosen = self.report.store.dialogues(among=self.index.chosen_ids)
        return views(chosen, self.index, self.pages, lambda name: found.get(name, ()))


def make_book(report: ReportInput, gathered: Gathered | None = None) -> Book:
    """Gather a report.

    Args:
        report: What it is made from.
        gathered: What it shows of dialogues, if that was gathered before.
    """
    found = gathered or gather_dialogues(report.store)
    protocol = one_line(str(report.summary.get("protocol", "run")))
    return Book(
        report,
        one_line(report.name) or protocol,
        protocol,
        notes(report),
        headline(report),
        losses(report.summary, report.store.units()),
        found.index,
        found.pages,
        found.opinions,
        [*optimization_figures(report.store), *figures(report.metrics, found.index, _controls(report.metrics))],
    )


def _controls(metrics: Sequence[Metric]) -> set[str]:
    """Return the systems that are controls; a pair's number is one if either side is, and says nothing of its first."""
    return {metric.group["system"] for metric in metrics if metric.control and is_of_system(metric)}


def vocabulary(shown: Sequence[DialogueView]) -> dict[str, Any]:
    """Return what a page's dialogues can be filtered by: for each filter its choices as (number, name)."""
    names: dict[str, dict[str, str]] = {"system": {}, "user": {}, "outcome": {}, "fault": {}, "flag": {}, "verdict": {}}
    for one in shown:
        for key, found in _words(one).items():
            for word in found:
                names[key].setdefault(word, f"{key[0]}{len(names[key])}")
    return names


def tokens(one: DialogueView, names: dict[str, Any]) -> dict[str, str]:
    """Return one dialogue's words as the numbers that `vocabulary` gave them, by filter."""
    return {key: " ".join(names[key][word] for word in found) for key, found in _words(one).items()}


def _words(one: DialogueView) -> dict[str, tuple[str, ...]]:
    return {
        "system": (one_line(one.entry.system),) if one.entry.system else (),
        "user": (one_line(one.entry.user),) if one.entry.user else (),
        "outcome": (one.outcome,),
        "fault": (one.fault,),
        "flag": one.flags,
        "verdict": one.verdicts,
    }
