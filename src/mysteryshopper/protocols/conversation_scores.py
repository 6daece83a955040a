"""One value a conversation: what its metrics are means of, and what systems and runs are compared by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from mysteryshopper.core import Dialogue, Fault, Score, Store, StoredDialogue

BETTER: Mapping[str, Literal["higher", "lower"]] = {
    "success": "higher",
    "wanted_shown": "higher",
    "turns_to_success": "lower",
    "user_rating": "higher",
    "gave_up": "lower",
}
"""The names of all scores, and which way they are better."""


def conversation_scores(store: Store) -> Iterator[Score]:
    """Yield every dialogue's scores, streaming, without reading what was said."""
    for stored in store.dialogues(nodes=False):
        yield from scores_of(stored)


def scores_of(stored: StoredDialogue) -> Iterator[Score]:
    """Yield the scores of one dialogue, in the order of `BETTER`.

    `success` and `wanted_shown` are 0 where the system failed; everything else is None where there was a fault.
    `turns_to_success` is None without success. Without a goal nothing could be met: both are None.
    """
    unit, dialogue = stored.unit, stored.dialogue
    name = f"{unit.id}|{unit.user}|{unit.repeat}"
    for metric, value in values_of(dialogue).items():
        fault = blamed(dialogue) if metric in ("success", "wanted_shown") else dialogue.fault
        yield Score(metric, name, unit.user, unit.system, dialogue.root, value, fault, BETTER[metric])


def values_of(dialogue: Dialogue) -> dict[str, float | None]:
    """Return the value of every score; see `scores_of`."""
    data = dialogue.data
    sound = dialogue.fault == "none"
    first = data.get("first_hit")
    met = dialogue.success
    shown = float(first is not None) if sound else 0.0 if dialogue.fault == "system" else None
    rating = data.get("rating") or {}
    return {
        "success": None if met is None else float(met),
        "wanted_shown": shown if data["goal"] else None,
        "turns_to_success": float(first) if met and first is not None else None,
        "user_rating": rating.get("value") if sound else None,
        "gave_up": float(dialogue.ended == "user_gave_up") if sound else None,
    }


def blamed(dialogue: Dialogue) -> Fault:
    """Return whose fault it was, for scores of a goal: without one nothing could be missed, even by crashing."""
    return dialogue.fault if dialogue.data["goal"] else "none"
