"""How far the fault detectors can be trusted: false alarms on people's turns, recall on planted faults."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from random import Random

from mysteryshopper.core import Message
from mysteryshopper.dialogue.detectors import DETECTORS, Utterance, spoken
from mysteryshopper.dialogue.planted import plant

MOST_FALSE = 0.01
"""A detector may fire on fewer than this share of turns that people wrote."""

LEAST_RECALL = 0.9
"""A detector must find more than this share of planted faults."""


@dataclass(frozen=True, slots=True)
class DetectorRow:
    """What was measured of one detector. Rates are shares from 0 to 1, with their 95 % Wilson intervals.

    Attributes:
        detector: Its name.
        human: Turns that people wrote.
        false: How many of them it fired on.
        false_rate: `false` of `human`.
        false_low: Lower end of the interval.
        false_high: Upper end.
        planted: Faults planted, in wordings that the detector was not written against.
        caught: How many of them it found.
        recall: `caught` of `planted`.
        recall_low: Lower end of the interval.
        recall_high: Upper end.
        trusted: Both bars are met: under 1 % false alarms, over 90 % recall.
    """

    detector: str
    human: int
    false: int
    false_rate: float
    false_low: float
    false_high: float
    planted: int
    caught: int
    recall: float
    recall_low: float
    recall_high: float
    trusted: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of the detector behind a rate, for the note beside it.

    Attributes:
        human: Turns that people wrote.
        false: How many of them it fired on.
        planted: Faults planted.
        caught: How many of them it found.
    """

    human: int
    false: int
    planted: int
    caught: int


def measured(name: str) -> Measured:
    """Return what was measured of `role_reversal`, or of `repeated_question` (with `repeated_turn`)."""
    return Measured(**_measured()[name])


@lru_cache(maxsize=1)
def _measured() -> dict[str, dict[str, int]]:
    book = json.loads(files("mysteryshopper.dialogue.detectors").joinpath("measured.json").read_text("utf-8"))
    found: dict[str, dict[str, int]] = book["detectors"]
    return found


def check_detectors(
    dialogues: Iterable[Sequence[Message]], *, language: str = "en", each: int = 240, seed: int = 0
) -> list[DetectorRow]:
    """Measure every detector on dialogues between people and on faults planted into them.

    A turn is a run of messages of one side. A seeker's last turn in a dialogue counts as its end, with the items that
    the recommender's messages hold as the items shown.

    Args:
        dialogues: Dialogues between people; the seeker has the role `user`.
        language: Language they are written in.
        each: Planted faults of each kind.
        seed: Seed of where and how faults are planted.

    Returns:
        One row a detector.

    Raises:
        ValueError: The dialogues have no user turns to measure on.
    """
    kept = [tuple(dialogue) for dialogue in dialogues]
    false: Counter[str] = Counter()
    human = 0
    for utterance in human_turns(kept, language):
        human += 1
        false.update(name for name, detector in DETECTORS.items() if detector(utterance) is not None)
    planted: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    for fault in plant(kept, Random(seed), each):
        planted[fault.detector] += 1
        caught[fault.detector] += DETECTORS[fault.detector](fault.utterance) is not None
    return [_row(name, human, false[name], planted[name], caught[name]) for name in DETECTORS]


def _row(name: str, human: int, false: int, planted: int, caught: int) -> DetectorRow:
    from mysteryshopper.metrics import wilson

    false_rate, recall = false / human, caught / planted
    false_low, false_high = wilson(false, human)
    recall_low, recall_high = wilson(caught, planted)
    return DetectorRow(
        detector=name,
        human=human,
        false=false,
        false_rate=false_rate,
        false_low=false_low,
        false_high=false_high,
        planted=planted,
        caught=caught,
        recall=recall,
        recall_low=recall_low,
        recall_high=recall_high,
        trusted=false_rate < MOST_FALSE and recall > LEAST_RECALL,
    )


def human_turns(dialogues: Iterable[Sequence[Message]], language: str = "en") -> Iterator[Utterance]:
    """Yield every turn of the seekers as a detector sees it; empty ones are left out."""
    for dialogue in dialogues:
        turns = spoken(dialogue)
        last = max((place for place, (side, _) in enumerate(turns) if side == "user"), default=-1)
        history: list[Message] = []
        for place, (side, text) in enumerate(turns):
            if side == "user" and text.strip():
                shown = sum(len(message.items) for message in dialogue if message.side == "system")
                yield Utterance(text, tuple(history), "done" if place == last else None, shown, language)
            history.append(Message("user" if side == "user" else "assistant", text, author="human"))
