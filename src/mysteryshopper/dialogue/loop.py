"""The loop between two sides: who speaks next, and when it is over."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack, suppress
from random import Random
from typing import Any

from mysteryshopper.core import Dialogue, Node, Session, Side, State, System, User
from mysteryshopper.dialogue.ends import accepted, first_hit, repeats, success
from mysteryshopper.dialogue.policy import Policy
from mysteryshopper.dialogue.scene import Scene, Step, failure
from mysteryshopper.dialogue.system_turn import system_turn
from mysteryshopper.dialogue.tree import Tree, turns
from mysteryshopper.dialogue.user_turn import user_turn


async def converse(
    scene: Scene, user: User, system: System, rng: Random, *, name: str = "dialogue", root: str = ""
) -> Dialogue:
    """Let two sides talk until it is over.

    Whatever goes wrong on either side ends this dialogue with that side's fault, and keeps what was said before.

    Args:
        scene: Setting and rules.
        user: The simulated user.
        system: The system under test; one session is opened for the whole dialogue.
        rng: Randomness for the user's first state.
        name: Id of the dialogue.
        root: Cluster for intervals; the profile's id if empty.

    Returns:
        The dialogue, as `finish` makes it.

    Raises:
        StopRun: Nothing more can be asked in this run.
    """
    tree = Tree.planted(scene.scenario.prefix)
    try:
        start = user.start(scene.scenario, rng)
    except Exception as error:  # a plug-in may raise anything
        return finish(scene, tree, failure("user", None, error), name=name, root=root)
    stack = AsyncExitStack()
    try:
        tree, last = await _talk(scene, user, _Line(scene, system, stack), tree, start)
    finally:
        # How the talk went is settled; a system that can't hang up properly changes nothing about it.
        with suppress(Exception):
            await stack.aclose()
    return finish(scene, tree, last, name=name, root=root)


def next_side(policy: Policy, path: Sequence[Node]) -> Side | None:
    """Return who speaks after a path; None when that side has no turn left."""
    side: Side
    if path and path[-1].turn > 0:
        side = _other(path[-1].side)
    elif policy.first == "prefix":
        side = _other(path[-1].side) if path else "user"
    else:
        side = policy.first
    most = policy.max_user_turns if side == "user" else policy.max_system_turns
    return None if most is not None and turns(path, side) >= most else side


def finish(scene: Scene, tree: Tree, last: Step, *, name: str, root: str = "") -> Dialogue:
    """Return the dialogue of a tree without branches.

    Args:
        scene: The dialogue's setting.
        tree: All that was said.
        last: The step that ended it.
        name: Id of the dialogue.
        root: Cluster for intervals; the profile's id if empty.

    Returns:
        The dialogue. `success` is False where the system failed, None where somebody else did or the scene has no
        goal. `data` holds `targets` (ids), `accepted` (ids) and `first_hit` (number of the first system turn that
        showed a wanted item, or None).
    """
    path = tree.path(tree.nodes[-1].id) if tree.nodes else ()
    met = success(path, scene.goal) if scene.has_goal else None
    if met is not None and last.fault != "none":
        met = False if last.fault == "system" else None
    elif met is not None and last.ended == "answered":
        met = True
    return Dialogue(
        id=name,
        profile=scene.scenario.profile.id,
        nodes=tree.nodes,
        ended=last.ended or "max_turns",
        fault=last.fault,
        detail=last.detail,
        success=met,
        root=root or scene.scenario.profile.id,
        data={
            "targets": [target.id for target in scene.goal.targets],
            "accepted": list(accepted(path)),
            "first_hit": first_hit(path),
        },
    )


class _Line:
    """The one session of a dialogue, opened when the system is first asked."""

    def __init__(self, scene: Scene, system: System, stack: AsyncExitStack) -> None:
        self._scene = scene
        self._system = system
        self._stack = stack
        self._session: Session | None = None

    def ask(self, tree: Tree, leaf: str | None, *, closing: bool = False) -> Coroutine[Any, Any, Step]:
        if self._session is None:
            return self._open(tree, leaf, closing=closing)
        return system_turn(self._scene, self._session, tree, leaf, closing=closing)

    async def _open(self, tree: Tree, leaf: str | None, *, closing: bool) -> Step:
        history = tree.history(leaf, "system", self._scene.at(tree.next_id(leaf), "system"))
        try:
            opened = self._system.open(self._scene.opening, history)
            self._session = await self._stack.enter_async_context(opened)
        except Exception as error:  # a plug-in may raise anything
            return failure("system", leaf, error)
        return await system_turn(self._scene, self._session, tree, leaf, closing=closing)


async def _talk(scene: Scene, user: User, line: _Line, tree: Tree, start: State) -> tuple[Tree, Step]:
    while True:
        leaf = tree.nodes[-1].id if tree.nodes else None
        path = tree.path(leaf)
        side = next_side(scene.policy, path)
        if side is None:
            return tree, Step("user", leaf, None, "max_turns")
        if repeats(path):
            return tree, Step(side, leaf, None, "repetition")
        if side == "user":
            step = await user_turn(scene, user, tree, leaf, tree.state(leaf, "user", start))
        else:
            step = await line.ask(tree, leaf)
        tree = step.grow(tree, scene)
        if step.ended is not None:
            return await _closed(scene, line, tree, step)


async def _closed(scene: Scene, line: _Line, tree: Tree, last: Step) -> tuple[Tree, Step]:
    """Return how it ended, once the system has answered the user's last words where the policy says so."""
    spoke = last.side == "user" and last.fault == "none" and last.node is not None and last.node.messages
    if not (spoke and scene.policy.closing_turn):
        return tree, last
    leaf = tree.nodes[-1].id
    if next_side(scene.policy, tree.path(leaf)) is None:
        return tree, last
    step = await line.ask(tree, leaf, closing=True)
    return step.grow(tree, scene), last if step.fault == "none" else step


def _other(side: Side) -> Side:
    return "system" if side == "user" else "user"
