"""How one root grows: both systems answer every history of a level, and the user goes on from both replies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from mysteryshopper.core import Ended, Fault, Node, State, System, User, digest
from mysteryshopper.dialogue import Scene, Step, Tree, failure, repeats, user_turn
from mysteryshopper.protocols.at_once import together
from mysteryshopper.protocols.branching import answer, read_by_all
from mysteryshopper.protocols.tree.options import TreeOptions, most_at_levels


@dataclass(frozen=True, slots=True)
class Comparison:
    """One history that both systems were asked to answer.

    Attributes:
        node: Path of its last node; the replies are that node's children `.0` and `.1`.
        depth: Level, from 1.
        holds: Names of the systems whose replies the history holds, sorted.
        faults: Whose fault it was that a reply is missing, one a system; `none` where it is there.
    """

    node: str
    depth: int
    holds: tuple[str, ...]
    faults: tuple[Fault, Fault]


@dataclass(frozen=True, slots=True)
class Branch:
    """How one branch came to its end."""

    node: str
    depth: int
    ended: Ended
    fault: Fault = "none"
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Grown:
    """A root fully grown, breadth first throughout."""

    tree: Tree
    comparisons: tuple[Comparison, ...] = ()
    branches: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True)
class _Limb:
    """What one reply brought: its nodes, and the end of the branch or the history to go on from."""

    nodes: tuple[Node, ...]
    fault: Fault = "none"
    end: Branch | None = None
    next: str = ""


@dataclass
class Root:
    """One root: a user, two systems, and the scene they share.

    Attributes:
        scene: Setting and rules; of the user, and of both systems but for their names.
        user: The simulated user.
        systems: Both systems, with the names of their blocks, in the order of the pair.
        options: How it grows.
        depth: Most levels.
        draw: Draws which histories of a crowded level go on.
    """

    scene: Scene
    user: User
    systems: tuple[tuple[str, System], tuple[str, System]]
    options: TreeOptions
    depth: int
    draw: Random
    _start: State = field(default_factory=dict)

    async def grow(self, rng: Random) -> Grown:
        """Grow it to its depth, or until every branch has ended.

        Args:
            rng: Randomness for the user's first state.

        Raises:
            StopRun: Nothing more can be asked in this run.
        """
        tree = Tree.planted(self.scene.scenario.prefix)
        leaf = tree.nodes[-1].id if tree.nodes else None
        try:
            self._start = self.user.start(self.scene.scenario, rng)
        except Exception as error:  # a plug-in may raise anything
            return _stillborn(tree, failure("user", leaf, error))
        if leaf is None or tree[leaf].side == "system":
            step = await user_turn(self.scene, self.user, tree, leaf, self._start)
            tree = tree if step.node is None else tree.add(step.node)
            if step.ended is not None or step.node is None:
                return _stillborn(tree, step)
            leaf = step.node.id
        return await self._levels(tree, leaf)

    async def _levels(self, tree: Tree, leaf: str) -> Grown:
        comparisons: list[Comparison] = []
        branches: list[Branch] = []
        frontier = [leaf]
        for depth, most in enumerate(most_at_levels(self.options, self.depth), 1):
            chosen = self._drawn(frontier, most)
            branches += [
                Branch(name, depth - 1, "depth", detail="not drawn") for name in frontier if name not in chosen
            ]
            limbs = await together([self._limb(tree, name, place, depth) for name in chosen for place in (0, 1)])
            frontier = []
            for place, name in enumerate(chosen):
                both = limbs[2 * place], limbs[2 * place + 1]
                comparisons.append(
                    Comparison(name, depth, self._holds(tree, name), (both[0].fault, both[1].fault)),
                )
                branches += [limb.end for limb in both if limb.end is not None]
                frontier += [limb.next for limb in both if limb.next]
            tree = Tree((*tree.nodes, *(node for limb in limbs for node in limb.nodes)))
            if not frontier:
                break
        return Grown(read_by_all(tree), tuple(comparisons), tuple(branches))

    async def _limb(self, tree: Tree, leaf: str, place: int, depth: int) -> _Limb:
        """Let one system answer a history, and the user answer it."""
        named, system = self.systems[place]
        name = f"{leaf}.{place}"
        # Every reply has a session of its own: a system must never take one branch for another.
        session = digest(self.scene.opening.session, place, name)[:16]
        scene = replace(self.scene, system=named, opening=replace(self.scene.opening, session=session))
        step = await answer(scene, system, tree, leaf, name)
        if step.node is None or step.ended is not None:
            kept = () if step.node is None else (step.node,)
            end = Branch(name if kept else leaf, depth, step.ended or "unreadable", step.fault, step.detail)
            return _Limb(kept, step.fault, end)
        last = depth == self.depth
        if last and not self.options.final_reaction:
            return _Limb((step.node,), end=Branch(name, depth, "depth"))
        grown = tree.add(step.node)
        if repeats(grown.path(name)):
            return _Limb((step.node,), end=Branch(name, depth, "repetition"))
        state = grown.state(name, "user", self._start)
        said = await user_turn(scene, self.user, grown, name, state, name=f"{name}.0")
        nodes = (step.node,) if said.node is None else (step.node, said.node)
        if said.ended is not None:
            return _Limb(nodes, end=Branch(nodes[-1].id, depth, said.ended, said.fault, said.detail))
        if last:
            return _Limb(nodes, end=Branch(nodes[-1].id, depth, "depth"))
        return _Limb(nodes, next=nodes[-1].id)

    def _drawn(self, frontier: Sequence[str], most: int) -> list[str]:
        """Return the histories of a level that are compared, in order: all, or a draw that favours neither system."""
        if len(frontier) <= most:
            return list(frontier)
        places = sorted(self.draw.sample(range(len(frontier)), most))
        return [frontier[place] for place in places]

    def _holds(self, tree: Tree, leaf: str) -> tuple[str, ...]:
        names = {
            self.systems[int(node.id.rsplit(".", 1)[1])][0]
            for node in tree.path(leaf)
            if node.side == "system" and node.turn > 0
        }
        return tuple(sorted(names))


def _stillborn(tree: Tree, step: Step) -> Grown:
    """Return a root in which nothing could be compared."""
    leaf = tree.nodes[-1].id if tree.nodes else ""
    return Grown(read_by_all(tree), branches=(Branch(leaf, 0, step.ended or "unreadable", step.fault, step.detail),))
