"""What `style-control` measures: the style found against the style asked for, by judges and by counting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from mysteryshopper.core import Estimate, Metric, Store
from mysteryshopper.dialogue.styles import SCALES, Scale
from mysteryshopper.judges.tallies import measure_verdicts
from mysteryshopper.metrics import (
    cohen_kappa,
    confusion,
    constant_scores,
    mean,
    proportion,
    raw_agreement,
    separation,
    shuffled_scores,
)
from mysteryshopper.protocols.role_rates import RoleRates
from mysteryshopper.protocols.style_control.options import StyleOptions
from mysteryshopper.protocols.style_control.talks import FEATURES, Talk, read_talks
from mysteryshopper.protocols.style_control.words import DEFINITIONS

CONSTANT, SHUFFLED = "constant answer", "shuffled"
_SCORES = ("style_f1", "style_accuracy", "style_precision", "style_recall")
_BETTER = frozenset({*_SCORES, "separation", "style_kappa", "style_agreement"})


@dataclass(frozen=True, slots=True)
class _Column:
    """The dialogues of one user in which a value of one style was asked for, and who labels them."""

    user: str
    style: str
    values: tuple[str, ...]
    talks: tuple[Talk, ...]

    @property
    def group(self) -> dict[str, str]:
        return {"user": self.user, "style": self.style}

    @property
    def asked(self) -> list[str]:
        return [talk.asked[self.style] for talk in self.talks]

    @property
    def clusters(self) -> list[str]:
        return [talk.cluster for talk in self.talks]

    def found(self, by: str) -> list[str | None]:
        return [talk.found.get(by, {}).get(self.style) for talk in self.talks]


def measure_styles(store: Store, options: StyleOptions) -> Iterator[Metric]:
    """Yield all numbers of a run, metric by metric, user by user and style by style; what judges said comes last.

    Args:
        store: What the run left.
        options: What was asked for, and where features are cut.
    """
    rates = RoleRates(options.guard)
    talks, sources = read_talks(store, options.cuts, lambda stored: rates.add(stored.unit.user, stored.dialogue))
    seed = store.plan.seed
    columns = [
        _Column(user, style, values, tuple(talk for talk in talks if talk.unit.user == user and style in talk.asked))
        for user in store.plan.users
        for style, values in options.values.items()
    ]
    columns = [column for column in columns if column.talks]
    scores = [metric for column in columns for metric in _scores(column, sources, seed)]
    for name in _SCORES:
        yield from (metric for metric in scores if metric.name == name)
    for column in columns:
        yield from _separations(column, seed)
    for column in columns:
        yield from _means(column, seed)
    for column in columns:
        yield from _rows(column, sources)
    for user in store.plan.users:
        yield from _agreements([talk for talk in talks if talk.unit.user == user], sources[1:], user, seed)
    yield from (metric for metric in scores if metric.name == "style_missing")
    yield from rates.metrics()
    yield from measure_verdicts(store)


def _scores(column: _Column, sources: Sequence[str], seed: int) -> Iterator[Metric]:
    asked, clusters = column.asked, column.clusters
    for by in _able(column, sources):
        found = column.found(by)
        group = {**column.group, "by": by}
        scored = confusion(asked, found, column.values, clusters, seed=seed)
        for name, estimate in zip(_SCORES, (scored.f1, scored.accuracy, scored.precision, scored.recall), strict=True):
            yield _metric(name, group, estimate)
        chance = shuffled_scores(asked, found, column.values, clusters, seed)
        if chance is not None:
            shuffled = {**column.group, "by": f"{by}, {SHUFFLED}"}
            yield _metric("style_accuracy", shuffled, chance[0], control=True)
            yield _metric("style_f1", shuffled, chance[1], control=True)
        missing = [float(label is None) for label in found]
        if any(missing):
            yield _metric("style_missing", group, proportion(missing, clusters))
    constant = constant_scores(asked)
    if constant is not None and len(column.values) > 1:
        group = {**column.group, "by": CONSTANT}
        n, people = len(asked), len(set(clusters))
        yield _metric("style_accuracy", group, Estimate(constant[0], n=n, clusters=people), control=True)
        yield _metric("style_f1", group, Estimate(constant[1], n=n, clusters=people), control=True)


def _able(column: _Column, sources: Sequence[str]) -> Iterator[str]:
    """Yield who can tell this style: counting only the styles that it knows."""
    for by in sources:
        if by != FEATURES or (column.style in SCALES and set(column.values) <= {*SCALES[column.style].labels}):
            yield by


def _separations(column: _Column, seed: int) -> Iterator[Metric]:
    if (scale := SCALES.get(column.style)) is None:
        return
    for lower, higher in combinations([label for label in scale.labels if label in column.values], 2):
        sides = [[talk for talk in column.talks if talk.asked[column.style] == value] for value in (lower, higher)]
        values, others = (_counted(scale, side) for side in sides)
        named, else_named = ([one.cluster for one in side] for side in sides)
        group = {**column.group, "feature": scale.feature, "lower": lower, "higher": higher}
        yield _metric("separation", group, separation(values, others, named, else_named, seed=seed))


def _means(column: _Column, seed: int) -> Iterator[Metric]:
    if (scale := SCALES.get(column.style)) is None:
        return
    for value in column.values:
        side = [talk for talk in column.talks if talk.asked[column.style] == value]
        counted = _counted(scale, side)
        group = {**column.group, "feature": scale.feature, "asked": value}
        yield _metric("feature_mean", group, mean(counted, [one.cluster for one in side], seed=seed))


def _counted(scale: Scale, talks: Sequence[Talk]) -> list[float | None]:
    return [None if talk.writing is None else scale.value(talk.writing) for talk in talks]


def _rows(column: _Column, sources: Sequence[str]) -> Iterator[Metric]:
    """Yield the confusion table of everybody who found labels, row by row."""
    asked, clusters = column.asked, column.clusters
    for by in _able(column, sources):
        found = column.found(by)
        labels = dict.fromkeys((*column.values, *sorted({label for label in found if label is not None})))
        for value in column.values:
            places = [place for place, one in enumerate(asked) if one == value]
            for label in labels:
                held = [None if found[place] is None else float(found[place] == label) for place in places]
                share = proportion(held, [clusters[place] for place in places])
                yield _metric("found_as", {**column.group, "by": by, "asked": value, "found": label}, share)


def _agreements(talks: Sequence[Talk], judges: Sequence[str], user: str, seed: int) -> Iterator[Metric]:
    clusters = [talk.cluster for talk in talks]
    for by in judges:
        for style in SCALES:
            one, other = ([talk.found.get(source, {}).get(style) for talk in talks] for source in (by, FEATURES))
            if not any(one):
                continue
            group = {"user": user, "style": style, "by": by}
            yield _metric("style_kappa", group, cohen_kappa(one, other, clusters, seed=seed))
            yield _metric("style_agreement", group, raw_agreement(one, other, clusters))


def _metric(name: str, group: Mapping[str, str], estimate: Estimate, *, control: bool = False) -> Metric:
    better: Literal["higher", "lower"] | None = (
        "higher" if name in _BETTER else "lower" if name == "style_missing" else None
    )
    return Metric(name, group, estimate, DEFINITIONS[name], control, better)
