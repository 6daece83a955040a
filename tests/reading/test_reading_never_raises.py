"""No reader raises on any reply, gives a value it should not, or is slow on a long one."""

from __future__ import annotations

import time
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from mysteryshopper.core import ChatReply
from mysteryshopper.reading import (
    is_refusal,
    read_choice,
    read_json,
    read_ranking,
    read_score,
    read_stars,
    read_titles,
    read_verdict,
    read_yes_no,
    split_year,
    strip_reasoning,
    title_key,
)


class Answer(BaseModel):
    score: int
    why: str = ""


READERS = {
    "yes_no": read_yes_no,
    "choice": lambda reply: read_choice(reply, ["accept", "reject", "science fiction", "A"]),
    "json": lambda reply: read_json(reply, Answer),
    "score": lambda reply: read_score(reply, 0, 10),
    "stars": read_stars,
    "titles": lambda reply: read_titles(reply, limit=3, exclude=["Oak (1980)"]),
    "ranking": lambda reply: read_ranking(reply, ["7", "007", "Oak (1980)", "Elm, Ash"]),
    "verdict": lambda reply: read_verdict(reply, ["A", "B"]),
}
FRAGMENTS = [
    *(
        "yes",
        "No",
        "A",
        "B",
        "[[A]]",
        "[[C]]",
        "tie",
        "accept",
        "not",
        "maybe",
        "Answer:",
        "Verdict:",
        "Score: ",
        "4",
        "4/5",
    ),
    *(
        "²",
        "٤",
        "Ⅳ",
        "★★★☆",
        "four stars",
        "1. ",
        "- ",
        "(1998)",
        "（2001",
        "**",
        '"',
        "“",
        "```",
        "<think>",
        "</think>",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        '{"score": 4}',
        "'",
        "\\",
        ",",
        "\n",
        " ",
        "NaN",
        "\ud83d",
        "\u200f",
        "Oak (1980)",
        "007",
        ">",
    ),
    *("I'm sorry, but I can't help", "5 out of", "-", "1-5", "½", "%", "a" * 40, "\x00", "\ufeff", "喜剧", ":", "of 0"),
]
texts = st.text() | st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join)
replies = (
    st.none()
    | texts
    | st.builds(
        partial(ChatReply),  # whose other fields keep their defaults
        text=st.none() | texts,
        finish=st.sampled_from(["stop", "length", "content_filter", "tool_calls", "?"]),
        reasoning=st.none() | st.text(max_size=5),
        refusal=st.none() | st.text(max_size=5),
    )
)
STATUSES = {"ok", "repaired", "ambiguous", "refused", "empty", "truncated", "invalid", "unsupported"}


@pytest.mark.parametrize("name", READERS)
@given(reply=replies)
def test_a_reader_takes_any_reply_and_has_a_value_only_if_it_could_read(
    name: str, reply: str | ChatReply | None
) -> None:
    reading = READERS[name](reply)
    assert reading.status in STATUSES
    assert (reading.value is not None) == (reading.status in ("ok", "repaired")) == reading.readable
    assert reading.raw == (reply.text if isinstance(reply, ChatReply) else reply)
    assert all(count > 0 for count in reading.notes.values())
    assert READERS[name](reply) == reading


@given(texts)
def test_reasoning_and_titles_take_any_text(text: str) -> None:
    left, cut = strip_reasoning(text)
    assert strip_reasoning(left)[1] is False or cut
    title_key(split_year(text)[0])
    assert is_refusal(text) in (True, False)


SIZE = 200_000
REPEATED = [
    *(
        "1 ",
        "4/5 ",
        "★",
        "score: 1 ",
        "yes ",
        "no, ",
        "answer: ",
        "A ",
        "[[",
        '"',
        "“",
        "`",
        ">",
        "\n> ",
        "*",
        "_",
        "-",
        " ",
    ),
    *(
        "\n",
        "(",
        "{",
        "[",
        "A or B ",
        "verdict: A ",
        "not ",
        "tie ",
        "x",
        "1,1",
        "½",
        "accept ",
        "four stars ",
        '\\"',
        "'",
    ),
    *(
        "<think>",
        "</think>",
        "< ",
        '{"a":',
        "[1],",
        "{'",
        '["',
        "a (1990), ",
        "(1999",
        "1. ",
        "- \n",
        "[a](",
        "《",
        "a - ",
    ),
    *(", and ", "between 3 and ", "I can't really ", "x, y ", "a > ", "\\"),
]


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_a_long_reply_is_read_in_time_that_grows_with_its_length_only(name: str) -> None:
    for fragment in REPEATED:
        started = time.process_time()
        READERS[name]("1. a" + fragment * (SIZE // len(fragment)) + "z")
        assert time.process_time() - started < 8, f"{name} is slow on {fragment!r}"


def test_titles_and_reasoning_are_quick_on_long_texts() -> None:
    for fragment in (
        "(",
        "(1999",
        "(1999)",
        ", the",
        "1999 ",
        "(tv",
        "<think>",
        "</think>",
        "< ",
        "as an ai ",
        "i can't ",
    ):
        text = fragment * (SIZE // len(fragment))
        started = time.process_time()
        split_year(text)
        title_key(text)
        strip_reasoning(text)
        is_refusal(text)
        assert time.process_time() - started < 3, f"slow on {fragment!r}"
