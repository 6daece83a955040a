"""`summary.json`: the run in one strict JSON object."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from mysteryshopper.core import RUN_SCHEMA, Json, JsonObject, Metric, StopRun
from mysteryshopper.experiment.files_read import FILES, file_rows
from mysteryshopper.experiment.store import RunStore

UNANSWERED = "unanswered"
"""The note in a run's database of the most that calls may have cost that were never answered."""

_FAULTS = ("user", "system", "judge", "infra")


def summarise(store: RunStore, protocol: str, seed: int, metrics: Iterable[Metric]) -> dict[str, Json]:
    """Return the summary of a run. planned = complete + all faults + pending (0 once the run is done).

    A unit that went well but has a case that could not be judged counts as fault `judge`.
    """
    outcomes = store.outcomes()
    faults = {name: sum(count for (_, fault), count in outcomes.items() if fault == name) for name in _FAULTS}
    unjudged = store.count_units_unjudged()
    faults["judge"] += unjudged
    return {
        "schema": RUN_SCHEMA,
        "protocol": protocol,
        "seed": seed,
        "units": {
            "planned": store.count_units(),
            "complete": outcomes.get(("complete", "none"), 0) - unjudged,
            "faults": faults,
            "pending": outcomes.get(("planned", "none"), 0),
        },
        "metrics": [metric_row(metric) for metric in metrics],
        "usage": usage_rows(store),
        "unanswered": None if (most := store.noted(UNANSWERED)) is None else float(most),
        "files": file_rows(store.noted(FILES)),
    }


def metric_row(metric: Metric) -> dict[str, Json]:
    """Return one metric as the summary shows it."""
    estimate = metric.estimate
    return {
        "name": metric.name,
        "group": dict(metric.group),
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "bounds": None if estimate.bounds is None else list(estimate.bounds),
        "n": estimate.n,
        "clusters": estimate.clusters,
        "level": estimate.level,
        "method": estimate.method,
        "reason": estimate.reason,
        "p": estimate.p,
        "detectable": estimate.detectable,
        "better": metric.better,
        "control": metric.control,
    }


def usage_rows(store: RunStore) -> dict[str, Json]:
    """Return calls, tokens and cost by role; a cost with unknown parts is null."""
    return {
        role or "protocol": {
            "calls": calls,
            "cached": cached,
            "input_tokens": input_tokens,
            "output_tokens": output_tokens,
            "cost": None if unknown else cost,
        }
        for role, (calls, cached, input_tokens, output_tokens, cost, unknown) in store.usage().items()
    }


def write_json(path: Path, value: JsonObject) -> None:
    """Write strict JSON (no NaN), whole or not at all."""
    write_whole(path, json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def write_whole(path: Path, text: str) -> None:
    """Write a text file, whole or not at all.

    Raises:
        StopRun: It can't be written.
    """
    partial = path.with_name(path.name + ".partial")
    try:
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> StopRun:
    """Return the error of a file that can't be written; what is committed is not touched by it."""
    return StopRun(f"{path} can't be written ({error.strerror or error}): free some space and go on.")
