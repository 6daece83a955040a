"""One turn of the simulated user: asked, checked, asked once more if need be, and made a node."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

from mysteryshopper.core import InsiderView, Message, Node, Side, State, User, UserTurn, UserView
from mysteryshopper.dialogue.detectors import FLAG_ONLY, Utterance, faults
from mysteryshopper.dialogue.scene import Scene, Step, failure
from mysteryshopper.dialogue.tree import Tree
from mysteryshopper.reading import strip_reasoning
from mysteryshopper.reading.characters import clean, clean_json

_SIDE: Side = "user"
_EMPTY = ("empty",)


async def user_turn(scene: Scene, user: User, tree: Tree, leaf: str | None, state: State, *, name: str = "") -> Step:
    """Ask the user for the turn after `leaf`.

    An empty turn is asked for once more, with the complaint `empty`; with the policy's guard `reask` so is a turn in
    which detectors found faults, with their names as the complaint. The first attempt's flags are kept on the node.

    Args:
        scene: The dialogue's setting.
        user: Who speaks.
        tree: The dialogue so far.
        leaf: Path of the node to answer; None at the start.
        state: The user's state at the leaf.
        name: Path of the new node; the leaf's next child if not given.

    Returns:
        The step. Its node holds the state after the turn. `ended` is set when the user ends the dialogue or fails;
        when the ending words shall still be answered, the node has messages.

    Raises:
        StopRun: Nothing more can be asked in this run.
    """
    name = name or tree.next_id(leaf)
    began = perf_counter()
    view = _view(scene, user, tree, leaf, name)
    try:
        turn, after = await user.speak(view, state)
        turn, flags = _mended(turn)
        found = _found(scene, user, view, turn)
        flags += found
        complaint = _complaint(scene, found)
        calls = turn.calls
        if complaint:
            again = replace(view, complaint=complaint, address=scene.at(name, _SIDE, attempt=1))
            turn, after = await user.speak(again, state)
            turn, _ = _mended(turn)
            complaint = _complaint(scene, _found(scene, user, view, turn))
            calls += turn.calls
    except Exception as error:  # a plug-in may raise anything; it must not take other dialogues with it
        return failure(_SIDE, leaf, error)
    node = Node(
        id=name,
        parent=leaf,
        side=_SIDE,
        turn=view.turn,
        messages=(Message("user", turn.text, author="simulated"),) if turn.text.strip() else (),
        turn_data=_data(turn),
        state=clean_json(after),
        flags=tuple(dict.fromkeys(flags)),
        seen_by=(scene.user,),
        prompt=turn.prompt,
        calls=tuple(dict.fromkeys(calls)),  # a decision that stands is the same call in both attempts
        ms=(perf_counter() - began) * 1000,
    )
    return _outcome(scene, leaf, node, turn, complaint)


def _outcome(scene: Scene, leaf: str | None, node: Node, turn: UserTurn, complaint: str) -> Step:
    if complaint == "empty":
        return Step(_SIDE, leaf, node, "empty", "user", "the user said nothing, twice")
    if complaint:
        return Step(_SIDE, leaf, node, "user_fault", "user", f"the user's turn was faulty twice: {complaint}")
    if len(turn.tool_calls) > scene.policy.max_steps:
        return Step(_SIDE, leaf, node, "step_limit", "user", f"{len(turn.tool_calls)} tool calls in one turn")
    if turn.end is not None:
        return Step(_SIDE, leaf, node, "user_done" if turn.end == "done" else "user_gave_up")
    if scene.policy.stop_on == "accept" and turn.accepts:
        return Step(_SIDE, leaf, node, "user_done")
    return Step(_SIDE, leaf, node)


def _view(scene: Scene, user: User, tree: Tree, leaf: str | None, name: str) -> UserView:
    address = scene.at(name, _SIDE)
    history = tree.history(leaf, _SIDE, address)
    shown = tree.shown(leaf)
    if getattr(user, "sees_targets", False):
        return InsiderView(scene.scenario, history, shown, history.turn, address, targets=scene.goal.targets)
    return UserView(scene.scenario, history, shown, history.turn, address)


def _mended(turn: UserTurn) -> tuple[UserTurn, tuple[str, ...]]:
    """Return a turn, fit to be delivered and stored, and what had to be mended."""
    spoken, _ = strip_reasoning(turn.text)
    text, broken = clean(spoken)
    if text == turn.text:
        return turn, ()
    flags = ("leaked_thoughts",) * (spoken != turn.text) + ("bad_unicode",) * broken
    return replace(turn, text=text, raw=turn.text if turn.raw is None else turn.raw), flags


def _found(scene: Scene, user: User, view: UserView, turn: UserTurn) -> tuple[str, ...]:
    if not turn.text.strip() and turn.end is None and not turn.tool_calls:
        return _EMPTY
    if scene.policy.guard == "off":
        return ()
    shown = {shown.item for shown in view.shown}
    utterance = Utterance(
        text=turn.text,
        history=view.history.messages,
        end=turn.end,
        shown=len(shown),
        language=view.scenario.profile.language,
        instructions=tuple(getattr(user, "instructions", ())),
    )
    return tuple(faults(utterance))


def _complaint(scene: Scene, found: tuple[str, ...]) -> str:
    """Return why the turn must be asked for once more; empty if it need not."""
    if found == _EMPTY:
        return "empty"
    if not found or scene.policy.guard != "reask":
        return ""
    return ", ".join(name for name in found if name not in FLAG_ONLY)


def _data(turn: UserTurn) -> dict[str, Any]:
    """Return what the turn holds beside its text, without what is empty."""
    data = {
        "action": turn.action,
        "thought": turn.thought,
        "accepts": turn.accepts,
        "rejects": turn.rejects,
        "rating": turn.rating,
        "end": turn.end,
        "tool_calls": [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in turn.tool_calls],
        "notes": turn.notes,
        "raw": turn.raw,
    }
    kept: dict[str, Any] = {key: value for key, value in data.items() if value not in _NOTHING}
    return clean_json(kept) if kept else kept


_NOTHING: tuple[object, ...] = (None, "", (), [], {})
