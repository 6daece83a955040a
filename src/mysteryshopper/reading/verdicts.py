"""A judge's verdict: one of the labels, or a tie."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import itemgetter

from mysteryshopper.reading.refusals import is_refusal
from mysteryshopper.reading.result import Reading, Reply, open_reply
from mysteryshopper.reading.words import cued, is_foreign, is_negated, normal, plain, unlabel

TIE = "tie"

_NOUN = r"(?:assistant|response|reply|system|model|option|candidate|answer|conversation|dialogue|side|label)"
_QUOTED = re.compile(
    r'```.*?(?:```|\Z)|"[^"]{0,2000}"|“[^“”]{0,2000}”|‘[^‘’]{0,2000}’|`[^`\n]{0,2000}`|^[ \t]*>[^\n]*', re.S | re.M
)
_WRAPPED = re.compile(r"\s*(?:```\w*|[\"“`'*_]+)\s*(.*?)\s*(?:```|[\"”`'*_.]+)\s*", re.S)
_EXPLICIT = re.compile(r"\[\[\s*([^\[\]\n]{1,80})\]\]")
_CUE = re.compile(r"\b(?:verdict|winner|judge?ment|preference|result)[\s\"')\]]{0,3}(?:\sis|[:=])+\s*", re.I)
_TIE_WORDS = re.compile(
    r"\b(?:tied?|draw|equal(?:ly)?|same quality|equivalent|on (?:a )?par|"
    r"no (?:clear )?(?:difference|winner|preference)|"
    r"neither (?:\w+ ){0,2}?(?:is|does|was|wins)(?: any)? (?:better|best)?)(?!\w)",
    re.I,
)
_TIE_NAMES = frozenset(
    ["tie", "tied", "draw", "a tie", "a draw", "it's a tie", "it is a tie", "equal", "both", "both equal"]
)


def read_verdict(reply: Reply, labels: Sequence[str]) -> Reading[str]:
    """Read which label a judge decided for, or a tie.

    Explicit verdicts are a label in double brackets (`[[A]]`) and what follows an announcement (`Verdict: A`); of
    several the last counts. Without one the whole reply may be the label, or plain words may say who is better or that
    both are equal. What is quoted (in quotation marks, code fences or quoted lines) is never a verdict.

    Args:
        reply: What the judge answered.
        labels: The labels, as in `("A", "B")`. `C` means a tie if and only if the labels are exactly A and B.

    Returns:
        The label as given, or `tie`. An explicit verdict for something else is invalid.
    """
    opened = open_reply(reply, short=True)
    if opened.status:
        return opened.fail(opened.status)
    names = _names(labels)
    whole = None if opened.text.startswith(">") else _name(plain(_unwrapped(opened.text)), names)
    if whole is not None:
        return Reading(whole, "ok", opened.raw)
    text = plain(_QUOTED.sub(" ", opened.text))
    found, explicit = _last_explicit(text, names)
    if explicit:
        return opened.fail("invalid") if found is None else Reading(found, "ok", opened.raw)
    if is_refusal(opened.text):
        return opened.fail("refused")
    stated, doubtful = _stated(text, labels)
    if len(stated) == 1 and not doubtful:
        return Reading(stated.pop(), "ok", opened.raw)
    mentioned = {label for label in labels if re.search(_pattern(label), text)}
    if stated or doubtful or len(mentioned) > 1:
        return opened.fail("ambiguous")
    return opened.fail("unsupported" if is_foreign(text) else "invalid")


def _names(labels: Sequence[str]) -> dict[str, str]:
    """Return what each folded name stands for."""
    names = dict.fromkeys(_TIE_NAMES, TIE)
    if sorted(labels) == ["A", "B"]:
        names["c"] = TIE
    return names | {normal(label): label for label in labels}


def _name(text: str, names: dict[str, str]) -> str | None:
    """Return what a short text names, if it names something and says no more."""
    if len(text) > 200:
        return None
    key = normal(unlabel(text))
    return names.get(key) or names.get(re.sub(rf"^(?:the )?{_NOUN}\s+", "", key))


def _unwrapped(text: str) -> str:
    """Take quotation marks, emphasis or a code fence off that hold the whole reply."""
    wrapped = _WRAPPED.fullmatch(text) if len(text) <= 200 else None
    return wrapped.group(1) if wrapped else text


def _last_explicit(text: str, names: dict[str, str]) -> tuple[str | None, bool]:
    """Return the last explicit verdict (None if it names nothing known), and whether there was one."""
    bracketed = [(at.start(), _name(at.group(1), names), True) for at in _EXPLICIT.finditer(text)]
    announced = [
        (at.start(), _name(re.split(r"[\n.,;(]|\s-", text[at.end() : at.end() + 80], maxsplit=1)[0], names), False)
        for at in _CUE.finditer(text)
    ]
    found = [one for one in (*bracketed, *announced) if one[2] or one[1] is not None]
    if not found:
        said = {name for part in cued(text) if (name := _name(re.split(r"[.,;(]", part)[0], names)) is not None}
        return (said.pop(), True) if len(said) == 1 else (None, False)
    return max(found, key=itemgetter(0))[1], True


def _stated(text: str, labels: Sequence[str]) -> tuple[set[str], bool]:
    """Return who plain words say is better (or that it is a tie), and whether something of it was negated."""
    stated: set[str] = set()
    doubtful = False
    for label in labels:
        name = _pattern(label)
        better = re.compile(
            rf"{name}\s+((?:[\w']+\s+){{0,3}}?)(?:better|wins|won|best|stronger|superior|preferable)(?!\w)"
            rf"|\b(?:prefer|choose|pick|favou?r|vote for|go with)(?:\s+the)?(?:\s+{_NOUN})?\s+{name}",
            re.I if len(label) > 1 else 0,
        )
        for at in better.finditer(text):
            if is_negated(text, at.start()) or re.search(r"n't|\bnot\b|\bnever\b", at.group(1) or ""):
                doubtful = True
            else:
                stated.add(label)
    for at in _TIE_WORDS.finditer(text):
        if is_negated(text, at.start()):
            doubtful = True
        else:
            stated.add(TIE)
    return stated, doubtful


def _pattern(label: str) -> str:
    return rf"(?<![\w']){re.escape(plain(label))}(?![\w'])"
