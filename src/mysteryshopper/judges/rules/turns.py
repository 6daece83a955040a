"""A dialogue as the rules judge reads it: turns of the two sides, their nodes, and the items in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mysteryshopper.core import Case, Exhibit, Message, Side
from mysteryshopper.judges.rules.facts import LIST_LINE, Facts, Named
from mysteryshopper.judges.rules.speech import Heard, Speech, hear, sentences, stammers

MOST_CHARACTERS = 8_000
"""Characters of one turn that are read; what is longer is beyond any band of lengths anyway."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of one side.

    Attributes:
        side: Who spoke.
        node: Path of its node; empty where it can't be told, or lies before what is judged.
        number: Its number among the turns of its side in the exhibit, from 1; 0 before what is judged.
        heard: What was said, all messages together.
        named: Items that its messages carry; where they carry none, those that its words name.
        linked: Whether its messages carry items of their own.
        listed: Lines of a list.
        asks_back: The system asks what is wanted.
        takes_leave: The system says goodbye.
        broken: Its words are no sentence: a word repeated on the spot, or a subject left out.
    """

    side: Side
    node: str
    number: int
    heard: Heard
    named: tuple[Named, ...] = ()
    linked: bool = False
    listed: int = 0
    asks_back: bool = False
    takes_leave: bool = False
    broken: bool = False

    @property
    def judged(self) -> bool:
        """Whether it belongs to what is judged, not to what was said before."""
        return self.number > 0

    def where(self, what: str) -> dict[str, str | int]:
        """Return a piece of evidence."""
        return {"node": self.node, "turn": self.number, "side": self.side, "what": what}


def read_turns(case: Case, facts: Facts, speech: Speech) -> tuple[Turn, ...]:
    """Return the turns of a case with one exhibit; neighbouring messages of one side are one turn."""
    exhibit = case.exhibits[0]
    before, said = _runs(case.context), _runs(exhibit.messages)
    nodes = _nodes(exhibit, said)
    counts: dict[Side, int] = {"user": 0, "system": 0}
    turns = [_turn(run, "", 0, facts, speech) for run in before]
    for run, node in zip(said, nodes, strict=True):
        counts[run[0].side] += 1
        turns.append(_turn(run, node, counts[run[0].side], facts, speech))
    return tuple(turns)


def _turn(run: Sequence[Message], node: str, number: int, facts: Facts, speech: Speech) -> Turn:
    text = "\n".join(message.text for message in run)[:MOST_CHARACTERS]
    heard = hear(text)
    linked = [facts.of(item) for message in run for item in message.items]
    named = _placed(linked, text) if linked else facts.named(text)
    if run[0].side == "user":
        return Turn("user", node, number, heard, tuple(named), bool(linked))
    parts = sentences(text)
    return Turn(
        "system",
        node,
        number,
        heard,
        tuple(named),
        bool(linked),
        listed=len(LIST_LINE.findall(text)),
        asks_back=heard.asks and bool(speech.asks_back.find(heard)),
        takes_leave=bool(speech.goodbyes.find(heard)) and not linked and not heard.asks,
        broken=not (heard.words or linked) or stammers(text) or any(speech.headless.match(part) for part in parts),
    )


def _placed(linked: Sequence[Named], text: str) -> list[Named]:
    """Return items that messages carry, each with the place of its title in their words, if it stands there."""
    folded = text.casefold()
    return [replace(name, start=folded.find(name.title.casefold())) for name in linked]


def _runs(messages: Sequence[Message]) -> list[list[Message]]:
    """Return the messages of the two sides in runs of one side; instructions and tools are nobody's words."""
    runs: list[list[Message]] = []
    for message in messages:
        if message.role not in ("user", "assistant"):
            continue
        if runs and runs[-1][0].side == message.side:
            runs[-1].append(message)
        else:
            runs.append([message])
    return runs


def _nodes(exhibit: Exhibit, runs: Sequence[Sequence[Message]]) -> list[str]:
    """Return the node of each run: of a path, the last run is its last node, and so on back to the root."""
    if not exhibit.node:
        return [""] * len(runs)
    steps = exhibit.node.split(".")
    return [".".join(steps[: max(1, len(steps) - back)]) for back in range(len(runs) - 1, -1, -1)]
