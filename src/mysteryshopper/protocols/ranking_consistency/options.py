"""Options of `ranking-consistency`: those of a conversation, and what is ranked."""

from __future__ import annotations

from pydantic import Field

from mysteryshopper.protocols.conversation import ConversationOptions


class RankingOptions(ConversationOptions):
    """Options of `ranking-consistency`."""

    runs: tuple[str, ...] = Field(
        default=(),
        description="Names of finished runs in the folder of `data: {name: runs, path: …}`, whose rankings are"
        " compared; then nobody talks. By default users of this experiment talk to its systems.",
    )
    ranked_by: tuple[str, ...] = Field(
        default=(),
        description="Names of the scores that systems are ranked by; by default success, the user's rating and the"
        " judges' criterion overall, as far as there are any, else the first score.",
    )
    rank_controls: bool = Field(
        default=False,
        description="Rank controls (random, popularity), too. That every user puts them last says little.",
    )
    draws: int = Field(default=999, ge=99, le=99_999, description="Resamples behind an interval.")
