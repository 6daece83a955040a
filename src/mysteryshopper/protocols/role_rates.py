"""How often simulated users do the recommender's work, and how often they ask the same again: the same in every report.

Both are rates of first attempts, by turn and by dialogue, whatever the guard did about them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mysteryshopper.core import Dialogue, Estimate, Message, Metric, Node
from mysteryshopper.dialogue import DETECTORS, FLAG_ONLY, Utterance, measured
from mysteryshopper.dialogue.detectors import Questions, asked_before, questions
from mysteryshopper.metrics import proportion
from mysteryshopper.protocols.conversation_arms import Names

Guard = Literal["off", "flag", "reask"]

IMPORTED = "imported"
"""Stands for the user where dialogues were held elsewhere."""

_LANGUAGE = "en"
_UNKNOWN = "the detectors know English only, and no dialogue is in English"
_COUNTED = {
    "role_reversal_rate": "role_reversal",
    "repeated_question_rate": "repeated_question",
}
_WHAT = {
    "role_reversal_rate": "did the recommender's work (served, offered, listed items, asked for tastes)",
    "repeated_question_rate": "said an earlier turn over again, or asked a question that they had asked before",
}
_PLANTED = {
    "role_reversal_rate": "planted faults",
    "repeated_question_rate": "planted repetitions of a whole turn",
}
_UNSEEN = {
    "role_reversal_rate": "",
    "repeated_question_rate": " What is asked again in other words is not seen: it is a lower bound.",
}
_PER = {
    "turn": "Share of user turns in which the user {what}",
    "dialogue": "Share of dialogues with at least one user turn in which the user {what}",
}

ROLE_RATES: tuple[str, ...] = tuple(_COUNTED)
"""The names of the rates."""


@dataclass
class _Seen:
    """What was seen of one user's turns, or dialogues: whether each holds either fault, and its cluster."""

    clusters: array[int] = field(default_factory=lambda: array("q"))
    faults: dict[str, bytearray] = field(default_factory=lambda: {name: bytearray() for name in _COUNTED})

    def add(self, found: Mapping[str, bool], cluster: int) -> None:
        """Count one in."""
        self.clusters.append(cluster)
        for name, held in self.faults.items():
            held.append(found[name])


@dataclass(frozen=True, slots=True)
class _Said:
    """What stands before a turn: the questions that the user asked, and where texts are looked at all messages."""

    asked: Questions = ()
    messages: tuple[Message, ...] = ()


_NOTHING = _Said()


class RoleRates:
    """Counts faulty turns while dialogues stream by; holds a few bytes a turn."""

    def __init__(self, guard: Guard = "reask", *, skip: Callable[[Node], bool] = lambda node: False) -> None:
        """Make it.

        Args:
            guard: What the protocol's guard did. Flags are read from the nodes; with `off`, as for dialogues from
                elsewhere, there are none, and the turns' texts are looked at instead.
            skip: Turns that are not the user's own words.
        """
        self._guard = guard
        self._skip = skip
        self._turns: dict[str, _Seen] = {}
        self._dialogues: dict[str, _Seen] = {}
        self._names = Names()

    def add(self, user: str, dialogue: Dialogue, language: str = _LANGUAGE) -> None:
        """Count the turns of one user in a dialogue, or in a tree of them; what people said before is none of it.

        Args:
            user: Name of the user block.
            dialogue: The dialogue, with its nodes; its root is the cluster.
            language: The language it is in, where the dialogue does not say; only English is counted.
        """
        turns = self._turns.setdefault(user, _Seen())
        dialogues = self._dialogues.setdefault(user, _Seen())
        found = list(self._turn_by_turn(dialogue, language))
        if not found:
            return
        cluster = self._names.number(dialogue.root)
        for one in found:
            turns.add(one, cluster)
        dialogues.add(_any_of(found), cluster)

    def in_dialogue(self, dialogue: Dialogue, language: str = _LANGUAGE) -> Mapping[str, bool] | None:
        """Return, by the name of the rate, whether a dialogue holds such a turn; it is not counted in.

        Returns:
            None where it is in another language, or the user said nothing.
        """
        found = list(self._turn_by_turn(dialogue, language))
        return _any_of(found) if found else None

    def _turn_by_turn(self, dialogue: Dialogue, language: str) -> Iterator[Mapping[str, bool]]:
        """Yield the faults of each turn that is counted."""
        if not str(dialogue.data.get("language") or language).casefold().startswith(_LANGUAGE):
            return
        said: dict[str, _Said] = {}
        for node in dialogue.nodes:
            before = said.get(node.parent or "", _NOTHING)
            own = node.side == "user" and node.turn > 0
            text = "\n".join(message.text for message in node.messages) if own else ""
            asked = questions(text)
            kept = before.messages + node.messages if self._guard == "off" and node.turn > 0 else ()
            said[node.id] = _Said(before.asked + asked, kept)
            if not own or not (node.messages or node.flags) or self._skip(node):
                continue
            yield self._found(node, text, asked, before)

    def metrics(self) -> Iterator[Metric]:
        """Yield both rates of every user, by turn and by dialogue, with intervals clustered by root (the person)."""
        for name, detector in _COUNTED.items():
            for per, held in (("turn", self._turns), ("dialogue", self._dialogues)):
                for user, seen in held.items():
                    rate = proportion(list(map(float, seen.faults[name])), seen.clusters)
                    if not seen.clusters:
                        rate = Estimate(None, clusters=0, reason=_UNKNOWN)
                    yield Metric(
                        name, {"user": user, "per": per}, rate, _definition(name, per, detector), better="lower"
                    )

    def _found(self, node: Node, text: str, asked: Questions, before: _Said) -> dict[str, bool]:
        """Return which faults a turn holds in its first attempt."""
        flags = set(node.flags)
        if self._guard == "off":
            utterance = Utterance(text, before.messages)
            flags |= {name for name in ("role_reversal", "repeated_turn") if DETECTORS[name](utterance) is not None}
        again = "repeated_turn" in flags
        if not again and not (self._guard == "reask" and flags & _ASKED_AGAIN):
            again = asked_before(asked, before.asked) is not None
        return {"role_reversal_rate": "role_reversal" in flags, "repeated_question_rate": again}


_ASKED_AGAIN = frozenset({"empty", *DETECTORS}) - FLAG_ONLY
"""Flags for which a turn was asked for once more, so that its text is another than the one they are about."""


def _any_of(turns: Sequence[Mapping[str, bool]]) -> dict[str, bool]:
    return {name: any(turn[name] for turn in turns) for name in _COUNTED}


def _definition(name: str, per: str, detector: str) -> str:
    row = measured(detector)
    false, caught = row.false / row.human, row.caught / row.planted
    return (
        f"{_PER[per].format(what=_WHAT[name])}; first attempts, English only, over all that the users said, faulty"
        f" dialogues included. n is the number of {per}s, people (roots) are the clusters. The detector fired on"
        f" {row.false} of {row.human:,} turns that people wrote ({false:.2%}) and found {row.caught} of {row.planted}"
        f" {_PLANTED[name]} ({caught:.0%}): a rate by turn that is no higher than its false alarms shows nothing."
        f"{_UNSEEN[name]}"
    )
