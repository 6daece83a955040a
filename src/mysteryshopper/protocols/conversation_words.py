"""What every number of `conversation` means, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from mysteryshopper.protocols.role_rates import ROLE_RATES

_FAILURES = (
    "a dialogue that failed by the system's fault counts as no success; other failures are left out, and so are users"
    " without a target or a constraint that can be looked up in a catalogue"
)
_GRADED = "over dialogues without a fault"

DEFINITIONS: Mapping[str, str] = {
    "success": "Share of dialogues in which the user took an item that was shown and met the wish (a target, or every"
    f" hard constraint); {_FAILURES}.",
    "success_answered": "The same over dialogues without any fault; shown where a system failed.",
    "wanted_shown": f"Share of dialogues in which an item that met the wish was shown, taken or not; {_FAILURES}.",
    "turns_to_success": "Mean number of system turns up to the first one that showed the wanted item, over successful"
    " dialogues.",
    "user_rating": "Mean of the users' own ratings, asked for after the dialogue, from 1 (very dissatisfied) to 5 (very"
    f" satisfied), {_GRADED}; unread ones are left out, and the bounds fill them in with either end.",
    "rating_unread": "Share of the ratings asked for that could not be read.",
    "user_turns": f"Mean number of user turns, {_GRADED}.",
    "gave_up": f"Share of dialogues that the user gave up, {_GRADED}.",
    "ended": "Share of dialogues that ended in this way, over all dialogues.",
    "success_by_style": "success, over the people of one style (as their profiles say) alone, and over those who hold a"
    " requirement back until it is asked for or missed, and who don't; only where these vary.",
    "flagged_turns": "Share of user turns in which at least one fault detector fired, first attempts only.",
    "latency_p50": "Half of the system's turns took no longer, in milliseconds: all tries and waits of a turn together;"
    " a turn met again on resume takes next to nothing.",
    "latency_p95": "95 % of the system's turns took no longer, in milliseconds; as latency_p50.",
    "system_words": "Mean number of words in a system turn, over all its turns.",
    "tokens": "Mean number of tokens, in and out, all tries, that one block's calls took a dialogue (for a judge: a"
    " scenario and repeat that it was asked about), over those with calls.",
}
"""Definition by metric, in the order in which metrics are told."""

NEED_GOAL = frozenset({"success", "success_answered", "wanted_shown", "turns_to_success"})
"""Metrics that need something to be found."""

NO_GOAL = "nothing was wanted that can be looked up in a catalogue of items, so there is no success to tell"

COMPARED: Mapping[str, tuple[str, str]] = {
    "success": ("success_difference", "Difference in success of two systems with the same users."),
    "turns_to_success": (
        "turns_difference",
        "Difference in system turns to success, over users whom both systems served with success.",
    ),
    "user_rating": ("rating_difference", "Difference in the users' ratings, over users who rated both systems."),
}
"""By score, the name of its paired difference and what it is."""

METRICS: tuple[str, ...] = (*DEFINITIONS, *(name for name, _ in COMPARED.values()), *ROLE_RATES)
"""The names of all metrics that do not come from judges."""
