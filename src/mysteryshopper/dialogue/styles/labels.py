"""From what was counted to labels: which feature tells which style, and where it is cut."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mysteryshopper.dialogue.styles.features import Writing


@dataclass(frozen=True, slots=True)
class Scale:
    """How a feature tells a style.

    Attributes:
        feature: The attribute of `Writing`.
        labels: The style's values, as the feature rises.
        cuts: Where one label ends and the next begins, rising; a value at a cut belongs to the upper one.
    """

    feature: str
    labels: tuple[str, ...]
    cuts: tuple[float, ...]

    def value(self, writing: Writing) -> float | None:
        """Return the feature's value."""
        found: float | None = getattr(writing, self.feature)
        return found

    def label(self, writing: Writing) -> str | None:
        """Return the label of what was counted; None where the feature is undefined."""
        value = self.value(writing)
        return None if value is None else self.labels[bisect_right(self.cuts, value)]


SCALES: Mapping[str, Scale] = {
    "formality": Scale("formality", ("informal", "formal"), (0.0,)),
    "sentiment": Scale("sentiment", ("negative", "neutral", "positive"), (-0.05, 0.05)),
    "conciseness": Scale("words", ("concise", "moderate", "verbose"), (8.0, 12.0)),
    "carelessness": Scale("misspelt", ("careful", "careless"), (0.03,)),
}
"""The styles that counting can tell, with our cuts; `docs/protocols/style-control.md` says where they are from."""


def labels_of(writing: Writing, cuts: Mapping[str, Sequence[float]] | None = None) -> dict[str, str | None]:
    """Return the label of each style that can be told by counting.

    Args:
        writing: What was counted.
        cuts: Other cuts, by style.
    """
    own = cuts or {}
    return {
        name: Scale(scale.feature, scale.labels, tuple(own.get(name, scale.cuts))).label(writing)
        for name, scale in SCALES.items()
    }
