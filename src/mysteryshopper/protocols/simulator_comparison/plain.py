"""What dialogues of simulators tell without a judge: how long they are, how they end, how often the simulator fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from mysteryshopper.core import Dialogue, Estimate, Metric, Plan, StoredDialogue
from mysteryshopper.metrics import mean, proportion, words
from mysteryshopper.protocols.conversation_arms import Names, Numbers, Turns
from mysteryshopper.protocols.simulator_comparison.words import DEFINITIONS


@dataclass
class _Arm:
    """What is kept of one simulator's dialogues with one system."""

    turns: Numbers = field(default_factory=Numbers)
    failed: Numbers = field(default_factory=Numbers)
    ended: list[str] = field(default_factory=list)
    clusters: list[int] = field(default_factory=list)
    words: Turns = field(default_factory=Turns)
    ratings: Turns = field(default_factory=Turns)

    def add(self, dialogue: Dialogue, cluster: int) -> None:
        """Count one dialogue in."""
        own = [node for node in dialogue.nodes if node.side == "user" and node.turn > 0]
        self.turns.add(float(len(own)) if dialogue.fault == "none" else None)
        self.failed.add(float(dialogue.fault == "user"))
        self.ended.append(dialogue.ended)
        self.clusters.append(cluster)
        for node in own:
            self.words.add(float(sum(len(words(message.text)) for message in node.messages)), cluster)
            if (rating := node.turn_data.get("rating")) is not None:
                self.ratings.add(float(rating), cluster)


class Plain:
    """Counts while dialogues stream by."""

    def __init__(self, plan: Plan) -> None:
        """Make it."""
        self._arms = {(user, system): _Arm() for user in plan.users for system in plan.systems}
        self._clusters = Names()

    def add(self, stored: StoredDialogue) -> None:
        """Count one dialogue in."""
        dialogue = stored.dialogue
        self._arms[stored.unit.user, stored.unit.system].add(dialogue, self._clusters.number(dialogue.root))

    def metrics(self) -> Iterator[Metric]:
        """Yield the numbers of every simulator with every system; none of them says which is better."""
        for name in ("user_turns", "user_words", "turn_rating", "failed"):
            for (user, system), arm in self._arms.items():
                if (found := _estimate(name, arm)) is not None:
                    yield Metric(name, {"user": user, "system": system}, found, DEFINITIONS[name])
        for (user, system), arm in self._arms.items():
            for ended, _ in sorted(Counter(arm.ended).items(), key=lambda pair: (-pair[1], pair[0])):
                share = proportion([float(one == ended) for one in arm.ended], arm.clusters)
                yield Metric("ended", {"user": user, "system": system, "ended": ended}, share, DEFINITIONS["ended"])


def _estimate(name: str, arm: _Arm) -> Estimate | None:
    """Return one number; None where there is nothing to tell."""
    if name == "user_turns":
        return mean(arm.turns.list(), arm.clusters)
    if name == "failed":
        return proportion(arm.failed.list(), arm.clusters)
    held = arm.words if name == "user_words" else arm.ratings
    if name == "turn_rating" and not len(held.values):
        return None
    return mean(held.values.list(), held.clusters)
