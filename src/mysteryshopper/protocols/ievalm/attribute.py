"""Setting `attribute`: the system asks for attributes of the targets, or recommends; templates answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from mysteryshopper.core import (
    ConfigError,
    Dialogue,
    Ended,
    History,
    Item,
    ItemRef,
    Json,
    Message,
    Node,
    Opening,
    Option,
    RunContext,
    Scored,
    System,
    Unit,
    unknown,
)
from mysteryshopper.datasets import Dataset, RecTurn
from mysteryshopper.dialogue import Tree, failure
from mysteryshopper.prompts import Prompt
from mysteryshopper.protocols.ievalm.options import DEFAULT_TURNS
from mysteryshopper.protocols.ievalm.rankings import ask_ranking, best_shown, is_chooser, opening_of, places

Asked = dict[str, tuple[Tree, tuple[str, ...], tuple[str, ...]]]
"""By id of the turn: what systems that do not choose are told, the attributes asked for, those without an answer."""

_KEPT = 64
"""Turns that are kept in `Asked`; the units of one turn follow each other."""

RECOMMEND = "recommend"
"""Id of the option to recommend; the others have the attribute's name."""

_PUBLISHED: Mapping[str, tuple[str, ...]] = {
    "redial": ("genre", "star", "director"),
    "opendialkg": ("genre", "actor", "director", "writer"),
}


def asked_attributes(dataset: Dataset, wanted: Sequence[str] | None) -> tuple[str, ...]:
    """Return what can be asked for, in the order in which a system that does not choose asks.

    Args:
        dataset: Where the items are from.
        wanted: What the experiment says; None takes what was published for the data set, and for any other all
            attributes of its items, the most common first.

    Raises:
        ConfigError: No item has such an attribute.
    """
    if wanted is None and dataset.name in _PUBLISHED:
        return _PUBLISHED[dataset.name]
    counts: dict[str, int] = {}
    for item in dataset.catalog():
        for name in item.attributes:
            counts[name] = counts.get(name, 0) + 1
    if wanted is None:
        if not counts:
            raise ConfigError(
                "the items of the data set have no attributes to ask for; leave this setting out", key="data"
            )
        return tuple(sorted(counts, key=lambda name: (-counts[name], name)))
    for name in wanted:
        if name not in counts:
            raise ConfigError(unknown("attribute of the items", name, counts), key="options.attributes")
    return tuple(dict.fromkeys(wanted))


def attribute_answer(targets: Sequence[Item], attribute: str) -> tuple[str, ...]:
    """Return what is told of an attribute: the values of all targets, each once, sorted; empty where none has any."""
    return tuple(sorted({value for target in targets for value in target.attributes.get(attribute, ())}))


async def run_attribute(
    unit: Unit, turn: RecTurn, context: RunContext, data: dict[str, Json], asked: Sequence[str], k: int, kept: Asked
) -> Dialogue:
    """Let the system ask and recommend until a target is among its first k, or its turns are used up.

    A system that is a `Chooser` chooses each turn among the attributes not asked for yet and to recommend; others ask
    for all in their order and recommend when none is left, or in the last turn; one whose choice can't be read
    (counted) does as these. A system that chooses to ask to the end has recommended nothing: its unit counts as missed.

    Args:
        unit: The unit.
        turn: Its turn.
        context: What to work with.
        data: What the dialogue keeps anyway.
        asked: The attributes, in order.
        k: Depth of the ranking; a target within it is a success and ends the dialogue.
        kept: What the units of one run share.

    Returns:
        The dialogue. `data` holds `lists` (where the targets stand, by turn; None for a question), `asked` (the
        attributes asked for), `nothing` (those among them without an answer) and `unread_choices`.
    """
    catalog = context.plan.dataset().catalog()
    script = _Script(
        unit, turn, context, context.system(unit.system), [catalog.get(name) for name in turn.targets], tuple(asked), k
    )
    told: dict[str, Json] = {"lists": {"ranked": []}, "asked": [], "nothing": [], "unread_choices": 0}
    data |= told
    tree = Tree.planted(turn.history)
    first = 1
    if not is_chooser(script.system):
        tree, first = script.ask_in_order(tree, data, kept)
    try:
        for number in range(first, script.turns + 1):
            tree, hit = await script.take_turn(tree, number, data)
            if hit:
                return script.finish(tree, data, hit=True)
    except Exception as error:  # a plug-in may raise anything: its crash must not pay
        step = failure("system", None, error)
        ended = step.ended or "unreadable"
        return Dialogue(unit.key, "", tree.nodes, ended, step.fault, step.detail, False, unit.cluster, data)
    return script.finish(tree, data, hit=False)


