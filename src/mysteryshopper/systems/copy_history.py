"""`copy-history`: what was mentioned already, most recent first. A control for leaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from mysteryshopper.core import History, Scored, SystemReply
from mysteryshopper.items import copy_history
from mysteryshopper.systems.recommender import Recommender, mentioned


class CopyHistory(Recommender):
    """Ranks the items that the dialogue has mentioned, the most recent first.

    In a dialogue it shows them again; whoever it beats recommends no better than an echo.
    """

    control: ClassVar[bool] = True

    async def rank(self, history: History, k: int) -> Sequence[Scored]:
        """Return the last k mentioned items."""
        return copy_history(mentioned(history))[:k]

    async def reply(self, history: History) -> SystemReply:
        """Repeat what was mentioned last; items named by the user count too."""
        shown, named = mentioned(history), []
        for message in history.messages:
            if message.side == "user":
                named.extend(self.catalog.mentions(message.text))
        ranked = (self.catalog.find(scored.id) for scored in copy_history([*shown, *named]))
        items = [item for item in ranked if item is not None][: self.show]
        return self.showing(items, again=True)
