"""The `rules` judge: criteria of a dialogue answered by rules, each with its evidence; no model is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mysteryshopper.core import Case, ConfigError, Criterion, Parts, Ruling, Verdict
from mysteryshopper.judges.rules.asking import answers, asked_before, question_answered
from mysteryshopper.judges.rules.claims import no_contradiction
from mysteryshopper.judges.rules.facts import Facts
from mysteryshopper.judges.rules.form import length, readability
from mysteryshopper.judges.rules.found import Found, unsupported, untold
from mysteryshopper.judges.rules.manner import progress, satisfied_words
from mysteryshopper.judges.rules.showing import constraints_met, no_repeats, not_seen, shown_by_turn
from mysteryshopper.judges.rules.speech import LANGUAGES, english
from mysteryshopper.judges.rules.turns import read_turns

if TYPE_CHECKING:
    from mysteryshopper.items import Catalog

EASY = 60.0
"""Reading ease from which readability counts in full in `overall`."""

_WORDS_HEARD = frozenset(
    {"question_answered", "turn_answered", "no_contradiction", "progress", "satisfied_words", "readability"}
)


class RulesOptions(BaseModel):
    """Options of `rules`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    words: tuple[int, int] = Field(
        default=(5, 80), description="Fewest and most words of a system turn that `length` accepts."
    )
    complete: tuple[str, ...] = Field(
        default=("year", "director", "genre"),
        description="What the catalogue lists in full, of year, director, genre, star and writer: only a value that is"
        " missing there contradicts it.",
    )
    language: str | None = Field(
        default=None, description="Language of the dialogues (BCP 47); default that of the data, or else en."
    )

    @model_validator(mode="after")
    def _is_band(self) -> Self:
        if not 0 <= self.words[0] <= self.words[1]:
            raise ValueError("`words` takes the fewest and the most words of a turn, as in [5, 80]")
        return self


class RulesJudge:
    """Judges dialogues by rules, without a model: wish met, questions answered, repeats, contradictions, manner."""

    options: ClassVar[type[RulesOptions]] = RulesOptions
    takes: ClassVar[Literal["one"]] = "one"

    def __init__(self, options: RulesOptions, catalog: Catalog | None = None, language: str = "en") -> None:
        """Make it.

        Args:
            options: Its options.
            catalog: The items that what is shown and said is looked up in; None if there are none.
            language: Language of the dialogues, unless the options or a case name one.
        """
        self.criteria = own_criteria()
        self._options = options
        self._language = options.language or language
        self._facts = Facts(catalog, english())

    @classmethod
    def build(cls, options: RulesOptions, parts: Parts) -> Self:
        """Build it with the items of the experiment's data set, if it has one and that has items."""
        if not parts.has_dataset:
            return cls(options)
        dataset = parts.dataset()
        try:
            catalog = dataset.catalog()
        except ConfigError:  # a data set without items: dialogues alone
            catalog = None
        return cls(options, catalog, dataset.language)

    async def judge(self, case: Case) -> Verdict:
        """Rule on a case with one exhibit; criteria that are not the judge's own, and pairs, are unsupported."""
        asked = case.criteria or self.criteria
        if len(case.exhibits) != 1:
            other = unsupported("the rules judge takes one dialogue, not a pair")
            return Verdict(case.id, tuple(other.ruling(criterion.name) for criterion in asked))
        found = self._rule(case)
        rulings: list[Ruling] = []
        for criterion in asked:
            ruled = found.get(criterion.name, (unsupported("this is no criterion of the rules judge"),))
            rulings += [one.ruling(criterion.name) for one in ruled]
        return Verdict(case.id, tuple(rulings))

    def _rule(self, case: Case) -> Mapping[str, tuple[Found, ...]]:
        speech, facts, data = english(), self._facts, case.data
        language = str(data.get("language") or self._language)
        turns = read_turns(case, facts, speech)
        if not any(turn.side == "system" and turn.judged for turn in turns):
            return {criterion.name: (untold("the system has no turn"),) for criterion in self.criteria}
        asked = asked_before(turns, facts, speech)
        answered = answers(turns, asked, facts, speech)
        shows = shown_by_turn(turns, asked)
        found = {
            "constraints_met": constraints_met(shows, facts, data.get("constraints")),
            "question_answered": question_answered(answered),
            "no_repeats": no_repeats(turns, shows),
            "not_seen": not_seen(turns, shows, facts, speech, data.get("seen") or ()),
            "no_contradiction": no_contradiction(turns, facts, speech, self._options.complete),
            "progress": progress(answered, speech),
            "satisfied_words": satisfied_words(turns, speech),
            "length": length(turns, *self._options.words),
            "readability": readability(turns),
        }
        each = tuple(Found(one.value, 1, [one.evidence] if one.wrong else (), node=one.reply.node) for one in answered)
        if language.partition("-")[0].casefold() not in LANGUAGES:
            other = unsupported(f"its words are heard in {', '.join(LANGUAGES)} only, not in {language}")
            found |= dict.fromkeys(_WORDS_HEARD & found.keys(), other)
            each = (other,)
        turn_by_turn = each or (untold("the user asked for nothing that a system turn followed"),)
        return {
            **{name: (one,) for name, one in found.items()},
            "turn_answered": turn_by_turn,
            "overall": (overall(found),),
        }


def overall(found: Mapping[str, Found]) -> Found:
    """Return 1 + 4 × the weighted mean of the criteria told; untold where no criterion of the service was.

    Weights are those of `criteria.yaml`: fixed beforehand, fitted to nobody's judgement. `n` is the criteria told.
    """
    weights = _weights()
    told = {name: one.value for name, one in found.items() if one.value is not None and weights.get(name)}
    if not any(weights[name] == 1 for name in told):
        return untold("no criterion of the service could be told")
    scale: dict[str, Callable[[float], float]] = {"readability": lambda ease: min(1.0, ease / EASY)}
    parts = [(weights[name], scale.get(name, float)(value)) for name, value in told.items()]
    return Found(1 + 4 * sum(weight * value for weight, value in parts) / sum(weight for weight, _ in parts), len(told))


@cache
def own_criteria() -> tuple[Criterion, ...]:
    """Return the criteria of the rules judge, with their definitions and scales."""
    return tuple(
        Criterion(name, str(entry["text"]), low=float(entry["low"]), high=float(entry["high"]))
        for name, entry in _table().items()
    )


@cache
def _weights() -> Mapping[str, float]:
    return {name: float(entry["weight"]) for name, entry in _table().items()}


def _table() -> Mapping[str, Mapping[str, float | str]]:
    import yaml

    text = files("mysteryshopper.judges.rules").joinpath("criteria.yaml").read_text(encoding="utf-8")
    table: Mapping[str, Mapping[str, float | str]] = yaml.safe_load(text)
    return table
