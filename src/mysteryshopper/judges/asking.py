"""Asking a model about a case: what prompted judges share.

The judge sees the criteria and what the case shows, nothing else. One call answers all criteria unless asked
otherwise; what could not be read is asked for once more, alone, with what was wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import Address, Case, ChatModel, ChatReply, ChatRequest, Criterion, Exhibit, Json, rng
from mysteryshopper.judges.answers import choices, read_answers, schema
from mysteryshopper.judges.criteria_files import Takes, load_criteria
from mysteryshopper.judges.likelihood import TOP, answer_shares, weighed
from mysteryshopper.judges.showing import Line, lines
from mysteryshopper.prompts import Fence, Prompt
from mysteryshopper.reading import Reading, more_room

_COMPLETION_LIMITS = {"limit": 3_000, "longest": 500, "flat": True}
"""What a small local model can take in."""


class AskingOptions(BaseModel):
    """What prompted judges have in common."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    separate: bool = Field(default=False, description="One call a criterion, instead of one for all.")
    logprobs: bool = Field(
        default=False,
        description="Read answers from the log-probabilities of their first token, one call a criterion; where the"
        " endpoint gives none, from the text.",
    )
    temperature: float | None = Field(
        default=0, ge=0, description="0 by default, so that equal questions are one call; null is the model's own."
    )
    max_tokens: int | None = Field(default=None, ge=1, description="Longest reply; default as the model's block says.")


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of asking.

    Attributes:
        readings: By criterion; values of a pair are the places A and B, or `tie`.
        calls: Ids of the calls that were made.
    """

    readings: Mapping[str, Reading[Json]]
    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Showing:
    """A case as it is shown once.

    Attributes:
        case: The case.
        exhibits: Its exhibits, first shown first.
        place: What tells showings of one case apart: the order, and the criterion where each has its own.
        address: Where its calls lie.
        room: Most tokens of the reply; None is what the options say.
    """

    case: Case
    exhibits: Sequence[Exhibit]
    place: str
    address: Address
    room: int | None = None


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks one model with one prompt.

    Attributes:
        model: Who answers.
        prompt: The template.
        options: How to ask.
        takes: Whether cases have one exhibit or are pairs.
        seed: Draws the marks of the fences.
        name: Name of the judge, for addresses that name none.
    """

    model: ChatModel
    prompt: Prompt
    options: AskingOptions
    takes: Takes
    seed: int = 0
    name: str = ""

    @property
    def one_by_one(self) -> bool:
        """Whether each criterion gets a call of its own."""
        return asks_one_by_one(self.options, self.model.form)

    async def ask(self, case: Case, exhibits: Sequence[Exhibit], order: str = "") -> Heard:
        """Ask all criteria of a case about its exhibits, in the order given.

        Args:
            case: The case; its address says where the calls lie.
            exhibits: Its exhibits, first shown first.
            order: Name of this order, for the calls' addresses.

        Raises:
            CallFailed: A call failed for good.
        """
        groups = [(criterion,) for criterion in case.criteria] if self.one_by_one else [case.criteria]
        readings: dict[str, Reading[Json]] = {}
        calls: list[str] = []
        for group in groups:
            place = " ".join(part for part in (order, group[0].name if self.one_by_one else "") if part)
            showing = _Showing(case, exhibits, place, self._address(case, place))
            readings |= await self._group(showing, group, calls)
        return Heard(readings, tuple(calls))

    def _address(self, case: Case, place: str) -> Address:
        given = case.address
        return replace(
            given,
            unit=given.unit or case.unit,
            role="judge",
            component=given.component or self.name,
            purpose=" ".join(part for part in (place, given.purpose) if part),
        )

    async def _group(self, showing: _Showing, group: Sequence[Criterion], calls: list[str]) -> dict[str, Reading[Json]]:
        readings, reply = await self._once(showing, group, calls, {})
        open_ = [criterion for criterion in group if not readings[criterion.name].readable]
        if open_:
            faults = {criterion.name: readings[criterion.name].status for criterion in open_}
            room = more_room(reply, self.options.max_tokens) if "truncated" in faults.values() else None
            again = replace(showing, address=replace(showing.address, attempt=1), room=room)
            readings |= (await self._once(again, open_, calls, faults))[0]
        return readings

    async def _once(
        self, showing: _Showing, group: Sequence[Criterion], calls: list[str], faults: Mapping[str, str]
    ) -> tuple[dict[str, Reading[Json]], ChatReply]:
        reply = await self.model.chat(self._request(showing, group, faults), showing.address)
        calls += [reply.call] if reply.call else []
        readings = read_answers(reply, group, pair=self._pair)
        if self.options.logprobs:
            readings = {group[0].name: self._weigh(reply, group[0], readings[group[0].name])}
        return readings, reply

    def _request(self, showing: _Showing, group: Sequence[Criterion], faults: Mapping[str, str]) -> ChatRequest:
        raw = self.model.form == "completion"
        limits: dict[str, Any] = _COMPLETION_LIMITS if raw else {}
        context = lines(showing.case.context, **limits)
        shown = [lines(exhibit.messages, **limits) for exhibit in showing.exhibits]
        # the same question has the same mark, so that at temperature 0 its repeats are one call
        fence = Fence.draw(
            _texts([context, *shown]), rng("judge", self.seed, showing.case.id, showing.place, len(faults))
        )
        plain = raw or self.options.logprobs
        prompt = self.prompt.render(
            *(("completion",) if raw else ("system", "user")),
            criteria=group,
            context=context,
            exhibits=shown,
            opening=fence.opening,
            closing=fence.closing,
            faults=list(faults.items()),
            plain=plain,
        )
        answers = choices(group[0], pair=self._pair) if plain else ()
        return ChatRequest(
            messages=() if raw else prompt.messages,
            completion=prompt["completion"] if raw else None,
            stop=("\n",) if raw else (),
            temperature=self.options.temperature,
            max_tokens=self.options.max_tokens if showing.room is None else showing.room,
            schema=None if plain else schema(group, pair=self._pair),
            choices=answers,
            top_logprobs=TOP if self.options.logprobs and answers else None,
            prompt=self.prompt.label,
        )

    @property
    def _pair(self) -> bool:
        return self.takes == "pair"

    def _weigh(self, reply: ChatReply, criterion: Criterion, read: Reading[Json]) -> Reading[Json]:
        shares = answer_shares(reply, choices(criterion, pair=self._pair))
        if shares is None or not read.readable:
            return replace(read, notes={**read.notes, "no_logprobs": 1}) if shares is None else read
        return replace(read, value=weighed(shares, criterion, pair=self._pair), notes={**read.notes, "logprobs": 1})


def asks_one_by_one(options: AskingOptions, form: Literal["chat", "completion"]) -> bool:
    """Whether each criterion is asked in a call of its own, as a model that continues raw text always is."""
    return options.separate or options.logprobs or form == "completion"


def calls_a_showing(
    options: AskingOptions, criteria: str, takes: Takes, folder: Path, form: Literal["chat", "completion"]
) -> int:
    """Return how many calls one showing of a case takes, re-asking not counted; for plans.

    Raises:
        ConfigError: The criteria can't be read.
    """
    found = load_criteria(criteria, folder, takes).criteria
    return len(found) if asks_one_by_one(options, form) else 1


def _texts(shown: Sequence[Sequence[Line]]) -> list[str]:
    return [text for transcript in shown for line in transcript for text in (line.text, *line.items)]
