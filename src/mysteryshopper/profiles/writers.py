"""Profiles written by a model around wishes that are made without one, and kept apart from each other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, Field

from mysteryshopper.core import Address, ChatModel, ChatRequest, ConfigError, Profile
from mysteryshopper.datasets import Dataset, Domain
from mysteryshopper.items import fold_value
from mysteryshopper.profiles.alike import Alike
from mysteryshopper.profiles.block import MadeProfiles
from mysteryshopper.profiles.coverage import Coverage
from mysteryshopper.profiles.generating import generate_profiles
from mysteryshopper.profiles.talkers import talk_profiles
from mysteryshopper.profiles.wishes import wanted_noun
from mysteryshopper.prompts import Prompt
from mysteryshopper.reading import Reading, read_json

_TEMPLATE = "profiles/written"
_SHOWN = 5
"""So many earlier personas a second try is shown, so that it keeps apart from them."""


class _Written(BaseModel):
    """What the model writes."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    basic: str = Field(min_length=1, max_length=600)
    domain: str = Field(min_length=1, max_length=600)
    context: str = Field(min_length=1, max_length=400)
    wish: str = Field(min_length=1, max_length=800)


@dataclass(frozen=True)
class WrittenProfiles:
    """Profiles by a model.

    Attributes:
        profiles: Those kept, in order.
        coverage: What they cover of the items; None in a domain of talk alone.
        calls: How many calls were made.
        asked_again: How often a second try was asked for.
        reasons: Why, in each case: unread, alike, incomplete or title.
        fallen_back: Profiles whose second try was no better; they keep the persona and wish made without a model.
    """

    profiles: tuple[Profile, ...]
    coverage: Coverage | None
    calls: int
    asked_again: int
    reasons: tuple[str, ...]
    fallen_back: tuple[str, ...]


async def write_profiles(
    model: ChatModel,
    dataset: Dataset,
    count: int,
    seed: int = 0,
    *,
    settings: MadeProfiles | None = None,
    at_once: int = 8,
) -> WrittenProfiles:
    """Have a model write who people are and how they word what they want.

    What each wants, how they write and how patient they are is made as by `generate_profiles`, so attributes and values
    are covered as evenly and every wish can be met. The model writes basic, domain and context information and the
    wish in words. A text is asked for once more if it can't be read, is much like an earlier person (`Alike`), leaves
    a constraint out that isn't held back, or names an item; if the second try is no better, the person stays as made
    without a model, and is counted.

    Each call has its own address (`profiles`, number), and people are kept in order of their number, so equal seeds and
    replies give equal people, and a greater count only adds.

    Args:
        model: Who writes; it must follow instructions.
        dataset: A data set with a described domain; without items, wishes are made from the values that it lists.
        count: How many people.
        seed: Seed of the wishes.
        settings: Bounds of the wishes.
        at_once: How many first tries are under way at once.

    Raises:
        ConfigError: The data set's domain is not described, or the model only continues raw text.
        CallFailed: A call failed for good.
    """
    domain = dataset.described
    if domain is None:
        raise ConfigError(f"{dataset.name} says nothing of its domain; a domain is a folder with a page about it")
    if model.form != "chat":
        raise ConfigError("the model only continues raw text, and people are written by one that follows instructions")
    noun = wanted_noun(dataset)
    coverage: Coverage | None = None
    if dataset.has_items:
        made = generate_profiles(dataset.catalog(), count, seed, settings=settings, noun=noun, domain=domain)
        people, coverage = made.profiles, made.coverage
    else:
        people = talk_profiles(domain, count, seed, settings=settings)
    desk = _Desk(model, dataset, domain)
    gate = asyncio.Semaphore(at_once)

    async def first(number: int, profile: Profile) -> Reading[_Written]:
        async with gate:
            return await desk.ask(number, profile)

    readings = await asyncio.gather(*(first(number, profile) for number, profile in enumerate(people, 1)))
    kept, reasons, fallen_back = [], [], []
    for number, (profile, reading) in enumerate(zip(people, readings, strict=True), 1):
        fault = desk.fault(profile, reading)
        if fault:
            reasons.append(fault)
            reading = await desk.ask(number, profile, fault)
            if desk.fault(profile, reading):
                fallen_back.append(profile.id)
                desk.remember(profile)
                kept.append(profile)
                continue
        kept.append(desk.filled(profile, reading))
    return WrittenProfiles(tuple(kept), coverage, desk.calls, len(reasons), tuple(reasons), tuple(fallen_back))


class _Desk:
    """Asks the model, and looks at what it wrote."""

    def __init__(self, model: ChatModel, dataset: Dataset, domain: Domain) -> None:
        self._model = model
        self._domain = domain
        self._catalog = dataset.catalog()
        self._prompt = Prompt.load(_TEMPLATE)
        self._alike = Alike()
        self._personas: list[str] = []
        self.calls = 0

    async def ask(self, number: int, profile: Profile, fault: str = "") -> Reading[_Written]:
        """Return what the model wrote about a profile; the second time with what was wrong."""
        rendered = self._prompt.render(
            field=self._domain.field,
            description=self._domain.description,
            basic=profile.notes.get("basic") or profile.persona,
            style=list(profile.style.items()),
            required=list(profile.attributes.items()),
            preferred=list(profile.prefers.items()),
            earlier=self._personas[-_SHOWN:] if fault else [],
            fault=fault,
        )
        address = Address(unit="profiles", path=str(number), role="user", purpose="profile", attempt=int(bool(fault)))
        self.calls += 1
        request = ChatRequest(rendered.messages, schema=_Written.model_json_schema(), prompt=rendered.prompt)
        return read_json(await self._model.chat(request, address), _Written)

    def fault(self, profile: Profile, reading: Reading[_Written]) -> str:
        """Return what is wrong with a text: unread, incomplete, title, alike; empty if nothing is."""
        if not reading.readable or reading.value is None:
            return "unread"
        written = reading.value
        told = fold_value(written.wish)
        open_names = [name for name in profile.attributes if name not in profile.hidden]
        if not all(fold_value(value) in told for name in open_names for value in profile.attributes[name]):
            return "incomplete"
        if self._catalog.mentions(" ".join((written.basic, written.domain, written.context, written.wish))):
            return "title"
        return "alike" if self._alike.holds(_persona(written), _pairs(profile)) else ""

    def filled(self, profile: Profile, reading: Reading[_Written]) -> Profile:
        """Return a profile with what was written, and remember it."""
        written = reading.value
        assert written is not None  # noqa: S101 - `fault` has looked
        notes = {**profile.notes, "basic": written.basic, "domain": written.domain, "context": written.context}
        notes["written_by"] = self._prompt.label
        done = replace(profile, persona=_persona(written), wish=written.wish, notes=notes)
        self.remember(done)
        return done

    def remember(self, profile: Profile) -> None:
        """Keep a person in mind, for those to come to differ from."""
        self._personas.append(profile.persona)
        self._alike.add(profile.persona, _pairs(profile))


def _persona(written: _Written) -> str:
    return " ".join(text.strip() for text in (written.basic, written.domain, written.context))


def _pairs(profile: Profile) -> Sequence[tuple[str, str]]:
    return [(name, value) for name, values in profile.attributes.items() for value in values]
