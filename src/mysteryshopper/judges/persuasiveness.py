"""`persuasiveness`: a model says from 0 to 2 how persuasive a recommender was, titles masked or as published."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal, Self

from pydantic import Field

from mysteryshopper.core import Case, ChatModel, Exhibit, Item, ItemRef, Message, Parts, Verdict
from mysteryshopper.items import Catalog
from mysteryshopper.judges.asking import AskingOptions, calls_a_showing
from mysteryshopper.judges.criteria_files import load_criteria
from mysteryshopper.judges.rubric import RubricJudge, RubricOptions
from mysteryshopper.prompts import Prompt

_CRITERIA = {"masked": "persuasiveness", "told": "persuasiveness-told"}
_WORDS = "judges/persuasiveness"


class PersuasivenessOptions(AskingOptions):
    """Options of `persuasiveness`."""

    targets: Literal["masked", "told"] = Field(
        default="masked",
        description="`masked`: every title shown, and the targets, are masked for the judge, so that it goes by the"
        " reasons. `told`: the judge is told the targets and gives 2 where one is recommended, as iEvaLM publishes it:"
        " the score then restates who hit.",
    )


class PersuasivenessJudge(RubricJudge):
    """A judge of how persuasive the recommender's reasons are, and of whether they take up what the person wants.

    Both are scores from 0 to 2. Targets are those in `case.data["targets"]` (pairs of title and year). Masked, every
    item that the system showed and every target is called by a number, wherever its title stands, so that nobody can
    tell hits from misses by the mask.

    Attributes:
        criteria: What it asks.
        prompt: Name and hash of its template.
    """

    options: ClassVar[type[PersuasivenessOptions]] = PersuasivenessOptions  # type: ignore[assignment]

    def __init__(
        self,
        model: ChatModel,
        options: PersuasivenessOptions = PersuasivenessOptions(),  # noqa: B008
        *,
        seed: int = 0,
        name: str = "persuasiveness",
    ) -> None:
        """Make it from a model.

        Args:
            model: Who judges.
            options: Its options.
            seed: Draws the marks of its fences.
            name: Its name in addresses.
        """
        named = _CRITERIA[options.targets]
        asking = RubricOptions(criteria=named, **options.model_dump(exclude={"targets"}))
        super().__init__(model, load_criteria(named, Path(), self.takes), asking, seed=seed, name=name)
        self._words = Prompt.load(_WORDS)
        self.prompt = f"{self.prompt} {self._words.label}"
        self._masked = options.targets == "masked"

    @classmethod
    def build(cls, options: PersuasivenessOptions, parts: Parts) -> Self:  # type: ignore[override]
        """Build it for an experiment; the block must name a model."""
        return cls(parts.model(), options, seed=parts.seed, name=parts.name)

    @classmethod
    def calls(  # type: ignore[override]
        cls, options: PersuasivenessOptions, folder: Path, form: Literal["chat", "completion"]
    ) -> tuple[int, int, int]:
        """Return the least, expected and most calls of one case."""
        once = calls_a_showing(options, _CRITERIA[options.targets], cls.takes, folder, form)
        return once, once, 2 * once

    async def judge(self, case: Case) -> Verdict:
        """Judge one exhibit; exceptions as of `RubricJudge`."""
        targets = [ItemRef(None, str(title), year) for title, year in case.data.get("targets", ())]
        if not self._masked:
            told = self._words.render("targets", targets=targets)["targets"]
            return await super().judge(replace(case, context=(*case.context, Message("system", told))))
        mask = _Mask([item for exhibit in case.exhibits for item in _shown(exhibit)], targets, self._words)
        exhibits = tuple(replace(one, messages=tuple(map(mask.message, one.messages))) for one in case.exhibits)
        return await super().judge(replace(case, exhibits=exhibits, context=tuple(map(mask.message, case.context))))


class _Mask:
    """Calls items by numbers: those shown in their order, then the targets that were not."""

    def __init__(self, shown: Iterable[ItemRef], targets: Sequence[ItemRef], words: Prompt) -> None:
        titles = {(item.title.casefold(), item.year): item for item in (*shown, *targets) if item.title}
        self._numbers = {key: place for place, key in enumerate(titles, 1)}
        self._catalog = Catalog([Item(str(self._numbers[key]), item.title, item.year) for key, item in titles.items()])
        self._words = words

    def message(self, message: Message) -> Message:
        text = message.text
        for found in reversed(list(self._catalog.found(text))):
            text = text[: found.start] + self._name(found.match.item_id or found.ids[0]) + text[found.end :]
        items = tuple(self._item(item) for item in message.items)
        return replace(message, text=text, items=items)

    def _item(self, item: ItemRef) -> ItemRef:
        number = self._numbers.get((item.title.casefold(), item.year))
        return item if number is None else ItemRef(None, self._name(str(number)))

    def _name(self, number: str) -> str:
        return self._words.render("mask", number=number)["mask"]


def _shown(exhibit: Exhibit) -> Iterable[ItemRef]:
    return (item for message in exhibit.messages if message.side == "system" for item in message.items)
