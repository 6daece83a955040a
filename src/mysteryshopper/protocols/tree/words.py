"""What every number of `tree` means, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from mysteryshopper.protocols.role_rates import ROLE_RATES

_RULE = (
    "; a comparison counts 1 for a reply preferred in both orders, 0 for the other's, a half for ties and orders that"
    " disagree, of a judge's repeats the mean. A"
    " system that failed to answer lost, two that did tied; what could not be judged or read, or failed for"
    " another reason, is left out, and in the bounds"
)

DEFINITIONS: Mapping[str, str] = {
    "root_win_rate": f"Mean over roots of the root's mean of `system` against `versus` on the same histories{_RULE}.",
    "win_rate_by_depth": f"The same over the histories of one level alone{_RULE}.",
    "win_rate_by_words": "The same over histories that hold replies of `holds` alone (`nobody`: the first level;"
    f" `both`: of both systems){_RULE}.",
    "strength": "Bradley-Terry strength in log-odds (0 is the average system; a difference of 1.1 wins three of four),"
    " every root of a pair counting once, ties as half wins, lightly regularised; intervals by resampling roots.",
    "rank": "Place by Bradley-Terry strength, 1 for the strongest; intervals by resampling roots.",
    "wanted_shown": "Mean over roots of the share of a system's replies that show an item which meets the wish; a reply"
    " that failed by the system's fault shows none, other failures are left out, and so are users without a target or a"
    " constraint that can be looked up in a catalogue.",
    "comparisons": "Mean number of histories of a root that both systems were asked to answer.",
    "ended": "Share of branches that ended in this way; `depth` reached the last level or was not drawn to go on.",
    "flagged_turns": "Share of user turns in which at least one fault detector fired, first attempts only.",
}
"""Definition by metric, in the order in which metrics are told."""

METRICS: tuple[str, ...] = (*DEFINITIONS, "wanted_shown_difference", *ROLE_RATES)
"""The names of all metrics that do not come from the shared tallies of judges."""
