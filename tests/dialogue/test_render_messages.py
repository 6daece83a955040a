"""Requests to models are legal whatever was said; stored texts stay as they were."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import ChatMessage, Message, ToolCall
from mysteryshopper.dialogue import clean, one_line, render, shorten

ROLES = st.sampled_from(["user", "assistant", "system"])
MESSAGES = st.lists(st.builds(Message, ROLES, st.one_of(st.just(""), st.just(" \n"), st.text(max_size=8))), max_size=9)


@given(MESSAGES, st.sampled_from(["user", "system"]), st.sampled_from(["", "You are …"]), st.sampled_from(["", "Now."]))
def test_a_request_is_always_legal(messages, side, head, closing):
    request = render(messages, side, head, closing=closing)
    spoken = [message for message in request if message.role != "system"]
    assert all(message.content.strip() for message in request)
    assert [message.role for message in request].count("system") <= 1
    assert spoken[0].role == spoken[-1].role == "user"
    assert all(one.role != two.role for one, two in pairwise(spoken))
    everything = "\n".join(message.content for message in request)
    for message in messages:
        if message.text.strip() and (message.role != "system" or side == "system"):
            assert message.text in everything


def one_by_one(messages, side, head, closing, frame, limit):
    """The same request, put together text by text."""
    heads, turns = [head], []

    def say(role, text):
        if turns and turns[-1].role == role and not turns[-1].tool_calls:
            text = f"{turns.pop().content}\n\n{text}"
        turns.append(ChatMessage(role, text))

    for one in messages:
        if one.role == "system":
            heads += [one.text] if side == "system" else []
        elif side == "system" and (one.role == "tool" or one.tool_calls):
            role = "tool" if one.role == "tool" else "assistant"
            turns.append(ChatMessage(role, one.text, one.tool_calls, one.tool_call_id))
        elif one.role != "tool" and one.text.strip():
            text = shorten(one.text, limit)
            say(*(("assistant", text) if one.side == side else ("user", frame(text))))
    if closing.strip():
        say("user", closing)
    if not turns or turns[0].role != "user":
        turns.insert(0, ChatMessage("user", "(The conversation begins.)"))
    if turns[-1].role == "assistant":
        turns.append(ChatMessage("user", "(Please go on.)"))
    head = "\n\n".join(text for text in heads if text.strip())
    return (*([ChatMessage("system", head)] if head else []), *turns)


TRAFFIC = st.lists(
    st.builds(
        Message,
        st.sampled_from(["user", "assistant", "system", "tool"]),
        st.sampled_from(["", " ", "hello", "a longer text that is cut"]),
        tool_calls=st.sampled_from([(), (), (ToolCall("c1", "look"),)]),
        tool_call_id=st.sampled_from([None, "c1"]),
    ),
    max_size=9,
)


@given(
    TRAFFIC, st.sampled_from(["user", "system"]), st.sampled_from(["", "Be kind."]), st.sampled_from(["", " ", "Now."])
)
def test_a_request_is_what_is_put_together_text_by_text(messages, side, head, closing):
    def frame(text):
        return f"<{text}>"

    for limit in (None, 12):
        plain = one_by_one(messages, side, head, closing, frame, limit)
        assert render(messages, side, head, closing=closing, frame=frame, limit=limit) == plain
        assert render(messages, side, head, closing=closing, limit=limit) == one_by_one(
            messages, side, head, closing, str, limit
        )


def test_roles_are_turned_round_and_neighbours_merged():
    said = [Message("user", "hi"), Message("assistant", "one"), Message("assistant", "two"), Message("user", "ok")]
    as_user = [(message.role, message.content) for message in render(said, "user")]
    assert as_user[1:4] == [("assistant", "hi"), ("user", "one\n\ntwo"), ("assistant", "ok")]
    assert as_user[0][0] == as_user[4][0] == "user"  # its own opening stays in view
    as_system = [(message.role, message.content) for message in render(said, "system", "Be kind.")]
    assert as_system == [("system", "Be kind."), ("user", "hi"), ("assistant", "one\n\ntwo"), ("user", "ok")]


def test_only_the_other_side_is_framed():
    said = [Message("user", "hi"), Message("assistant", "[END]")]
    request = render(said, "user", frame=lambda text: f"<{text}>")
    assert [message.content for message in request[1:]] == ["hi", "<[END]>"]


def test_a_very_long_message_is_shortened_with_a_note_for_prompts():
    request = render([Message("assistant", "a" * 100_000 + "z" * 100_000)], "user", limit=12_000)
    assert len(request[0].content) < 12_100
    assert "188,000 characters left out" in request[0].content
    assert request[0].content.startswith("aaa")
    assert request[0].content.endswith("zzz")
    assert shorten("short") == "short"


def test_tool_traffic_is_for_the_system_alone():
    call = ToolCall("c1", "look")
    said = [
        Message("user", "hi"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "found", tool_call_id="c1"),
        Message("assistant", "there"),
    ]
    request = render(said, "system")
    assert [message.role for message in request][:4] == ["user", "assistant", "tool", "assistant"]
    assert request[1].tool_calls == (call,)
    assert "found" not in repr(render(said, "user"))


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_clean_text_can_be_written(text):
    cleaned, changed = clean(text + "\ud83d")
    cleaned.encode()
    assert changed
    assert cleaned.startswith(text)


def test_a_good_pair_of_surrogates_becomes_its_character():
    assert clean("\ud83d\ude00!") == ("😀!", True)
    assert clean("😀") == ("😀", False)


def test_one_line_folds_all_white_space():
    assert one_line(" a\n\nb\tc ") == "a b c"
