"""Setting `original`: the system ranks once, on what people said before the turn; nobody is simulated."""

from __future__ import annotations

from mysteryshopper.core import Dialogue, History, Json, Message, Node, RunContext, Unit
from mysteryshopper.datasets import RecTurn
from mysteryshopper.dialogue import Tree, failure
from mysteryshopper.protocols.ievalm.rankings import ask_system, best_shown, opening_of, places
from mysteryshopper.protocols.ievalm.told import asks_back, told_values


async def run_original(unit: Unit, turn: RecTurn, context: RunContext, data: dict[str, Json], k: int) -> Dialogue:
    """Let the system rank for one turn.

    Args:
        unit: The unit.
        turn: Its turn.
        context: What to work with.
        data: What the dialogue keeps anyway.
        k: Depth of the ranking.

    Returns:
        The dialogue, whose `data` holds where the targets stand (`lists`), how much the history tells of them (`told`),
        and whether a system that can only talk asked back (`asked_back`).
    """
    dataset = context.plan.dataset()
    path = "0.0" if turn.history else "0"
    history = History(turn.history, 1, context.address.to(path=path, role="system", component=unit.system))
    system = context.system(unit.system)
    prefix = Tree.planted(turn.history).nodes
    try:
        ranking, said = await ask_system(system, history, k, lambda: opening_of(unit, context, system))
    except Exception as error:  # a plug-in may raise anything: its crash must not pay
        step = failure("system", None, error)
        ended = step.ended or "unreadable"
        return Dialogue(unit.key, "", prefix, ended, step.fault, step.detail, root=unit.cluster, data=data)
    data["lists"] = {"ranked": [places(ranking, turn.targets)]}
    data["told"] = told_values(turn.history, [dataset.catalog().get(name) for name in turn.targets])
    words = () if said is None else (Message("assistant", said),)
    data["asked_back"] = [asks_back(words, ranking)]
    shown = best_shown(ranking, dataset, turn.targets)
    answer = Node(id=path, parent="0" if prefix else None, side="system", turn=1, messages=words, items=shown)
    return Dialogue(unit.key, "", (*prefix, answer), "answered", root=unit.cluster, data=data)
