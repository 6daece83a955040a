"""`conversation`: any simulated users talk to any systems; how well were they served?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import CallFailed, Case, Metric, Plan, RunContext, Score, Store, Unit
from mysteryshopper.dialogue import Policy, converse
from mysteryshopper.protocols.conversation_cases import conversation_cases
from mysteryshopper.protocols.conversation_metrics import measure_conversations
from mysteryshopper.protocols.conversation_people import person_of
from mysteryshopper.protocols.conversation_rating import ask_for_rating
from mysteryshopper.protocols.conversation_scores import conversation_scores
from mysteryshopper.protocols.conversation_words import METRICS
from mysteryshopper.protocols.scenarios import Scenarios
from mysteryshopper.protocols.staging import stage

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
    rating: bool = Field(
        default=True, description="Ask users who can be asked, after the dialogue, how satisfied they are (1 to 5)."
    )
    controls: int = Field(
        default=20,
        ge=0,
        description="How many cases with a known verdict judges get of each sort (a system against itself, a dialogue"
        " made worse); 0 for none.",
    )
    sessions: str = Field(
        default="",
        description="Goes into the session ids, so that a bot that remembers sessions takes two runs of one experiment"
        " for different ones.",
    )


_ONE = (0, 1, 1)


class Conversation:
    """Simulated users with wishes talk to systems: success, turns to success, how dialogues ended, roles kept."""

    options: ClassVar[type[ConversationOptions]] = ConversationOptions
    needs: ClassVar[tuple[str, ...]] = ("users", "systems")
    metrics: ClassVar[tuple[str, ...]] = METRICS

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
        system = context.system(unit.system)
        # A session that lives behind its id can't be resumed: a new start needs a new one.
        fresh = context.attempt if system.memory == "session" else 0
        session = [self._options.sessions, fresh] if self._options.sessions else fresh
        scene = stage(self._load(context.plan), unit, context, self._policy(context.plan), fresh=session)
        if scene.scenario.prefix:
            scene = replace(scene, policy=replace(scene.policy, first="prefix"))
        user = context.user(unit.user)
        dialogue = await converse(scene, user, system, context.rng("user"), name=unit.key, root=unit.cluster)
        data: dict[str, Any] = {**dialogue.data, **person_of(scene.scenario.profile), "goal": scene.has_goal}
        lost: CallFailed | None = None
        if self._options.rating:
            rating, lost = await ask_for_rating(scene, user, dialogue)
            data |= {"rating": rating} if rating is not None else {}
        context.save(replace(dialogue, data=data))
        if lost is not None:
            raise lost  # the dialogue is kept, and the rating is asked for again on resume

    def cases(self, store: Store) -> Iterable[Case]:
        """Every dialogue by itself, every two systems' dialogues of one scenario and repeat as a pair, and controls."""
        return conversation_cases(store, self._options.controls, store.plan.seed)

    def measure(self, store: Store) -> Iterable[Metric]:
        """How users were served, by system and in pairs of systems; how far they kept their role; what judges said."""
        return measure_conversations(store, self._options.guard)

    def scores(self, store: Store) -> Iterable[Score]:
        """Success, wanted items shown, turns to success, giving up and rating, one a dialogue."""
        return conversation_scores(store)

    def calls(self, unit: Unit, plan: Plan) -> Mapping[str, tuple[int, int, int]]:
        """Least, expected and most calls of one dialogue by role, and cases for judges (`judge`, `judge_pairs`).

        A pair of systems is counted with the system that stands first. A dialogue may become a control of each sort:
        held against itself (once, however often it is repeated), or made worse, judged as a pair and by itself.
        """
        most = plan.turns or DEFAULT_TURNS
        rated = int(self._options.rating)
        # each turn, and the rating, is re-asked once at most
        calls = {"user": (1, most + rated, 2 * (most + rated)), "system": (1, most, 2 * (most + 1))}
        if plan.judges:
            pairs = len(plan.systems) - 1 - list(plan.systems).index(unit.system)
            first = int(unit.repeat == 0)
            calls |= {"judge": (0, 1, 1), "judge_pairs": (0, pairs, pairs)}
            calls |= {"control_pairs same": (0, first, first), "control_pairs worse": _ONE, "control_ones worse": _ONE}
        return calls

    @property
    def controls(self) -> int:
        """How many controls of each sort judges get at most."""
        return self._options.controls

    def _policy(self, plan: Plan) -> Policy:
        options = self._options
        return Policy(
            first=options.first,
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
