"""What all readers do first: reasoning out, refusals, empty and cut replies told apart."""

from __future__ import annotations

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
    strip_reasoning,
)
from mysteryshopper.reading.result import Opened, open_reply


class Decision(BaseModel):
    accept: bool


READERS = {
    "yes_no": read_yes_no,
    "choice": lambda reply: read_choice(reply, ["accept", "reject"]),
    "json": lambda reply: read_json(reply, Decision),
    "score": lambda reply: read_score(reply, 1, 5),
    "stars": read_stars,
    "titles": read_titles,
    "ranking": lambda reply: read_ranking(reply, ["yes", "no"]),
    "verdict": lambda reply: read_verdict(reply, ["A", "B"]),
}
GOOD = {
    "yes_no": ("Yes", True),
    "choice": ("accept", "accept"),
    "json": ('{"accept": true}', Decision(accept=True)),
    "score": ("4", 4.0),
    "stars": ("4", 4.0),
    "titles": ("Oak (1980)", [("Oak", 1980)]),
    "ranking": ("no, yes", ["no", "yes"]),
    "verdict": ("[[B]]", "B"),
}


@pytest.mark.parametrize(
    ("text", "left", "cut"),
    [
        ("plain ", "plain ", False),
        ("<think>say no</think>\nYes", "Yes", False),
        ("say no</think>Yes", "Yes", False),
        ("<think>one</think><think>two</think> Yes", "Yes", False),
        ("<think>they write <think> too</think>Yes", "Yes", False),
        ("Hello <THINK>hm</THINK> there", "Hello  there", False),
        ("<thinking>a</thinking>b<reasoning>c</reasoning>d", "bd", False),
        ("Yes. <think>or", "Yes.", True),
        ("<think>", "", True),
        ("<thinker> stays", "<thinker> stays", False),
    ],
)
def test_reasoning_is_taken_out(text: str, left: str, cut: bool) -> None:
    assert strip_reasoning(text) == (left, cut)


@pytest.mark.parametrize("name", READERS)
def test_every_reader_tells_why_there_is_nothing_to_read(name: str) -> None:
    read = READERS[name]
    text, value = GOOD[name]
    assert (read(text).status, read(text).value) == ("ok", value)
    assert read(ChatReply(text)).value == value
    assert read(f"<think>nothing fits</think>{text}").value == value
    for nothing in (None, "", " \n\t", ChatReply(None), ChatReply(""), "\ufeff"):
        assert (read(nothing).status, read(nothing).value, read(nothing).notes) == ("empty", None, {})
    assert read(ChatReply(None, finish="content_filter")).status == "refused"
    assert read(ChatReply(text, finish="content_filter")).status == "refused"
    assert read(ChatReply(text, refusal="I would rather not.")).status == "refused"
    assert read(ChatReply(text, finish="length")).status == "truncated"
    assert read(f"<think>{text}").status == "truncated"
    refused = read("I'm sorry, but I can't pretend to be a person.")
    assert (refused.status, refused.value) == ("refused", None)
    assert refused.raw == "I'm sorry, but I can't pretend to be a person."


@pytest.mark.parametrize("name", READERS)
def test_an_answer_in_the_reasoning_field_is_empty_with_a_hint(name: str) -> None:
    text, _ = GOOD[name]
    for reply in (ChatReply("", reasoning=text), ChatReply(None, reasoning=text), f"<think>{text}</think>"):
        reading = READERS[name](reply)
        assert (reading.status, reading.value, reading.notes) == ("empty", None, {"in_reasoning": 1})
        assert "reasoning" in reading.hint


def test_a_cut_reply_is_not_repaired() -> None:
    reading = read_json(ChatReply('{"accept": tru', finish="length"), Decision)
    assert (reading.status, reading.value) == ("truncated", None)
    assert "max_tokens" in reading.hint


def test_lone_surrogates_are_replaced_and_the_raw_text_is_kept() -> None:
    reading = read_titles("\ud83d Oak (1980)")
    assert reading.value == [("\ufffd Oak", 1980)]
    assert reading.raw == "\ud83d Oak (1980)"


def test_a_readable_reply_has_no_hint_and_every_other_status_has_one() -> None:
    assert read_yes_no("yes").hint == ""
    assert read_yes_no("yes").readable
    for text in ("", "maybe", "Noodles", "oui", "<think>", "I cannot help with that"):
        assert read_yes_no(text).hint
        assert not read_yes_no(text).readable


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't pretend to be a person.",
        "I’m unable to provide a rating.",
        "Sorry, I cannot help with that request.",
        "As an AI language model, I don't watch films.",
        "I am an AI and have no taste of my own",
        "I do not have personal preferences.",
        "That would go against my guidelines: it is against my content policy.",
        "I must decline to answer.",
    ],
)
def test_refusals_are_recognised(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm afraid not.",
        "No.",
        "I can't accept that.",
        "Sorry, I won't watch another war film.",
        "I can't help but love it.",
        "I can't wait to answer the door to my guests.",
        "As an AI researcher I'd say yes.",
        "I'd rather not.",
        "I'm not going to buy that.",
    ],
)
def test_a_persons_no_is_no_refusal(text: str) -> None:
    assert not is_refusal(text)


@given(
    st.text(st.sampled_from("a <>/\n\ufeff\u200b\u2003\ud83dé")).map(lambda text: text.replace("<", "<think>")),
    st.sampled_from(["stop", "length", "content_filter"]),
    st.sampled_from([None, "", " ", "No."]),
)
def test_what_is_opened_is_as_defined(text: str, finish: str, refusal: str | None) -> None:
    left, cut = strip_reasoning(text)
    said = left.encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip().strip("\ufeff\u200b").strip()
    notes = {"in_reasoning": 1} if not said and left != text else {}
    if finish == "content_filter" or (refusal or "").strip():
        wanted = Opened("", text, "refused", {})
    elif cut or finish == "length":
        wanted = Opened("", text, "truncated", notes)
    else:
        wanted = Opened(said, text) if said else Opened("", text, "empty", notes)
    assert open_reply(ChatReply(text, finish, refusal=refusal)) == wanted
