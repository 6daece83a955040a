"""The tree of a dialogue: an immutable collection of nodes, each named by its path (`0`, `0.0`, `0.1` …)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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

    def add(self, node: Node, reader: str | None = None) -> Tree:
        """Return the tree with one more node, and what leads to it marked as read by the block `reader`, if named."""
        name, parent = node.id, node.parent
        if name in self._index or (parent is not None and parent not in self._index):
            return Tree((*self.nodes, node))  # says what is wrong with it
        nodes, path = (self.nodes, self.path(parent)) if reader is None else self._read(parent, reader)
        return self._kept((*nodes, node), {**self._index, name: len(nodes)}, {name: (*path, node)})

    def next_id(self, parent: str | None) -> str:
        """Return the path of the next child of `parent`; of the root, if that is None."""
        if parent is None:
            return "0"
        return f"{parent}.{len(self.children(parent))}"

    def children(self, name: str) -> tuple[Node, ...]:
        """Return the children of a node, oldest first."""
        later = self.nodes[self._index.get(name, len(self.nodes)) + 1 :]  # parents come before children
        return tuple([node for node in later if node.parent == name])

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
        nodes, path = self._read(leaf, name)
        return self._kept(nodes, self._index, {leaf: path})

    def _read(self, leaf: str | None, name: str) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """Return all nodes and the path to `leaf`, that path marked as read by the block `name`."""
        path = self.path(leaf)
        read = tuple([node if name in node.seen_by else node.read_by(name) for node in path])
        if len(path) == len(self.nodes):  # no branch beside it
            return read, read
        nodes = list(self.nodes)
        for node in read:
            nodes[self._index[node.id]] = node
        return tuple(nodes), read

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
        if side == "user":
            messages = [
                replace(message, tool_calls=()) if message.tool_calls else message
                for node in path
                for message in node.messages
                if message.role in ("user", "assistant")
            ]
        else:
            messages = [message for node in path for message in node.messages]
        return History(tuple(messages), turns(path, side) + 1, address or Address())

    def state(self, leaf: str | None, side: Side, start: State) -> State:
        """Return the state of a side at `leaf`: after its last turn, or `start` if it had none."""
        for node in reversed(self.path(leaf)):
            if node.side == side and node.turn > 0:
                return node.state
        return start

    def shown(self, leaf: str | None) -> tuple[Shown, ...]:
        """Return all items shown up to `leaf`, oldest first, repeats included; a prefix shows none."""
        return tuple([shown for node in self.path(leaf) if node.turn > 0 for shown in node.items])


def turns(path: Sequence[Node], side: Side) -> int:
    """Return how many turns of a side a path holds, a prefix not counted: the number of its last one."""
    for node in reversed(path):
        if node.side == side and node.turn > 0:
            return node.turn
    return 0
