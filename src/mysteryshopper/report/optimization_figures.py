"""What a prompt optimisation plots: pairs won and lost by round, and each round's pairs in shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mysteryshopper.core import Store
from mysteryshopper.optimize.story import Round, Story, name_of, read_story
from mysteryshopper.report.numbers import count
from mysteryshopper.report.plots.figure import Figure

_SHARES: Mapping[str, str] = {"won": "good", "tie": "fair", "inconsistent": "mild", "lost": "poor"}
_CURVE: Mapping[str, str] = {"pairs won": "series1", "pairs lost": "series2"}


def optimization_figures(store: Store) -> list[Figure]:
    """Return the plots of an optimisation, in the order of its rounds; none where no round was judged."""
    story = read_story(store)
    judged = [] if story is None else [one for one in story.rounds if one.tally is not None and one.tally.n]
    if story is None or not judged:
        return []
    return ([_curve(story, judged)] if len(judged) > 1 else []) + [_shares(story, judged)]


def _curve(story: Story, judged: list[Round]) -> Figure:
    rows: list[Mapping[str, Any]] = []
    for one in judged:
        if one.tally is not None:
            rows.append({"label": "pairs won", "round": one.number, "pairs": one.tally.wins})
            rows.append({"label": "pairs lost", "round": one.number, "pairs": one.tally.losses})
    return Figure(
        "rounds",
        "rounds",
        "Pairs won and lost by round",
        "Pairs that each round's prompt won and lost against the best one before it, as decided; where more were won"
        " than lost, the prompt was kept.",
        tuple(rows),
        tuple(_CURVE),
        _CURVE,
        note=f"Each round is compared with the best prompt before it, so the lines need not rise. {_kept(story)}",
    )


def _shares(story: Story, judged: list[Round]) -> Figure:
    rows: list[Mapping[str, Any]] = []
    table: list[tuple[str, ...]] = [("round", *_SHARES, "pairs")]
    for one in judged:
        if one.tally is None or one.parent is None:
            continue
        label = _label(one, story)
        numbers = (one.tally.wins, one.tally.ties, one.tally.inconsistent, one.tally.losses)
        for place, (name, number) in enumerate(zip(_SHARES, numbers, strict=True)):
            rows.append({"label": label, "series": name, "share": number / one.tally.n, "place": place})
        table.append((label, *map(count, numbers), count(one.tally.n)))
    return Figure(
        "rounds-shares",
        "shares",
        "How each round came out",
        "Shares of pairs that a round's prompt won, tied or lost against the prompt it was written from, or on which"
        " the judge's two orders disagree; the table has the counts.",
        tuple(rows),
        tuple(dict.fromkeys(str(row["label"]) for row in rows)),
        _SHARES,
        tuple(table),
    )


def _label(one: Round, story: Story) -> str:
    mark = " (best)" if one.number == story.best else " (kept)" if one.better else ""
    return f"{name_of(one.number)} against {name_of(one.parent or 0)}{mark}"


def _kept(story: Story) -> str:
    kept = [str(one.number) for one in story.rounds if one.better]
    return f"Kept: round {', '.join(kept)}." if kept else "None was kept."
