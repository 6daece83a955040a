"""The vocabulary of a domain that says how its things are spoken of, in place of the general one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mysteryshopper.core import digest
from mysteryshopper.datasets import Dataset, Domain
from mysteryshopper.users.agenda.lexicon import OTHER, Lexicon, lexicon

_MOST_VALUES = 300
"""Values of an attribute that a question is searched for; an attribute with more has names, not kinds."""


def domain_words(dataset: Dataset) -> Lexicon | None:
    """Return the vocabulary for a data set; None where its domain says nothing of how it is spoken of.

    A domain with words of its own knows its own attributes alone: `family` is no genre where nothing has one. What it
    leaves out of an attribute is as in the general vocabulary, and for attributes that this lacks, as for any other.
    """
    domain = dataset.described
    if domain is None or not domain.spoken:
        return None
    general = lexicon().data
    attributes = {name.casefold(): _entry(name, domain, general) for name in domain.attributes}
    for name, values in _values(dataset).items():
        if len(values) <= _MOST_VALUES:
            entry = attributes[name.casefold()]
            entry["values"] = list(dict.fromkeys([*entry["values"], *values]))
    data = {
        **general,
        "attributes": {**attributes, OTHER: general["attributes"][OTHER]},
        "same": {word: value for value, words in domain.other_words.items() for word in words},
        "nouns": {},
        "other_nouns": list(domain.nouns),
        "countable": [],
        "with_the": [],
    }
    label = f"+{domain.name}@{digest(data)[:8]}"
    return Lexicon(data, next(iter(attributes)), domain.known, frozenset(), label)


def _entry(name: str, domain: Domain, general: Mapping[str, Any]) -> dict[str, Any]:
    own = domain.attributes[name]
    known: Mapping[str, Any] = general["attributes"].get(name.casefold()) or general["attributes"][OTHER]
    if "like" in known:
        known = general["attributes"][known["like"]]
    words = (word for value, others in own.same.items() for word in (value.casefold(), *others))
    return {
        "names": list(own.names or [*known["names"], name.casefold()]),
        "values": list(dict.fromkeys([*map(str.casefold, own.values), *words])),
        "head": own.head,
        "post": list(own.post or known["post"]),
        "lack": list(own.lack or known["lack"]),
        "ask": list(own.ask or known["ask"]),
        "written": True,
    }


def _values(dataset: Dataset) -> dict[str, dict[str, None]]:
    found: dict[str, dict[str, None]] = {}
    for item in dataset.items() if dataset.has_items else ():
        for name, values in item.attributes.items():
            found.setdefault(name, {}).update(dict.fromkeys(value.casefold() for value in values))
    return found
