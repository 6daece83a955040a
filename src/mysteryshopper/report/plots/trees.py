"""Plots of trees: who wins on the same histories, in all, level by level, and by whose words a history holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mysteryshopper.core import Metric
from mysteryshopper.report.numbers import shown, with_interval
from mysteryshopper.report.plots.figure import Figure, short_labels
from mysteryshopper.report.text import one_line

_WHOLE, _BY_DEPTH, _BY_WORDS = "root_win_rate", "win_rate_by_depth", "win_rate_by_words"
_OVERALL = "overall"
_MOST_PAIRS = 12
_LONGEST = 30  # characters of a label
_HELD = {"nobody": "nobody has replied yet", "both": "both have replied"}


def tree_figures(metrics: Sequence[Metric]) -> Iterator[Figure]:
    """Yield a plot for each judge's headline criterion, user and pair, pairs with controls last."""
    found: dict[tuple[str, ...], list[Metric]] = {}
    for metric in metrics:
        if metric.name in (_WHOLE, _BY_DEPTH, _BY_WORDS) and metric.estimate.value is not None:
            key = tuple(metric.group.get(name, "") for name in ("judge", "criterion", "user", "system", "versus"))
            found.setdefault(key, []).append(metric)
    criteria: dict[str, list[str]] = {}
    for judge, criterion, *_ in found:
        criteria.setdefault(judge, []).append(criterion)
    first = {judge: _OVERALL if _OVERALL in names else names[0] for judge, names in criteria.items()}
    pairs = [(key, parts) for key, parts in found.items() if key[1] == first[key[0]]]
    pairs.sort(key=lambda pair: any(one.control for one in pair[1]))
    several = len({key[2] for key, _ in pairs}) > 1
    for place, (key, parts) in enumerate(pairs[:_MOST_PAIRS], 1):
        yield _figure(key, parts, f"tree-{place}", several)


def _figure(key: tuple[str, ...], parts: Sequence[Metric], name: str, several: bool) -> Figure:
    judge, criterion, user, system, versus = key
    short = short_labels(map(_words, parts), _LONGEST)
    labels = [short[_words(metric)] for metric in parts]
    rows = tuple(
        {
            "label": label,
            "value": metric.estimate.value,
            "low": metric.estimate.low,
            "high": metric.estimate.high,
            "told": shown(metric.estimate),
            "tone": "control" if metric.control else "system",
        }
        for label, metric in zip(labels, parts, strict=True)
    )
    who = one_line(f"{system} against {versus}" + (f", {user}" if several else ""))
    table = [("histories", "win rate", "roots")]
    table += [
        (label, with_interval(one.estimate), f"{one.estimate.clusters or 0:,}")
        for label, one in zip(labels, parts, strict=True)
    ]
    return Figure(
        name,
        "intervals",
        f"Same histories: {who}",
        one_line(
            f"Win rate of {system} by {judge} on {criterion}: over all histories, by level, and by whose replies the"
            " history holds; 0.5 is even.",
        ),
        rows,
        tuple(dict.fromkeys(labels)),
        table=tuple(table),
        note=one_line(f"By {judge} on {criterion}; 1 is always {system}, 0.5 is even, 0 is always {versus}."),
    )


def _words(metric: Metric) -> str:
    if metric.name == _WHOLE:
        return "all histories"
    if metric.name == _BY_DEPTH:
        return f"level {metric.group['depth']}"
    holds = metric.group["holds"]
    return _HELD.get(holds, f"only {holds} has replied")
