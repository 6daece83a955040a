"""The `simulator-comparison` protocol itself: its units, how one runs, what it will cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import ClassVar

from mysteryshopper.core import Case, ConfigError, Metric, Plan, Profile, RunContext, Score, Store, Unit
from mysteryshopper.protocols.conversation import Conversation
from mysteryshopper.protocols.scenarios import Scenarios
from mysteryshopper.protocols.simulator_comparison.cases import ABOUT, simulator_cases
from mysteryshopper.protocols.simulator_comparison.measuring import measure_simulators
from mysteryshopper.protocols.simulator_comparison.options import SimulatorComparisonOptions
from mysteryshopper.protocols.simulator_comparison.scoring import simulator_scores
from mysteryshopper.protocols.simulator_comparison.spoiling import SPOILS
from mysteryshopper.protocols.simulator_comparison.words import METRICS


class SimulatorComparison:
    """Simulated users against each other: each plays the same people to the same systems, and judges compare pairs.

    Dialogues are held as in `conversation`. After the comparison of simulators in AdaptSim, with both orders of every
    pair, draws apart from orders that disagree, intervals by person, and controls.
    """

    options: ClassVar[type[SimulatorComparisonOptions]] = SimulatorComparisonOptions
    needs: ClassVar[tuple[str, ...]] = ("users", "systems")
    metrics: ClassVar[tuple[str, ...]] = METRICS
    judges_about: ClassVar[str] = ABOUT

    def __init__(self, options: SimulatorComparisonOptions) -> None:
        """Make it with its options."""
        self._options = options
        self._talks = Conversation(options.talk)
        self._shared: Mapping[str, Mapping[str, str]] | None = None

    def units(self, plan: Plan) -> Iterable[Unit]:
        """Every scenario that two simulators share, with each of them and every system.

        Raises:
            ConfigError: There are fewer than two users, they share no scenario, or two people of one id differ.
        """
        shared = self._load(plan)
        names = dict.fromkeys(name for user in plan.users for name in shared[user])
        for name in names:
            for user in plan.users:
                if name in shared[user]:
                    for system in plan.systems:
                        yield Unit(name, user, system, cluster=shared[user][name])

    async def run(self, unit: Unit, context: RunContext) -> None:
        """Hold one dialogue."""
        await self._talks.run(unit, context)

    def cases(self, store: Store) -> Iterable[Case]:
        """Every two simulators' dialogues of one scenario, system and repeat as a pair, and controls."""
        return simulator_cases(store, self._options.controls, store.plan.seed)

    def measure(self, store: Store) -> Iterable[Metric]:
        """Who wins by every judge, a ranking of more than two, how far they keep their role, what judges are worth."""
        return measure_simulators(store, self._options.guard)

    def scores(self, store: Store) -> Iterable[Score]:
        """What each simulator won on every scenario with every system, and what needs no judge."""
        return simulator_scores(store, self._options.guard)

    def calls(self, unit: Unit, plan: Plan) -> Mapping[str, tuple[int, int, int]]:
        """Least, expected and most calls of one dialogue by role, and pairs for judges (`judge_pairs`).

        A pair of simulators is counted with the one that stands first. A person is in one control of each sort at most.
        """
        calls = {role: counts for role, counts in self._talks.calls(unit, plan).items() if role in ("user", "system")}
        if plan.judges:
            shared = self._load(plan)
            later = plan.users[list(plan.users).index(unit.user) + 1 :]
            pairs = sum(unit.id in shared[user] for user in later)
            calls[f"judge_pairs@{ABOUT}"] = (0, pairs, pairs)
            first = (unit.system, unit.repeat) == (plan.systems[0], 0)
            if first and unit.user == next(user for user in plan.users if unit.id in shared[user]):
                calls |= {f"control_pairs@{ABOUT} {sort}": (0, 1, 1) for sort in ("same", *SPOILS)}
        return calls

    @property
    def controls(self) -> int:
        """How many controls of each sort judges get at most."""
        return self._options.controls

    def _load(self, plan: Plan) -> Mapping[str, Mapping[str, str]]:
        """Return the scenarios of every user that another shares, each with its cluster."""
        if self._shared is None:
            self._shared = _shared(plan, Scenarios(plan, self._options.start == "prefix"))
        return self._shared


def _shared(plan: Plan, scenarios: Scenarios) -> Mapping[str, Mapping[str, str]]:
    if len(plan.users) < 2:
        raise ConfigError("simulators are compared with each other; name a second user.", key="users")
    own = {user: dict(scenarios.ids(user)) for user in plan.users}
    counts: dict[str, int] = {}
    for names in own.values():
        for name in names:
            counts[name] = counts.get(name, 0) + 1
    if not any(count > 1 for count in counts.values()):
        raise ConfigError(
            "no two users play the same people; give them the same `profiles` (or none, where the data brings wishes).",
            key="users",
        )
    _check_same(plan)
    return {user: {name: cluster for name, cluster in names.items() if counts[name] > 1} for user, names in own.items()}


def _check_same(plan: Plan) -> None:
    """See that people of one id are one person, in whatever manner they speak."""
    seen: dict[str, tuple[str, Profile]] = {}
    for user in plan.users:
        for profile in plan.profiles(user) or ():
            person = replace(profile, style={}, patience=None, notes={})
            other, known = seen.setdefault(profile.id, (user, person))
            if known != person:
                raise ConfigError(
                    f"the person {profile.id!r} is another one for {other!r}; simulators are compared on the same"
                    " people, so give both the same file.",
                    key=f"users.{user}.profiles",
                )
