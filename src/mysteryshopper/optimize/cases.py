"""What judges see: the same person and system under two prompts, in pairs; and pairs whose right verdict is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import nsmallest
from itertools import cycle

from mysteryshopper.core import Case, Message, digest
from mysteryshopper.optimize.batches import Place, shared
from mysteryshopper.optimize.story import Story, name_of
from mysteryshopper.protocols.conversation_cases import Shot, pair_case

PAIR = "prompts"
"""Key of a case's data: numbers of the two prompts, the newer one first."""


def prompt_pairs(
    unit: str, new: int, old: int, one: Mapping[Place, Shot], other: Mapping[Place, Shot], without: Sequence[str] = ()
) -> Iterator[Case]:
    """Yield the pairs of two batches: who of two simulated users talks more like a person, over one person and system.

    Args:
        unit: Key of the parent's unit.
        new: Number of the first prompt.
        old: Number of the second one.
        one: Dialogues with the first, by place.
        other: Dialogues with the second.
        without: Names of judges that are not asked.
    """
    for first, second in shared(one, other):
        name = f"pair|{first.unit.id}|{first.unit.system}|{new}|{old}"
        case = _case(unit, name, first, second, (name_of(new), name_of(old)))
        more = {PAIR: [new, old], **({"without": list(without)} if without else {})}
        yield replace(case, data={**case.data, **more})


def story_cases(
    unit: str, story: Story, batches: Mapping[int, Mapping[Place, Shot]], held_out: str | None
) -> Iterator[Case]:
    """Yield all pairs of a story: every round against the prompt it was written from, and the best against the initial.

    The judge that is held out gets only the latter.
    """
    asked: set[tuple[int, int]] = set()
    if story.best:
        asked.add((story.best, 0))
        yield from prompt_pairs(unit, story.best, 0, batches.get(story.best, {}), batches.get(0, {}))
    without = () if held_out is None else (held_out,)
    for one in story.rounds:
        if one.parent is not None and one.tally is not None and (one.number, one.parent) not in asked:
            pair = (batches.get(one.number, {}), batches.get(one.parent, {}))
            yield from prompt_pairs(unit, one.number, one.parent, *pair, without)


def control_cases(unit: str, shots: Mapping[Place, Shot], most: int, seed: int) -> Iterator[Case]:
    """Yield controls of the judges: a dialogue against itself, and against one whose user plays somebody else's part.

    Args:
        unit: Key of the parent's unit.
        shots: Dialogues they are made of, those with the initial prompt.
        most: How many of each sort.
        seed: Draws them.
    """
    drawn = nsmallest(most, shots.values(), key=lambda shot: digest(seed, shot.unit.id, shot.unit.system))
    for shot in drawn:
        name = f"same|{shot.unit.id}|{shot.unit.system}"
        yield replace(_case(unit, name, shot, shot, ("A", "B")), control="same")
    for shot in drawn:
        others = sorted(
            (one for one in shots.values() if one.unit.system == shot.unit.system and one.cluster != shot.cluster),
            key=lambda one: digest(seed, "donor", shot.unit.id, one.unit.id),
        )
        planted = next((said for one in others if (said := _planted(shot, one)) != shot.messages), None)
        if planted is not None:
            name = f"worse|{shot.unit.id}|{shot.unit.system}"
            worse = replace(shot, dialogue="", node="", messages=planted)
            yield replace(_case(unit, name, shot, worse, ("A", "B")), control="worse")


def _case(unit: str, name: str, first: Shot, second: Shot, labels: tuple[str, str]) -> Case:
    case = pair_case(first, second, name, data={"about": "users"})
    exhibits = tuple(replace(one, label=label) for one, label in zip(case.exhibits, labels, strict=True))
    return replace(case, unit=unit, exhibits=exhibits)


def _planted(shot: Shot, donor: Shot) -> tuple[Message, ...]:
    """Return a dialogue with the user's lines of another in the place of its own."""
    lines = cycle([message for message in donor.messages if message.side == "user"])
    return tuple(next(lines, message) if message.side == "user" else message for message in shot.messages)
