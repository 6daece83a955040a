"""`profiles --model`: people written by a model of an experiment file; good calls are kept in the shared cache."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

from mysteryshopper.cli.profiles import Source, write_lines
from mysteryshopper.core import Call, ConfigError, unknown
from mysteryshopper.datasets import Dataset
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.expand import filled_in
from mysteryshopper.experiment.sheets import Sheet
from mysteryshopper.models import Models
from mysteryshopper.models.cache import SharedCache
from mysteryshopper.models.limits import CallLimits
from mysteryshopper.profiles import MadeProfiles, WrittenProfiles, profile_line, write_profiles


class _CacheLog:
    """A log of calls that keeps the good ones in the shared cache, and counts those that were sent."""

    def __init__(self, cache: SharedCache) -> None:
        self._cache = cache
        self.sent = 0

    async def find(self, key: str) -> Call | None:
        """Return the good call with this key from the cache."""
        return self._cache.find(key)

    async def commit(self, call: Call) -> None:
        """Keep a call, soon."""
        self.sent += not call.cached
        self._cache.put(call)


def write_by_model(experiment: Experiment, model: str, source: Source, out: Path, settings: MadeProfiles) -> Sheet:
    """Have a model write people with wishes from a domain's items, write them to a file, and say what they cover.

    Args:
        experiment: An experiment whose `models:` hold the model; its limits hold here too.
        model: The model's name there.
        source: What they wish from, and the seed of the wishes and of the calls.
        out: The file; it must not be there yet.
        settings: How many, and the bounds of their wishes.

    Raises:
        ConfigError: There is no such model, or the domain is not described.
        DataError: The file is there already or can't be written.
        CallFailed: A call failed for good; what was written so far is met again in the cache.
    """
    if model not in experiment.models:
        raise ConfigError(unknown("model", model, experiment.models), key="models")
    found, sent = asyncio.run(_written(experiment, model, source.dataset, source.seed, settings))
    write_lines(out, [profile_line(profile) for profile in found.profiles])
    again = ", ".join(f"{reason} {count:,}" for reason, count in sorted(Counter(found.reasons).items()))
    rows = [
        *([("profiles", f"{len(found.profiles):,}")] if found.coverage is None else found.coverage.rows()),
        (
            "calls",
            f"{found.calls:,}, {sent:,} of them sent{'' if sent == found.calls else ', the others met in the cache'}",
        ),
        ("asked once more", f"{found.asked_again:,}{f' ({again})' if again else ''}"),
        ("left as made without a model", f"{len(found.fallen_back):,}"),
    ]
    return Sheet(f"{out}: people from {source.name}, written by {model}", ("what", "how much"), tuple(rows))


async def _written(
    experiment: Experiment, model: str, dataset: Dataset, seed: int, settings: MadeProfiles
) -> tuple[WrittenProfiles, int]:
    cache = SharedCache()
    log = _CacheLog(cache)
    limits = experiment.limits
    calls = CallLimits(limits.concurrency, limits.attempt_timeout, limits.retries, limits.max_wait)
    try:
        async with Models(log, seed=seed, limits=calls, folder=Path(experiment.folder)) as models:
            writer = models.model(model, filled_in(experiment.models[model], f"models.{model}"))
            count = settings.generate or 1
            found = await write_profiles(writer, dataset, count, seed, settings=settings, at_once=calls.concurrency)
    finally:
        cache.close()
    return found, log.sent