@dataclass(frozen=True)
class _Script:
    """What stays the same through the turns of one unit."""

    unit: Unit
    turn: RecTurn
    context: RunContext
    system: System
    targets: Sequence[Item]
    attributes: tuple[str, ...]
    k: int

    @property
    def turns(self) -> int:
        """How many turns the system has."""
        return self.context.plan.turns or DEFAULT_TURNS

    def ask_in_order(self, tree: Tree, data: dict[str, Json], kept: Asked) -> tuple[Tree, int]:
        """Ask for all attributes for which there is a turn before the last; return the number of the next turn too."""
        if self.turn.id not in kept:
            told: dict[str, Json] = {"lists": {"ranked": []}, "asked": [], "nothing": []}
            for number, attribute in enumerate(self.attributes[: self.turns - 1], 1):
                leaf = tree.nodes[-1].id if tree.nodes else None
                tree = self._answered(tree, tree.next_id(leaf), leaf, number, attribute, told)
            if len(kept) >= _KEPT:
                del kept[next(iter(kept))]
            kept[self.turn.id] = tree, tuple(told["asked"]), tuple(told["nothing"])
        tree, asked, nothing = kept[self.turn.id]
        data |= {"lists": {"ranked": [None] * len(asked)}, "asked": list(asked), "nothing": list(nothing)}
        return tree, len(asked) + 1

    async def take_turn(self, tree: Tree, number: int, data: dict[str, Json]) -> tuple[Tree, bool]:
        """Take one turn of the system and the answer to it; whether it was a success."""
        leaf = tree.nodes[-1].id if tree.nodes else None
        path = tree.next_id(leaf)
        address = self.context.address.to(path=path, role="system", component=self.unit.system)
        history = replace(tree.history(leaf, "system", address), turn=number)
        attribute = await self._choose(history, data, last=number == self.turns)
        if attribute is not None:
            return self._answered(tree, path, leaf, number, attribute, data), False
        ranking = await ask_ranking(self.system, history, self.k, self._opening)
        stand = places(ranking, self.turn.targets)
        data["lists"]["ranked"].append(stand)
        hit = any(rank is not None and rank <= self.k for rank, _, _ in stand)
        node = self._recommended(path, leaf, number, ranking)
        return self._say(tree.add(node), number, "pleased" if hit else "displeased"), hit

    def finish(self, tree: Tree, data: dict[str, Json], *, hit: bool) -> Dialogue:
        """Return the dialogue."""
        ended: Ended = "answered" if hit else "max_turns"
        return Dialogue(self.unit.key, "", tree.nodes, ended, success=hit, root=self.unit.cluster, data=data)

    def _opening(self) -> Opening:
        return opening_of(self.unit, self.context, self.system)

    async def _choose(self, history: History, data: dict[str, Json], *, last: bool) -> str | None:
        """Return the attribute to ask for; None to recommend."""
        left = [name for name in self.attributes if name not in data["asked"]]
        if left and is_chooser(self.system):
            asked = replace(history, address=history.address.to(purpose="choose"))
            choice = await self.system.choose(_options(left), asked)
            if choice.option == RECOMMEND or choice.option in left:
                return None if choice.option == RECOMMEND else choice.option
            data["unread_choices"] += 1
        return left[0] if left and not last else None

    def _answered(
        self, tree: Tree, path: str, leaf: str | None, number: int, attribute: str, data: dict[str, Json]
    ) -> Tree:
        values = attribute_answer(self.targets, attribute)
        data["asked"].append(attribute)
        data["lists"]["ranked"].append(None)
        if not values:
            data["nothing"].append(attribute)
        question = Message("assistant", _words("question", attribute=attribute), entities=(attribute,))
        tree = tree.add(Node(path, leaf, "system", number, (question,), seen_by=()))
        return self._say(tree, number, "answer" if values else "nothing", values)

    def _say(self, tree: Tree, number: int, section: str, values: tuple[str, ...] = ()) -> Tree:
        parent = tree.nodes[-1].id
        text = _words(section, values=values)
        said = Message("user", text, entities=values, author="simulated")
        return tree.add(Node(tree.next_id(parent), parent, "user", number, (said,)))

    def _recommended(self, path: str, leaf: str | None, number: int, ranking: Sequence[Scored]) -> Node:
        shown = best_shown(ranking, self.context.plan.dataset(), self.turn.targets)
        items: tuple[ItemRef, ...] = tuple(one.item for one in shown)
        titles = tuple(f"{item.title} ({item.year})" if item.year else item.title for item in items)
        said = Message("assistant", _words("recommendation", titles=titles), items=items)
        return Node(path, leaf, "system", number, (said,), shown)


def _options(attributes: Sequence[str]) -> list[Option]:
    asking = [Option(name, _words("option", attribute=name)) for name in attributes]
    return [*asking, Option(RECOMMEND, _words("recommend-option"))]


@lru_cache(maxsize=4096)
def _words(section: str, **values: object) -> str:
    return Prompt.load("protocols/ievalm-attribute").render(section, **values)[section]
