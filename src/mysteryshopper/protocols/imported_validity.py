"""Judge validity: how far a judge's values go with what people said of the same dialogues and turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mysteryshopper.core import Dialogue, Estimate, Metric, Store
from mysteryshopper.protocols.imported_correlations import STATISTICS, correlate

PUBLISHED = "published"
"""In a group: where the figure is from, if it is not of this run."""

_Rows = list[tuple[str, str, float, float]]  # part, cluster, judge's value, label

_DEFINITIONS: Mapping[str, str] = {
    "judge_pearson": "Pearson correlation of a judge's values with people's labels, over dialogues (or turns) that have"
    " both; intervals allow for several dialogues of one person.",
    "judge_spearman": "Spearman rank correlation of a judge's values with people's labels, over dialogues (or turns)"
    " that have both; intervals allow for several dialogues of one person.",
    "judge_kendall": "Kendall's tau-b of a judge's values with people's labels, over dialogues (or turns) that have"
    " both; no interval where a person has several dialogues.",
}
_OF_OTHERS = "As its authors publish it for these dialogues, without an interval; not computed here."


@dataclass(frozen=True, slots=True)
class Labelled:
    """What people said of one dialogue and its turns, and the person and part it belongs to."""

    cluster: str
    part: str
    labels: Mapping[str, float] = field(default_factory=dict)
    turn_labels: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    votes: Mapping[str, Sequence[float]] = field(default_factory=dict)
    turn_votes: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)

    @classmethod
    def of(cls, dialogue: Dialogue) -> Labelled:
        """Return what a stored dialogue keeps of it."""
        data = dialogue.data
        kept = (data.get(name, {}) for name in ("labels", "turn_labels", "votes", "turn_votes"))
        return cls(dialogue.root, data.get("part", ""), *kept)


@dataclass
class Judged:
    """What judges gave dialogues and turns, in numbers.

    Attributes:
        values: By judge, criterion, dialogue and node (empty for the dialogue), one value a repeat.
        by_turn: Judges and criteria that rule on several turns of a dialogue.
        scales: Lowest and highest value by judge and criterion.
    """

    values: dict[tuple[str, str, str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    by_turn: set[tuple[str, str]] = field(default_factory=set)
    scales: dict[tuple[str, str], tuple[float, float]] = field(default_factory=dict)


def judged_values(store: Store) -> Judged:
    """Return what judges gave single dialogues and their turns; controls and what is no number are left out."""
    found = Judged()
    for verdict in store.verdicts(messages=False):
        case = verdict.case
        if len(case.exhibits) != 1 or case.control:
            continue
        dialogue = case.exhibits[0].dialogue
        count: dict[str, set[str]] = defaultdict(set)
        for ruling in verdict.verdict.rulings:
            if isinstance(ruling.value, int | float) and not isinstance(ruling.value, bool):
                found.values[verdict.judge, ruling.criterion, dialogue, ruling.node].append(float(ruling.value))
                count[ruling.criterion].add(ruling.node)
        found.by_turn |= {(verdict.judge, criterion) for criterion, nodes in count.items() if len(nodes) > 1}
        for criterion in case.criteria:
            found.scales.setdefault((verdict.judge, criterion.name), (criterion.low, criterion.high))
    return found


def measure_validity(
    judged: Judged, labelled: Mapping[str, Labelled], published: Mapping[tuple[str, str, str, str], float]
) -> Iterator[Metric]:
    """Yield the correlation of every judge's criterion with every label, and published judges' beside them.

    A ruling that names a node is set against the labels of that turn where its criterion rules on several turns of a
    dialogue; all others against the labels of the dialogue. Verdicts of several repeats are averaged first. Parts of
    the data are told apart where published figures are, for the criterion that has the label's name, `overall`, and
    criteria of turns.

    Args:
        judged: What judges gave.
        labelled: What people said, by dialogue.
        published: Published correlations by judge, label, part and statistic.
    """
    parts = dict.fromkeys(part for _, _, part, _ in published)
    labels_of_others = {label for _, label, _, _ in published}
    pairs = _pairs(judged, labelled)
    for (judge, criterion, level, label), rows in sorted(pairs.items()):
        group = {"judge": judge, "criterion": criterion, "label": label, "level": level}
        for name in STATISTICS:
            yield _metric(name, {**group, "part": "all"}, rows)
        if label not in labels_of_others or not (level == "turn" or criterion in ("overall", label)):
            continue
        for part in parts:
            for name in ("pearson", "spearman"):
                yield _metric(name, {**group, "part": part}, [row for row in rows if row[0] == part])
    if pairs:
        yield from _of_others(published, {label: level for _, _, level, label in pairs})


def _metric(statistic: str, group: Mapping[str, str], rows: _Rows) -> Metric:
    estimate = correlate(statistic, [row[2] for row in rows], [row[3] for row in rows], [row[1] for row in rows])
    name = f"judge_{statistic}"
    return Metric(name, group, estimate, _DEFINITIONS[name], better="higher")


def _of_others(published: Mapping[tuple[str, str, str, str], float], levels: Mapping[str, str]) -> Iterator[Metric]:
    """Yield published figures for labels that the dialogues at hand have."""
    for (judge, label, part, statistic), value in published.items():
        if label not in levels:
            continue
        group = {"judge": f"{judge} ({PUBLISHED})", "criterion": label, "label": label, "level": levels[label]}
        group["part"] = part
        estimate = Estimate(value, method=PUBLISHED, reason="published without an interval")
        definition = f"{_DEFINITIONS[f'judge_{statistic}']} {_OF_OTHERS}"
        yield Metric(f"judge_{statistic}", group, estimate, definition, control=True, better="higher")


def _pairs(judged: Judged, labelled: Mapping[str, Labelled]) -> Mapping[tuple[str, str, str, str], _Rows]:
    """Return the pairs of a judge's value and a label by judge, criterion, level and label."""
    found: dict[tuple[str, str, str, str], _Rows] = defaultdict(list)
    for (judge, criterion, dialogue, node), given in judged.values.items():
        human = labelled.get(dialogue)
        if human is None:
            continue
        turns = (judge, criterion) in judged.by_turn
        labels = human.turn_labels.get(node, {}) if turns else human.labels
        for label, value in labels.items():
            row = (human.part, human.cluster, _mean(given), float(value))
            found[judge, criterion, "turn" if turns else "dialogue", label].append(row)
    return found


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
