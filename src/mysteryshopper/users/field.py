"""What users of any domain are told about it: what its things are called, and what they can have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from mysteryshopper.core import Parts
from mysteryshopper.items import fold_value

_GENRE = "genre"


@dataclass(frozen=True)
class Field:
    """The words of a domain, as prompts and rules of users take them; without a description it is empty.

    Attributes:
        noun: The plainest word for one of its things.
        about: What its things have, by attribute: what that is, in a line, or an empty text.
        main: The attribute that people tell first.
        same: Other words for a value, by value in folded form.
    """

    noun: str = ""
    about: Mapping[str, str] = field(default_factory=dict)
    main: str = _GENRE
    same: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Parts) -> Field:
        """Return the field of an experiment's data; an empty one where there is none, or it describes no domain."""
        described = parts.dataset().described if parts.has_dataset else None
        if described is None:
            return cls()
        about = {name: attribute.about.rstrip(".") for name, attribute in described.attributes.items()}
        return cls(
            described.noun,
            about,
            next(iter(about), _GENRE),
            {fold_value(value): words for value, words in described.other_words.items()},
        )

    def named(self, text: str, facts: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
        """Return the facts of which a value, or another word for it, stands in a text, as whole words in any case.

        Args:
            text: What was said.
            facts: Values by attribute.
        """
        folded = fold_value(text)
        found = {
            name: tuple(value for value in values if self._stands(value, folded)) for name, values in facts.items()
        }
        return {name: values for name, values in found.items() if values}

    def _stands(self, value: str, folded: str) -> bool:
        key = fold_value(value)
        forms = (key, *map(fold_value, self.same.get(key, ())))
        return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", folded) for form in forms if form)
