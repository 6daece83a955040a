"""Fault detectors: pure functions that look at one turn of a simulated user and say what gives it away.

Each returns the words that gave the fault away, or None. They know English, but for `language_mismatch`; how far they
can be trusted is measured by `mysteryshopper.dialogue.check_detectors`, on turns that people wrote and planted faults.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from mysteryshopper.dialogue.detectors.conduct import early_end, repeated_turn
from mysteryshopper.dialogue.detectors.language import language_mismatch
from mysteryshopper.dialogue.detectors.leaks import leaked_instructions, leaked_thoughts
from mysteryshopper.dialogue.detectors.questions import Questions, asked_before, questions, repeated_question
from mysteryshopper.dialogue.detectors.roles import role_reversal, speaks_as_system, writes_both_sides
from mysteryshopper.dialogue.detectors.utterance import Utterance, spoken

Detector: TypeAlias = Callable[[Utterance], str | None]

DETECTORS: Mapping[str, Detector] = MappingProxyType(
    {
        "role_reversal": role_reversal,
        "speaks_as_system": speaks_as_system,
        "writes_both_sides": writes_both_sides,
        "repeated_turn": repeated_turn,
        "leaked_instructions": leaked_instructions,
        "leaked_thoughts": leaked_thoughts,
        "early_end": early_end,
        "language_mismatch": language_mismatch,
    }
)
"""All detectors by name, in the order they are told in."""

FLAG_ONLY = frozenset({"language_mismatch"})
"""Detectors that flag a turn but never have it asked for again."""


def faults(utterance: Utterance) -> dict[str, str]:
    """Return the evidence of every detector that fires, by its name."""
    found = {name: detector(utterance) for name, detector in DETECTORS.items()}
    return {name: evidence for name, evidence in found.items() if evidence is not None}


__all__ = [
    "DETECTORS",
    "FLAG_ONLY",
    "Detector",
    "Questions",
    "Utterance",
    "asked_before",
    "faults",
    "questions",
    "repeated_question",
    "spoken",
]
