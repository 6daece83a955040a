"""One sitting of a run: from an open folder to numbers, whether it is the first or goes on where another stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from mysteryshopper.core import ShopperError, StopRun, noting
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.expand import check_environment, secrets_of
from mysteryshopper.experiment.files_read import FILES, FilesRead, read_record
from mysteryshopper.experiment.house import House
from mysteryshopper.experiment.judging import judge_all
from mysteryshopper.experiment.lock import locked
from mysteryshopper.experiment.log import RunLog
from mysteryshopper.experiment.progress import Counting, Progress
from mysteryshopper.experiment.resolved import resolved_yaml
from mysteryshopper.experiment.runner import Outcome, simulate
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.experiment.summary import UNANSWERED, write_whole
from mysteryshopper.experiment.view import PlanView, planned_units
from mysteryshopper.models import Budget, CallLimits, Models, SharedCache
from mysteryshopper.models.masking import Secrets

EXPERIMENT = "experiment.yaml"
DATABASE = "run.sqlite"
_SPENT = "spent"
_TICK = 0.25


@dataclass(frozen=True, slots=True)
class Sat:
    """What a sitting did.

    Attributes:
        ran: Units that were run in it.
        unjudged: Cases that no verdict came back for.
        judged: Cases that judges were asked about.
    """

    ran: int
    unjudged: int = 0
    judged: int = 0


async def sit(folder: Path, experiment: Experiment, progress: Progress) -> Sat:
    """Plan what is not planned yet, run what is pending, and judge.

    Everything is committed as it happens; cancelling, `StopRun` or a kill lose at most what is in flight.

    Raises:
        ShopperError: It can't start, or can't go on.
    """
    with locked(folder):
        secrets = secrets_of(experiment)
        store = RunStore(folder / DATABASE, secrets.mask)
        try:
            with noting(read := _files_read(folder, experiment, store, secrets)):
                return await _sit(folder, experiment, progress, store, secrets, read)
        except StopRun:
            raise
        except ShopperError:
            if not store.count_units():
                store.discard()  # it could not start: once mended, it starts anew
            raise
        finally:
            store.close()


def _files_read(folder: Path, experiment: Experiment, store: RunStore, secrets: Secrets) -> FilesRead:
    before = read_record(store.noted(FILES))
    return FilesRead(Path(experiment.folder), folder, before if store.count_units() else (), secrets.mask)


async def _sit(
    folder: Path,
    experiment: Experiment,
    progress: Progress,
    store: RunStore,
    secrets: Secrets,
    read: FilesRead,
) -> Sat:
    plan = PlanView(experiment)
    store.plan = plan
    cache = SharedCache()
    log = RunLog(store, cache)
    recorded, unanswered = _spent(store)
    budget = Budget(
        experiment.limits.max_cost,
        recorded + unanswered,
        lambda risk: store.note(UNANSWERED, repr(unanswered + risk)),  # for the case that this process is killed
    )
    try:
        async with _models(experiment, log, budget, secrets) as models:
            house = House(experiment, models, plan, store)
            units = planned_units(experiment, house.procedure, plan)
            store.add_units(units, then=lambda: _make_ready(folder, experiment, store, house, read))
            return await _work(store, house, experiment, log, progress)
    finally:
        cache.close()
        if budget.limit is not None:
            with suppress(StopRun):  # a disk that is full has been told of
                store.note(UNANSWERED, repr(max(0.0, round(budget.spent - _spent(store)[0], 9))))


def _spent(store: RunStore) -> tuple[float, float]:
    """Return what the run has recorded as spent, and the most that calls may have cost that were never answered."""
    recorded = sum(cost for *_, cost, _ in store.usage().values())
    if (unanswered := store.noted(UNANSWERED)) is not None:
        return recorded, float(unanswered)
    return recorded, max(0.0, float(store.noted(_SPENT) or 0) - recorded)  # as it was noted before


def _make_ready(folder: Path, experiment: Experiment, store: RunStore, house: House, read: FilesRead) -> None:
    """Make sure that the work can be done before it is planned, so that a mistake can still be mended."""
    pending = store.count_pending()
    if pending or experiment.judges:
        check_environment(experiment)
    if pending:
        house.build_all()
        read.settle()
    else:  # whose dialogues are all there may have become another system since
        house.build_judges()
    # A kill in between leaves the file without the units, which the next sitting plans.
    write_whole(folder / EXPERIMENT, resolved_yaml(experiment, folder))
    read.keep(lambda record: store.note(FILES, record))  # in one commit with the units


async def _work(store: RunStore, house: House, experiment: Experiment, log: RunLog, progress: Progress) -> Sat:
    pending, total = store.count_pending(), store.count_units()
    counting = Counting(progress, total, total - pending)

    def told(outcome: Outcome) -> None:
        counting.unit(outcome.fault)

    if pending:
        async with _ticking("simulate", counting, log, house):
            await simulate(store, house, experiment.limits.concurrency, told)
    unjudged = asked = 0
    if experiment.judges:
        judged = Counting(progress, 0, 0)

        def ruled(status: str) -> None:
            judged.unit("none" if status == "ok" else "judge")

        async with _ticking("judge", judged, log, house):
            unjudged = await judge_all(store, house, experiment, ruled, judged.expect)
        asked = judged.done
    return Sat(counting.done - counting.before, unjudged, asked)


@asynccontextmanager
async def _ticking(stage: str, counting: Counting, log: RunLog, house: House) -> AsyncIterator[None]:
    """Show progress a few times a second, and once at the end."""

    async def tick() -> None:
        while True:
            counting.show(f"{stage}, {house.detail}" if house.detail else stage, log.counts, log.cost)
            await asyncio.sleep(_TICK)

    ticker = asyncio.create_task(tick())
    try:
        yield
    finally:
        ticker.cancel()
        with suppress(asyncio.CancelledError):
            await ticker
        counting.show(stage, log.counts, log.cost)


def _models(experiment: Experiment, log: RunLog, budget: Budget, secrets: Secrets) -> Models:
    limits = experiment.limits
    return Models(
        log,
        seed=experiment.seed,
        limits=CallLimits(
            concurrency=limits.concurrency,
            attempt_timeout=limits.attempt_timeout,
            retries=limits.retries,
            max_wait=limits.max_wait,
        ),
        budget=budget,
        secrets=secrets,
        folder=Path(experiment.folder),
    )


def holds_run(folder: Path) -> bool:
    """Whether a run was begun in a folder; one that ended before its experiment was written was not."""
    return (folder / DATABASE).is_file() and (folder / EXPERIMENT).is_file()


def open_run(folder: Path) -> tuple[Experiment, RunStore]:
    """Open a run's folder for reading, or for judging and measuring again.

    Raises:
        ShopperError: It holds no run.
    """
    if not holds_run(folder):
        raise ShopperError(f"{folder} holds no run (no {DATABASE} and {EXPERIMENT}); name the folder of one.")
    experiment = Experiment.load(folder / EXPERIMENT, begun=True)
    store = RunStore(folder / DATABASE)
    store.plan = PlanView(experiment)
    return experiment, store
