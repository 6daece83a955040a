"""The `robustness` protocol itself: its units, how one runs, what it will cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import ClassVar

from mysteryshopper.core import Case, Metric, Plan, RunContext, Score, Store, Unit
from mysteryshopper.protocols.branching import Branching, depth_of, kept
from mysteryshopper.protocols.robustness.cases import robustness_cases
from mysteryshopper.protocols.robustness.intent import Rewriter
from mysteryshopper.protocols.robustness.measuring import measure_robustness
from mysteryshopper.protocols.robustness.options import INDEPENDENT, MODEL, RobustnessOptions
from mysteryshopper.protocols.robustness.probing import Chain
from mysteryshopper.protocols.robustness.scoring import robustness_scores
from mysteryshopper.protocols.robustness.words import METRICS


class Robustness(Branching[RobustnessOptions]):
    """A system answers clean queries and the same queries made careless; the talk goes on from the clean ones."""

    options: ClassVar[type[RobustnessOptions]] = RobustnessOptions
    metrics: ClassVar[tuple[str, ...]] = METRICS

    @property
    def models(self) -> Mapping[str, str]:
        """The models that it calls by itself, by the key that names them."""
        return {} if self._options.model is None else {"options.model": self._options.model}

    def units(self, plan: Plan) -> Iterable[Unit]:
        """Every scenario of every user with every system: one chain each."""
        scenarios = self._load(plan)
        for user in plan.users:
            for name, cluster in scenarios.ids(user):
                for system in plan.systems:
                    yield Unit(id=name, user=user, system=system, cluster=cluster)

    async def run(self, unit: Unit, context: RunContext) -> None:
        """Follow one chain."""
        scene = self._stage(unit, context, unit.system)
        rewriter = None if self._options.model is None else Rewriter(context.model(self._options.model))
        user, system = context.user(unit.user), context.system(unit.system)
        chain = Chain(scene, user, system, self._options.conditions, depth_of(context.plan), context.rng, rewriter)
        done = await chain.follow(context.rng("user"))
        probes = [{**asdict(probe), "faults": list(probe.faults)} for probe in done.probes]
        context.save(kept(unit, scene, done.tree, (done.ended, done.fault, done.detail), {"probes": probes}))

    def cases(self, store: Store) -> Iterable[Case]:
        """The replies to every query, clean and careless, as a pair, and controls."""
        return robustness_cases(store, self._options.controls)

    def measure(self, store: Store) -> Iterable[Metric]:
        """How much worse careless queries are served, by kind and rate; the trend; what of the intent was left."""
        return measure_robustness(store, self._options.conditions, self._options.guard)

    def scores(self, store: Store) -> Iterable[Score]:
        """How a chain's careless queries fare, by judge and criterion, and what needs no judge."""
        return robustness_scores(store)

    def calls(self, unit: Unit, plan: Plan) -> Mapping[str, tuple[int, int, int]]:
        """Least, expected and most calls of one chain by role, and pairs for judges (`judge_pairs`)."""
        depth = depth_of(plan)
        conditions = self._options.conditions
        noisy = sum(condition.rate != 0 for condition in conditions)
        said = 1 + sum(condition.kind == INDEPENDENT for condition in conditions)
        calls = {
            "user": (said, said * depth, 2 * said * depth),
            "system": (1, (1 + noisy) * depth, 2 * (1 + noisy) * depth),
        }
        if self._options.model is not None and any(condition.kind == MODEL for condition in conditions):
            calls[f"noise {self._options.model}"] = (2, 2 * depth, 4 * depth)
        if plan.judges:
            calls["judge_pairs"] = (0, noisy * depth, len(conditions) * depth)
            calls |= {f"control_pairs {sort}": (0, depth, depth) for sort in ("same", "worse")}
        return calls

    @property
    def controls(self) -> int:
        """How many controls of each sort judges get at most."""
        return self._options.controls
