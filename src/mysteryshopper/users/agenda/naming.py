"""How wishes are put in words: `a comedy from the 1990s`, `by Di Wu`, `not from France`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random

from mysteryshopper.users.agenda.lexicon import OTHER, Entry, Lexicon, lexicon

_DECADE = re.compile(r"(?:19|20)(\d0s)")
_MOST_VALUES = 3
_ALONE = 0.5
_SHORT_DECADE = 0.5

Wish = Mapping[str, Sequence[str]]


def want(attributes: Sequence[str], wish: Wish, noun: str, rng: Random, words: Lexicon | None = None) -> str:
    """Return a noun phrase for some attributes of a wish, heads before the noun and all else behind it.

    Args:
        attributes: Names of attributes of the wish.
        wish: Values by attribute.
        noun: The word for what is wanted.
        rng: Draws the wording.
        words: The vocabulary; by default that of the file. So for the other functions here.
    """
    words = words or lexicon()
    heads = [name for name in attributes if words.entry(name).head]
    tails = [name for name in attributes if not words.entry(name).head]
    if heads:
        adjectives = " ".join(values_of(name, wish, rng, words) for name in heads)
        plain = len(heads) == 1 and words.norm(adjectives) in words.data["countable"] and rng.random() < _ALONE
        thing = f"a {adjectives}" if plain else f"a {adjectives} {noun}"
    else:
        thing = rng.choice(words.data["ones"]).replace("{noun}", noun)
    behind = [post(name, wish, rng, words) for name in tails]
    return " ".join([thing, *behind])


def post(attribute: str, wish: Wish, rng: Random, words: Lexicon | None = None) -> str:
    """Return what follows a noun: `by Di Wu`."""
    entry = (words or lexicon()).entry(attribute)
    return _filled(rng.choice(entry.post), attribute, values_of(attribute, wish, rng, words))


def lack(attribute: str, wish: Wish, rng: Random, words: Lexicon | None = None) -> str:
    """Return what follows `it's` about an item that has not what is wished for: `not by Di Wu`."""
    entry = (words or lexicon()).entry(attribute)
    return _filled(rng.choice(entry.lack), attribute, values_of(attribute, wish, rng, words))


def question(attribute: str, wish: Wish, noun: str, rng: Random, *, told: bool, words: Lexicon | None = None) -> str:
    """Return a question about an item; one that gives the wish away only where it was told."""
    words = words or lexicon()
    entry = words.entry(attribute)
    forms = [form for form in entry.ask if told or "{v}" not in form] or list(words.entry(OTHER).ask)
    return _filled(rng.choice(forms), attribute, values_of(attribute, wish, rng, words)).replace("{noun}", noun)


def values_of(attribute: str, wish: Wish, rng: Random, words: Lexicon | None = None) -> str:
    """Return the values of an attribute, joined by `or`."""
    words = words or lexicon()
    entry = words.entry(attribute)
    said = [_said(value, entry, rng, words) for value in tuple(wish[attribute])[:_MOST_VALUES]]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} or {said[-1]}"


def label(attribute: str) -> str:
    """Return an attribute's name as people say it."""
    return attribute.replace("_", " ").casefold()


def _said(value: str, entry: Entry, rng: Random, words: Lexicon) -> str:
    if entry.written:
        return value
    if entry.head:
        return value.casefold()
    if value.casefold() in words.data["with_the"]:
        return f"the {value}"
    short = _DECADE.fullmatch(value)
    return short.group(1) if short is not None and rng.random() < _SHORT_DECADE else value


def _filled(form: str, attribute: str, values: str) -> str:
    before, slot, after = form.replace("{attr}", label(attribute)).partition("{v}")
    return f"{before}{values}{after}" if slot else before
