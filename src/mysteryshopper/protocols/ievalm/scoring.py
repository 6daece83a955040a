"""One value a unit: what systems and runs are compared by."""

from __future__ import annotations

from collections.abc import Iterator

from mysteryshopper.core import Score, Store
from mysteryshopper.protocols.ievalm.labels import unit_values
from mysteryshopper.protocols.ievalm.options import IEvaLMOptions
from mysteryshopper.protocols.ievalm.readings import Reading, readings


def unit_scores(store: Store, options: IEvaLMOptions) -> Iterator[Score]:
    """Yield every unit's scores, streaming, without reading what was said.

    In all settings `label_recall@k` (mean over the unit's labels) and `any_hit@k`: of the ranking, or in `free` of what
    was shown. In `free` also `success`. In a run of several settings the setting stands behind the name.
    """
    for unit in readings(store.dialogues(nodes=False), options):
        behind = f" ({unit.setting})" if len(options.settings) > 1 else ""
        for name, value in _values(unit, options):
            yield Score(
                name + behind, unit.unit, unit.user, unit.system, unit.cluster, value, unit.fault, better="higher"
            )


def _values(unit: Reading, options: IEvaLMOptions) -> Iterator[tuple[str, float | None]]:
    if unit.setting == "free":
        yield "success", None if unit.success is None else float(unit.success)
    name = "shown" if unit.setting == "free" else "ranked"
    yield from unit_values(unit, name, options.ks, options.ties)
