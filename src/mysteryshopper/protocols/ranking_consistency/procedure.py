"""The `ranking-consistency` protocol itself: several users in conversation, or finished runs, and their rankings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from mysteryshopper.core import Case, ConfigError, Dialogue, Message, Metric, Node, Plan, RunContext, Score, Store, Unit
from mysteryshopper.protocols.conversation import Conversation
from mysteryshopper.protocols.ranking_consistency.gathering import of_finished_runs, of_this_run, pack
from mysteryshopper.protocols.ranking_consistency.measuring import Terms, choose_scores, measure_rankings
from mysteryshopper.protocols.ranking_consistency.options import RankingOptions
from mysteryshopper.protocols.ranking_consistency.words import METRICS

_OF_SIMULATORS = "simulator-comparison"
_READ = "{scores:,} scores of {systems:,} systems were read from the run {run}."


class RankingConsistency:
    """The same systems ranked under several users, models, judges or runs: how far do the rankings agree?"""

    options: ClassVar[type[RankingOptions]] = RankingOptions
    metrics: ClassVar[tuple[str, ...]] = (*METRICS, *Conversation.metrics)

    def __init__(self, options: RankingOptions) -> None:
        """Make it with its options."""
        self._options = options
        self._talks = Conversation(options)

    @property
    def needs(self) -> tuple[str, ...]:
        """What an experiment must name: finished runs, or users and systems."""
        return ("data",) if self._options.runs else ("users", "systems")

    def units(self, plan: Plan) -> Iterable[Unit]:
        """Every finished run; or every scenario of every user with every system.

        Raises:
            ConfigError: There is nothing to compare: a single run, or a single user without two judges.
        """
        return self._runs(plan) if self._options.runs else self._conversations(plan)

    async def run(self, unit: Unit, context: RunContext) -> None:
        """Read a finished run's scores, or hold one dialogue."""
        if not self._options.runs:
            await self._talks.run(unit, context)
            return
        dataset: Any = context.plan.dataset()
        packed = pack(dataset.scores(unit.id))
        systems = {name for users in packed.values() for arms in users.values() for name in arms}
        scores = sum(len(arm["units"]) for users in packed.values() for arms in users.values() for arm in arms.values())
        text = _READ.format(scores=scores, systems=len(systems), run=unit.id)
        node = Node("0", None, "system", 0, (Message("system", text),))
        context.save(Dialogue(unit.key, "", (node,), "answered", root=unit.id, data={"scores": packed}))

    def cases(self, store: Store) -> Iterable[Case]:
        """What `conversation` has judged; nothing of finished runs."""
        return () if self._options.runs else self._talks.cases(store)

    def measure(self, store: Store) -> Iterator[Metric]:
        """How far rankings agree, the rankings; then, where users talked, all that `conversation` measures."""
        options, plan = self._options, store.plan
        if options.runs:
            gathered, controls = of_finished_runs(store)
        else:
            gathered = of_this_run(store, self._talks.scores(store))
            controls = {system for system in plan.systems if plan.is_control(system)}
        found = gathered.conditions()
        terms = Terms(controls, options.rank_controls, options.draws, plan.seed, values=bool(options.runs))
        correlated, rankings = measure_rankings(found, choose_scores(found, options.ranked_by), terms)
        yield from correlated
        if not options.runs:
            yield from self._talks.measure(store)
        yield from rankings

    def scores(self, store: Store) -> Iterable[Score]:
        """The scores of `conversation`; none of finished runs, which have their own."""
        return () if self._options.runs else self._talks.scores(store)

    def calls(self, unit: Unit, plan: Plan) -> Mapping[str, tuple[int, int, int]]:
        """As in `conversation`; reading finished runs calls nobody."""
        return {} if self._options.runs else self._talks.calls(unit, plan)

    @property
    def controls(self) -> int:
        """As in `conversation`."""
        return self._talks.controls

    def _conversations(self, plan: Plan) -> Iterable[Unit]:
        if len(plan.users) < 2 and len(plan.judges) < 2:
            raise ConfigError(
                "a single user gives a single ranking: name a second one (another kind, model or style), or a second"
                " judge; or name finished runs in options.runs.",
                key="users",
            )
        return self._talks.units(plan)

    def _runs(self, plan: Plan) -> Iterator[Unit]:
        dataset: Any = plan.dataset()
        if not hasattr(dataset, "scores"):
            raise ConfigError(
                "finished runs lie in a folder: name it as `data: {name: runs, path: FOLDER}`.", key="data"
            )
        for key, named in (("systems", plan.systems), ("judges", plan.judges)):
            if named:
                raise ConfigError("nobody talks where finished runs are compared; remove them.", key=key)
        if len(set(self._options.runs)) < 2:
            raise ConfigError("a ranking is compared with another: name two runs or more.", key="options.runs")
        dataset.check(self._options.runs)
        for name in dict.fromkeys(self._options.runs):
            if dataset.protocol(name) == _OF_SIMULATORS:
                raise ConfigError(
                    f"{name} is a run of {_OF_SIMULATORS!r}, whose scores are of simulated users and rank no systems;"
                    " leave it out.",
                    key="options.runs",
                )
            yield Unit(id=name)
