"""How one chain goes: a clean query and its careless forms are answered, and only the clean branch goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from mysteryshopper.core import CallFailed, Ended, Fault, Message, Node, Scenario, State, System, User, digest
from mysteryshopper.dialogue import Scene, Step, Tree, failure, repeats, user_turn
from mysteryshopper.protocols.at_once import both, together
from mysteryshopper.protocols.branching import answer, read_by_all
from mysteryshopper.protocols.robustness.intent import Rewriter, findable
from mysteryshopper.protocols.robustness.options import INDEPENDENT, MODEL, Condition
from mysteryshopper.users.noise import NOISES, perturb

_CARELESS = {"carelessness": "careless"}


@dataclass(frozen=True, slots=True)
class Probe:
    """One query made careless, and what came of it.

    Attributes:
        node: Path of the careless query; empty where none could be made.
        clean: Path of the clean query; its reply is that node's child `.0`.
        reply: Path of the reply to the careless query, the clean one's where nothing was changed; empty without one.
        depth: Number of the query, from 1.
        noise: Kind of noise.
        rate: Its rate as groups name it.
        changed: Whether the careless query differs from the clean one.
        found: Values of the wish that are still found in it.
        named: Values of the wish that the clean query names.
        faults: Whose fault it was that the clean reply, and that the careless one, is missing.
    """

    node: str
    clean: str
    reply: str
    depth: int
    noise: str
    rate: str
    changed: bool
    found: int
    named: int
    faults: tuple[Fault, Fault] = ("none", "none")


@dataclass(frozen=True, slots=True)
class Probed:
    """A chain at its end."""

    tree: Tree
    probes: tuple[Probe, ...]
    ended: Ended
    fault: Fault = "none"
    detail: str = ""


@dataclass(frozen=True, slots=True)
class _Tried:
    """What one condition brought at one query."""

    probe: Probe
    nodes: tuple[Node, ...] = ()
    detail: str = ""


@dataclass
class Chain:
    """One chain: a user, one system, and the conditions under which its queries are repeated.

    Attributes:
        scene: Setting and rules.
        user: The simulated user.
        system: The system under test.
        conditions: How each query is made careless.
        depth: Most queries.
        seeds: Gives the randomness for some names; equal names give it anew.
        rewriter: Makes queries careless by a model; None where no condition needs it.
    """

    scene: Scene
    user: User
    system: System
    conditions: Sequence[Condition]
    depth: int
    seeds: Callable[..., Random]
    rewriter: Rewriter | None = None
    _start: State = field(default_factory=dict)

    async def follow(self, rng: Random) -> Probed:
        """Follow it until the user ends it, a side fails, or it is as long as it may be.

        Args:
            rng: Randomness for the user's first state.

        Raises:
            StopRun: Nothing more can be asked in this run.
        """
        tree, leaf, probes = Tree(), None, list[Probe]()
        detail = ""
        try:
            self._start = self.user.start(self.scene.scenario, rng)
        except Exception as error:  # a plug-in may raise anything
            return _ended(tree, probes, failure("user", None, error))
        for depth in range(1, self.depth + 1):
            state = tree.state(leaf, "user", self._start)
            asked = await user_turn(self.scene, self.user, tree, leaf, state, name=_child(leaf, 0))
            if asked.node is None or asked.ended is not None:
                kept = () if asked.node is None else (asked.node,)
                return _ended(Tree((*tree.nodes, *kept)), probes, asked, detail)
            before, tree = tree, tree.add(asked.node)
            replied, tried = await both(
                self._reply(tree, asked.node.id, asked.node.id),
                together([self._try(before, leaf, asked.node, place, depth) for place in range(len(self.conditions))]),
            )
            clean = replied.node if replied.ended is None else None
            for one in tried:
                probes.append(_settled(one.probe, clean, replied.fault))
                detail = detail or one.detail
                tree = Tree((*tree.nodes, *one.nodes))
            if replied.node is not None:
                tree = tree.add(replied.node)
            if clean is None:
                return _ended(tree, probes, replied, detail)
            leaf = clean.id
            if repeats(tree.path(leaf)):
                return _ended(tree, probes, Step("user", leaf, None, "repetition"), detail)
        return _ended(tree, probes, Step("user", leaf, None, "depth"), detail)

    async def _reply(self, tree: Tree, leaf: str, name: str) -> Step:
        """Let the system answer a query, in a session of its own: it must never take one query for another."""
        session = digest(self.scene.opening.session, name)[:16]
        scene = replace(self.scene, opening=replace(self.scene.opening, session=session))
        return await answer(scene, self.system, tree, leaf, f"{leaf}.0")

    async def _try(self, tree: Tree, leaf: str | None, query: Node, place: int, depth: int) -> _Tried:
        """Make one query careless and let the system answer it.

        Args:
            tree: The clean dialogue before the query.
            leaf: Its last node.
            query: The clean query.
            place: Number of the condition.
            depth: Number of the query, from 1.
        """
        condition = self.conditions[place]
        name = _child(leaf, place + 1)
        clean = query.messages[0].text
        probe = Probe("", query.id, "", depth, condition.kind, condition.rated, False, 0, 0)
        made = await self._careless(tree, leaf, clean, condition, name)
        if made.node is None or made.ended is not None or not made.node.messages:
            return _Tried(
                replace(probe, faults=("none", made.fault if made.fault != "none" else "user")), (), made.detail
            )
        node = replace(made.node, turn_data={**made.node.turn_data, "noise": condition.kind, "rate": condition.rate})
        text = node.messages[0].text
        found, named = findable(clean, text, self._wish)
        probe = replace(probe, node=name, changed=text != clean, found=found, named=named)
        if not probe.changed:
            return _Tried(probe, (node,))
        step = await self._reply(tree.add(node), name, name)
        nodes = (node,) if step.node is None else (node, step.node)
        reply = f"{name}.0" if step.node is not None and step.ended is None else ""
        return _Tried(replace(probe, reply=reply, faults=("none", step.fault)), nodes, step.detail)

    async def _careless(self, tree: Tree, leaf: str | None, clean: str, condition: Condition, name: str) -> Step:
        """Return the step of a careless query."""
        if condition.kind == INDEPENDENT:
            scenario = _as_careless(self.scene.scenario)
            state = tree.state(leaf, "user", self._start)
            return await user_turn(replace(self.scene, scenario=scenario), self.user, tree, leaf, state, name=name)
        turn = tree.history(leaf, "user").turn
        node = Node(name, leaf, "user", turn, (), seen_by=(self.scene.user,))
        if condition.kind in NOISES:
            text = perturb(clean, condition.kind, condition.rate or 0.0, self.seeds("noise", condition.kind, turn))
            return Step("user", leaf, replace(node, messages=(_message(text),)))
        assert self.rewriter is not None  # noqa: S101 - the options see to it
        try:
            made = await self.rewriter.rewrite(clean, self.scene.at(name, "user"), self.seeds(MODEL, turn))
        except CallFailed as error:
            return failure("user", leaf, error)
        if made.text is None:
            detail = "the model that makes queries careless changed what was asked for, twice"
            return Step("user", leaf, None, "unreadable", "user", detail)
        told = replace(node, messages=(_message(made.text),), prompt=made.prompt, calls=made.calls)
        return Step("user", leaf, told)

    @property
    def _wish(self) -> dict[str, tuple[str, ...]]:
        profile = self.scene.scenario.profile
        return {**profile.prefers, **profile.attributes}


def _settled(probe: Probe, clean: Node | None, fault: Fault) -> Probe:
    """Return a probe that knows what became of the clean query."""
    if clean is None:
        return replace(probe, faults=(fault, probe.faults[1]))
    if probe.node and not probe.changed:
        return replace(probe, reply=clean.id)
    return probe


def _ended(tree: Tree, probes: Sequence[Probe], last: Step, detail: str = "") -> Probed:
    """Return the chain; where its clean branch has no fault, that of its first faulty probe is its own.

    A careless query that could not be written (fault `user`) costs its comparison alone, which is counted as such.
    """
    fault = last.fault
    if fault == "none":
        fault = next((one.faults[1] for one in probes if one.faults[1] not in ("none", "user")), "none")
    return Probed(read_by_all(tree), tuple(probes), last.ended or "unreadable", fault, last.detail or detail)


def _child(leaf: str | None, place: int) -> str:
    return str(place) if leaf is None else f"{leaf}.{place}"


def _message(text: str) -> Message:
    return Message("user", text, author="simulated")


def _as_careless(scenario: Scenario) -> Scenario:
    profile = scenario.profile
    return replace(scenario, profile=replace(profile, style={**profile.style, **_CARELESS}))
