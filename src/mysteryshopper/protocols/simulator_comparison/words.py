"""What every number of `simulator-comparison` means, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from mysteryshopper.protocols.role_rates import ROLE_RATES

ALL = "all"
"""Stands for all criteria of a judge together."""

_RULE = (
    "; `user` against `versus`, who played the same people to the same systems, each pair of dialogues shown in both"
    " orders. A simulator that failed (said nothing, or kept falling out of its role) lost on every criterion, two that"
    " did tied; what failed for another reason, or could not be judged or read, is left out"
)
_STRENGTH = (
    "all pairs of simulators; every person of a pair counting once, ties as half wins, lightly regularised; intervals"
    " by resampling people"
)

DEFINITIONS: Mapping[str, str] = {
    "win_rate": f"Wins and half of ties and inconsistent pairs, over pairs{_RULE}, and in the bounds. Criterion `all`:"
    " every criterion of a pair counts once.",
    "wins": f"Share of pairs in which the simulator is preferred in both orders{_RULE}.",
    "losses": f"Share of pairs in which `versus` is preferred in both orders{_RULE}.",
    "ties": f"Share of pairs that are a draw in both orders, those that look the same included{_RULE}.",
    "inconsistent": f"Share of pairs on which the two orders disagree{_RULE}.",
    "net_wins": f"Wins minus losses, over pairs: above 0 the simulator is the better one{_RULE}.",
    "consistency": "Share of pairs with the same verdict in both orders, over pairs that the judge was asked about.",
    "strength": "Bradley-Terry strength in log-odds (0 is the average simulator; a difference of 1.1 wins three of"
    f" four), {_STRENGTH}.",
    "rank": f"Place by Bradley-Terry strength, 1 for the strongest, {_STRENGTH}.",
    "user_turns": "Mean number of user turns, over dialogues without a fault.",
    "user_words": "Mean number of words in a user turn, over all dialogues.",
    "turn_rating": "Mean of the ratings that the simulator gave the system turn by turn, from 1 to 5, where it gives"
    " any; it says how the simulator rates, not how good the system is.",
    "ended": "Share of dialogues that ended in this way, over all dialogues.",
    "failed": "Share of dialogues in which the simulator failed; they are its losses.",
}
"""Definition by metric, in the order in which metrics are told."""

METRICS: tuple[str, ...] = (*DEFINITIONS, *ROLE_RATES)
"""The names of all metrics that do not come from the shared tallies of judges."""
