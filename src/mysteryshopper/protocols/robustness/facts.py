"""What a chain tells without a judge: probe by probe, as small values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mysteryshopper.core import Node, StoredDialogue
from mysteryshopper.protocols.branching import shows_wanted
from mysteryshopper.protocols.robustness.options import WRITTEN

Noise = tuple[str, str]
"""Kind and rate, as groups name them; the rate is empty where there is none."""

CLEAN: Noise = ("", "")

FORFEIT = "forfeit"
"""Name of the points of careless queries that no judge can be asked about."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One value: of which metric, under which noise; None where it was left out."""

    name: str
    noise: Noise
    value: float | None


def facts_of(stored: StoredDialogue) -> Iterator[Fact]:
    """Yield what a chain tells: `wanted_shown` once a clean query, all else once a probe."""
    dialogue = stored.dialogue
    nodes = {node.id: node for node in dialogue.nodes}
    goal = bool(dialogue.data["goal"])
    clean: set[str] = set()
    for probe in dialogue.data["probes"]:
        if goal and probe["clean"] not in clean:
            yield Fact("wanted_shown", CLEAN, shows_wanted(nodes.get(f"{probe['clean']}.0"), probe["faults"][0]))
        clean.add(probe["clean"])
        yield from _of_probe(probe, nodes, goal)


def answered(stored: StoredDialogue) -> int:
    """Return how many clean queries of a chain the system answered."""
    nodes = {node.id for node in stored.dialogue.nodes}
    return sum(f"{name}.0" in nodes for name in {probe["clean"] for probe in stored.dialogue.data["probes"]})


def _of_probe(probe: Mapping[str, Any], nodes: Mapping[str, Node], goal: bool) -> Iterator[Fact]:
    noise = (str(probe["noise"]), str(probe["rate"]))
    first, second = probe["faults"]
    if (first, second) != ("none", "none"):
        yield Fact(FORFEIT, noise, 0.0 if (first, second) == ("none", "system") else None)
    reply = nodes.get(probe["reply"])
    if goal and first == "none":
        yield Fact("wanted_shown_noisy", noise, shows_wanted(reply, second) if probe["node"] else None)
    if noise[0] in WRITTEN:
        yield Fact("unmade", noise, None if first != "none" or second == "infra" else float(not probe["node"]))
    if not probe["node"]:
        return
    yield Fact("query_changed", noise, float(probe["changed"]))
    if probe["named"]:
        yield Fact("intent_findable", noise, probe["found"] / probe["named"])
    before = _items(nodes.get(f"{probe['clean']}.0"))
    if before and reply is not None:
        yield Fact("items_kept", noise, len(before & _items(reply)) / len(before))


def _items(node: Node | None) -> set[str]:
    return set() if node is None else {item.item.id for item in node.items if item.item.id is not None}
