"""How much longer the second try of a reply that was cut may be."""

from __future__ import annotations

from mysteryshopper.core import ChatReply

_LEAST = 1024


def more_room(cut: ChatReply, limit: int | None = None) -> int:
    """Return the limit of tokens for the second try of a reply that was cut: twice the first one's.

    Args:
        cut: The reply; where no limit is known, how long it came out tells what it must have been.
        limit: The limit it was asked with, if that is known.

    Returns:
        Twice the limit; without one, twice the reply's length, and 1,024 at least.
    """
    return 2 * limit if limit is not None else max(_LEAST, 2 * cut.usage.output_tokens)
