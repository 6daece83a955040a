"""People's votes on imported dialogues: how far people agree with each other, and judges with them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from mysteryshopper.core import Json, Metric
from mysteryshopper.judges.people import Voted, measure_people
from mysteryshopper.protocols.imported_validity import Judged, Labelled

_OVERALL = "overall"
_PEOPLE = "people"
_Thing = tuple[str, str]  # dialogue, node

_STRETCHED = (
    " The judge's scale ({low:g} to {high:g}) is stretched to people's ({least:g} to {most:g}), and its values are"
    " rounded there."
)


def measure_agreement(
    judged: Judged, labelled: Mapping[str, Labelled], scales: Mapping[str, tuple[float, float]]
) -> Iterator[Metric]:
    """Yield how far people agree, where each one's vote is known, and how far judges say what people say.

    Of a judge it is told for the criterion of the label's name, for `overall`, and for criteria of turns. Where only
    one label is known of several people's votes (their mean, or what their majority said), it stands for the majority;
    how far people agree with each other can't be told then.

    Args:
        judged: What judges gave.
        labelled: What people said, by dialogue.
        scales: Lowest and highest value of the labels that numbers can be told for.
    """
    for level in ("dialogue", "turn"):
        for label, (low, high) in scales.items():
            votes, clusters, alone = _votes(labelled, level, label)
            if not votes:
                continue
            group = {"label": label, "level": level}
            things = [Voted(clusters[thing], given) for thing, given in votes.items()]
            if not alone:
                yield from measure_people(things, "score", group, named=False, judges=False)
            for judge, criterion in _askable(judged, level, label):
                scale = judged.scales[judge, criterion]
                given = _given(judged, judge, criterion, level)
                rows = [
                    Voted(clusters[thing], said, _stretched(judge, given.get(thing), scale, (low, high)))
                    for thing, said in votes.items()
                ]
                more = _STRETCHED.format(low=scale[0], high=scale[1], least=low, most=high)
                for metric in measure_people(rows, "score", {**group, "criterion": criterion}, named=False):
                    if metric.name.startswith("judge_"):
                        yield Metric(
                            metric.name,
                            metric.group,
                            metric.estimate,
                            metric.definition + ("" if scale == (low, high) else more),
                            metric.control,
                            metric.better,
                        )


def _votes(
    labelled: Mapping[str, Labelled], level: str, label: str
) -> tuple[dict[_Thing, dict[str, Json]], dict[_Thing, str], bool]:
    """Return people's votes on everything of a level, its cluster, and whether only one label is known of each."""
    votes: dict[_Thing, dict[str, Json]] = {}
    single: dict[_Thing, dict[str, Json]] = {}
    clusters: dict[_Thing, str] = {}
    for dialogue, human in labelled.items():
        whole = level == "dialogue"
        told = {"": human.votes} if whole else human.turn_votes
        means = {"": human.labels} if whole else human.turn_labels
        for node in {**means, **told}:
            thing = (dialogue, node)
            clusters[thing] = human.cluster
            given: Sequence[float] = told.get(node, {}).get(label, ())
            if given:
                votes[thing] = {str(place): value for place, value in enumerate(given, 1)}
            elif label in means.get(node, {}):
                single[thing] = {_PEOPLE: means[node][label]}
    return (votes, clusters, False) if votes else (single, clusters, True)


def _askable(judged: Judged, level: str, label: str) -> list[tuple[str, str]]:
    """Return the judges and criteria whose values mean what the label means."""
    return [
        key
        for key in judged.scales
        if (key in judged.by_turn) == (level == "turn") and (level == "turn" or key[1] in (_OVERALL, label))
    ]


def _given(judged: Judged, judge: str, criterion: str, level: str) -> dict[_Thing, float]:
    found: dict[_Thing, list[float]] = defaultdict(list)
    for (name, asked, dialogue, node), values in judged.values.items():
        if (name, asked) == (judge, criterion):
            found[dialogue, node if level == "turn" else ""].extend(values)
    return {thing: sum(values) / len(values) for thing, values in found.items()}


def _stretched(judge: str, value: float | None, scale: tuple[float, float], to: tuple[float, float]) -> dict[str, Json]:
    """Return a judge's value on people's scale, by its name; empty where it has none."""
    if value is None or scale[0] == scale[1]:
        return {}
    return {judge: to[0] + (value - scale[0]) / (scale[1] - scale[0]) * (to[1] - to[0])}
