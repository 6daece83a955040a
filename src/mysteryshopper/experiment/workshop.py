"""For protocols that run experiments of their own: child runs in their own folders, and judging inside a unit.

A child shares the models, the record of calls and the budget of its parent: each call is committed once, in the
parent's database, counts there, and is met again there on resume. The child's folder holds its units and dialogues.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from mysteryshopper.core import Case, RunContext, ShopperError, StopRun
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.house import House
from mysteryshopper.experiment.judging import judge_all
from mysteryshopper.experiment.lock import locked
from mysteryshopper.experiment.resolved import resolved_yaml
from mysteryshopper.experiment.runner import simulate
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.experiment.summary import write_whole
from mysteryshopper.experiment.view import PlanView, planned_units

EXPERIMENT, DATABASE = "experiment.yaml", "run.sqlite"


@dataclass(frozen=True, slots=True)
class Workshop:
    """What there is to work with inside one unit.

    Attributes:
        folder: Folder of the run.
        experiment: The experiment.
        store: The run's database.
        house: Everything that was built from the experiment.
    """

    folder: Path
    experiment: Experiment
    store: RunStore
    house: House

    @classmethod
    def of(cls, context: RunContext) -> Workshop:
        """Return the workshop of a unit.

        Raises:
            ShopperError: The unit is not run by an experiment.
        """
        house = getattr(context, "house", None)
        if not isinstance(house, House) or house.store is None:
            raise ShopperError("this protocol runs experiments of its own, and needs a run's folder to do so.")
        return cls(house.store.path.parent, house.experiment, house.store, house)

    def tell(self, detail: str) -> None:
        """Say in a few words what the unit is at, for the display."""
        self.house.detail = detail

    async def simulate(self, folder: Path, experiment: Experiment) -> int:
        """Run what is pending of a child experiment in its folder; nothing is judged or measured.

        Returns:
            How many units failed by the infrastructure's fault, which another try may mend.

        Raises:
            ShopperError: It can't start, or can't go on.
        """
        folder.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240 - once a child
        with locked(folder):
            store = RunStore(folder / DATABASE, self.house.models.secrets.mask)
            try:
                plan = PlanView(experiment)
                store.plan = plan
                house = House(experiment, self.house.models, plan, store)
                units = planned_units(experiment, house.procedure, plan)
                store.add_units(units, then=lambda: _make_ready(folder, experiment, house))
                if store.count_pending():
                    await simulate(store, house, experiment.limits.concurrency)
                return store.count_pending()
            finally:
                store.close()

    async def judge(self, cases: Sequence[Case], judges: Collection[str]) -> int:
        """Have judges of the experiment rule on some cases; returns how many could not be judged."""
        return await judge_all(self.store, self.house, self.experiment, cases=cases, judges=judges)


def _make_ready(folder: Path, experiment: Experiment, house: House) -> None:
    house.build_all()
    write_whole(folder / EXPERIMENT, resolved_yaml(experiment, folder))


def open_child(folder: Path, experiment: Experiment) -> RunStore:
    """Open the database of a child for reading.

    Raises:
        StopRun: It is gone.
    """
    if not (folder / DATABASE).is_file():
        raise StopRun(f"{folder} is gone, and the run can't go on without it: put it back, or start a new run.")
    store = RunStore(folder / DATABASE)
    store.plan = PlanView(experiment)
    return store
