"""The user is asked after the dialogue how satisfied it is."""

from __future__ import annotations

from typing import Any

from mysteryshopper.core import (
    CallFailed,
    ConfigError,
    Dialogue,
    InsiderView,
    JsonObject,
    Rater,
    StopRun,
    User,
    UserView,
)
from mysteryshopper.dialogue import Scene, Tree, clean

LOWEST, HIGHEST = 1, 5


async def ask_for_rating(scene: Scene, user: User, dialogue: Dialogue) -> tuple[JsonObject | None, CallFailed | None]:
    """Ask a simulated user to rate the dialogue it had, from 1 to 5.

    Args:
        scene: Setting of the dialogue.
        user: Who had it.
        dialogue: The dialogue, finished.

    Returns:
        The rating: `value` (None if it could not be read) and `status` (how it was read; `failed` where nothing came
        back), with the ids of the `calls` and the reply as it came (`raw`), where there are some. None where this user
        can't be asked, or nothing was said that could be rated: a fault ended it, or the system never spoke.
        And the failure, where it is the infrastructure's: asked again, the user may well answer.

    Raises:
        StopRun: Nothing more can be asked in this run.
    """
    spoke = any(node.side == "system" and node.turn > 0 for node in dialogue.nodes)
    if not isinstance(user, Rater) or dialogue.fault != "none" or not spoke:
        return None, None
    try:
        answer = await user.rate(_view(scene, user, dialogue), _state(dialogue))
    except StopRun:
        raise
    except ConfigError as error:  # what can't be used here can't be used by any user
        raise StopRun(str(error)) from error
    except Exception as error:  # the dialogue is whole without it; losing it for a rating would cost more
        lost = error if isinstance(error, CallFailed) and error.fault == "infra" else None
        return {"value": None, "status": "failed", "detail": clean(str(error))[0]}, lost
    value, status = answer.value, answer.status
    if value is not None and not _is_rating(value):
        value, status = None, "invalid"
    found = {"value": None if value is None else float(value), "status": status}
    extra = {"calls": list(answer.calls), "raw": None if answer.raw is None else clean(answer.raw)[0]}
    return {**found, **{key: kept for key, kept in extra.items() if kept}}, None


def _view(scene: Scene, user: User, dialogue: Dialogue) -> UserView:
    tree = Tree(dialogue.nodes)
    leaf = dialogue.nodes[-1].id
    address = scene.at(tree.next_id(leaf), "user").to(purpose="rating")
    history = tree.history(leaf, "user", address)
    seen: dict[str, Any] = {
        "scenario": scene.scenario,
        "history": history,
        "shown": tree.shown(leaf),
        "turn": history.turn,
        "address": address,
    }
    if getattr(user, "sees_targets", False):
        return InsiderView(**seen, targets=scene.goal.targets)
    return UserView(**seen)


def _state(dialogue: Dialogue) -> JsonObject:
    """Return the user's state after its last turn; empty if it never had one."""
    return next((node.state for node in reversed(dialogue.nodes) if node.side == "user" and node.turn > 0), {})


def _is_rating(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and LOWEST <= value <= HIGHEST
