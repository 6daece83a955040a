"""The judges' stage: every case to every judge, once; verdicts that exist are never asked for again."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mysteryshopper.core import Case, ConfigError, Judge, StopRun, StoredVerdict, digest
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.house import House
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.experiment.workers import work_through

_IDENTITY = {"provider", "name", "form", "params", "temperature", "max_tokens", "reply_format"}


def judge_key(experiment: Experiment, name: str, judge: Judge) -> str:
    """Return the digest of what makes a judge who it is: name, kind, options, prompt, model without address and pace.

    A judge says which prompt it uses in an attribute `prompt` (name and hash of its template), if it uses any.
    """
    block = next(block for block in experiment.judges if block.name == name)
    model = experiment.model_of(block)
    identity = None if model is None else model.model_dump(mode="json", include=_IDENTITY)
    return digest(name, block.kind, block.options, getattr(judge, "prompt", ""), identity)


async def judge_all(
    store: RunStore, house: House, experiment: Experiment, told: Callable[[], None] = lambda: None
) -> int:
    """Ask every judge about every case it has not ruled on yet.

    Args:
        store: Where cases come from and verdicts go.
        house: Builds the judges.
        experiment: Names the judges; its `limits.concurrency` cases are in flight at most.
        told: Called after each verdict.

    Returns:
        How many cases could not be judged; they are asked about again on resume.

    Raises:
        StopRun: Something makes all further calls pointless; verdicts so far are kept.
    """
    failed = 0

    async def judge(open_case: tuple[Case, str, str]) -> None:
        nonlocal failed
        case, name, key = open_case
        if await _one(house.judge(name), case, name, key, store):
            told()
        else:
            failed += 1

    await work_through(_open_cases(store, house, experiment), experiment.limits.concurrency, judge)
    return failed


def _open_cases(store: RunStore, house: House, experiment: Experiment) -> Iterator[tuple[Case, str, str]]:
    keys = {block.name: judge_key(experiment, block.name, house.judge(block.name)) for block in experiment.judges}
    if not keys:
        return
    for case in house.procedure.cases(store):
        for name, key in keys.items():
            if not store.has_verdict(case.id, key, 0):
                yield case, name, key


async def _one(judge: Judge, case: Case, name: str, key: str, store: RunStore) -> bool:
    try:
        verdict = await judge.judge(case)
    except StopRun:
        raise
    except ConfigError as error:  # what can't be used for this case can't be used for any
        raise StopRun(str(error)) from error
    except Exception:  # a plug-in may raise anything; it must not take the other verdicts with it
        return False
    await store.put_verdict(StoredVerdict(case, verdict, name, key), case.unit)
    return True
