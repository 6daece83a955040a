"""What every number of `robustness` means, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from mysteryshopper.protocols.role_rates import ROLE_RATES

_LEFT_OUT = "a careless query that failed by the system's fault lost, other failures are left out, and in the bounds"
_TEST = "p is the two-sided sign-flip test by chain, of this curve alone, not corrected for the number of curves"

DEFINITIONS: Mapping[str, str] = {
    "noisy_win_rate": "Mean over chains of the chain's mean of the reply to the careless query against the reply to the"
    " clean one: 1 where it is preferred in both orders, 0 where the clean one's is, a half for ties and orders that"
    " disagree, of a judge's repeats the mean."
    f" 0.5 is no harm; a query that noise left unchanged is a tie without a call; {_LEFT_OUT}.",
    "robustness_trend": "Change of noisy_win_rate for one whole unit of rate: the mean of each chain's own slope, rate"
    f" 0 being 0.5 by construction; {_TEST}.",
    "wanted_shown": "Mean over chains of the share of replies to clean queries that show an item which meets the wish."
    " A reply that failed by the system's fault shows none, other failures are left out, and so are users without a"
    " target or a constraint that can be looked up in a catalogue.",
    "wanted_shown_noisy": "The same of replies to careless queries, of those whose clean form was answered.",
    "wanted_shown_trend": "Change of wanted_shown_noisy for one whole unit of rate: the mean of each chain's own slope,"
    f" from its clean queries at rate 0; {_TEST}.",
    "items_kept": "Mean over chains of the share of the items shown to a clean query that the reply to its careless"
    " form shows as well; queries answered without an item are left out.",
    "intent_findable": "Mean over chains of the share of the wish's values which the clean query names that are still"
    " found, word for word, in its careless form; queries that name none are left out.",
    "query_changed": "Mean over chains of the share of queries that the noise changed at all.",
    "unmade": "Mean over chains of the share of clean queries of which no careless form came about (the model changed"
    " what was asked for twice, or the user failed to write it again). Nothing can be told of these: their comparisons"
    " are left out, and in the bounds; the chain counts otherwise.",
    "queries": "Mean number of clean queries that the system answered, a chain.",
    "flagged_turns": "Share of clean user turns in which at least one fault detector fired, first attempts only.",
}
"""Definition by metric, in the order in which metrics are told."""

BETTER: Mapping[str, Literal["higher", "lower"] | None] = {
    "flagged_turns": "lower",
    "intent_findable": None,
    "query_changed": None,
    "unmade": None,
    "queries": None,
}
"""Which way a metric serves people better, where that is not higher: what the noise did is no system's merit."""

METRICS: tuple[str, ...] = (*DEFINITIONS, "wanted_shown_difference", "wanted_shown_noisy_difference", *ROLE_RATES)
"""The names of all metrics that do not come from the shared tallies of judges."""
