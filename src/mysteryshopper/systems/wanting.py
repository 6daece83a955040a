"""What a person has said so far that they want and don't want, worked out anew from the messages each time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from mysteryshopper.core import History, Message
from mysteryshopper.items import fold_value
from mysteryshopper.systems.attribute_table import AttributeTable, Mask, Pair
from mysteryshopper.systems.hearing import Heard, Hearing

Attributes: TypeAlias = tuple[str, ...]
"""One attribute; several where a value may be of any of them."""


@dataclass(frozen=True, slots=True)
class Said:
    """One thing that was said: values of some attributes are wanted, or one value is not."""

    wanted: Attributes = ()
    unwanted: Pair | None = None


@dataclass(slots=True)
class Want:
    """What is wanted and not wanted at one point of a dialogue.

    Attributes:
        wanted: Values by attribute, in the order in which the attributes came up. An item fits if for each attribute it
            has one of the values.
        unwanted: Values that an item must not have.
        order: What was said, oldest first.
        asked: Attributes that the system has asked about.
        held: Ids of the items shown or named.
        words: What the person said, as one text.
    """

    wanted: dict[Attributes, dict[Pair, None]] = field(default_factory=dict)
    unwanted: dict[Pair, None] = field(default_factory=dict)
    order: list[Said] = field(default_factory=list)
    asked: dict[str, None] = field(default_factory=dict)
    held: dict[str, None] = field(default_factory=dict)
    words: str = ""

    def left(self, table: AttributeTable) -> tuple[Mask, list[Said]]:
        """Return which of the items not held fit, and what had to be given up for any to fit.

        What was said first stays, as long as something fits all that stays.
        """
        left = table.everything()
        left[[place for name in self.held if (place := table.place(name)) is not None]] = False
        dropped: list[Said] = []
        for said in self.order:
            having = table.having(self.wanted[said.wanted] if said.unwanted is None else [said.unwanted])
            tried = left & (having if said.unwanted is None else ~having)
            if tried.any() or not left.any():
                left = tried
            else:
                dropped.append(said)
        return left, dropped


def wanting(
    history: History, hearing: Hearing, table: AttributeTable, questions: Mapping[str, str] | None = None
) -> Want:
    """Return what the person of a history wants by now. `questions` are the system's own, by attribute.

    Where a value is denied to an item just shown (`that's not a comedy`), or one is refused that was wanted and that no
    item just shown has, the items lack it, and it is wanted. The answer to a question about an attribute is taken to be
    of that attribute where it can be.
    """
    want = Want()
    shown: list[int] = []
    asked: str | None = None
    for message in history.messages:
        if message.side == "system":
            asked = asked_about(message, table.names, questions or {})
            want.asked.update(dict.fromkeys([asked] if asked else ()))
            names = [item.id for item in message.items if item.id is not None]
            want.held.update(dict.fromkeys(names))
            shown = [place for name in names if (place := table.place(name)) is not None]
            continue
        want.words = f"{want.words}\n{message.text}" if want.words else message.text
        said = hearing.hear(message.text)
        want.held.update(dict.fromkeys(said.items))
        fresh: set[Attributes] = set()
        for heard in said.values:
            if heard.wanted or _lacked(want, heard, shown, table):
                _take(want, heard, asked, fresh, changes=said.changes)
            else:
                _refuse(want, heard)
    return want


def asked_about(message: Message, names: Sequence[str], questions: Mapping[str, str]) -> str | None:
    """Return the one attribute that a message of the system asks about; None if there is none, or several.

    It is the one that the message carries as an entity, else the one whose own question it holds, or the one that its
    questions name.
    """
    if len(carried := [name for name in message.entities if name in names]) == 1:
        return carried[0]
    if (own := next((name for name in names if questions.get(name, "\0") in message.text), None)) is not None:
        return own
    if "?" not in message.text:
        return None
    asking = " ".join(part.rsplit(".", 1)[-1] for part in fold_value(message.text).split("?")[:-1])
    words = {word.strip(".,:;!\"'()") for word in asking.split()}
    named = [name for name in names if words.issuperset(fold_value(name).split())]
    return named[0] if len(named) == 1 else None


def _lacked(want: Want, heard: Heard, shown: Sequence[int], table: AttributeTable) -> bool:
    """Whether a value is refused only because none of the items just shown has it."""
    if not shown or not (
        heard.denied or any(pair in values for values in want.wanted.values() for pair in heard.pairs)
    ):
        return False
    return not table.having(heard.pairs)[list(shown)].any()


def _take(want: Want, heard: Heard, asked: str | None, fresh: set[Attributes], *, changes: bool) -> None:
    """Add a value to what is wanted; if the person changes their mind, in place of what they said before."""
    pairs = tuple(pair for pair in heard.pairs if pair[0] == asked) or heard.pairs
    for pair in heard.pairs:
        if pair in want.unwanted:
            del want.unwanted[pair]
            want.order.remove(Said(unwanted=pair))
    attributes = tuple(dict.fromkeys(name for name, _ in pairs))
    if changes and attributes in want.wanted and attributes not in fresh:
        want.wanted[attributes].clear()
    fresh.add(attributes)
    if attributes not in want.wanted:
        want.order.append(Said(wanted=attributes))
    want.wanted.setdefault(attributes, {}).update(dict.fromkeys(pairs))


def _refuse(want: Want, heard: Heard) -> None:
    """Add a value to what is not wanted, and take it from what is."""
    for pair in heard.pairs:
        for attributes in [names for names, values in want.wanted.items() if pair in values]:
            del want.wanted[attributes][pair]
            if not want.wanted[attributes]:
                del want.wanted[attributes]
                want.order.remove(Said(wanted=attributes))
        if pair not in want.unwanted:
            want.unwanted[pair] = None
            want.order.append(Said(unwanted=pair))


def reasons(want: Mapping[Attributes, Mapping[Pair, None]], held: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return which wanted values an item has, by attribute, as the catalogue writes them.

    Args:
        want: What is wanted.
        held: The item's values by attribute.
    """
    asked = {pair for pairs in want.values() for pair in pairs}
    found = {name: [value for value in values if (name, fold_value(value)) in asked] for name, values in held.items()}
    return {name: values for name, values in found.items() if values}
