"""Whatever declines a task is recognised in capitals and with any apostrophe: the quick look before misses none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.reading import is_refusal, refusals

UNABLE = (
    "can't",
    "cannot",
    "can not",
    "won't",
    "will not",
    "am not able to",
    "am unable to",
    "'m not allowed to",
    "am not comfortable",
    "must decline to",
    "refuse to",
)
OTHERS = (
    "As an AI, so be it",
    "being an artificial intelligence, so be it",
    "I'm just a chatbot.",
    "as a large language model I see",
    "as a virtual assistant, so be it",
    "I do not have any personal opinion",
    "I don't have the ability to",
    "That is against my guidelines",
    "That violates the policies",
    "That is contrary to our programming",
    "That goes beyond the usual terms of use",
)


@pytest.mark.parametrize("text", [*(f"I {words} comply" for words in UNABLE), *OTHERS])
def test_every_way_to_decline_is_found(text: str) -> None:
    assert is_refusal(text)
    assert is_refusal(text.upper())
    assert is_refusal(text.replace("'", "’"))
    assert is_refusal(f"Très bien. {text}")


PIECES = st.one_of(
    st.sampled_from(
        [*UNABLE, *OTHERS, "I", "i", "'", "’", "`", "AI", "comply", "polic", "terms\nof use", "—", "ſ", "K"]
    ),
    st.text(max_size=5),
    st.integers(1, 700).map("x".__mul__),
)


@given(st.lists(st.tuples(PIECES, st.sampled_from(["", " ", "\n", "\t \u2003"])), max_size=12))
def test_the_quick_look_changes_nothing(pieces: list[tuple[str, str]]) -> None:
    text = "".join(piece + space for piece, space in pieces)
    head = " ".join(text[:1200].split())[:600].translate(refusals._APOSTROPHES)
    assert is_refusal(text) == (refusals._PATTERNS.search(head) is not None)
