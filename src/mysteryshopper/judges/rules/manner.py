"""Rules about what the user's own words tell of the service: repeated requests, thanks, complaints."""

from __future__ import annotations

from collections.abc import Sequence

from mysteryshopper.judges.rules.asking import Answered
from mysteryshopper.judges.rules.found import Evidence, Found, share, untold
from mysteryshopper.judges.rules.speech import Speech
from mysteryshopper.judges.rules.turns import Turn

SAME = 0.6
"""Share of content words in common (of all in either) from which a request repeats another."""

_FEWEST = 2


def progress(asked: Sequence[Answered], speech: Speech) -> Found:
    """Return the share of requests and questions, from the second on, that repeat no earlier one of the dialogue."""
    earlier: list[frozenset[str]] = []
    texts: set[str] = set()
    bad = []
    for answer in asked:
        words, text = speech.content(answer.ask.heard), answer.ask.heard.line
        alike = len(words) >= _FEWEST and any(len(words & one) >= SAME * len(words | one) for one in earlier)
        if text in texts or alike:
            bad.append(answer.ask.where("asks for the same again"))
        earlier.append(words)
        texts.add(text)
    return share(bad, len(asked) - 1, "the user asked only once") if asked else untold("the user asked for nothing")


def satisfied_words(turns: Sequence[Turn], speech: Speech) -> Found:
    """Return the mean over user turns after the first reply: 1 thanks or acceptance, 0 a complaint, a half neither.

    A turn that does both complains.
    """
    values: list[float] = []
    heard: list[Evidence] = []
    answered = False
    for turn in turns:
        answered = answered or turn.side == "system"
        if turn.side != "user" or not turn.judged or not answered:
            continue
        bad = speech.complaints.find(turn.heard)
        good = speech.accepts.find(turn.heard) or speech.thanks.find(turn.heard)
        values.append(0.0 if bad else 1.0 if good else 0.5)
        if bad or good:
            heard.append(turn.where(f"{'complains' if bad else 'is pleased'}: {bad or good}"))
    if not values:
        return untold("the user said nothing after the first reply")
    return Found(sum(values) / len(values), len(values), heard)
