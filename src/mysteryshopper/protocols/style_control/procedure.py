"""The `style-control` protocol itself: its units, how one runs, what it will cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import ClassVar

from mysteryshopper.core import Case, ConfigError, Dialogue, Metric, Plan, RunContext, Score, Store, Unit, rng
from mysteryshopper.dialogue import Policy, converse
from mysteryshopper.protocols.conversation_people import person_of
from mysteryshopper.protocols.staging import stage
from mysteryshopper.protocols.style_control.cases import ABOUT, style_cases
from mysteryshopper.protocols.style_control.measuring import measure_styles
from mysteryshopper.protocols.style_control.options import DEFAULT_TURNS, StyleOptions
from mysteryshopper.protocols.style_control.scenarios import StyledScenarios, person_in
from mysteryshopper.protocols.style_control.talks import read_talks, style_scores
from mysteryshopper.protocols.style_control.words import METRICS


class StyleControl:
    """Every person is asked for every style and talks to every system; judges and counting say what style it was."""

    options: ClassVar[type[StyleOptions]] = StyleOptions
    needs: ClassVar[tuple[str, ...]] = ("users", "systems")
    metrics: ClassVar[tuple[str, ...]] = METRICS
    judges_about: ClassVar[str] = ABOUT

    def __init__(self, options: StyleOptions) -> None:
        """Make it with its options."""
        self._options = options
        self._scenarios: StyledScenarios | None = None

    def units(self, plan: Plan) -> Iterable[Unit]:
        """Every scenario of every user under every request with every system; a scenario's are drawn together."""
        scenarios = self._load(plan)
        for user in plan.users:
            for name, cluster in scenarios.ids(user):
                asked = dict(scenarios.request(name))
                for system in plan.systems:
                    data = {"requested": asked}
                    yield Unit(name, user, system, cluster=cluster, data=data, draw=person_in(name))

    async def run(self, unit: Unit, context: RunContext) -> None:
        """Hold one dialogue.

        Raises:
            ConfigError: The user was asked for another style than the request's, by options of its own.
        """
        system = context.system(unit.system)
        fresh = context.attempt if system.memory == "session" else 0
        policy = Policy(
            closing_turn=False, max_user_turns=context.plan.turns or DEFAULT_TURNS, guard=self._options.guard
        )
        scene = stage(self._load(context.plan), unit, context, policy, fresh=fresh)
        # the same person by chance, too, whatever is asked for
        chance = rng(context.plan.seed, "user", unit.user, person_in(unit.id), unit.repeat)
        dialogue = await converse(
            scene, context.user(unit.user), system, chance, name=unit.key, root=unit.cluster or person_in(unit.id)
        )
        _check_asked(dialogue, unit)
        told = {**person_of(scene.scenario.profile), "goal": scene.has_goal, "requested": unit.data["requested"]}
        context.save(replace(dialogue, data={**dialogue.data, **told}))

    def cases(self, store: Store) -> Iterable[Case]:
        """What the user wrote in each dialogue, titles taken out."""
        return style_cases(store)

    def measure(self, store: Store) -> Iterable[Metric]:
        """How well the style found fits the one asked for, by every judge and by counting."""
        return measure_styles(store, self._options)

    def scores(self, store: Store) -> Iterable[Score]:
        """The share of the styles asked for that were found so, one a dialogue and a source."""
        return style_scores(*read_talks(store, self._options.cuts))

    def calls(self, unit: Unit, plan: Plan) -> Mapping[str, tuple[int, int, int]]:
        """Least, expected and most calls of one dialogue by role, and cases for judges."""
        most = plan.turns or DEFAULT_TURNS
        calls = {"user": (1, most, 2 * most), "system": (0, most, 2 * most)}
        return {**calls, f"judge@{ABOUT}": (0, 1, 1)} if plan.judges else calls

    def _load(self, plan: Plan) -> StyledScenarios:
        if self._scenarios is None:
            self._scenarios = StyledScenarios(plan, self._options.asked)
        return self._scenarios


def _check_asked(dialogue: Dialogue, unit: Unit) -> None:
    """Compare the request with what the user's turns say they were asked for."""
    for node in dialogue.nodes:
        noted = node.turn_data.get("notes", {}).get("style") if node.side == "user" else None
        for style, value in unit.data["requested"].items():
            if isinstance(noted, Mapping) and noted.get(style, value) != value:
                raise ConfigError(
                    f"{unit.user!r} is asked to be {value!r} in {style}, and its own options ask it to be"
                    f" {noted[style]!r}, so nothing could be told of it; leave that out of them.",
                    key="users",
                )
