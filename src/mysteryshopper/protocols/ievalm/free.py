"""Setting `free`: a simulated user, who wishes for what the targets are like, chats with the system."""

from __future__ import annotations

from dataclasses import replace

from mysteryshopper.core import Dialogue, Goal, ItemRef, Json, Ranker, RunContext, Scenario, Unit, User
from mysteryshopper.datasets import RecTurn
from mysteryshopper.datasets.records import reference
from mysteryshopper.dialogue import Policy, Scene, Tree, converse
from mysteryshopper.profiles import wish_from_items
from mysteryshopper.protocols.conversation_people import person_of
from mysteryshopper.protocols.ievalm.careful import CarefulUser
from mysteryshopper.protocols.ievalm.options import DEFAULT_TURNS, IEvaLMOptions
from mysteryshopper.protocols.ievalm.rankings import in_order, opening_of, places
from mysteryshopper.protocols.ievalm.told import asks_back, told_values
from mysteryshopper.protocols.ievalm.watching import ReadOut, Watched

_NO_TARGET = "no label of this turn is an item of the data set, so there is nothing to wish for"


async def run_free(
    unit: Unit, turn: RecTurn, context: RunContext, data: dict[str, Json], options: IEvaLMOptions
) -> Dialogue:
    """Hold one dialogue, and look at the system's ranking before each of its replies.

    The wish is made of one target's attributes; titles are left out of it. The user is told by the loop which items
    shown are targets, never before they are shown. A turn without a target in the catalogue holds no dialogue: it is
    kept, and counts nowhere but among the labels outside the catalogue.

    Returns:
        The dialogue. `data` holds `lists` (where the targets stand, by system turn, in what it ranked, `ranked`, where
        it can rank, and in what it showed, `shown`), and what failures are told apart by: how many values of the
        targets' attributes the user side told (`told`), and in which turns the system asked back (`asked_back`).
    """
    dataset = context.plan.dataset()
    catalog = dataset.catalog()
    targets = tuple(catalog.get(name) for name in turn.targets)
    if not targets:
        nodes = Tree.planted(turn.history).nodes
        return Dialogue(unit.key, "", nodes, "cancelled", detail=_NO_TARGET, root=unit.cluster, data=data)
    profile = wish_from_items(targets, context.rng("scenario"), name=turn.id)
    prefix = turn.history if options.start == "prefix" else ()
    most = context.plan.turns or DEFAULT_TURNS
    watched = _watched(unit, turn, context, options, most)
    scene = Scene(
        Scenario(turn.id, profile, dataset.domain, prefix),
        opening_of(unit, context, watched.system),
        Goal(targets=targets),
        _policy(options, most, bool(prefix)),
        address=context.address,
        user=unit.user,
        system=unit.system,
        find=catalog.find,
    )
    user: User = context.user(unit.user)
    if options.filter and not options.as_published:
        user = CarefulUser(user, targets, catalog)
    dialogue = await converse(scene, user, watched, context.rng("user"), name=unit.key, root=unit.cluster)
    answers = [node for node in dialogue.nodes if node.side == "system" and node.turn > 0]
    shown = [node.items for node in answers]
    lists: dict[str, Json] = {"shown": [places(in_order([one.item for one in items]), turn.targets) for items in shown]}
    if watched.k:
        lists["ranked"] = [
            places(watched.rankings.get(number, ()), turn.targets) for number in range(1, len(shown) + 1)
        ]
    facts = {
        "lists": lists,
        "empty": [not items for items in shown],
        "longest": max(map(len, shown), default=0),
        "asked_back": [asks_back(node.messages, node.items) for node in answers],
        "told": told_values((message for node in dialogue.nodes for message in node.messages), targets),
        "filtered": sum(bool(node.turn_data.get("notes", {}).get("filtered")) for node in dialogue.nodes),
        "covered": [sorted({str(one.item.id) for one in items if one.mine}) for items in shown],
        **_utterances(dialogue),
    }
    kept = {**dialogue.data, **person_of(profile), "goal": True, **data, **facts}
    if options.as_published and dialogue.fault == "none":
        dialogue = replace(dialogue, success=_hit(lists, max(options.ks)))
    return replace(dialogue, data=kept)


def _watched(unit: Unit, turn: RecTurn, context: RunContext, options: IEvaLMOptions, most: int) -> Watched:
    system = context.system(unit.system)
    catalog = context.plan.dataset().catalog()

    def find(name: str) -> ItemRef:
        item = catalog.find(name)
        return ItemRef(name, name) if item is None else reference(item)

    deepest = max(options.ks)
    if options.as_published:
        return Watched(system, deepest, options.show, ReadOut(frozenset(turn.targets), most, find))
    return Watched(system, deepest if options.rank and isinstance(system, Ranker) else 0, options.show)


def _policy(options: IEvaLMOptions, turns: int, prefix: bool) -> Policy:
    """Each side has as many turns; whoever did not speak last in the prefix goes on."""
    return Policy(
        first="prefix" if prefix else "user",
        closing_turn=False,
        max_user_turns=None,
        max_system_turns=turns,
        stop_on="accept" if options.as_published else options.stop_on,
        guard="off" if options.as_published else options.guard,
    )


def _hit(lists: dict[str, Json], k: int) -> bool:
    """Whether a target stood in a ranking, whether anybody saw it or not: what the published code calls success."""
    ranks = [rank for stand in lists["ranked"] for rank, _, _ in stand]
    return any(rank is not None and rank <= k for rank in ranks)


def _utterances(dialogue: Dialogue) -> dict[str, Json]:
    """Count turns, and those of the user that took a wanted item: what reward per length is made of."""
    spoken = [node for node in dialogue.nodes if node.turn > 0]
    wanted: set[str | None] = set()
    accepting = 0
    for node in spoken:
        if node.side == "system":
            wanted |= {one.item.id for one in node.items if one.mine}
        else:
            accepting += any(name in wanted for name in node.turn_data.get("accepts", ()))
    return {"utterances": len(spoken), "accepting": accepting}
