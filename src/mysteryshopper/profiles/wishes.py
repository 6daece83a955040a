"""Wishes made from what a target has to offer, never from its title."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random

from mysteryshopper.core import Item, Profile
from mysteryshopper.datasets import Dataset, Domain
from mysteryshopper.items import fold_value
from mysteryshopper.prompts import Prompt
from mysteryshopper.reading import split_year, title_key

_TEMPLATE = "profiles/wish"
_GENRE = "genre"
_EVERYDAY = {"tonight": "plain", "mood": "search"}
"""Wordings that suit what is for an evening, by name, and what stands in for them in domains of other things."""
_SHORT = 3
_ARTICLE = re.compile(r"\A(?:the|an?)\s+")


def wish_from_items(
    items: Sequence[Item],
    rng: Random,
    *,
    name: str,
    noun: str = "film",
    traits: int = 2,
    values: int = 2,
    language: str = "en",
    domain: Domain | None = None,
) -> Profile:
    """Return the profile of a person who wants one of these items and knows what it is like, but not its title.

    The wish is about one of the items, drawn at random: its genre and up to `traits` other attributes, each with up to
    `values` values, in one of several wordings. A value in which a title (or other title) of any of the items occurs
    is left out.

    Args:
        items: The targets; at least one.
        rng: Draws item, attributes, values and wording; equal draws give equal wishes.
        name: Id of the profile.
        noun: What is wanted, in a word.
        traits: How many attributes beside the genre are told at most.
        values: How many values of an attribute are told at most.
        language: The person's language. The wordings are English.
        domain: The words of the domain; its first attribute stands where the genre does.

    Returns:
        The profile, with the wish in words and the same as `attributes`. Both are empty where no attribute can be told
        without a title.

    Raises:
        ValueError: There is no item.
    """
    if not items:
        raise ValueError("a wish needs at least one item to be made from")
    told = _tellable(rng.choice(list(items)), items)
    main = next(iter(domain.attributes)) if domain is not None and domain.spoken else _GENRE
    others = [trait for trait in told if trait != main]
    chosen = sorted(rng.sample(others, min(traits, len(others))), key=others.index)
    kept = [main] * (main in told) + chosen
    attributes = {trait: _some(told[trait], values, rng) for trait in kept}
    if not attributes:
        return Profile(name, language=language)
    wish = word_wish(attributes, noun, rng, titles=_titles(items), domain=domain)
    return Profile(name, wish=wish, attributes=attributes, language=language)


def noun_of(domain: str) -> str:
    """Return the word for one item of a domain: its singular (`films`: film); `item` where the domain is not known."""
    words = domain.casefold().split()
    if not words:
        return "item"
    return words[-1][:-1] if words[-1].endswith("s") and not words[-1].endswith("ss") else words[-1]


def wanted_noun(dataset: Dataset) -> str:
    """Return the word for one item of a data set: as its domain says, else the singular of what its items are."""
    described = dataset.described
    return described.noun if described is not None and described.spoken else noun_of(dataset.domain)


def word_wish(
    attributes: Mapping[str, Sequence[str]],
    noun: str,
    rng: Random,
    *,
    prefers: Mapping[str, Sequence[str]] | None = None,
    titles: Sequence[str] = (),
    either: bool = False,
    domain: Domain | None = None,
) -> str:
    """Return a wish in a sentence or two.

    Args:
        attributes: What is required, by attribute; at least one.
        noun: What is wanted, in a word.
        rng: Draws the wording.
        prefers: What would please beside it.
        titles: Titles, in folded form, that no wording may hold by chance (`I`, `Mood`), if one is left then.
        either: One of several genres will do; else it is of them all.
        domain: The words of the domain. Values of its heads (`quiet`) stand before the noun as genres do.
    """
    heads = _heads(domain)
    fold = str.casefold if domain is None or not domain.spoken else str
    before = [[fold(value) for value in attributes[trait]] for trait in heads if attributes.get(trait)]
    genres = [word for words in before for word in ([" or ".join(words)] if either else words)]
    pairs = [(trait, values) for trait, values in attributes.items() if trait not in heads]
    extra = list((prefers or {}).items())
    phrases = {} if domain is None else {name: found.post[0] for name, found in domain.attributes.items() if found.post}
    values = {"noun": noun, "genres": genres, "traits": pairs, "prefers": extra, "phrases": phrases}
    prompt = Prompt.load(_TEMPLATE)
    if not titles:
        chosen = rng.choice(prompt.sections)
        if domain is not None and domain.spoken:
            chosen = _EVERYDAY.get(chosen, chosen)
        return prompt.render(chosen, **values)[chosen]
    kept = [name for name in prompt.sections if domain is None or not domain.spoken or name not in _EVERYDAY]
    wordings = list(prompt.render(*kept, **values).sections.values())
    innocent = [wording for wording in wordings if not _names(wording, titles)]
    return rng.choice(innocent or wordings)


def _heads(domain: Domain | None) -> list[str]:
    """Return the attributes whose values stand before the noun."""
    if domain is None or not domain.spoken:
        return [_GENRE]
    return [attribute.name for attribute in domain.attributes.values() if attribute.head]


def _tellable(item: Item, items: Sequence[Item]) -> dict[str, tuple[str, ...]]:
    titles = _titles(items)
    kept = {
        trait: tuple(value for value in values if value.strip() and not _names(value, titles))
        for trait, values in item.attributes.items()
    }
    return {trait: values for trait, values in kept.items() if values}


def _titles(items: Sequence[Item]) -> list[str]:
    """Return the forms in which a text may name the items: as written, as compared, and without a leading article."""
    names = {split_year(name)[0] for item in items for name in (item.title, *item.aliases)}
    forms = {form for name in names for form in (fold_value(name), title_key(name))}
    bare = {_ARTICLE.sub("", form) for form in forms}
    return sorted(form for form in {*forms, *(form for form in bare if " " in form)} if form)


def _names(text: str, titles: Sequence[str]) -> bool:
    """Whether a title stands in the text as words of their own, or inside words if it is longer than `_SHORT`."""
    folded = fold_value(text)
    return any(
        title in folded if len(title) > _SHORT else re.search(rf"(?<!\w){re.escape(title)}(?!\w)", folded)
        for title in titles
    )


def _some(values: tuple[str, ...], most: int, rng: Random) -> tuple[str, ...]:
    picked = set(rng.sample(range(len(values)), min(most, len(values))))
    return tuple(value for place, value in enumerate(values) if place in picked)
