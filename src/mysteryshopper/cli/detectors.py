"""`check detectors`: dialogues between people in, a table of false alarms and recall out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mysteryshopper.core import Message
from mysteryshopper.datasets import DataBlock, load
from mysteryshopper.dialogue import DetectorRow
from mysteryshopper.experiment.sheets import Sheet


def human_dialogues(names: Sequence[str]) -> Iterator[tuple[Message, ...]]:
    """Yield the test dialogues between people of some data sets.

    Raises:
        ConfigError: There is no such data set.
        DataError: It is not here.
    """
    for name in names:
        for dialogue in load(DataBlock(name=name, split="test")).dialogues():
            yield dialogue.messages


def detector_sheet(rows: Sequence[DetectorRow]) -> Sheet:
    """Return what was measured as a table."""
    cells = tuple(
        (
            row.detector,
            f"{row.false} of {row.human:,}",
            f"{row.false_rate:.2%} [{row.false_low:.2%}, {row.false_high:.2%}]",
            f"{row.caught} of {row.planted:,}",
            f"{row.recall:.1%} [{row.recall_low:.1%}, {row.recall_high:.1%}]",
            "yes" if row.trusted else "NO",
        )
        for row in rows
    )
    heads = ("detector", "fired on people", "false alarms", "caught", "recall of planted faults", "trusted")
    return Sheet(
        "Fault detectors",
        heads,
        cells,
        ("Trusted: under 1 % false alarms on turns that people wrote, over 90 % of planted faults caught.",),
    )
