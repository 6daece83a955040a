"""Whatever declines a task is recognised in capitals and with any apostrophe: the quick look before misses none."""

import pytest

from mysteryshopper.reading import is_refusal

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
