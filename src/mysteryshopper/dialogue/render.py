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
    frame: Callable[[str], str] = lambda text: text,
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
        frame: What is put around each text of the other side (a fence).
        limit: Characters of one text that are kept; what is longer is shortened with a note.
    """
    instructions = [system_prompt]
    turns: list[ChatMessage] = []
    for message in messages:
        if message.role == "system":
            if side == "system":
                instructions.append(message.text)
        elif side == "system" and (message.role == "tool" or message.tool_calls):
            turns.append(_tool_traffic(message))
        elif message.role != "tool" and message.text.strip():
            text = shorten(message.text, limit)
            if message.side == side:
                _join(turns, "assistant", text)
            else:
                _join(turns, "user", frame(text))
    if closing.strip():
        _join(turns, "user", closing)
    if not turns or turns[0].role != "user":
        turns.insert(0, ChatMessage("user", _BEGIN))
    if turns[-1].role == "assistant":
        turns.append(ChatMessage("user", _GO_ON))
    head = "\n\n".join(text for text in instructions if text.strip())
    return (*((ChatMessage("system", head),) if head else ()), *turns)


def _tool_traffic(message: Message) -> ChatMessage:
    role: Role = "tool" if message.role == "tool" else "assistant"
    return ChatMessage(role, message.text, message.tool_calls, message.tool_call_id)


def _join(turns: list[ChatMessage], role: Role, text: str) -> None:
    last = turns[-1] if turns else None
    if last is not None and last.role == role and not last.tool_calls:
        turns[-1] = ChatMessage(role, f"{last.content}\n\n{text}", (), last.tool_call_id)
    else:
        turns.append(ChatMessage(role, text))
