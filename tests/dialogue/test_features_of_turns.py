"""The quick forms of the patterns behind a turn's features find what their plain forms do."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from mysteryshopper.dialogue.detectors import features, scoring

NAME, SMALL = features._NAME, features._SMALL
PLAIN_TITLE = re.compile(
    rf"""
      @\d+
    | \*\*[^*\n]{{1,60}}\*\* | ["“][^"“”\n]{{1,60}}["”]
    | (?<![\w']){NAME}\.?,?[ ]{SMALL}{NAME}(?:[ ,:]{{1,2}}{SMALL}{NAME})*
    | (?<=[a-z,:;][ ])(?!I\b)[A-Z][\w'-]+
    """,
    re.VERBOSE,
)
PLAIN_PIECE = re.compile(r"(?<=[.!?])\s+|\n+")
WORDS = ("The", "Sea", "I", "It's", "O'Hara", "a", "of", "and", "the", "7", "1999", "12345", "@12", "**", '"', "“", "”")
MARKS = (
    "&",
    " ",
    "  ",
    ", ",
    ": ",
    ". ",
    ".",
    "? ",
    "!",
    "\n",
    "\n\n",
    "\t",
    "'",
    "-",
    "* ",
    "• ",
    "1. ",
    "2) ",
    "(3)",
    "é",
)
TEXTS = st.lists(st.sampled_from((*WORDS, *MARKS)), max_size=24).map("".join)


@given(text=TEXTS)
@example(text="like The Sea of 7 Lamps, and I: I'm off to See **It**")
@example(text="@12 a“b” Sea: the Sea")
def test_titles(text):
    found = [match.span() for match in features._TITLE.finditer(text)]
    assert found == [match.span() for match in PLAIN_TITLE.finditer(text)]


@given(text=TEXTS)
@example(text="Sea. \n\n a\n\n  b?\t\nc")
def test_sentences(text):
    assert features._PIECE.split(text) == PLAIN_PIECE.split(text)


@given(text=TEXTS)
@example(text="1. Sea\n2. Lamp")
def test_a_text_without_a_mark_lists_nothing(text):
    lists = (features._LISTED, scoring._LISTED, scoring._NUMBERED)
    assert features.may_list(text) or not any(pattern.search(text) for pattern in lists)


def plain_orders(kinds):
    for place, kind in enumerate(kinds):
        after = kinds[place + 1 : place + 1 + features._NEAR]
        run = [kind, *after[:2]]
        if len(run) == 3 and run.count(".") < 2:
            yield f"@{' '.join(run)}"
        if kind == ".":
            continue
        yield f"@{kind}"
        if after and after[0] != ".":
            yield f"@{kind} {after[0]}"
        for other in after:
            if other in "?!":
                break
            if other != ".":
                yield f"@{kind}~{other}"


@given(kinds=st.lists(st.sampled_from([".", ".", ".", "YOU", "LIKE", "ME", "?", "!", "<"]), max_size=14))
@example(kinds=["YOU", "?", "ME", ".", "LIKE"])
def test_orders_of_kinds(kinds):
    assert set(features._orders(kinds)) == set(plain_orders(kinds))
