"""`import`: dialogues that one already has, judged and reported like any run, and judges held against labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import (
    Address,
    Case,
    ConfigError,
    Dialogue,
    Exhibit,
    Message,
    Metric,
    Node,
    Plan,
    RunContext,
    StopRun,
    Store,
    StoredDialogue,
    Unit,
)
from mysteryshopper.datasets import Dataset, HumanDialogue
from mysteryshopper.protocols.imported_metrics import measure_imported

PERSON = "person"
"""Stands for the system where a person recommended."""


class ImportOptions(BaseModel):
    """Options of `import`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    system: str = Field(
        default="",
        description="Name of the recommender in dialogues that name none; by default a person is taken to have"
        " recommended there.",
    )


class Import:
    """Takes dialogues that were held elsewhere as they are; nobody is simulated and nothing is called but judges."""

    options: ClassVar[type[ImportOptions]] = ImportOptions
    needs: ClassVar[tuple[str, ...]] = ("data",)

    def __init__(self, options: ImportOptions) -> None:
        """Make it with its options."""
        self._options = options
        self._dialogues: Mapping[str, HumanDialogue] | None = None

    def units(self, plan: Plan) -> Iterable[Unit]:
        """Every dialogue of the split; dialogues of one person are a cluster.

        Raises:
            ConfigError: The data has no dialogues, or the experiment names systems, which nothing would talk to.
        """
        if plan.systems:
            raise ConfigError("the protocol 'import' talks to no system; remove them.", key="systems")
        for name, dialogue in self._load(plan).items():
            yield Unit(id=name, system=self._system(dialogue), cluster=dialogue.user)

    async def run(self, unit: Unit, context: RunContext) -> None:
        """Keep one dialogue as it is."""
        if unit.repeat:
            raise StopRun("a dialogue that was held already can't be repeated: remove `repeats:`.")
        context.save(as_dialogue(unit, self._load(context.plan)[unit.id]))

    def cases(self, store: Store) -> Iterator[Case]:
        """Every dialogue by itself. What people said of it stays out: a case holds no label."""
        language = _dataset(store.plan).language
        for stored in store.dialogues():
            yield imported_case(stored, language)

    def measure(self, store: Store) -> Iterable[Metric]:
        """Counts and lengths, people's labels, what judges said, and how far the two agree."""
        dataset = _dataset(store.plan)
        return measure_imported(store, _published(store.plan), dataset.language, dataset.label_scales)

    def calls(self, unit: Unit, plan: Plan) -> Mapping[str, tuple[int, int, int]]:
        """One case for every judge."""
        return {"judge": (1, 1, 1)} if plan.judges else {}

    def _system(self, dialogue: HumanDialogue) -> str:
        return dialogue.system or self._options.system or PERSON

    def _load(self, plan: Plan) -> Mapping[str, HumanDialogue]:
        if self._dialogues is None:
            self._dialogues = {dialogue.id: dialogue for dialogue in _dataset(plan).dialogues()}
        return self._dialogues


def as_dialogue(unit: Unit, human: HumanDialogue) -> Dialogue:
    """Return the stored form of a dialogue: a turn for every run of one side, its messages as they were.

    Labels lie in `data`: those of the dialogue under `labels`, those of turns under `turn_labels` by node (where
    several messages of a turn have one, their mean). What each person said, where known, is under `votes` and
    `turn_votes` (where several messages of a turn have some, those of the last).
    """
    nodes: list[Node] = []
    turn_labels: dict[str, dict[str, float]] = {}
    turn_votes: dict[str, Mapping[str, tuple[float, ...]]] = {}
    counts = {"user": 0, "system": 0}
    numbered = enumerate(human.messages)
    for side, group in groupby(numbered, key=lambda pair: pair[1].side):
        run = list(group)
        instructions = all(message.role == "system" for _, message in run)
        counts[side] += not instructions
        name = f"{nodes[-1].id}.0" if nodes else "0"
        messages = tuple(_by_system(message, unit.system) for _, message in run)
        nodes.append(Node(name, nodes[-1].id if nodes else None, side, 0 if instructions else counts[side], messages))
        marks = [human.message_labels[place] for place, _ in run] if human.message_labels else []
        if any(marks):
            turn_labels[name] = _means(marks)
        for place, _ in run if human.message_votes else ():
            if human.message_votes[place]:
                turn_votes[name] = human.message_votes[place]
    data: dict[str, Any] = {"labels": dict(human.labels), "turn_labels": turn_labels, "part": human.part}
    data |= {"votes": _lists(human.votes), "turn_votes": {name: _lists(given) for name, given in turn_votes.items()}}
    return Dialogue(
        id=unit.key,
        profile=human.user,
        nodes=tuple(nodes),
        ended=human.ended or "unknown",
        root=unit.cluster or unit.id,
        data={key: value for key, value in data.items() if value},
    )


def imported_case(stored: StoredDialogue, language: str) -> Case:
    """Return what judges see of a stored dialogue: its words alone, instructions and labels left out."""
    unit, dialogue = stored.unit, stored.dialogue
    messages = tuple(message for node in dialogue.nodes for message in node.messages if message.role != "system")
    return Case(
        f"one|{unit.key}",
        unit.key,
        (Exhibit("A", dialogue.id, dialogue.nodes[-1].id, messages),),
        (),
        data={"user": unit.user, "systems": [unit.system], "cluster": dialogue.root, "language": language},
        address=Address(unit=unit.id, role="judge"),
    )


def _by_system(message: Message, system: str) -> Message:
    """Return a recommender's message as a system's, where one recommended."""
    if message.role != "assistant" or system == PERSON or message.author == "system":
        return message
    return Message(message.role, message.text, message.items, message.entities, "system")


def _means(marks: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for mark in marks for name in mark)
    given = {name: [mark[name] for mark in marks if name in mark] for name in names}
    return {name: sum(values) / len(values) for name, values in given.items()}


def _lists(votes: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    return {label: list(given) for label, given in votes.items()}


def _dataset(plan: Plan) -> Dataset:
    dataset: Dataset = plan.dataset()
    return dataset


def _published(plan: Plan) -> Mapping[tuple[str, str, str, str], float]:
    """Return published correlations by judge, label, part and statistic."""
    found = _dataset(plan).published()
    return {(one.judge, one.label, one.part, one.statistic): one.value for one in found}
