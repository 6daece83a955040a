"""What happened, round by round: kept in the run after every step, and enough to report and to go on from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mysteryshopper.core import decode_text, encode_text

_KEY = "prompt-optimisation"

ENDS: Mapping[str, str] = {
    "": "It has not ended, and goes on when the run is resumed.",
    "rounds": "It ended at the limit of rounds.",
    "patience": "It ended after too many rounds in succession without an improvement.",
}
"""Why it ended, in a sentence."""

NOTES: Mapping[str, str] = {
    "cut": "the text was longer than `longest` and was cut at the end of a line or sentence",
    "near": "the text is nearly that of the prompt it was written from",
    "unchanged": "the text is that of an earlier prompt, so no dialogues were held with it",
    "unusable": "what the model wrote could not be read as a prompt, or can't be given to the user",
    "unreviewed": "some dialogues could not be reviewed",
    "given": "the text is the reader's own",
}
"""What is noted of a round, in words."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that simulated users did wrong.

    Attributes:
        text: What, in a sentence.
        dialogues: In how many dialogues of the batch it was found.
        example: Id of the first of them.
    """

    text: str
    dialogues: int
    example: str = ""


@dataclass(frozen=True, slots=True)
class Tally:
    """How the dialogues with a new prompt came out against those with the prompt it was written from.

    Attributes:
        wins: Pairs that the new prompt won.
        losses: Pairs that it lost.
        ties: Pairs that are a tie.
        inconsistent: Pairs on which the judge's two orders disagree.
        unread: Pairs without a verdict; they count for nothing.
        forfeits: How many of the wins and losses were not judged, as one of the two simulated users failed.
        dropped: Pairs that a system's or the infrastructure's failure took away.
    """

    wins: int = 0
    losses: int = 0
    ties: int = 0
    inconsistent: int = 0
    unread: int = 0
    forfeits: int = 0
    dropped: int = 0

    @property
    def better(self) -> bool:
        """Whether the new prompt is better: it won more pairs than it lost, whatever the ties."""
        return self.wins > self.losses

    @property
    def n(self) -> int:
        """Pairs with a result."""
        return self.wins + self.losses + self.ties + self.inconsistent


@dataclass(frozen=True, slots=True)
class Round:
    """One prompt, and what came of it.

    Attributes:
        number: Its number; 0 is the initial prompt.
        prompt: Its text; empty where none could be had.
        parent: Number of the prompt it was written from and is compared with; None for the initial one.
        notes: Keys of `NOTES`.
        dialogues: Dialogues of its batch that went well.
        lost: Dialogues that did not, by fault.
        tally: How it did against its parent; None for the initial one, and where no dialogues were held.
        problems: What was wrong with its dialogues, most frequent first; None until they were reviewed.
        reviewed: How many of them could be reviewed.
    """

    number: int
    prompt: str
    parent: int | None = None
    notes: tuple[str, ...] = ()
    dialogues: int = 0
    lost: Mapping[str, int] = field(default_factory=dict)
    tally: Tally | None = None
    problems: tuple[Problem, ...] | None = None
    reviewed: int = 0

    @property
    def better(self) -> bool:
        """Whether it was an improvement."""
        return self.tally is not None and self.tally.better


@dataclass(frozen=True, slots=True)
class Story:
    """An optimisation so far.

    Attributes:
        rounds: All rounds that are done, in order.
        ended: Why it ended, a key of `ENDS`.
        begun: A round whose prompt is settled, while its dialogues are held and judged: what was written once is not
            asked for again, as another answer would be another prompt than that of the dialogues held so far.
        judge: Name of the judge that decides, whatever judges are named before it when the run is resumed.
        drawn: Stands for the people and systems of every round.
    """

    rounds: tuple[Round, ...] = ()
    ended: str = ""
    begun: Round | None = None
    judge: str = ""
    drawn: str = ""

    @property
    def best(self) -> int:
        """Number of the best prompt so far: the last that was an improvement, else the initial one."""
        return max((one.number for one in self.rounds if one.better), default=0)

    @property
    def idle(self) -> int:
        """Rounds in succession, up to now, without an improvement."""
        return len(self.rounds) - 1 - self.best if self.rounds else 0

    def stop(self, rounds: int, patience: int) -> str:
        """Return why no further round is due, as a key of `ENDS`; empty while one is.

        Args:
            rounds: Most rounds, the initial prompt not counted.
            patience: Most rounds in succession without an improvement.
        """
        if self.idle >= patience:
            return "patience"
        return "rounds" if len(self.rounds) > rounds else ""

    def begin(self, one: Round) -> Story:
        """Return the story with a round under way."""
        return replace(self, begun=one)

    def add(self, one: Round) -> Story:
        """Return the story with one round more, and none under way."""
        return replace(self, rounds=(*self.rounds, one), begun=None)

    def put(self, one: Round) -> Story:
        """Return the story with a round in the place of the one of its number."""
        return replace(self, rounds=tuple(one if one.number == old.number else old for old in self.rounds))


def read_story(store: Any) -> Story | None:
    """Return the story that a run's store keeps (`RunStore`); None where it keeps none."""
    noted = getattr(store, "noted", None)
    text = noted(_KEY) if noted is not None else None
    return None if text is None else decode_text(Story, text)


def write_story(store: Any, story: Story) -> None:
    """Keep the story in a run's store, at once."""
    store.note(_KEY, encode_text(story))


def name_of(number: int) -> str:
    """Return what a prompt is called: `initial`, or `round 3`."""
    return f"round {number}" if number else "initial"
