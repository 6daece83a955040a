"""Why units failed: the user side told nothing of its wish, or the system asked back instead of recommending."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mysteryshopper.core import Estimate
from mysteryshopper.metrics import proportion
from mysteryshopper.protocols.ievalm.labels import unit_values
from mysteryshopper.protocols.ievalm.options import Ties
from mysteryshopper.protocols.ievalm.readings import Reading

_CAUSES: Mapping[str, str] = {
    "vague_preference": "the user side had told no value of the targets' attributes and named no item (a vague"
    " preference)",
    "clarifying_question": "the system's last turn asked a question and recommended nothing",
    "other": "neither was so",
}
_RULE = (
    "Share of failed units in which {what}; failed without a fault: {failed}. A unit can have both causes. Vagueness is"
    " looked up in words, so a wish told in other words counts as vague."
)
_FAILED = {
    "free": "no target was taken",
    "original": "no target stood in the ranking at the deepest k",
}


def failure_numbers(
    units: Sequence[Reading], setting: str, k: int, ties: Ties
) -> Iterator[tuple[str, Mapping[str, str], Estimate, str]]:
    """Yield the share of failed units by cause, in `free` and `original`."""
    if setting not in _FAILED:
        return
    failed = [unit for unit in units if unit.targets and unit.fault == "none" and _failed(unit, setting, k, ties)]
    known = [unit for unit in failed if "told" in unit.data]
    clusters = [unit.cluster for unit in known]
    causes = [_causes(unit) for unit in known]
    for cause, what in _CAUSES.items():
        share = proportion([float(cause in found) for found in causes], clusters)
        yield "failures", {"cause": cause}, share, _RULE.format(what=what, failed=_FAILED[setting])


def _failed(unit: Reading, setting: str, k: int, ties: Ties) -> bool:
    if setting == "free":
        return unit.success is False
    return dict(unit_values(unit, "ranked", (k,), ties, k))[f"any_hit@{k}"] == 0.0


def _causes(unit: Reading) -> set[str]:
    found = set()
    if not unit.data["told"]:
        found.add("vague_preference")
    if any(unit.data["asked_back"][-1:]):
        found.add("clarifying_question")
    return found or {"other"}
