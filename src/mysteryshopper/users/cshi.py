"""`cshi`: knows some facts of what it wants, and finds out others when the system names them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, ClassVar, Self

from pydantic import Field as Option

from mysteryshopper.core import ChatModel, ChatRequest, Parts, Profile, Scenario, State, UserTurn, UserView, rng
from mysteryshopper.reading import strip_reasoning
from mysteryshopper.users.field import Field
from mysteryshopper.users.intents import IntentUser
from mysteryshopper.users.prompted import PromptedOptions, out_of_patience
from mysteryshopper.users.showing import heard, just_shown, named

_YEAR = re.compile(r"(\d\d\d)\d(?:\D.*)?")


class CSHIOptions(PromptedOptions):
    """Options of `cshi`."""

    known: int = Option(
        default=2, ge=0, description="How many attributes of the wish are known at first; the others are found out."
    )


class CSHIUser(IntentUser):
    """A user in stages: facts are made vague, split into known and unknown, put into words, and answered by intent.

    For any domain. After CSHI (Zhu et al., 2024), stage by stage: all values of the main attribute (of films the genre)
    but only the first of others are kept, and a year becomes its decade; the first `known` attributes are known, those
    that the profile hides are not; a model words the known facts as a demand; an unknown fact becomes known when the
    system names it, and the demand is written anew. Not as in the published code: each value is looked for by itself
    and as whole words, or by another word that the domain has for it, not as part of one long text; facts come from the
    profile, never from a title; an item is taken when the loop marks it as wanted, so that neither `It` in a sentence
    nor a sequel is taken for the target; a turn that shows items recommends, without asking a model. The published
    default knows everything, which `known: 100` repeats.

    Its state holds the seed of its fence, `known`, `unknown`, `demand`, and what was `found` out last. The calls have
    the purposes `demand`, `intent` and `reply`. After its profile's `patience` of system turns it leaves without a
    word.
    """

    options: ClassVar[type[CSHIOptions]] = CSHIOptions
    calls_a_turn: ClassVar[tuple[int, int, int]] = (1, 2, 4)

    def __init__(
        self,
        model: ChatModel,
        options: CSHIOptions = CSHIOptions(),  # noqa: B008
        *,
        field: Field = Field(),  # noqa: B008
    ) -> None:
        """Make it from a model, its options and the words of its domain."""
        super().__init__(model, options, "users/cshi")
        self._known = options.known
        self._field = field

    @classmethod
    def build(cls, options: CSHIOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model."""
        return cls(parts.model(), options, field=Field.of(parts))

    def start(self, scenario: Scenario, rng: Random) -> State:
        """Return the state: the fence, and the facts by whether they are known yet."""
        profile = scenario.profile
        facts = {**self._vague(profile.attributes), **self._vague(profile.prefers)}
        open_ = [name for name in facts if name not in profile.hidden][: self._known]
        known = {name: facts[name] for name in open_}
        unknown = {name: values for name, values in facts.items() if name not in known}
        demand = "" if facts else profile.wish
        return {**super().start(scenario, rng), "known": known, "unknown": unknown, "demand": demand, "found": {}}

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        """Find out, put into words, make out the intent, and answer."""
        if (left := out_of_patience(view)) is not None:
            return left, state
        found = self._field.named(heard(view), state["unknown"])
        state, calls = await self._demand(view, _discover(state, found))
        view = replace(view, scenario=replace(view.scenario, profile=_profile(view.scenario.profile, state)))
        intent, notes, more = await self._intent(view, state)
        if found:
            notes = {**notes, "found": state["found"]}
        return await self._say(view, state, intent, notes, (*calls, *more)), state

    def _request(
        self, view: UserView, state: State, part: str = "", *, choices: Sequence[str] = (), **more: Any
    ) -> ChatRequest:
        """Return the request for one part of the prompt, with what was just found out and one fact to bring up."""
        facts = [f"{name}: {', '.join(values)}" for name, values in state["found"].items()]
        known = [f"{name}: {', '.join(values)}" for name, values in state["known"].items()]
        # what it does not know that it wants, it can't miss
        missed = [
            {**item, "misses": [name for name in item["misses"] if name in state["known"]]}
            for item in named(just_shown(view), mine=False)
        ]
        drawn = rng("reminder", state.get("fence", 0), view.turn)
        reminder = drawn.choice(known) if known else ""
        values = {"found": facts, "reminder": reminder, "unwanted": missed, "field": self._field, **more}
        return super()._request(view, state, part, choices=choices, **values)

    def _vague(self, facts: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
        """Return facts that give less away: of the main attribute all values, of others one, of a year its decade."""
        kept = {name: list(values) if name == self._field.main else list(values)[:1] for name, values in facts.items()}
        decades = {
            name: [_YEAR.sub(r"\g<1>0s", value) if _YEAR.fullmatch(value) else value for value in values]
            for name, values in kept.items()
        }
        return {name: values for name, values in decades.items() if values}

    async def _demand(self, view: UserView, state: State) -> tuple[State, tuple[str, ...]]:
        """Return the state with the known facts in the person's words, and the calls behind them."""
        if state["demand"] or not state["known"]:
            return state, ()
        told = replace(view, scenario=replace(view.scenario, profile=_profile(view.scenario.profile, state)))
        # The attempt of the turn is no part of the address: what is wanted does not change with a faulty wording.
        address = view.address.to(purpose="demand", attempt=0)
        reply = await self._model.chat(self._request(replace(told, complaint=None), state, "demand-"), address)
        text = " ".join(strip_reasoning(reply.text or "")[0].split())
        return {**state, "demand": text}, (reply.call,) if reply.call else ()


def _profile(profile: Profile, state: State) -> Profile:
    """Return the profile as far as the person knows it."""
    known = {name: tuple(values) for name, values in state["known"].items()}
    return replace(profile, wish=state["demand"], attributes=known, prefers={}, hidden=())


def _discover(state: State, found: Mapping[str, tuple[str, ...]]) -> State:
    """Return the state in which what was found is known; its demand must then be written anew."""
    if not found:
        return {**state, "found": {}}
    told = {name: list(values) for name, values in found.items()}
    known = {**state["known"], **told}
    left = {
        name: [value for value in values if value not in found.get(name, ())]
        for name, values in state["unknown"].items()
    }
    unknown = {name: values for name, values in left.items() if values}
    return {**state, "known": known, "unknown": unknown, "demand": "", "found": told}
