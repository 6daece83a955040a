"""What the `conversation` protocol measures: how users were served, and how far they stayed in their role."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from mysteryshopper.core import Dialogue, Estimate, Fault, Metric, Node, Store
from mysteryshopper.dialogue import DETECTORS
from mysteryshopper.metrics import graded_mean, proportion, success_rate

Arm: TypeAlias = tuple[str, str]
Scored: TypeAlias = tuple[float | None, Fault]

_FAILURES = (
    "a dialogue that failed by the system's fault counts as no success; other failures are left out, and so are users"
    " without a target or a constraint that can be looked up in a catalogue"
)
_GRADED = "over dialogues without a fault"

_DEFINITIONS: Mapping[str, str] = {
    "success": "Share of dialogues in which the user took an item that was shown and met the wish (a target, or every"
    f" hard constraint); {_FAILURES}.",
    "success_answered": "The same over dialogues without any fault; shown where a system failed.",
    "wanted_shown": f"Share of dialogues in which an item that met the wish was shown, taken or not; {_FAILURES}.",
    "turns_to_success": "Mean number of system turns up to the first one that showed the wanted item, over successful"
    " dialogues.",
    "user_turns": f"Mean number of user turns, {_GRADED}.",
    "gave_up": f"Share of dialogues that the user gave up, {_GRADED}.",
    "flagged_turns": "Share of user turns in which at least one fault detector fired, first attempts only.",
}


@dataclass
class _Dialogues:
    """What is kept of the dialogues of one user with one system."""

    met: list[Scored] = field(default_factory=list)
    shown: list[Scored] = field(default_factory=list)
    waits: list[float | None] = field(default_factory=list)
    lengths: list[float | None] = field(default_factory=list)
    gave_up: list[float | None] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    flags: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    flag_clusters: list[str] = field(default_factory=list)

    def add(self, dialogue: Dialogue) -> None:
        """Count one dialogue in."""
        spoken = [node for node in dialogue.nodes if node.side == "user" and node.turn > 0]
        sound = dialogue.fault == "none"
        first = dialogue.data.get("first_hit")
        # without a goal nothing could be missed, not even by crashing
        blamed: Fault = dialogue.fault if dialogue.data["goal"] else "none"
        self.faults.append(dialogue.fault)
        self.clusters.append(dialogue.root)
        self.met.append((_number(dialogue.success), blamed))
        self.shown.append((float(first is not None) if sound and dialogue.data["goal"] else None, blamed))
        self.waits.append(float(first) if dialogue.success and first is not None else None)
        self.lengths.append(float(len(spoken)) if sound else None)
        self.gave_up.append(float(dialogue.ended == "user_gave_up") if sound else None)
        for node in spoken:
            self._flag(node, dialogue.root)

    def _flag(self, node: Node, root: str) -> None:
        self.flag_clusters.append(root)
        fired = [name for name in node.flags if name in DETECTORS]
        self.flags["any"].append(float(bool(fired)))
        for name in DETECTORS:
            self.flags[name].append(float(name in fired))


def measure_conversations(store: Store) -> Iterator[Metric]:
    """Yield the metrics of every user with every system, in the order of the experiment file."""
    found: dict[Arm, _Dialogues] = defaultdict(_Dialogues)
    users: dict[str, _Dialogues] = defaultdict(_Dialogues)
    for stored in store.dialogues():
        found[stored.unit.user, stored.unit.system].add(stored.dialogue)
        users[stored.unit.user].add(stored.dialogue)
    arms = [(user, system) for user in store.plan.users for system in store.plan.systems]
    for name in ("success", "success_answered", "wanted_shown", "turns_to_success", "user_turns", "gave_up"):
        for arm in arms:
            if name == "success_answered" and "system" not in found[arm].faults:
                continue
            group = {"user": arm[0], "system": arm[1]}
            yield Metric(name, group, _estimate(name, found[arm]), _DEFINITIONS[name], store.plan.is_control(arm[1]))
    for user in store.plan.users:
        yield from _roles(user, users[user])


def _estimate(name: str, dialogues: _Dialogues) -> Estimate:
    if name in ("success", "success_answered"):
        rate = success_rate(dialogues.met, dialogues.clusters)
        return rate.answered if name == "success_answered" else rate.estimate
    if name == "wanted_shown":
        return success_rate(dialogues.shown, dialogues.clusters).estimate
    values = {"turns_to_success": dialogues.waits, "user_turns": dialogues.lengths, "gave_up": dialogues.gave_up}[name]
    return graded_mean(values, dialogues.faults, dialogues.clusters).estimate


def _roles(user: str, dialogues: _Dialogues) -> Iterator[Metric]:
    """Yield the rates at which a user fell out of its role; a detector that never fired is told only in `any`."""
    for detector, fired in dialogues.flags.items():
        if detector != "any" and not any(fired):
            continue
        group = {"user": user, "detector": detector}
        rate = proportion(fired, dialogues.flag_clusters)
        yield Metric("flagged_turns", group, rate, _DEFINITIONS["flagged_turns"])


def _number(success: bool | None) -> float | None:
    return None if success is None else float(success)
