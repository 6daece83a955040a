"""What a turn is weighed by: its words, the kinds of words in their order, and some of its shape."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, repeat

_NAME = r"(?:[A-Z][\w'&-]*|\d{1,4})"
_SMALL = r"(?:(?:of|the|and|a|an|in|on|to|for|with|from|&)[ ]){0,2}"
_TITLE = re.compile(
    rf"""
    [@*"“A-Z\d]  # any title begins with one of these: other places in a text are passed over at once
    (?:
      (?<=@)\d+
    | (?<=\*)\*[^*\n]{{1,60}}\*\* | (?<=["“])[^"“”\n]{{1,60}}["”]
    | (?<![\w'][A-Z\d])(?:(?<=[A-Z])[\w'&-]*|(?<=\d)\d{{0,3}})\.?,?[ ]{_SMALL}{_NAME}(?:[ ,:]{{1,2}}{_SMALL}{_NAME})*
    | (?<=[a-z,:;][ ][A-Z])(?!(?<=I)\b)[\w'-]+
    )
    """,
    re.VERBOSE,
)
_YEAR = re.compile(r"\s?\((?:19|20)\d\d\)")
_TOKEN = re.compile(r"[a-z_]+(?:'[a-z]+)?|\d+|[?!:\n•*()-]")
_PIECE = re.compile(r"\s(?:(?<=[.!?]\s)\s*|(?<=\n)\n*)")
_LISTED = re.compile(r"(?:\A|\n)\s{0,4}(?:\(?\d{1,2}[.):]|[-*•])\s")
_LIST_MARK = re.compile(r"[-*•\d](?:(?<=[-*•])|[.):\s])")
_WORD = re.compile(r"[A-Za-z']+")
_LONGEST = 1_500
_MOST_PIECES = 60
_LEAST_WORDS = 4
_NEAR = 6

_KINDS = {
    "RECOMMEND": "recommend recommends recommended recommending suggest suggests suggested suggesting propose offer"
    " advise",
    "OPTION": "recommendation recommendations suggestion suggestions option options pick picks choice choices idea"
    " ideas alternative alternatives",
    "LIKE": "like likes liked love loves loved enjoy enjoys enjoyed prefer prefers preferred adore adored appreciate"
    " dig fancy",
    "TASTE": "taste tastes preference preferences mood interest interests interested favorite favorites favourite"
    " favourites vibe alley speed style",
    "FILM": "movie movies film films flick flicks title titles show shows one ones gem classic story comedy comedies"
    " thriller thrillers drama dramas horror romance western documentary documentaries genre genres",
    "SEE": "see seen saw watch watched watching view viewing checked check try tried give catch",
    "FIT": "fit fits match matches suit suits suitable perfect ideal appeal appeals works work right",
    "GOOD": "good great excellent wonderful fantastic awesome amazing lovely best brilliant superb nice solid fun"
    " terrific",
    "HELP": "help helping helped assist find finding choose narrow provide look",
    "OPENER": "sure certainly absolutely definitely course understood noted gotcha alright okay ok welcome",
    "MIGHT": "might may could should would must can will",
    "YOU": "you your yours you're you'd you'll you've yourself",
    "ME": "i i'm i'd i'll i've me my mine we",
    "IF": "if since because given based considering",
    "WHAT": "what which who how when where",
    "FEEL": "hope glad happy pleased delighted pleasure thrilled sorry apologize",
    "MORE": "more another other else different next instead also similar",
    "PLOT": "follows tells directed stars starring plot set cast performances rated acclaimed critics award awards"
    " reviews soundtrack cinematography",
    "BE": "is are was were be it's that's there's",
    "IT": "it that this these those them they",
    "DO": "do does did don't didn't have has had haven't",
    "TITLE": "_t",
}
_KIND = {word: kind for kind, words in _KINDS.items() for word in words.split()} | {mark: mark for mark in "?!:<>\n"}

Piece = tuple[str, frozenset[str]]
"""A text, or a part of it, with its features."""


def split_pieces(text: str) -> Iterator[Piece]:
    """Yield a text, and then its sentences and lines where there are several: a fault may hide in one of them.

    Only the first 1,500 characters and at most 60 sentences are looked at. Sentences of fewer than four words could be
    anyone's (`sure!`) and are no pieces of their own; a blank text has none.
    """
    text = text[:_LONGEST].strip()
    if not text:
        return
    yield text, features(text)
    parts = [part for part in (part.strip() for part in _PIECE.split(text)) if part]
    if len(parts) > 1:
        for part in parts[:_MOST_PIECES]:
            if len(_WORD.findall(part)) >= _LEAST_WORDS:
                yield part, features(part)


def features(text: str) -> frozenset[str]:
    """Return the features of a text: words, neighbouring words, kinds of words (`@`), and shape (`#`).

    What looks like a title becomes one word, so that nothing depends on a certain film.
    """
    plain = text.replace("’", "'")
    shaped, titles = _TITLE.subn(" _t ", _YEAR.sub("", plain) if "(" in plain else plain)
    tokens = ["<", *_TOKEN.findall(shaped.casefold()), ">"]
    kinds = list(map(_KIND.get, tokens, repeat(".")))
    me, you = kinds.count("ME"), kinds.count("YOU")
    found = set(tokens)
    found.update(map(" ".join, pairwise(tokens)))
    found.update(_orders(kinds))
    listed = len(_LISTED.findall(text)) if may_list(text) else 0
    found.update((f"#titles={min(titles, 4)}", f"#listed={min(listed, 3)}", f"#me={min(me, 3)}", f"#you={min(you, 3)}"))
    if you > me:
        found.add("#you>me")
    if you and "?" in found:
        found.add("#you?")
    return frozenset(found)


def may_list(text: str) -> bool:
    """Whether a text holds anything that an entry of a list begins with: most hold none, which is quickly seen."""
    return _LIST_MARK.search(text) is not None


def _orders(kinds: Sequence[str]) -> list[str]:
    """Return kinds of words, runs of two or three, and pairs that stand near each other within a sentence."""
    found: list[str] = []
    last = len(kinds) - 1
    marked = [place for place, kind in enumerate(kinds) if kind != "."]  # most words are of no kind
    for number, place in enumerate(marked, 1):
        kind = kinds[place]
        found.append(f"@{kind}")
        for later in marked[number : number + _NEAR]:
            other, apart = kinds[later], later - place
            if apart == 1:
                found.append(f"@{kind} {other}")
                if place:
                    found.append(f"@{kinds[place - 1]} {kind} {other}")
                if later < last:
                    found.append(f"@{kind} {other} {kinds[later + 1]}")
            elif apart == 2:
                found.append(f"@{kind} {kinds[place + 1]} {other}")
            if apart > _NEAR or other in "?!":
                break
            found.append(f"@{kind}~{other}")
    return found
