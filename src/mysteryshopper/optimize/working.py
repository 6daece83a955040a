"""One optimisation at work: writes a prompt, tries it, has it judged, and goes on from the best one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from mysteryshopper.core import CallFailed, ConfigError, RunContext, Unit, digest, note_read
from mysteryshopper.experiment.view import PlanView, planned_units, procedure_of
from mysteryshopper.experiment.workshop import Workshop, open_child
from mysteryshopper.optimize.batches import Batch, read_batch
from mysteryshopper.optimize.cases import prompt_pairs
from mysteryshopper.optimize.deciding import outcomes, tally
from mysteryshopper.optimize.options import OptimisationOptions
from mysteryshopper.optimize.prompts import can_be_given, child, child_folder, slot_of, write_prompts
from mysteryshopper.optimize.story import Round, Story, Tally, name_of, read_story, write_story
from mysteryshopper.optimize.texts import NEAR, Fitted, fit, likeness, problem_set
from mysteryshopper.optimize.writer import About, Person, Writer
from mysteryshopper.protocols.at_once import together
from mysteryshopper.protocols.conversation_cases import Shot

_MOST_PROBLEMS = 12
"""Problems of a batch that the next prompt is written from."""


@dataclass
class Optimisation:
    """Works through the rounds of one unit; what was decided in an earlier sitting stays decided.

    Attributes:
        unit: The unit.
        context: What it runs with.
        options: The protocol's options.
        judge: Name of the judge that decides, unless another one has decided in an earlier sitting.
        about: What is known of the domain.
    """

    unit: Unit
    context: RunContext
    options: OptimisationOptions
    judge: str
    about: About
    _batches: dict[int, Batch] = field(default_factory=dict)

    async def work(self) -> None:
        """Work until a limit is reached or nothing gets better.

        Raises:
            CallFailed: A call of the model that writes failed for good, or the cost limit allows no more; what was
                decided so far is kept, and a resumed run goes on from there.
            ConfigError: The people or systems are others than in an earlier sitting.
            StopRun: Nothing more can be asked in this run.
        """
        self._shop = Workshop.of(self.context)
        block = self._shop.experiment.users[0]
        self._slot = slot_of(block, self.options)
        self._writer = Writer(
            self.context.model(self.options.model), self.options, self.context.address, self.context.plan.seed
        )
        drawn = self._drawn()
        self._story = read_story(self._shop.store) or Story(judge=self.judge, drawn=drawn)
        self.judge = self._story.judge
        if self._story.drawn != drawn:
            raise ConfigError(
                "the people or systems that a round has are others than in the rounds that were run, and prompts are"
                " compared over the same ones: resume with those of before, or start another run.",
                key="users",
            )
        try:
            await self._begin()
            while not (why := self._story.stop(self.options.rounds, self.options.patience)):
                await self._round(len(self._story.rounds))
            self._keep(replace(self._story, ended=why))
        finally:
            self._shop.tell("")

    def _drawn(self) -> str:
        """Return what stands for the people and systems of a round."""
        one = child(self._shop.experiment, self.options, self._shop.folder, 0, "")
        return digest(*(unit.key for unit in planned_units(one, procedure_of(one), PlanView(one))))

    async def _begin(self) -> None:
        write_prompts(self._shop.folder, self._story)
        for one in self._story.rounds:  # of an earlier sitting
            if one.tally is not None or one.number == 0:
                await self._dialogues(one.number, one.prompt, done=True)
        if self._story.rounds:
            return
        self._shop.tell("the initial prompt")
        if (first := self._story.begun) is None:
            first = await self._first()
            self._keep(self._story.begin(first))
        batch = await self._dialogues(0, first.prompt)
        self._keep(self._story.add(replace(first, dialogues=len(batch.shots), lost=batch.lost)))

    async def _first(self) -> Round:
        if self.options.initial is not None:
            path = Path(self._shop.experiment.folder) / self.options.initial
            text = read_prompt(path, self.options.longest)
            given = Round(0, text, notes=("given",))
        else:
            fitted = await self._writer.initial(self.about)
            if fitted is None:
                raise CallFailed(
                    f"the model {self.options.model!r} wrote no initial prompt that could be read, twice: take another"
                    " model, or name a file in `options.initial`.",
                    ended="unreadable",
                )
            given = Round(0, fitted.text, notes=("cut",) if fitted.cut else ())
        if not can_be_given(given.prompt, self._slot):
            raise ConfigError(
                f"the initial prompt holds what the option {self._slot!r} of the user can't take (a ${{NAME}}, or what"
                " looks like a credential); take a user that reads it from a file.",
                key="options.initial",
            )
        return given

    async def _round(self, number: int) -> None:
        made = self._story.begun or await self._written(number)
        if {"unusable", "unchanged"} & set(made.notes):
            self._keep(self._story.add(made))
            return
        self._keep(self._story.begin(made))
        self._shop.tell(f"{name_of(number)}: dialogues")
        batch = await self._dialogues(number, made.prompt)
        self._shop.tell(f"{name_of(number)}: judging")
        result = await self._judged(batch, self._batches[self._story.best])
        done = replace(made, dialogues=len(batch.shots), lost=batch.lost, tally=result)
        self._keep(self._story.add(done))

    async def _written(self, number: int) -> Round:
        """Return a new round with a prompt written anew from the best one."""
        self._shop.tell(f"{name_of(number)}: reviewing")
        best = await self._reviewed(self._story.best)
        problems = (best.problems or ())[:_MOST_PROBLEMS]
        since = self._story.rounds[best.number + 1 :]
        self._shop.tell(f"{name_of(number)}: writing")
        fitted = await self._writer.improve(number, best.prompt, problems, best.reviewed, [one.prompt for one in since])
        return self._made(number, best, fitted)

    def _made(self, number: int, best: Round, fitted: Fitted | None) -> Round:
        """Return a new round with what was written, and what is to be noted of it."""
        if fitted is None or not can_be_given(fitted.text, self._slot):
            return Round(number, "", best.number, ("unusable",))
        notes = ["cut"] if fitted.cut else []
        if any(one.prompt == fitted.text for one in self._story.rounds):
            notes.append("unchanged")
        elif likeness(fitted.text, best.prompt) >= NEAR:
            notes.append("near")
        return Round(number, fitted.text, best.number, tuple(notes))

    async def _reviewed(self, number: int) -> Round:
        """Return a round whose dialogues were looked at; those that could not be reviewed are left out, and noted."""
        one = self._story.rounds[number]
        if one.problems is not None:
            return one
        shots = list(self._batches[number].shots.values())
        found = await together([self._review(number, shot) for shot in shots])
        told = [(shot.dialogue, texts) for shot, texts in zip(shots, found, strict=True) if texts is not None]
        notes = (*one.notes, "unreviewed") if len(told) < len(shots) else one.notes
        done = replace(one, problems=problem_set(told), reviewed=len(told), notes=notes)
        self._keep(self._story.put(done))
        return done

    async def _review(self, number: int, shot: Shot) -> tuple[str, ...] | None:
        style = tuple((str(trait), str(value)) for trait, value in dict(shot.data["style"]).items())
        person = Person(str(shot.data["persona"]), shot.wish, style)
        try:
            path = f"{name_of(number)} {shot.unit.id} {shot.unit.system}"
            return await self._writer.review(path, shot.messages, person)
        except CallFailed as failure:
            if failure.ended == "budget":
                raise
            return None

    async def _dialogues(self, number: int, prompt: str, *, done: bool = False) -> Batch:
        """Return the dialogues with a prompt, held now unless that was `done` in an earlier sitting.

        Raises:
            CallFailed: The cost limit took some away, or all failed by the infrastructure's fault.
        """
        shop = self._shop
        folder = child_folder(shop.folder, number)
        experiment = child(shop.experiment, self.options, shop.folder, number, prompt)
        if not done and await shop.simulate(folder, experiment):  # once more, as a resume would
            await shop.simulate(folder, experiment)
        store = open_child(folder, experiment)
        try:
            spent = next((one.detail for one in store.units() if one.ended == "budget"), None)
            batch, kept = read_batch(store, number, self.unit)
        finally:
            store.close()
        if not done and spent is not None:
            raise CallFailed(spent, ended="budget")
        if not done and not batch.shots and set(batch.faults.values()) == {"infra"}:
            raise CallFailed(
                f"all {len(batch.faults)} dialogues of {name_of(number)} failed by the infrastructure's fault; see"
                f" `mysteryshopper report {folder}`.",
                ended="http_error",
            )
        for dialogue in kept:
            self.context.save(dialogue)
        self._batches[number] = batch
        return batch

    async def _judged(self, new: Batch, old: Batch) -> Tally:
        cases = list(prompt_pairs(self.unit.key, new.number, old.number, new.shots, old.shots))
        unjudged = await self._shop.judge(cases, {self.judge})
        store = self._shop.store
        names = {case.id for case in cases}
        failures = [one for one in store.unjudged() if one.case.id in names and one.judge == self.judge]
        spent = next((one.reason for one in failures if one.status == "budget"), None)
        if spent is not None:
            raise CallFailed(spent, ended="budget")
        if cases and len(failures) == len(cases) and unjudged:
            raise CallFailed(
                f"the judge {self.judge!r} could rule on none of the {len(cases)} pairs of {name_of(new.number)}"
                f" ({failures[0].reason})",
                ended="unreadable",
            )
        found = {
            name: outcome for _, name, _, outcome in outcomes(store, self.judge, self.options.criteria) if name in names
        }
        return tally(new, old, found.values(), len(cases))

    def _keep(self, story: Story) -> None:
        self._story = story
        write_story(self._shop.store, story)
        write_prompts(self._shop.folder, story)


def read_prompt(path: Path, longest: int) -> str:
    """Return the prompt in a text file.

    Raises:
        ConfigError: It can't be read, is empty, or is longer than allowed.
    """
    note_read(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise ConfigError(f"{path} can't be read: {why}.", key="options.initial") from None
    fitted = fit(text, longest)
    if not fitted.text:
        raise ConfigError(f"{path} is empty; write the prompt to begin with.", key="options.initial")
    if fitted.cut:
        raise ConfigError(
            f"{path} has {len(text):,} characters; shorten it, or raise `options.longest`.", key="options.initial"
        )
    return fitted.text
