"""`prompt-optimisation`: the instruction of a simulated user is written anew, round by round, while it gets better."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from mysteryshopper.core import Case, ConfigError, Metric, Plan, RunContext, Store, Unit, unknown
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.kinds import JUDGES
from mysteryshopper.experiment.view import PlanView
from mysteryshopper.optimize.batches import kept_batches
from mysteryshopper.optimize.cases import control_cases, story_cases
from mysteryshopper.optimize.measuring import measure_optimisation
from mysteryshopper.optimize.options import OptimisationOptions
from mysteryshopper.optimize.prompts import slot_of
from mysteryshopper.optimize.story import read_story
from mysteryshopper.optimize.words import METRICS
from mysteryshopper.optimize.working import Optimisation, read_prompt
from mysteryshopper.optimize.writer import About
from mysteryshopper.protocols.conversation import DEFAULT_TURNS
from mysteryshopper.protocols.scenarios import Scenarios

_UNIT = "optimisation"


class PromptOptimisation:
    """A model writes a user's instruction, reviews dialogues held with it, and writes it anew; a judge keeps the best.

    A run is one unit: one user, whose every round is a run of `conversation` in a folder of its own.
    """

    options: ClassVar[type[OptimisationOptions]] = OptimisationOptions
    needs: ClassVar[tuple[str, ...]] = ("users", "systems")
    metrics: ClassVar[tuple[str, ...]] = METRICS

    def __init__(self, options: OptimisationOptions) -> None:
        """Make it with its options."""
        self._options = options

    @property
    def models(self) -> Mapping[str, str]:
        """The model that it calls by itself, by the key that names it."""
        return {"options.model": self._options.model}

    def units(self, plan: Plan) -> Iterable[Unit]:
        """The one unit; `data` says how many people a round has.

        Raises:
            ConfigError: Something is given that an optimisation can't have.
        """
        experiment = _experiment_of(plan)
        self._check(experiment)
        user = plan.users[0]
        people = sum(1 for _ in Scenarios(plan).ids(user))
        if not people:
            raise ConfigError("there is nobody to play; give the user profiles.", key="user.profiles")
        yield Unit(_UNIT, user=user, data={"people": min(people, self._options.batch)})

    async def run(self, unit: Unit, context: RunContext) -> None:
        """Optimise."""
        await Optimisation(unit, context, self._options, self._judge(context.plan), about(context.plan)).work()

    def cases(self, store: Store) -> Iterable[Case]:
        """Each round's pairs, the best prompt's against the initial one's, and controls, once all rounds are done."""
        story = read_story(store)
        if story is None or not story.ended:
            return
        batches = kept_batches(store)
        for record in store.units():
            yield from story_cases(record.unit.key, story, batches, self._options.held_out)
            initial = batches.get(0, {})
            yield from control_cases(record.unit.key, initial, self._options.controls, store.plan.seed)

    def measure(self, store: Store) -> Iterable[Metric]:
        """What was gained, by each judge; every round; what went wrong; how far the judges can be trusted."""
        return measure_optimisation(store, self._options, self._judge(store.plan))

    def calls(self, unit: Unit, plan: Plan) -> Mapping[str, tuple[int, int, int]]:
        """Least, expected and most calls by role, and pairs for judges (`judge_pairs`), over all rounds.

        Least is when no new prompt differs from an earlier one; expected takes it that half of the rounds that are not
        sure to be run are run, and that every other one is an improvement.
        """
        options = self._options
        people = int(unit.data["people"])
        dialogues = people * len(plan.systems)
        sure = min(options.rounds, options.patience)
        rounds = (sure, (sure + options.rounds + 1) // 2, options.rounds)
        batches = (1, 1 + rounds[1], 1 + rounds[2])
        turns = plan.turns or DEFAULT_TURNS
        rated = int(options.conversation.rating)
        calls = {
            "user": (
                people * len(plan.systems),
                dialogues * batches[1] * (turns + rated),
                dialogues * batches[2] * 2 * (turns + rated),
            )
        }
        for system in plan.systems:
            calls[f"system {system}"] = (
                people,
                people * batches[1] * turns,
                people * batches[2] * 2 * (turns + 1),
            )
        first = int(options.initial is None)
        calls[f"optimise {options.model}"] = (
            first + dialogues + rounds[0],
            first + dialogues * (1 + rounds[1] // 2) + rounds[1],
            2 * (first + dialogues * rounds[2] + rounds[2]),
        )
        controls = 2 * options.controls
        final = (0, dialogues, dialogues + controls)
        for judge in plan.judges:
            own = (0, 0, 0) if judge == options.held_out else (0, dialogues * rounds[1], dialogues * rounds[2])
            held = (final[0], final[1] + controls // 2, final[2])
            calls[f"judge_pairs {judge}"] = (own[0] + held[0], own[1] + held[1], own[2] + held[2])
        return calls

    def _judge(self, plan: Plan) -> str:
        """Return the name of the judge that decides."""
        options = self._options
        return options.judge or next((name for name in plan.judges if name != options.held_out), "")

    def _check(self, experiment: Experiment) -> None:
        options = self._options
        if len(experiment.users) != 1:
            raise ConfigError("an optimisation takes one user; run one for each.", key="users")
        if experiment.repeats != 1:
            raise ConfigError(
                "an optimisation is run once; for another one, start a run with another seed.", key="repeats"
            )
        if experiment.limits.units is not None:
            raise ConfigError(
                "how many people a round has is said in `options.batch`; leave this out.", key="limits.units"
            )
        names = [block.name for block in experiment.judges]
        for key, name in (("judge", options.judge), ("held_out", options.held_out)):
            if name is not None and name not in names:
                raise ConfigError(unknown("judge", name, names), key=f"options.{key}")
        if not (decides := self._judge(PlanView(experiment))) or decides == options.held_out:
            raise ConfigError(
                "there is no judge to decide: name one under `judges:` beside the one that is held out.", key="judges"
            )
        for place, block in enumerate(experiment.judges):
            kind: Any = JUDGES.load(block.kind)
            fits = getattr(kind, "about", "systems") == "users" and getattr(kind, "takes", "pair") == "pair"
            if not fits:
                raise ConfigError(
                    f"the kind {block.kind!r} doesn't compare simulated users in pairs, so it would be shown nothing;"
                    " take `simulators`.",
                    key=f"judges[{place}].kind",
                )
        slot_of(experiment.users[0], options)
        if options.initial is not None:
            read_prompt(Path(experiment.folder) / options.initial, options.longest)


def _experiment_of(plan: Plan) -> Experiment:
    if not isinstance(plan, PlanView):
        raise ConfigError("the protocol 'prompt-optimisation' runs experiments, and is run by one alone.")
    return plan.experiment


def about(plan: Plan) -> About:
    """Return what is known of an experiment's domain."""
    dataset = plan.dataset()
    if dataset is None:
        return About()
    domain = dataset.described
    if domain is None:
        return About(field=dataset.domain)
    attributes = tuple((name, attribute.about) for name, attribute in domain.attributes.items())
    return About(domain.field, tuple(domain.nouns), domain.description, attributes)
