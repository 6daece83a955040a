"""iEvaLM, interactive evaluation of conversational recommenders (Wang et al., EMNLP 2023), in three settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from mysteryshopper.core import Case, Json, Metric, Plan, RunContext, Score, Store, Unit
from mysteryshopper.datasets import Dataset, RecTurn
from mysteryshopper.protocols.ievalm.attribute import Asked, asked_attributes, run_attribute
from mysteryshopper.protocols.ievalm.audit import Audit
from mysteryshopper.protocols.ievalm.free import run_free
from mysteryshopper.protocols.ievalm.measuring import measure_units
from mysteryshopper.protocols.ievalm.options import DEFAULT_TURNS, IEvaLMOptions, Setting
from mysteryshopper.protocols.ievalm.original import run_original
from mysteryshopper.protocols.ievalm.scoring import unit_scores
from mysteryshopper.protocols.ievalm.showing import chat_cases


class IEvaLM:
    """Systems recommend at the recommending turns of human dialogues (iEvaLM): on the history, in chat, by attributes.

    The unit is one recommending turn of a dialogue between people with one system, and in `free` one user. What the
    human recommender named in that turn are the targets. Every unit is audited for leaks.
    """

    options: ClassVar[type[IEvaLMOptions]] = IEvaLMOptions

    def __init__(self, options: IEvaLMOptions) -> None:
        """Make it with its options."""
        self._options = options
        self._turns: Mapping[str, RecTurn] = {}
        self._auditor: Audit | None = None
        self._asked: Asked = {}
        self.needs: tuple[str, ...] = (("users",) if "free" in options.settings else ()) + ("systems", "data")

    def units(self, plan: Plan) -> Iterable[Unit]:
        """Every recommending turn of the data's split with every system, and in `free` every user.

        Turns of one dialogue are a cluster. A unit's id holds the turn's and the setting, so that a run of one setting
        can be paired with a run of several; all settings draw the same turns.
        """
        settings = self._options.settings
        for turn in self._load(plan).values():
            for setting in settings:
                name = f"{turn.id}:{setting}"
                for user in plan.users if setting == "free" else ("",):
                    for system in plan.systems:
                        yield Unit(
                            id=name,
                            user=user,
                            system=system,
                            cluster=turn.dialogue,
                            data={"setting": setting, "turn": turn.id},
                            draw=turn.id,
                        )

    async def run(self, unit: Unit, context: RunContext) -> None:
        """Run one unit in its setting, and keep where its targets stand and what leaks."""
        turn = self._load(context.plan)[unit.data["turn"]]
        dataset: Dataset = context.plan.dataset()
        if self._auditor is None:
            self._auditor = Audit(dataset)
        setting: Setting = unit.data["setting"]
        fresh = setting == "free" and self._options.start == "fresh"
        data: dict[str, Json] = {
            "setting": setting,
            "targets": list(turn.targets),
            "unknown": list(turn.unknown),
            "leaks": {} if fresh else self._auditor.history(turn),
        }
        deepest = max(self._options.ks)
        if setting == "original":
            dialogue = await run_original(unit, turn, context, data, deepest)
        elif setting == "free":
            dialogue = await run_free(unit, turn, context, data, self._options)
            data["leaks"] |= self._auditor.replies(dialogue, turn.targets)
        else:
            asked = asked_attributes(dataset, self._options.attributes)
            data["leaks"] |= self._auditor.answers(turn.targets, asked)
            dialogue = await run_attribute(unit, turn, context, data, asked, deepest, self._asked)
        context.save(dialogue)

    def cases(self, store: Store) -> Iterable[Case]:
        """The dialogues of `free`, each by itself, in pairs of systems, and if wanted in pairs of users."""
        if "free" not in self._options.settings or not store.plan.judges:
            return ()
        return chat_cases(store, self._load(store.plan), self._options)

    def measure(self, store: Store) -> Iterable[Metric]:
        """Recall and its kin by setting, user and system, on all units and on those without a leak."""
        return measure_units(store, self._options)

    def scores(self, store: Store) -> Iterable[Score]:
        """The same, one value a unit."""
        return unit_scores(store, self._options)

    def calls(self, unit: Unit, plan: Plan) -> Mapping[str, tuple[int, int, int]]:
        """Least, expected and most calls of one unit by role."""
        most = plan.turns or DEFAULT_TURNS
        setting = unit.data["setting"]
        if setting == "original":
            return {"system": (1, 1, 1)}
        if setting == "attribute":
            return {"system": (1, most, most)}
        each = 1 + self._options.rank
        calls = {"user": (1, most, 2 * most), "system": (1, each * most, 2 * each * most)}
        if plan.judges:
            later = len(plan.systems) - 1 - list(plan.systems).index(unit.system)
            # each user against the later ones and against the person in the data
            seekers = len(plan.users) - list(plan.users).index(unit.user) if self._options.compare_users else 0
            calls |= {"judge": (0, 1, 1), "judge_pairs": (0, later, later), "judge_pairs@users": (0, seekers, seekers)}
        return calls

    def _load(self, plan: Plan) -> Mapping[str, RecTurn]:
        if not self._turns:
            dataset: Dataset = plan.dataset()
            self._turns = {turn.id: turn for turn in dataset.turns(dataset.split)}
        return self._turns
