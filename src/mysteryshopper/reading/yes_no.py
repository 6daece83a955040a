"""Yes or no."""

from __future__ import annotations

import re
from typing import Literal

from mysteryshopper.reading.refusals import is_refusal
from mysteryshopper.reading.result import Reading, Reply, open_reply
from mysteryshopper.reading.words import clauses, cued, is_foreign, is_only_undecided, is_undecided, plain, unlabel

_YES_WORDS = "yes|yeah|yep|yup|yea|aye"
_NO_WORDS = "no|nope|nah|nay"
_YES = re.compile(
    rf"(?:{_YES_WORDS}|y|true|(?:oh )?sure|of course|definitely|absolutely|certainly|indeed|"
    r"i (?:do|would|will)|i think so)(?: (?:please|thanks|thank you|indeed|definitely|absolutely|sir))?"
)
_NO = re.compile(
    rf"(?:{_NO_WORDS}|n|false|never|no way|not (?:really|at all|for me|interested)|i'd rather not|i would rather not|"
    r"(?:absolutely|definitely|certainly|of course|probably|surely|(?:i'm |i am )?afraid|i think) not|"
    r"i (?:don't|do not) think so|i (?:do|would|will) not|i (?:don't|wouldn't|won't))(?: (?:thanks|thank you|sir))?"
)
_STARTS = re.compile(
    rf"(?:({_YES_WORDS})|({_NO_WORDS}))\b"
    r"(?! (?:doubt|problem|question|worries|wonder|matter|idea|one|opinion|preference|comment|more|less|better|"
    r"other)\b)"
)
_ENDS = re.compile(
    r"\b(?:say|is|be|think|it's|that's|answer|guess|a|an|definitely|probably|absolutely|certainly|clearly|hell|heck|oh)"
    r" (?:(yes)|(no))$"
)
_EITHER = re.compile(rf"\b(?:({_YES_WORDS})|({_NO_WORDS}))\b")
_CHANGED = re.compile(rf"(?:{_YES_WORDS}|{_NO_WORDS}) (?:wait|actually|sorry|scratch)\b")
_NOT = re.compile(r"n't\b|\b(?:not|never)\b")
_FOREIGN = re.compile(r"(?:oui|non|s[ií]|ja|nein|da|nyet|niet|hai|iie|sim|n[aã]o|tak|nie|evet|hay[iı]r)")

_Answer = bool | Literal["ambiguous"] | None


def read_yes_no(reply: Reply) -> Reading[bool]:
    """Read a yes or a no, in English.

    The answer is what comes first, what follows an announcement (`Final answer: …`), or what is a clause of its own.
    `Yes and no`, `Yes. No, wait` and `maybe` are ambiguous, a refusal to answer is refused and never a no. Answers
    written `true`, `false`, `y` or `n` are repaired.

    Args:
        reply: What the model answered.

    Returns:
        True for yes, False for no.
    """
    opened = open_reply(reply, short=True)
    if opened.status:
        return opened.fail(opened.status)
    if is_refusal(opened.text):
        return opened.fail("refused")
    text = plain(opened.text)
    answers = {answer for part in cued(text) if (answer := _answer(clauses(part))) is not None}
    answer = answers.pop() if len(answers) == 1 else "ambiguous" if answers else _answer(clauses(unlabel(text)))
    if isinstance(answer, bool):
        short = clauses(text)[-1] in ("true", "false", "y", "n")
        return Reading(answer, "repaired" if short else "ok", opened.raw)
    if answer == "ambiguous":
        return opened.fail("ambiguous")
    foreign = is_foreign(text) or any(_FOREIGN.fullmatch(clause) for clause in clauses(text)[:1])
    return opened.fail("unsupported" if foreign else "invalid")


def _answer(parts: list[str]) -> _Answer:
    """Return what clauses say: an answer, that they are undecided, or None for nothing."""
    if not parts:
        return None
    lead = _lead(parts[0])
    exact = {value for part in parts[1:] if (value := _exact(part)) is not None}
    if lead == "ambiguous" or any(map(is_only_undecided, parts[1:])):
        return "ambiguous"
    if lead is not None:
        changed = any(map(_CHANGED.match, parts[1:]))
        return "ambiguous" if changed or not exact <= {lead} else lead
    if len(exact) == 1:
        return exact.pop()
    doubtful = exact or any(is_undecided(part) or _EITHER.search(part) for part in parts)
    return "ambiguous" if doubtful else None


def _exact(clause: str) -> bool | None:
    """Return the answer that a clause is, and nothing besides."""
    if _YES.fullmatch(clause):
        return True
    return False if _NO.fullmatch(clause) else None


def _lead(clause: str) -> _Answer:
    """Return the answer of the first clause, which may say more than the answer."""
    exact = _exact(clause)
    if exact is not None:
        return exact
    found = _EITHER.findall(clause)
    if found and (is_undecided(clause) or (any(yes for yes, _ in found) and any(no for _, no in found))):
        return "ambiguous"
    spoken = _STARTS.match(clause) or (None if _NOT.search(clause) else _ENDS.search(clause))
    return spoken.group(1) is not None if spoken else None
