"""iEvaLM, interactive evaluation of conversational recommenders (Wang et al., EMNLP 2023): `setting: original`.

The unit is one recommending turn of a dialogue between people: everything said before it is given, the system ranks
items, and the items that the human recommender named in that turn are the targets. Nobody is simulated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import (
    Case,
    Dialogue,
    History,
    ItemRef,
    Json,
    Metric,
    Node,
    Opening,
    Plan,
    Ranker,
    RunContext,
    Scored,
    Shown,
    Store,
    System,
    Unit,
)
from mysteryshopper.datasets import Dataset, RecTurn
from mysteryshopper.datasets.records import reference
from mysteryshopper.dialogue import Tree, failure
from mysteryshopper.metrics import order_by_id
from mysteryshopper.protocols.ievalm_metrics import measure_rankings
from mysteryshopper.protocols.positions import positions

_IN_FULL = 10  # items kept with their titles, for the report; of the others the ids are enough


class IEvaLMOptions(BaseModel):
    """Options of `ievalm`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    setting: Literal["original"] = Field(
        default="original", description="`original`: one ranking per recommending turn, on the human history."
    )
    ks: tuple[int, ...] = Field(
        default=(1, 10, 25, 50), min_length=1, description="Depths at which rankings are scored."
    )
    ties: Literal["expected", "id"] = Field(
        default="expected",
        description="Equal scores: scored at the expectation of a random order, or by ascending `id` as published.",
    )


class IEvaLM:
    """Systems rank items at the recommending turns of human dialogues (iEvaLM, setting `original`): recall by label."""

    options: ClassVar[type[IEvaLMOptions]] = IEvaLMOptions
    needs: ClassVar[tuple[str, ...]] = ("systems", "data")

    def __init__(self, options: IEvaLMOptions) -> None:
        """Make it with its options."""
        self._options = options
        self._turns: Mapping[str, RecTurn] = {}

    def units(self, plan: Plan) -> Iterable[Unit]:
        """Every recommending turn of the data's split with every system; turns of one dialogue are a cluster."""
        turns = self._load(plan)
        return (
            Unit(id=turn.id, system=system, cluster=turn.dialogue) for turn in turns.values() for system in plan.systems
        )

    async def run(self, unit: Unit, context: RunContext) -> None:
        """Let the system rank for one turn, and keep where its targets stand."""
        turn = self._load(context.plan)[unit.id]
        dataset: Dataset = context.plan.dataset()
        path = "0.0" if turn.history else "0"
        history = History(turn.history, 1, context.address.to(path=path, role="system", component=unit.system))
        system = context.system(unit.system)
        data: dict[str, Json] = {
            "targets": list(turn.targets),
            "unknown": list(turn.unknown),
            "in_history": [name for name in turn.targets if name in turn.history_items],
        }
        prefix = Tree.planted(turn.history).nodes
        try:
            ranking = await _rank(system, unit, history, max(self._options.ks), dataset)
        except Exception as error:  # a plug-in may raise anything: its crash must not pay
            step = failure("system", None, error)
            ended = step.ended or "unreadable"
            context.save(Dialogue(unit.key, "", prefix, ended, step.fault, step.detail, root=unit.cluster, data=data))
            return
        data["positions"] = [position.to_json() for position in positions(ranking, turn.targets)]
        data["ranking"] = order_by_id(ranking)[: max(self._options.ks)]
        shown = tuple(_shown(name, dataset, turn.targets) for name in data["ranking"][:_IN_FULL])
        answer = Node(
            id=path, parent="0" if prefix else None, side="system", turn=1, messages=(), items=shown, seen_by=()
        )
        context.save(
            Dialogue(id=unit.key, profile="", nodes=(*prefix, answer), ended="answered", root=unit.cluster, data=data)
        )

    def cases(self, store: Store) -> Iterable[Case]:
        """Rankings are not judged."""
        return ()

    def measure(self, store: Store) -> Iterable[Metric]:
        """Label recall, MRR and nDCG at every k, by setting and system; leaks and dropped labels beside them."""
        return measure_rankings(store, self._options.setting, self._options.ks, self._options.ties)

    def calls(self, unit: Unit, plan: Plan) -> Mapping[str, tuple[int, int, int]]:
        """One question to the system."""
        return {"system": (1, 1, 1)}

    def _load(self, plan: Plan) -> Mapping[str, RecTurn]:
        if not self._turns:
            dataset: Dataset = plan.dataset()
            self._turns = {turn.id: turn for turn in dataset.turns(dataset.split)}
        return self._turns


async def _rank(system: System, unit: Unit, history: History, k: int, dataset: Dataset) -> list[Scored]:
    """Ask for a ranking; a system that can only talk is scored by the items of its reply, in their order."""
    if isinstance(system, Ranker):
        return list(await system.rank(history, k))
    opening = Opening(unit.key, dataset.domain, dataset.language, dataset.name)
    async with system.open(opening, history) as session:
        reply = await session.reply(history)
    return [Scored(item.id or f"?{place}", float(-place)) for place, item in enumerate(reply.items[:k])]


def _shown(name: str, dataset: Dataset, targets: tuple[str, ...]) -> Shown:
    item = dataset.catalog().find(name)
    return Shown(reference(item) if item is not None else ItemRef(None, name), name in targets)
