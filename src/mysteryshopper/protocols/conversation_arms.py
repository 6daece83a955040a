"""What is kept of many conversations while they stream by: a few numbers each, in compact arrays."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import isnan, nan
from sys import intern

from mysteryshopper.core import Dialogue, Fault, Node
from mysteryshopper.dialogue import DETECTORS
from mysteryshopper.metrics import words
from mysteryshopper.protocols.conversation_scores import BETTER, blamed, values_of

_FAULTS: tuple[Fault, ...] = ("none", "user", "system", "judge", "infra")
_STYLES = ("conciseness", "carelessness")


class Numbers:
    """Numbers, some of which may be missing, eight bytes each."""

    def __init__(self) -> None:
        """Make it empty."""
        self._held = array("d")

    def add(self, value: float | None) -> None:
        """Add one."""
        self._held.append(nan if value is None else value)

    def __len__(self) -> int:
        """How many there are, missing ones included."""
        return len(self._held)

    def list(self) -> list[float | None]:
        """Return them as a list with None for what is missing."""
        return [None if isnan(value) else value for value in self._held]


class Names:
    """Numbers for names, given as they come: what clusters are called takes memory only once."""

    def __init__(self) -> None:
        """Make it empty."""
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        """Return the number of a name."""
        return self._numbers.setdefault(name, len(self._numbers))


@dataclass
class Turns:
    """Numbers of turns, with the cluster of each."""

    values: Numbers = field(default_factory=Numbers)
    clusters: array[int] = field(default_factory=lambda: array("q"))

    def add(self, value: float | None, cluster: int) -> None:
        """Add one turn."""
        self.values.add(value)
        self.clusters.append(cluster)


@dataclass
class Arm:
    """What is kept of the dialogues of one user with one system.

    Attributes:
        scores: The values of every score, one a dialogue; see `conversation_scores`.
        user_turns: Number of user turns; missing where there was a fault.
        ended: How many dialogues ended in each way.
        style: For each style (`conciseness short`), and for people who hold a requirement back and who don't
            (`requirements told`), the places of the dialogues of such people.
        latency: Milliseconds of system turns.
        words: Words of system turns.
        unread: 1 where the rating asked for could not be read, 0 where it could; missing where none was asked for.
        goals: How many dialogues had something to be found.
    """

    scores: dict[str, Numbers] = field(default_factory=lambda: {name: Numbers() for name in BETTER})
    user_turns: Numbers = field(default_factory=Numbers)
    ended: list[str] = field(default_factory=list)
    style: dict[str, array[int]] = field(default_factory=dict)
    latency: Turns = field(default_factory=Turns)
    words: Turns = field(default_factory=Turns)
    unread: Numbers = field(default_factory=Numbers)
    goals: int = 0
    clusters: array[int] = field(default_factory=lambda: array("q"))
    _faults: bytearray = field(default_factory=bytearray)
    _blamed: bytearray = field(default_factory=bytearray)

    def add(self, dialogue: Dialogue, cluster: int) -> None:
        """Count one dialogue in."""
        place = len(self.clusters)
        self.clusters.append(cluster)
        self._faults.append(_FAULTS.index(dialogue.fault))
        self._blamed.append(_FAULTS.index(blamed(dialogue)))
        self.ended.append(intern(dialogue.ended))
        self.goals += bool(dialogue.data.get("goal"))
        for name, value in values_of(dialogue).items():
            self.scores[name].add(value)
        sound = dialogue.fault == "none"
        spoken = sum(node.side == "user" and node.turn > 0 for node in dialogue.nodes)
        self.user_turns.add(float(spoken) if sound else None)
        rating = dialogue.data.get("rating")
        self.unread.add(None if rating is None else float(rating["value"] is None))
        style = dialogue.data.get("style") or {}
        for name in _STYLES:
            if name in style:
                self.style.setdefault(f"{name} {style[name]}", array("q")).append(place)
        if required := dialogue.data.get("constraints"):
            told = set(required).isdisjoint(dialogue.data.get("hidden", ()))
            self.style.setdefault(f"requirements {'told' if told else 'held back'}", array("q")).append(place)
        for node in dialogue.nodes:
            if node.side == "system" and node.turn > 0:
                self.latency.add(node.ms, cluster)
                self.words.add(float(sum(len(words(message.text)) for message in node.messages)), cluster)

    @property
    def faults(self) -> list[Fault]:
        """Whose fault it was, one a dialogue."""
        return [_FAULTS[code] for code in self._faults]

    @property
    def blamed(self) -> list[Fault]:
        """The same for scores that need a goal."""
        return [_FAULTS[code] for code in self._blamed]


@dataclass
class Roles:
    """How often one user fell out of its role: for each detector, the turns in which it fired first."""

    fired: dict[str, set[int]] = field(default_factory=dict)
    clusters: array[int] = field(default_factory=lambda: array("q"))

    def add(self, node: Node, cluster: int) -> None:
        """Count one user turn in."""
        place = len(self.clusters)
        self.clusters.append(cluster)
        found = [name for name in node.flags if name in DETECTORS]
        for name in (*found, "any") if found else ():
            self.fired.setdefault(name, set()).add(place)

    def shares(self) -> Iterator[tuple[str, list[float]]]:
        """Yield for `any`, and for each detector that fired at all, whether it did, turn by turn."""
        for name in ("any", *(name for name in DETECTORS if name in self.fired)):
            places = self.fired.get(name, set())
            yield name, [float(place in places) for place in range(len(self.clusters))]


def kinds_of(arm: Arm) -> Mapping[str, array[int]]:
    """Return the places of the dialogues by style, sorted; only styles that vary among the people of this arm."""
    several = {name.split(" ", 1)[0] for name in arm.style}
    varied = {kind for kind in several if sum(name.startswith(f"{kind} ") for name in arm.style) > 1}
    return {name: arm.style[name] for name in sorted(arm.style) if name.split(" ", 1)[0] in varied}
