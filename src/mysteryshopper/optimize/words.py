"""What every number of `prompt-optimisation` means, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

_PAIR = (
    "A pair is one person and one system under both prompts, shown in both orders; it is won if more criteria are won"
    " in both orders than lost."
)
_FAILED = (
    "pairs that could not be judged, or that somebody's failure took away, are left out, and in the bounds (all of them"
    " lost, all won)"
)

DEFINITIONS: Mapping[str, str] = {
    "gain": "Pairs that the best prompt won against the initial one minus pairs it lost, over pairs judged, from -1 to"
    f" 1; {_FAILED}. {_PAIR} By the judge that decided it is biased upwards: the best of several is chosen by its word,"
    " on the same people, and prompts are written to please its kind. The one held out decided nothing, but the people"
    " are the same.",
    "gain_agreement": "Share of pairs of the best against the initial prompt on which the judge that decided and the"
    " one held out say the same (won, lost, or neither).",
    "gain_kappa": "Cohen's kappa of the same two judges over the same pairs.",
    "round_gain": "Pairs that the prompt of a round won against the one it was written from minus pairs it lost, over"
    f" pairs that the judge ruled on; {_FAILED}, and so are pairs that a simulated user's own failure decided. {_PAIR}",
    "rounds": "Rounds that were run, each with one new prompt.",
    "improvements": "Rounds whose prompt won more pairs than it lost, when it was decided.",
    "problems_a_dialogue": "Mean number of dialogues in which a problem was found, summed over the problems of a batch,"
    " a dialogue: what the reviewing model saw, not what a person would.",
    "dialogues_lost": "Share of a round's dialogues that failed, whoever's fault it was.",
}
"""Definition by metric, in the order in which metrics are told."""

METRICS: tuple[str, ...] = tuple(DEFINITIONS)
"""The names of all metrics that do not come from the shared tallies of judges."""
