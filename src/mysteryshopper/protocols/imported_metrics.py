"""What the `import` protocol measures: what was imported, people's labels, judges' scores, and how far these agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from mysteryshopper.core import Dialogue, Estimate, Metric, Store
from mysteryshopper.judges.tallies import measure_verdicts
from mysteryshopper.metrics import mean, proportion
from mysteryshopper.metrics import words as split_words
from mysteryshopper.protocols.imported_agreement import measure_agreement
from mysteryshopper.protocols.imported_validity import Labelled, judged_values, measure_validity
from mysteryshopper.protocols.role_rates import IMPORTED, RoleRates

_DEFINITIONS: Mapping[str, str] = {
    "dialogues": "Number of dialogues imported.",
    "turns": "Mean number of turns of a dialogue, both sides; neighbouring messages of one side are one turn.",
    "user_words": "Mean number of words of a user turn.",
    "system_words": "Mean number of words of a system turn.",
    "ended": "Share of dialogues that ended so, as the data says it; `unknown` where it does not.",
    "label": "Mean of what people said of the dialogue as a whole.",
    "turn_label": "Mean of what people said of a system turn.",
}


@dataclass
class _System:
    """What is kept of the dialogues with one system."""

    clusters: list[str] = field(default_factory=list)
    turns: list[float] = field(default_factory=list)
    words: dict[str, list[tuple[float, str]]] = field(default_factory=lambda: defaultdict(list))
    labels: dict[str, list[tuple[float, str]]] = field(default_factory=lambda: defaultdict(list))
    turn_labels: dict[str, list[tuple[float, str]]] = field(default_factory=lambda: defaultdict(list))
    ends: list[str] = field(default_factory=list)

    def add(self, dialogue: Dialogue) -> None:
        """Count one dialogue in."""
        spoken = [node for node in dialogue.nodes if node.turn > 0]
        self.clusters.append(dialogue.root)
        self.turns.append(float(len(spoken)))
        self.ends.append(dialogue.ended)
        for node in spoken:
            said = sum(len(split_words(message.text)) for message in node.messages)
            self.words[node.side].append((float(said), dialogue.root))
        for name, value in dialogue.data.get("labels", {}).items():
            self.labels[name].append((float(value), dialogue.root))
        for marks in dialogue.data.get("turn_labels", {}).values():
            for name, value in marks.items():
                self.turn_labels[name].append((float(value), dialogue.root))


def measure_imported(
    store: Store,
    published: Mapping[tuple[str, str, str, str], float],
    language: str = "en",
    scales: Mapping[str, tuple[float, float]] | None = None,
) -> Iterator[Metric]:
    """Yield the metrics: labels, judged scores, judge validity; how many dialogues, how long, how they ended.

    How far the user side kept its role is told as well: of people it is a false alarm, or a change of sides.

    Args:
        store: The run.
        published: Published judges' correlations with the labels, by judge, label, part and statistic.
        language: The language of the dialogues.
        scales: Lowest and highest value of labels, where they are known.
    """
    systems: dict[str, _System] = defaultdict(_System)
    labelled: dict[str, Labelled] = {}
    rates = RoleRates("off")
    for stored in store.dialogues():
        dialogue = stored.dialogue
        systems[stored.unit.system].add(dialogue)
        labelled[dialogue.id] = Labelled.of(dialogue)
        rates.add(stored.unit.user or IMPORTED, dialogue, language)
    yield from _tables(("label",), systems)
    yield from measure_verdicts(store)
    judged = judged_values(store)
    yield from measure_validity(judged, labelled, published)
    yield from measure_agreement(judged, labelled, scales or {})
    yield from _tables(("turn_label", "ended", "dialogues", "turns", "user_words", "system_words"), systems)
    yield from rates.metrics()


def _tables(names: Iterable[str], systems: Mapping[str, _System]) -> Iterator[Metric]:
    for name in names:
        for system in sorted(systems):
            yield from _rows(name, system, systems[system])


def _rows(name: str, system: str, found: _System) -> Iterator[Metric]:
    group = {"system": system}
    text = _DEFINITIONS[name]
    if name == "dialogues":
        count = len(found.turns)
        yield Metric(name, group, Estimate(float(count), n=count, method="count"), text)
    elif name == "turns":
        yield Metric(name, group, mean(found.turns, found.clusters), text)
    elif name == "ended":
        for end in sorted(set(found.ends)):
            share = proportion([float(one == end) for one in found.ends], found.clusters)
            yield Metric(name, {**group, "ended": end}, share, text)
    elif name in ("user_words", "system_words"):
        pairs = found.words.get(name.partition("_")[0], [])
        yield Metric(name, group, _mean(pairs), text)
    else:
        for label, pairs in sorted((found.labels if name == "label" else found.turn_labels).items()):
            yield Metric(name, {**group, "label": label}, _mean(pairs), text)


def _mean(pairs: list[tuple[float, str]]) -> Estimate:
    return mean([value for value, _ in pairs], [cluster for _, cluster in pairs])
