"""From a store to numbers, tables, summary and report: can be done again without calling anybody."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mysteryshopper.core import RUN_SCHEMA, Json, Metric, Procedure, Scoring
from mysteryshopper.experiment.labels import label_metrics
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.experiment.summary import summarise, write_json


@dataclass(frozen=True, slots=True)
class Measured:
    """The numbers of a run.

    Attributes:
        metrics: All metrics, in the protocol's order.
        summary: Content of `summary.json`.
    """

    metrics: tuple[Metric, ...]
    summary: dict[str, Json]


def measure(folder: Path, store: RunStore, procedure: Procedure, protocol: str, seed: int) -> Measured:
    """Measure a run and write `summary.json` and `tables/` into its folder.

    Raises:
        StopRun: A file can't be written.
    """
    from mysteryshopper.experiment.tables import Tables  # pyarrow is slow to import

    tables = Tables(folder / "tables", store, RUN_SCHEMA, store.state())
    metrics = (*procedure.measure(tables.over), *label_metrics(folder, store))
    scores = procedure.scores(store) if isinstance(procedure, Scoring) else ()
    summary = summarise(store, protocol, seed, metrics)
    write_json(folder / "summary.json", summary)
    tables.finish(metrics, scores)
    return Measured(metrics, summary)
