"""The `robustness` protocol itself: its units, how one runs, what it will cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import ClassVar

from mysteryshopper.core import Case, Dialogue, Metric, Opening, Plan, RunContext, Store, Unit, digest
from mysteryshopper.dialogue import Policy, Scene
from mysteryshopper.protocols.conversation_people import person_of
from mysteryshopper.protocols.robustness.cases import robustness_cases
from mysteryshopper.protocols.robustness.intent import Rewriter
from mysteryshopper.protocols.robustness.measuring import measure_robustness
from mysteryshopper.protocols.robustness.options import DEFAULT_DEPTH, INDEPENDENT, MODEL, RobustnessOptions
from mysteryshopper.protocols.robustness.probing import Chain
from mysteryshopper.protocols.robustness.words import METRICS
from mysteryshopper.protocols.scenarios import Scenarios


class Robustness:
    """A system answers clean queries and the same queries made careless; the talk goes on from the clean ones."""

    options: ClassVar[type[RobustnessOptions]] = RobustnessOptions
    needs: ClassVar[tuple[str, ...]] = ("users", "systems")
    metrics: ClassVar[tuple[str, ...]] = METRICS
    forks: ClassVar[bool] = True

    def __init__(self, options: RobustnessOptions) -> None:
        """Make it with its options."""
        self._options = options
        self._scenarios: Scenarios | None = None

    def units(self, plan: Plan) -> Iterable[Unit]:
        """Every scenario of every user with every system: one chain each."""
        scenarios = self._load(plan)
        for user in plan.users:
            for name, cluster in scenarios.ids(user):
                for system in plan.systems:
                    yield Unit(id=name, user=user, system=system, cluster=cluster)

    async def run(self, unit: Unit, context: RunContext) -> None:
        """Follow one chain."""
        scenario, goal = self._load(context.plan).make(unit.user, unit.id, context.rng("scenario"))
        dataset = context.plan.dataset()
        depth = context.plan.turns or DEFAULT_DEPTH
        opening = Opening(
            session=digest(context.plan.seed, unit.key)[:16],
            domain=scenario.domain,
            language=scenario.profile.language,
            catalog=dataset.name if dataset is not None else "",
            user=digest(context.plan.seed, unit.user, scenario.profile.id)[:12],
        )
        scene = Scene(
            scenario,
            opening,
            goal,
            Policy(closing_turn=False, max_system_turns=depth, stop_on="user", guard=self._options.guard),
            address=context.address,
            user=unit.user,
            system=unit.system,
            find=dataset.catalog().find if dataset is not None else None,
        )
        rewriter = None if self._options.model is None else Rewriter(context.model(self._options.model))
        user, system = context.user(unit.user), context.system(unit.system)
        chain = Chain(scene, user, system, self._options.conditions, depth, context.rng, rewriter)
        done = await chain.follow(context.rng("user"))
        probes = [{**asdict(probe), "faults": list(probe.faults)} for probe in done.probes]
        data = {**person_of(scenario.profile), "goal": scene.has_goal, "probes": probes}
        cluster = unit.cluster or unit.id
        context.save(
            Dialogue(
                unit.key, scenario.profile.id, done.tree.nodes, done.ended, done.fault, done.detail, None, cluster, data
            )
        )

    def cases(self, store: Store) -> Iterable[Case]:
        """The replies to every query, clean and careless, as a pair, and controls."""
        return robustness_cases(store, self._options.controls, store.plan.seed)

    def measure(self, store: Store) -> Iterable[Metric]:
        """How much worse careless queries are served, by kind and rate; the trend; what of the intent was left."""
        return measure_robustness(store, self._options.conditions)

    def calls(self, unit: Unit, plan: Plan) -> Mapping[str, tuple[int, int, int]]:
        """Least, expected and most calls of one chain by role, and pairs for judges (`judge_pairs`)."""
        depth = plan.turns or DEFAULT_DEPTH
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
            planted = 2 * int(self._options.controls > 0) * depth
            calls["judge_pairs"] = (0, noisy * depth, len(conditions) * depth + planted)
        return calls

    def _load(self, plan: Plan) -> Scenarios:
        if self._scenarios is None:
            self._scenarios = Scenarios(plan)
        return self._scenarios
