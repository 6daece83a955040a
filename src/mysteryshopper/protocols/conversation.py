"""`conversation`: any simulated users talk to any systems; how well were they served?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import Case, Metric, Opening, Plan, RunContext, Store, Unit, digest
from mysteryshopper.dialogue import Policy, Scene, converse
from mysteryshopper.protocols.conversation_metrics import measure_conversations
from mysteryshopper.protocols.scenarios import Scenarios

DEFAULT_TURNS = 5


class ConversationOptions(BaseModel):
    """Options of `conversation`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: Literal["user", "system"] = Field(default="user", description="Who opens the dialogue.")
    start: Literal["fresh", "prefix"] = Field(
        default="fresh", description="`prefix`: go on from what people said before, where the data has it."
    )
    closing_turn: bool = Field(default=True, description="The system answers the user's last words.")
    stop_on: Literal["hit", "accept", "user"] = Field(
        default="accept",
        description="End when a wanted item is shown (`hit`), when one is taken (`accept`), or when the user says so.",
    )
    guard: Literal["off", "flag", "reask"] = Field(
        default="reask",
        description="What the fault detectors do: nothing, flag the turn, or ask the user once more and then give up.",
    )


class Conversation:
    """Simulated users with wishes talk to systems: success, turns to success, how dialogues ended, roles kept."""

    options: ClassVar[type[ConversationOptions]] = ConversationOptions
    needs: ClassVar[tuple[str, ...]] = ("users", "systems")

    def __init__(self, options: ConversationOptions) -> None:
        """Make it with its options."""
        self._options = options
        self._scenarios: Scenarios | None = None

    def units(self, plan: Plan) -> Iterable[Unit]:
        """Every scenario of every user with every system."""
        scenarios = self._load(plan)
        for user in plan.users:
            for name, cluster in scenarios.ids(user):
                for system in plan.systems:
                    yield Unit(id=name, user=user, system=system, cluster=cluster)

    async def run(self, unit: Unit, context: RunContext) -> None:
        """Hold one dialogue."""
        scenario, goal = self._load(context.plan).make(unit.user, unit.id, context.rng("scenario"))
        system = context.system(unit.system)
        dataset = context.plan.dataset()
        # A session that lives behind its id can't be resumed: a new start needs a new one.
        fresh = context.attempt if system.memory == "session" else 0
        opening = Opening(
            session=digest(context.plan.seed, unit.key, fresh)[:16],
            domain=scenario.domain,
            language=scenario.profile.language,
            catalog=dataset.name if dataset is not None else "",
            user=digest(context.plan.seed, unit.user, scenario.profile.id)[:12],
        )
        scene = Scene(
            scenario,
            opening,
            goal,
            self._policy(context.plan, bool(scenario.prefix)),
            address=context.address,
            user=unit.user,
            system=unit.system,
            find=dataset.catalog().find if dataset is not None else None,
        )
        dialogue = await converse(
            scene, context.user(unit.user), system, context.rng("user"), name=unit.key, root=unit.cluster
        )
        data = {**dialogue.data, "wish": scenario.profile.wish, "goal": scene.has_goal}
        context.save(replace(dialogue, data=data))

    def cases(self, store: Store) -> Iterable[Case]:
        """Nothing yet is judged by itself; judges with criteria of their own bring them."""
        return ()

    def measure(self, store: Store) -> Iterable[Metric]:
        """Success, turns to success, how dialogues ended, and how often users fell out of their role."""
        return measure_conversations(store)

    def calls(self, unit: Unit, plan: Plan) -> Mapping[str, tuple[int, int, int]]:
        """Least, expected and most calls of one dialogue by role."""
        most = plan.turns or DEFAULT_TURNS
        return {"user": (1, most, 2 * most), "system": (1, most, 2 * (most + 1))}  # each turn is re-asked once at most

    def _policy(self, plan: Plan, prefix: bool) -> Policy:
        options = self._options
        return Policy(
            first="prefix" if prefix else options.first,
            closing_turn=options.closing_turn,
            max_user_turns=plan.turns or DEFAULT_TURNS,
            max_system_turns=None,
            stop_on=options.stop_on,
            guard=options.guard,
        )

    def _load(self, plan: Plan) -> Scenarios:
        if self._scenarios is None:
            self._scenarios = Scenarios(plan, self._options.start == "prefix")
        return self._scenarios
