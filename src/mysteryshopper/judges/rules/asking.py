"""What a user's turn asks for, and how far the system's next turn answered it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from mysteryshopper.judges.rules.facts import LIST_LINE, Facts, has
from mysteryshopper.judges.rules.found import Evidence, Found, untold
from mysteryshopper.judges.rules.speech import Speech
from mysteryshopper.judges.rules.turns import Turn

Kind = Literal["request", "about", "question", "tell", ""]
"""What is asked for: a recommendation, a fact about an item, anything else, a reaction to a taste; or nothing."""

_PERSON = re.compile(r"(?<![.!?\n])(?<!^) ?\b[A-Z][\w'’.-]+ (?:[A-Z][\w'’.-]+ ?)+")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NUMBER = re.compile(r"\d")
_TELLING, _SAYING, _ANSWERING = 8, 4, 3
_FACTUAL = frozenset({"director", "cast", "year", "genre", "rating", "runtime"})


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user's turn asks for; `about` says which fact, `values` what kinds of items it names."""

    kind: Kind
    about: str = ""
    values: tuple[tuple[str, dict[str, frozenset[str]]], ...] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """How far (0 to 1) a system turn answered the user's turn before it, and what was wrong."""

    ask: Turn
    reply: Turn
    asked: Asked
    value: float
    wrong: str = ""

    @property
    def evidence(self) -> Evidence:
        """What was wrong, at the system's turn."""
        return self.reply.where(f"{self.wrong} (asked: {self.asked.about or self.asked.kind})")


def what_is_asked(turn: Turn, previous: Turn | None, facts: Facts, speech: Speech) -> Asked:
    """Return what a user's turn asks for, given the system's turn before it."""
    heard = turn.heard
    values = tuple(
        (words, dict(found)) for place, words, found in facts.values(heard) if not speech.denied(heard.words, place)
    )
    about = speech.about_what(heard)
    request = bool(speech.requests.find(speech.accepts.cut(heard)))
    question = speech.is_question(heard)
    if about and question and not (request and about in _FACTUAL):
        return Asked("about", about, values)
    if request:
        return Asked("request", values=values)
    if about == "plot":
        return Asked("about", about, values)
    complains = bool(speech.complaints.find(heard))
    thing = bool(speech.things.find(heard))
    if question and not complains:
        return Asked("question", values=values)
    if complains or speech.thanks.find(heard) or speech.accepts.find(heard):
        return Asked("")
    if thing or values or speech.tells.find(heard) or (previous is not None and previous.asks_back and heard.words):
        return Asked("tell", values=values)
    return Asked("")


def asked_before(turns: Sequence[Turn], facts: Facts, speech: Speech) -> list[Asked]:
    """Return for each turn what the turn before it asked for; nothing before the first and where the system spoke."""
    found = [Asked("")]
    for number, ask in enumerate(turns[:-1]):
        previous = turns[number - 1] if number else None
        found.append(what_is_asked(ask, previous, facts, speech) if ask.side == "user" else Asked(""))
    return found


def answers(turns: Sequence[Turn], asked_of: Sequence[Asked], facts: Facts, speech: Speech) -> list[Answered]:
    """Return every judged system turn before which something was asked for, with how far it answered.

    `asked_of` is what `asked_before` gave for these turns.
    """
    found = []
    wanted: tuple[tuple[str, dict[str, frozenset[str]]], ...] = ()
    shown: set[str] = set()
    texts: set[str] = set()
    asked_back = False
    for number, reply in enumerate(turns):
        if reply.side != "system":
            continue
        ask = turns[number - 1] if number else None
        if ask is not None:
            asked = asked_of[number]
            wanted = asked.values or wanted
            if asked.kind and reply.judged:
                value, wrong = _grade(ask, reply, asked, wanted, shown, asked_back, facts, speech)
                if value and reply.heard.line in texts and reply.heard.words:
                    value, wrong = 0.0, "says what it said before"
                found.append(Answered(ask, reply, asked, value, wrong))
        asked_back = reply.asks_back and not reply.named
        shown |= {name.key for name in reply.named}
        texts.add(reply.heard.line)
    return found


def question_answered(found: Sequence[Answered]) -> Found:
    """Return the mean over what the user asked for."""
    if not found:
        return untold("the user asked for nothing that a system turn followed")
    wrong = [answer.evidence for answer in found if answer.value < 1]
    return Found(sum(answer.value for answer in found) / len(found), len(found), wrong)


