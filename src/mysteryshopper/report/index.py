"""All dialogues of a run by how they came out, which of them a report shows, and on which page."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mysteryshopper.core import Dialogue, StoredDialogue, Unit, digest
from mysteryshopper.report.text import one_line

MOST_DIALOGUES = 200
"""Dialogues that one page shows."""

MOST_SHOWN = 2_000
"""Dialogues that a report shows on all its pages together."""

MOST_LOST_SHOWN = 400
"""Lost dialogues among them that are shown wherever they stand in the run."""

OUTCOMES: Mapping[str, str] = {
    "success": "success",
    "done_without": "done without success",
    "gave_up": "gave up",
    "max_turns": "turns ran out",
    "other": "ended otherwise",
    "answered": "answered",
    "fault_user": "lost: fault of the user",
    "fault_judge": "lost: fault of the judge",
    "fault_infra": "lost: fault of the infrastructure",
    "fault_system": "lost: fault of the system",
}
"""Key and name of every outcome, best first."""


def outcome(dialogue: Dialogue) -> str:
    """Return the key of how a dialogue came out."""
    if dialogue.fault != "none":
        return f"fault_{dialogue.fault}"
    if dialogue.success:
        return "success"
    if dialogue.ended == "user_gave_up":
        return "gave_up"
    if dialogue.ended == "answered":
        return "answered"
    if dialogue.ended in ("max_turns", "depth", "step_limit"):
        return "max_turns"
    return "done_without" if dialogue.ended == "user_done" and dialogue.success is False else "other"


@dataclass(frozen=True, slots=True)
class Entry:
    """One dialogue in the index.

    Attributes:
        anchor: Its name in links; depends on its id alone.
        label: Unit and system in words.
        user: Name of the user block.
        system: Name of the system block.
        outcome: Key of `OUTCOMES`.
        wish: What it shares with other systems' dialogues: unit, user and repeat, as a digest.
    """

    anchor: str
    label: str
    user: str
    system: str
    outcome: str
    wish: str


@dataclass(frozen=True, slots=True)
class Served:
    """Successes of one system by the system turn that first showed what was wanted, over dialogues that count."""

    system: str
    user: str
    n: int
    by_turn: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """What is known of all dialogues without reading what was said.

    Attributes:
        entries: All, in planned order.
        ids: Ids of the dialogues, in the same order.
        chosen: Places of those a report shows, ascending.
        counts: Dialogues by (user, system), then by outcome.
        served: By user and system, where the protocol knows the turn of the first hit.
    """

    entries: tuple[Entry, ...]
    ids: tuple[str, ...]
    chosen: tuple[int, ...]
    counts: Mapping[tuple[str, str], Mapping[str, int]]
    served: tuple[Served, ...]

    @property
    def chosen_ids(self) -> frozenset[str]:
        """Ids of the dialogues that a report shows."""
        return frozenset(self.ids[place] for place in self.chosen)

    @property
    def outcomes(self) -> dict[str, int]:
        """Dialogues by outcome, in the order of `OUTCOMES`; those that never came are left out."""
        total: Counter[str] = Counter()
        for row in self.counts.values():
            total.update(row)
        return {key: total[key] for key in OUTCOMES if total[key]}

    def siblings(self) -> dict[str, list[int]]:
        """Places of chosen dialogues by wish, where several systems or branches share one."""
        found: dict[str, list[int]] = defaultdict(list)
        for place in self.chosen:
            found[self.entries[place].wish].append(place)
        return {wish: places for wish, places in found.items() if len(places) > 1}


def make_index(dialogues: Iterable[StoredDialogue]) -> Index:
    """Read all dialogues once, streaming; what was said is not looked at."""
    entries: list[Entry] = []
    ids: list[str] = []
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    hits: dict[tuple[str, str], list[int | None]] = defaultdict(list)
    for stored in dialogues:
        unit, dialogue = stored.unit, stored.dialogue
        key = outcome(dialogue)
        arm = (unit.user, unit.system)
        counts[arm][key] += 1
        if dialogue.success is not None and "first_hit" in dialogue.data and key in _COUNTS:
            hits[arm].append(dialogue.data["first_hit"] if key == "success" else None)
        ids.append(dialogue.id)
        repeat = f" · repeat {unit.repeat}" if unit.repeat else ""
        entries.append(
            Entry(
                "d-" + digest(dialogue.id)[:12],
                one_line(str(dialogue.data.get("label") or _name(unit)), 120) + repeat,
                unit.user,
                unit.system,
                key,
                digest(unit.id, unit.user, unit.repeat)[:10],
            )
        )
    served = tuple(_served(*arm, turns) for arm, turns in hits.items() if any(turns))
    return Index(tuple(entries), tuple(ids), _choose(entries), counts, served)


_COUNTS = ("success", "done_without", "gave_up", "max_turns", "other", "fault_system")


def _name(unit: Unit) -> str:
    return " · ".join(part for part in (unit.id, unit.user, unit.system) if part)


def _served(user: str, system: str, turns: Sequence[int | None]) -> Served:
    known = Counter(turn for turn in turns if turn)
    return Served(system, user, len(turns), tuple(known[turn] for turn in range(1, max(known) + 1)))


def _choose(entries: Sequence[Entry]) -> tuple[int, ...]:
    """Return the places of the first `MOST_SHOWN`; lost ones further on take the places of the last of these."""
    if len(entries) <= MOST_SHOWN:
        return tuple(range(len(entries)))
    lost = [place for place, entry in enumerate(entries) if entry.outcome.startswith("fault_")][:MOST_LOST_SHOWN]
    chosen = set(lost)
    for place in range(len(entries)):
        if len(chosen) == MOST_SHOWN:
            break
        chosen.add(place)
    return tuple(sorted(chosen))
