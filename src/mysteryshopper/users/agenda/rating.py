"""How satisfied an agenda user is, by rule."""

from __future__ import annotations

from math import floor

LOWEST, HIGHEST = 1, 5
_SERVED, _ENDED_WITHOUT, _GAVE_UP = 4.5, 2.5, 2.0
_QUICK = 2
"""System turns that cost nothing."""
_PER_TURN, _MOST_FOR_TURNS = 0.25, 1.5
_PER_MISS = 0.25
_PER_MOOD = 0.25


def satisfaction(*, served: bool, gave_up: bool, turns: int, mood: int, misses: int) -> int:
    """Return the rating of a dialogue, from 1 (very dissatisfied) to 5 (very satisfied).

    It starts at 4.5 for a user who took a wanted item, at 2 for one who gave up, else at 2.5. Every system turn after
    the second takes 0.25 off, 1.5 at most; every preference that the item taken misses takes 0.25 off; the mood at the
    end (-3 to 3) adds 0.25 a point. The sum is rounded, halves up, and kept in bounds. The weights are ours: they are
    not fitted to people's ratings.

    Args:
        served: A wanted item was taken.
        gave_up: The user left without one, having lost patience.
        turns: System turns.
        mood: The user's mood at the end.
        misses: Preferences that the item taken is known to miss.
    """
    start = _SERVED if served else _GAVE_UP if gave_up else _ENDED_WITHOUT
    slow = min(_MOST_FOR_TURNS, _PER_TURN * max(0, turns - _QUICK))
    value = start - slow - _PER_MISS * misses + _PER_MOOD * mood
    return max(LOWEST, min(HIGHEST, floor(value + 0.5)))
