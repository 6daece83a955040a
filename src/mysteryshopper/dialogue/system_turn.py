"""One turn of the system under test: asked, asked once more if it said nothing, and made a node."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

from mysteryshopper.core import ItemRef, Message, Node, Session, Side, SystemReply
from mysteryshopper.dialogue.scene import Scene, Step, failure
from mysteryshopper.dialogue.tree import Tree
from mysteryshopper.reading import strip_reasoning
from mysteryshopper.reading.characters import clean, clean_json

_SIDE: Side = "system"


async def system_turn(
    scene: Scene, session: Session, tree: Tree, leaf: str | None, *, name: str = "", closing: bool = False
) -> Step:
    """Ask the system for the turn after `leaf`.

    A reply without words, items and tool calls is asked for once more, in the same session and with the same turn
    number. Every message of the reply is kept apart; its items, marked for this user, belong to the last one.

    Args:
        scene: The dialogue's setting.
        session: An open session of the system that stands at the leaf.
        tree: The dialogue so far.
        leaf: Path of the node to answer; None when the system opens the dialogue.
        name: Path of the new node; the leaf's next child if not given.
        closing: This answers the user's last words: to say nothing is then no fault.

    Raises:
        StopRun: Nothing more can be asked in this run.
    """
    name = name or tree.next_id(leaf)
    began = perf_counter()
    history = tree.history(leaf, _SIDE, scene.at(name, _SIDE))
    try:
        reply, raw, flags = _mended(await session.reply(history))
        calls = reply.calls
        empty = _is_empty(reply)
        if empty:
            flags = (*flags, "empty")
            if not closing:
                again = replace(history, address=scene.at(name, _SIDE, attempt=1))
                reply, raw, _ = _mended(await session.reply(again))
                empty = _is_empty(reply)
                calls += reply.calls
        shown = tuple([scene.mark(item) for item in reply.items])
    except Exception as error:  # a plug-in may raise anything; it must not take other dialogues with it
        return failure(_SIDE, leaf, error)
    node = Node(
        id=name,
        parent=leaf,
        side=_SIDE,
        turn=history.turn,
        messages=_messages(reply),
        items=shown,
        turn_data=_data(reply, raw),
        flags=tuple(dict.fromkeys(flags)),
        seen_by=(scene.system,),
        calls=calls,
        ms=(perf_counter() - began) * 1000,
    )
    if empty and not closing:
        return Step(_SIDE, leaf, node, "empty", "system", "the system said nothing, twice")
    if len(reply.tool_calls) > scene.policy.max_steps:
        return Step(_SIDE, leaf, node, "step_limit", "system", f"{len(reply.tool_calls)} tool calls in one turn")
    if scene.policy.stop_on == "hit" and any(item.mine for item in shown):
        return Step(_SIDE, leaf, node, "answered")
    return Step(_SIDE, leaf, node)


def _mended(reply: SystemReply) -> tuple[SystemReply, tuple[str, ...], tuple[str, ...]]:
    """Return a reply, fit to be read and stored, its messages as they came, and what had to be mended."""
    said = tuple(reply.messages)
    spoken = tuple([strip_reasoning(message)[0] for message in said])
    texts = tuple([clean(text)[0] for text in spoken])
    items = tuple([_clean_item(item) for item in reply.items])
    if texts == reply.messages and items == reply.items:
        return reply, (), ()
    flags = ("bad_unicode",) * (texts != spoken or items != reply.items) + ("reasoning",) * (spoken != said)
    raw = reply.messages if texts != reply.messages else ()
    return replace(reply, messages=texts, items=items), raw, flags


def _clean_item(item: ItemRef) -> ItemRef:
    return ItemRef(None if item.id is None else clean(item.id)[0], clean(item.title)[0], item.year)


def _messages(reply: SystemReply) -> tuple[Message, ...]:
    texts = reply.messages or ("",) * bool(reply.items or reply.tool_calls)
    spoken = [Message("assistant", text, author="system") for text in texts]
    if reply.items or reply.tool_calls:
        spoken[-1] = replace(spoken[-1], items=reply.items, tool_calls=reply.tool_calls)
    return tuple(spoken)


def _is_empty(reply: SystemReply) -> bool:
    return not (reply.items or reply.tool_calls or "".join(reply.messages).strip())


def _data(reply: SystemReply, raw: tuple[str, ...]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if reply.notes:
        data["notes"] = reply.notes
    if raw:
        data["raw"] = raw
    return clean_json(data) if data else data
