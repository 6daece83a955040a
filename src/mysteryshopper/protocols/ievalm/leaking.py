"""How much of what a system found was given away: the share of its hits that lies in units with a leak."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import fsum

from mysteryshopper.core import Estimate
from mysteryshopper.metrics import proportion
from mysteryshopper.metrics.intervals import around
from mysteryshopper.protocols.ievalm.labels import label_score
from mysteryshopper.protocols.ievalm.options import IEvaLMOptions
from mysteryshopper.protocols.ievalm.readings import Reading

_WORDS = (
    "Of the labels found within the first {k}{where}, the share that lies in units with a leak of a kind that the"
    " option `audit` counts; units with a fault found nothing. At 1 all that was found may have been repeated or given"
    " away; at the share that such units have of all labels, leaks made no difference."
)


def leak_numbers(
    units: Sequence[Reading], name: str, options: IEvaLMOptions, where: str = ""
) -> Iterator[tuple[str, Estimate, str]]:
    """Yield name, estimate and definition of `hits_from_leaks@k`, at the smallest depth and the one nearest to 10.

    Args:
        units: All units of one setting, user and system.
        name: Which list: `ranked` or `shown`.
        options: The protocol's options.
        where: What list that is, in words.
    """
    deepest = max(options.ks)
    score = label_score("label_recall", options.ties)
    counted = [(unit, unit.positions(name, deepest, options.ties) or ()) for unit in units]
    for k in sorted({min(options.ks), options.near_ten}):
        found = [(score(place, k), unit) for unit, places in counted for place in places]
        yield f"hits_from_leaks@{k}", _share(found), _WORDS.format(k=k, where=where)


def _share(found: Sequence[tuple[float, Reading]]) -> Estimate:
    """Return the share of the summed values that leaky units have; with ties, values are expectations below 1."""
    hits = [(value, unit) for value, unit in found if value > 0]
    if not hits:
        return Estimate(None, reason="nothing was found")
    if all(value == 1 for value, _ in hits):
        return proportion([float(unit.leaky) for _, unit in hits], [unit.cluster for _, unit in hits])
    total = fsum(value for value, _ in hits)
    share = fsum(value for value, unit in hits if unit.leaky) / total
    # the ratio's influences: how far each label draws it, over all labels, found or not
    pulls = [share + value * (unit.leaky - share) * len(found) / total for value, unit in found]
    return around(share, pulls, [unit.cluster for _, unit in found], len(hits), ends=(0.0, 1.0))
