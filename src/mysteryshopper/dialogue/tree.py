"""The tree of a dialogue: an immutable collection of nodes, each named by its path (`0`, `0.0`, `0.1` …)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from mysteryshopper.core import Address, History, Message, Node, Shown, Side, State


@dataclass(frozen=True)
class Tree:
    """Nodes of one dialogue, parents before children.

    Every operation returns a new tree. Branches are never merged, even when they say the same.
    """

    nodes: tuple[Node, ...] = ()
    _index: Mapping[str, int] = field(init=False, repr=False, compare=False, default_factory=dict)
    _asked: dict[str, tuple[Node, ...]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Check that each node is new and has its parent before it.

        Raises:
            ValueError: A path is used twice, or a parent is missing.
        """
        index: dict[str, int] = {}
        for place, node in enumerate(self.nodes):
            if node.id in index:
                raise ValueError(f"there are two nodes {node.id}")
            if node.parent is not None and node.parent not in index:
                raise ValueError(f"node {node.id} comes before its parent {node.parent}")
            index[node.id] = place
        object.__setattr__(self, "_index", index)

    @classmethod
    def planted(cls, prefix: Iterable[Message]) -> Tree:
        """Return a tree whose root is a prefix kept as it is, turn 0; empty if the prefix is."""
        messages = tuple(prefix)
        return cls((Node("0", None, messages[-1].side, 0, messages),)) if messages else cls()

    def __getitem__(self, name: str) -> Node:
        """Return the node with this path."""
        return self.nodes[self._index[name]]

    def add(self, node: Node) -> Tree:
        """Return the tree with one more node."""
        if node.id in self._index or (node.parent is not None and node.parent not in self._index):
            return Tree((*self.nodes, node))  # says what is wrong with it
        path = (*self.path(node.parent), node)
        return self._kept((*self.nodes, node), {**self._index, node.id: len(self.nodes)}, {node.id: path})

    def next_id(self, parent: str | None) -> str:
        """Return the path of the next child of `parent`; of the root, if that is None."""
        if parent is None:
            return "0"
        return f"{parent}.{len(self.children(parent))}"

    def children(self, name: str) -> tuple[Node, ...]:
        """Return the children of a node, oldest first."""
        return tuple([node for node in self.nodes if node.parent == name])

    def path(self, leaf: str | None) -> tuple[Node, ...]:
        """Return the nodes from the root to `leaf`; none for None."""
        if leaf is None:
            return ()
        known = self._asked.get(leaf)
        if known is not None:
            return known
        found: list[Node] = []
        nodes, index = self.nodes, self._index
        name: str | None = leaf
        while name is not None:
            node = nodes[index[name]]
            found.append(node)
            name = node.parent
        found.reverse()
        path = tuple(found)
        self._asked.clear()
        self._asked[leaf] = path
        return path

    @cached_property
    def leaves(self) -> tuple[Node, ...]:
        """The nodes without children, oldest first."""
        parents = {node.parent for node in self.nodes}
        return tuple(node for node in self.nodes if node.id not in parents)

    def branches(self) -> tuple[tuple[Node, ...], ...]:
        """Return the path to every leaf."""
        return tuple(self.path(leaf.id) for leaf in self.leaves)

    def read_by(self, leaf: str | None, name: str) -> Tree:
        """Return the tree with every node up to `leaf` marked as read by the block `name`."""
        if leaf is None:
            return self
        path = self.path(leaf)
        read = tuple([node if name in node.seen_by else node.read_by(name) for node in path])
        if len(path) == len(self.nodes):  # no branch beside it
            return self._kept(read, self._index, {leaf: read})
        nodes = list(self.nodes)
        for node in read:
            nodes[self._index[node.id]] = node
        return self._kept(tuple(nodes), self._index, {leaf: read})

    @classmethod
    def _kept(cls, nodes: tuple[Node, ...], index: Mapping[str, int], asked: dict[str, tuple[Node, ...]]) -> Tree:
        """Return a tree of which much is known already, which saves going through all nodes at every turn."""
        tree = cls.__new__(cls)
        tree.__dict__.update(nodes=nodes, _index=index, _asked=asked)
        return tree

    def history(self, leaf: str | None, side: Side, address: Address | None = None) -> History:
        """Return what has been said up to `leaf`, for the next turn of `side`.

        Tool messages and tool calls belong to the system's side and are not shown to the user.
        """
        path = self.path(leaf)
        messages = tuple([message for node in path for message in node.messages])
        if side == "user":
            messages = tuple(
                [
                    replace(message, tool_calls=()) if message.tool_calls else message
                    for message in messages
                    if message.role in ("user", "assistant")
                ]
            )
        return History(messages, turns(path, side) + 1, address or Address())

    def state(self, leaf: str | None, side: Side, start: State) -> State:
        """Return the state of a side at `leaf`: after its last turn, or `start` if it had none."""
        return next((node.state for node in reversed(self.path(leaf)) if node.side == side and node.turn > 0), start)

    def shown(self, leaf: str | None) -> tuple[Shown, ...]:
        """Return all items shown up to `leaf`, oldest first, repeats included; a prefix shows none."""
        return tuple([shown for node in self.path(leaf) if node.turn > 0 for shown in node.items])


def turns(path: Iterable[Node], side: Side) -> int:
    """Return how many turns of a side a path holds, a prefix not counted."""
    return len([node for node in path if node.side == side and node.turn > 0])
