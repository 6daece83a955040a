"""What every number of `style-control` means, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

_OVER = (
    "Over the dialogues in which a value of this style was asked for; `by` says who found the style: a judge, or"
    " features, which is counting. A dialogue without a label (no words, a failed one, an unread verdict) is missing,"
    " never wrong: left out, and in the bounds (all of them wrong, all of them right)."
)
_CONTROLS = (
    " Controls: `constant answer` is what a user comes to who writes in one way whatever is asked for, at best;"
    " `shuffled` is the same labels with what was asked for shuffled among each person's dialogues, its interval"
    " holding 95 % of 200 shuffles."
)

DEFINITIONS: Mapping[str, str] = {
    "style_f1": "Macro F1 of the style found against the style asked for: the mean over the values asked for of 2 hits"
    f" / (asked for + found). {_OVER}{_CONTROLS}",
    "style_accuracy": f"Share of dialogues whose style was found as asked for. {_OVER}{_CONTROLS}",
    "style_precision": "Macro precision: the mean over the values asked for of the share, among dialogues found to be"
    f" of this value, in which it was asked for; 0 for a value never found. {_OVER}",
    "style_recall": "Macro recall: the mean over the values asked for of the share, among dialogues in which it was"
    f" asked for, that were found to be so. {_OVER}",
    "separation": "How often a feature is higher in a dialogue in which the upper of two values was asked for than in"
    " one in which the lower was (area under the ROC curve, ties a half): 1 tells them apart always, 0.5 not at all."
    " No cut is involved.",
    "feature_mean": "Mean of a feature over the dialogues in which a value was asked for: words in a turn; formal less"
    " informal signs over both, -1 to 1; the mean VADER score of a sentence, -1 to 1; the share of words that no"
    " dictionary holds.",
    "found_as": "Share of the dialogues in which a value (`asked`) was asked for that were found to be of a value"
    " (`found`), over those with a label: a row of the confusion table. Where both are the same it is that value's"
    " recall.",
    "style_kappa": "Cohen's kappa of the judge's label and that by features, over all dialogues with both, whatever was"
    " asked for in them.",
    "style_agreement": "Share of dialogues in which the judge's label and that by features are the same, over those as"
    " of style_kappa.",
    "style_missing": "Share of the dialogues in which a value of this style was asked for that have no label; shown"
    " where there are any.",
}
"""Definition by metric, in the order in which metrics are told."""

METRICS: tuple[str, ...] = tuple(DEFINITIONS)
"""The names of all metrics that come neither from judges' tallies nor from the rates of roles."""
