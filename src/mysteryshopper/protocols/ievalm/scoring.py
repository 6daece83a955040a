"""One value a unit: what systems and runs are compared by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mysteryshopper.core import Metric, Score, Store
from mysteryshopper.protocols.differences import Differences
from mysteryshopper.protocols.ievalm.labels import unit_values
from mysteryshopper.protocols.ievalm.options import IEvaLMOptions
from mysteryshopper.protocols.ievalm.readings import Reading, readings


def unit_scores(store: Store, options: IEvaLMOptions) -> Iterator[Score]:
    """Yield every unit's scores, streaming, without reading what was said.

    In all settings `label_recall@k` (mean over the unit's labels) and `any_hit@k`: of the ranking, or in `free` of what
    was shown. In `free` also `success`. The setting stands behind the name, also in a run of one, so that it can be
    paired with a run of several.
    """
    for unit in readings(store.dialogues(nodes=False), options):
        for name, value in _values(unit, options, options.ks):
            yield Score(
                f"{name} ({unit.setting})",
                unit.unit,
                unit.user,
                unit.system,
                unit.cluster,
                value,
                unit.fault,
                better="higher",
            )


def paired(
    units: Sequence[Reading], group: Mapping[str, str], store: Store, options: IEvaLMOptions
) -> Iterator[Metric]:
    """Yield the paired differences of systems in one setting, with one user: success in `free`, else label recall.

    Recall is here the mean over a unit's labels, so that every turn counts the same.
    """
    free = group["setting"] == "free"
    name = "success" if free else f"label_recall@{options.near_ten}"
    what = "Difference in success." if free else f"Difference in a turn's share of labels within {options.near_ten}."
    differences = Differences({name: (f"{name}_difference", what)})
    arm = group.get("user") or next(iter(store.plan.users), "")  # where nobody is simulated any name will do
    for unit in units:
        for found, value in _values(unit, options, (options.near_ten,)):
            if found == name:
                value = 0.0 if unit.fault == "system" and unit.targets else value
                differences.add(Score(found, unit.unit, arm, unit.system, unit.cluster, value, better="higher"))
    for metric in differences.metrics(store.plan):
        sides = {side: metric.group[side] for side in ("system", "versus")}
        yield replace(metric, group={**group, **sides, "leaks": "all"})


def _values(unit: Reading, options: IEvaLMOptions, ks: Sequence[int]) -> Iterator[tuple[str, float | None]]:
    if unit.setting == "free":
        yield "success", None if unit.success is None else float(unit.success)
    name = "shown" if unit.setting == "free" else "ranked"
    yield from unit_values(unit, name, ks, options.ties, max(options.ks))
