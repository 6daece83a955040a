"""From stored messages to a request that a model takes: roles flipped, neighbours merged, nothing empty."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mysteryshopper.core import ChatMessage, Message, Role, Side
from mysteryshopper.dialogue.text import shorten

_BEGIN = "(The conversation begins.)"
_GO_ON = "(Please go on.)"


def render(
    messages: Iterable[Message],
    side: Side,
    system_prompt: str = "",
    *,
    closing: str = "",
    frame: Callable[[str], str] | None = None,
    limit: int | None = None,
) -> tuple[ChatMessage, ...]:
    """Return a dialogue as the request to a model that plays one side.

    That side's messages get the role `assistant`, the other's `user`. Neighbours of one role are merged, empty
    messages dropped. The request starts and ends with the role `user`, as endpoints demand: where the model's own side
    spoke first, a note stands before its words, which stay in view. Instructions among the messages (role `system`)
    and tool traffic are for the system's side alone.

    Args:
        messages: What was said, oldest first.
        side: Whom the model plays.
        system_prompt: First message, role `system`; empty sends none.
        closing: A last word to the model, joined to what the other side said last.
        frame: Puts something (a fence) around each text of the other side.
        limit: Characters of one text that are kept; what is longer is shortened with a note.
    """
    instructions = [system_prompt]
    turns: list[ChatMessage] = []
    before: Role = "system"  # the role that the next text is merged with; none with `system` or `tool`
    for message in messages:
        by, text = message.role, message.text
        if by == "system":
            if side == "system":
                instructions.append(text)
        elif side == "system" and (by == "tool" or message.tool_calls):
            turns.append(_tool_traffic(message))
            before = "tool"
        elif by != "tool" and text.strip():
            if limit is not None and len(text) > limit:
                text = shorten(text, limit)
            role: Role = "user"
            if (by == "user") == (side == "user"):
                role = "assistant"
            elif frame is not None:
                text = frame(text)
            if role == before:
                turns[-1] = ChatMessage(role, f"{turns[-1].content}\n\n{text}")
            else:
                turns.append(ChatMessage(role, text))
            before = role
    if closing.strip():
        if before == "user":
            closing = f"{turns.pop().content}\n\n{closing}"
        turns.append(ChatMessage("user", closing))
    if not turns or turns[0].role != "user":
        turns.insert(0, ChatMessage("user", _BEGIN))
    if turns[-1].role == "assistant":
        turns.append(ChatMessage("user", _GO_ON))
    head = "\n\n".join([text for text in instructions if text.strip()])
    if head:
        turns.insert(0, ChatMessage("system", head))
    return tuple(turns)


def _tool_traffic(message: Message) -> ChatMessage:
    role: Role = "tool" if message.role == "tool" else "assistant"
    return ChatMessage(role, message.text, message.tool_calls, message.tool_call_id)
