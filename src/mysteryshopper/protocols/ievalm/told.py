"""What failures are told apart by: whether the user side said anything of what it wants, and whether a system asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mysteryshopper.core import Item, Message
from mysteryshopper.items import fold_value

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def told_values(messages: Iterable[Message], targets: Sequence[Item]) -> int:
    """Count what the user side tells of its wish: values of the targets' attributes, and items that it links.

    A value counts where it stands as whole words, in any letter case; each value and item counts once.
    """
    own = [message for message in messages if message.side == "user"]
    heard = f" {_words(' '.join(message.text for message in own))} "
    values = {_words(value) for target in targets for held in target.attributes.values() for value in held}
    items = {item.id or item.title for message in own for item in message.items}
    return sum(f" {value} " in heard for value in values if value) + len(items)


def asks_back(messages: Sequence[Message], items: Sequence[object]) -> bool:
    """Whether a turn of a system asks a question and shows nothing."""
    return not items and any("?" in message.text or "？" in message.text for message in messages)


def _words(text: str) -> str:
    return " ".join(_WORD.findall(fold_value(text)))
