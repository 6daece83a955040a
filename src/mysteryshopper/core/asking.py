"""Questions outside a dialogue, options to choose from, tasks for agents, and what is judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mysteryshopper.core.chat import Address
from mysteryshopper.core.talk import Message, Profile
from mysteryshopper.core.values import Json, JsonObject

Status = Literal["ok", "repaired", "ambiguous", "refused", "empty", "truncated", "invalid", "unsupported"]
"""How a model's reply could be read. Only `ok` and `repaired` carry a value."""

QuestionKind = Literal["text", "yes_no", "choice", "score", "titles", "ranking", "review"]


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a simulated user or a plain model.

    Attributes:
        id: Unique in the unit.
        kind: What sort of answer is wanted.
        text: The question in words.
        options: For `choice` and `ranking`: what to choose from or to rank.
        limit: For `titles`: how many; for `text` and `review`: how many characters are wanted.
        low: For `score`: the lowest value.
        high: For `score`: the highest value.
        persona: Who answers; None asks the model as it is.
        exclude: For `titles`: titles given in the question, which don't count as an answer.
        address: Where in the run.
    """

    id: str
    kind: QuestionKind
    text: str
    options: tuple[str, ...] = ()
    limit: int | None = None
    low: float = 1
    high: float = 5
    persona: Profile | None = None
    exclude: tuple[str, ...] = ()
    address: Address = Address()


@dataclass(frozen=True, slots=True)
class Answer:
    """A value with the status of its reading; `value` is None unless it could be read."""

    value: Json
    status: Status
    raw: str | None = None
    notes: Mapping[str, int] = field(default_factory=dict)
    prompt: str = ""
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """Something a system can choose to do next, e.g. ask for an attribute, or recommend."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The option chosen; `option` is None when the reply could not be read as one."""

    option: str | None
    status: Status = "ok"
    raw: str | None = None
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """A task for an agent: what to do, and what it may know."""

    id: str
    text: str
    data: JsonObject = field(default_factory=dict)
    address: Address = Address()


@dataclass(frozen=True, slots=True)
class Criterion:
    """One thing a judge answers.

    Attributes:
        name: Key of the verdict.
        text: The question to the judge, in sentences.
        labels: For a label: the labels allowed. Empty for a score.
        low: Lowest score.
        high: Highest score.
        better: Whether a higher or a lower score serves people better; None where neither does.
    """

    name: str
    text: str
    labels: tuple[str, ...] = ()
    low: float = 1
    high: float = 5
    better: Literal["higher", "lower"] | None = "higher"


@dataclass(frozen=True, slots=True)
class Exhibit:
    """What a judge is shown of one dialogue: some of its messages, stripped and labelled."""

    label: str
    dialogue: str
    node: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One or two dialogues or replies to be judged on some criteria.

    Attributes:
        id: Unique in the run.
        unit: Key of the unit it belongs to.
        exhibits: One (graded) or two (a pair), in the protocol's order.
        criteria: What is asked of the judge; where the protocol leaves it empty, the judge's own are filled in.
        context: What both exhibits share and the judge may see (the history before, the person's wish).
        data: What rules need beside the words (constraints, catalogue ids).
        control: `same` (both exhibits are by one system, or one dialogue) or `worse` (the last exhibit is a planted
            worse one); empty for a case that counts.
        address: Where in the run the judge's calls lie.
    """

    id: str
    unit: str
    exhibits: tuple[Exhibit, ...]
    criteria: tuple[Criterion, ...]
    context: tuple[Message, ...] = ()
    data: JsonObject = field(default_factory=dict)
    control: Literal["", "same", "worse"] = ""
    address: Address = Address()


@dataclass(frozen=True, slots=True)
class Ruling:
    """One criterion's answer in one order of showing: a row of the `verdicts` table."""

    criterion: str
    value: Json
    status: Status
    order: str = "AB"
    raw: str | None = None
    notes: JsonObject = field(default_factory=dict)
    node: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """All that one judge said of one case."""

    case: str
    rulings: tuple[Ruling, ...]
    prompt: str = ""
    calls: tuple[str, ...] = ()