def _grade(
    ask: Turn,
    reply: Turn,
    asked: Asked,
    wanted: tuple[tuple[str, dict[str, frozenset[str]]], ...],
    shown: set[str],
    asked_back: bool,
    facts: Facts,
    speech: Speech,
) -> tuple[float, str]:
    if not reply.heard.words and not reply.linked:
        return 0.0, "says nothing"
    if asked.kind in ("request", "tell"):
        return _recommended(ask, reply, wanted, shown, asked_back)
    if reply.broken:
        return 0.0, "is no sentence"
    if reply.takes_leave:
        return 0.0, "takes its leave"
    if asked.kind == "about":
        return (1.0, "") if _TELLS[asked.about](reply, facts) and not _changes(ask, reply) else (0.0, "does not tell")
    if reply.asks_back and not reply.named:
        return 0.0, "asks back"
    if reply.listed > 1 and speech.lists_asked.isdisjoint(ask.heard.words):
        return 0.0, "lists items"
    return (1.0, "") if reply.linked or len(reply.heard.words) >= _ANSWERING else (0.0, "says next to nothing")


def _recommended(
    ask: Turn,
    reply: Turn,
    wanted: tuple[tuple[str, dict[str, frozenset[str]]], ...],
    shown: set[str],
    asked_back: bool,
) -> tuple[float, str]:
    """Grade a reply to a request: the share of its new items that are of a kind asked for, or one question back."""
    asked_of = {name.key for name in ask.named}
    items = [name for name in reply.named if name.key not in asked_of]
    if not items:
        if reply.asks_back and not reply.broken:
            return (0.0, "asks back again") if asked_back else (1.0, "")
        return 0.0, "recommends nothing"
    new = [name for name in items if name.key not in shown]
    if not new:
        return 0.0, "recommends nothing new"
    fits = [
        any(fit)
        for name in new
        if name.item is not None
        and (fit := [met for _, values in wanted if (met := has(name.item, values)) is not None])
    ]
    value = sum(fits) / len(fits) if fits else 1.0
    kinds = ", ".join(dict.fromkeys(words for words, _ in wanted))
    return value, "" if value == 1 else f"{len(fits) - sum(fits)} of {len(fits)} items are not {kinds}"


def _changes(ask: Turn, reply: Turn) -> bool:
    """Whether a reply lists items of which none was asked about: another topic."""
    return (
        reply.listed > 1
        and not {name.key for name in ask.named} & {name.key for name in reply.named}
        and not any(len(line.split()) >= _TELLING for line in LIST_LINE.findall(reply.heard.text))
    )


def _speaks(words: int) -> Callable[[Turn, Facts], bool]:
    """Whether a reply says so many words that are neither a list of titles nor only a question back."""

    def enough(reply: Turn, facts: Facts) -> bool:
        text = LIST_LINE.sub(
            lambda line: line.group() if len(line.group(1).split()) >= _TELLING else "", reply.heard.text
        )
        return len(text.split()) >= words and not (reply.asks_back and reply.heard.text.count("?") == len(_ends(text)))

    return enough


def _ends(text: str) -> list[str]:
    return re.findall(r"[.!?]+(?=\s|$)", text)


def _names_person(reply: Turn, facts: Facts) -> bool:
    people = any(
        " " in words and not {"genre", "language", "country"} & set(found)
        for _, words, found in facts.values(reply.heard)
    )
    titles = {name.title for name in reply.named}
    return people or any(match.strip() not in titles for match in _PERSON.findall(LIST_LINE.sub("", reply.heard.text)))


def _names_kind(reply: Turn, facts: Facts) -> bool:
    return reply.listed < 2 and next(facts.values(reply.heard), None) is not None


def _holds(pattern: re.Pattern[str]) -> Callable[[Turn, Facts], bool]:
    return lambda reply, facts: pattern.search(LIST_LINE.sub("", reply.heard.text)) is not None


_TELLS: dict[str, Callable[[Turn, Facts], bool]] = {
    "plot": _speaks(_TELLING),
    "reason": _speaks(_TELLING),
    "director": _names_person,
    "cast": _names_person,
    "year": _holds(_YEAR),
    "genre": _names_kind,
    "rating": _holds(_NUMBER),
    "runtime": _holds(_NUMBER),
    "where": _speaks(_SAYING),
}
"""Whether a reply tells a fact of that sort."""
