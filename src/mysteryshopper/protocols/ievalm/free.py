"""Setting `free`: a simulated user, who wishes for what the targets are like, chats with the system."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Literal

from mysteryshopper.core import (
    Dialogue,
    Goal,
    History,
    Json,
    Opening,
    Ranker,
    RunContext,
    Scenario,
    Scored,
    Session,
    System,
    SystemReply,
    Unit,
)
from mysteryshopper.datasets import RecTurn
from mysteryshopper.dialogue import Policy, Scene, converse
from mysteryshopper.profiles import wish_from_items
from mysteryshopper.protocols.conversation_people import person_of
from mysteryshopper.protocols.ievalm.options import DEFAULT_TURNS, IEvaLMOptions
from mysteryshopper.protocols.ievalm.rankings import in_order, opening_of, places


async def run_free(
    unit: Unit, turn: RecTurn, context: RunContext, data: dict[str, Json], options: IEvaLMOptions
) -> Dialogue:
    """Hold one dialogue, and look at the system's ranking before each of its replies.

    The wish is made of one target's attributes; titles are left out of it. The user is told by the loop which items
    shown are targets, never before they are shown.

    Returns:
        The dialogue. `data` holds `lists`: where the targets stand, by system turn, in what it ranked (`ranked`, where
        it can rank) and in what it showed (`shown`).
    """
    dataset = context.plan.dataset()
    catalog = dataset.catalog()
    targets = tuple(catalog.get(name) for name in turn.targets)
    profile = wish_from_items(targets, context.rng("scenario"), name=turn.id)
    prefix = turn.history if options.start == "prefix" else ()
    system = context.system(unit.system)
    ranks = options.rank and isinstance(system, Ranker)
    watched = _Watched(system, max(options.ks) if ranks else 0, options.show)
    scene = Scene(
        Scenario(turn.id, profile, dataset.domain, prefix),
        opening_of(unit, context, system),
        Goal(targets=targets),
        _policy(options, context.plan.turns or DEFAULT_TURNS, bool(prefix)),
        address=context.address,
        user=unit.user,
        system=unit.system,
        find=catalog.find,
    )
    user = context.user(unit.user)
    dialogue = await converse(scene, user, watched, context.rng("user"), name=unit.key, root=unit.cluster)
    shown = [node.items for node in dialogue.nodes if node.side == "system" and node.turn > 0]
    lists: dict[str, Json] = {"shown": [places(in_order([one.item for one in items]), turn.targets) for items in shown]}
    if ranks:
        lists["ranked"] = [
            places(watched.rankings.get(number, ()), turn.targets) for number in range(1, len(shown) + 1)
        ]
    facts = {
        "lists": lists,
        "empty": [not items for items in shown],
        "covered": [sorted({str(one.item.id) for one in items if one.mine}) for items in shown],
        **_utterances(dialogue),
    }
    kept = {**dialogue.data, **person_of(profile), "goal": True, **data, **facts}
    return replace(dialogue, data=kept)


def _policy(options: IEvaLMOptions, turns: int, prefix: bool) -> Policy:
    """Each side has as many turns; whoever did not speak last in the prefix goes on."""
    return Policy(
        first="prefix" if prefix else "user",
        closing_turn=False,
        max_user_turns=None,
        max_system_turns=turns,
        stop_on=options.stop_on,
        guard=options.guard,
    )


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


class _Watched:
    """A system whose ranking is taken before each reply, and of whose items so many count as shown."""

    def __init__(self, system: System, k: int, show: int | None) -> None:
        self.memory: Literal["messages", "session"] = system.memory
        self.rankings: dict[int, Sequence[Scored]] = {}
        self._system = system
        self._k = k
        self._show = show

    @asynccontextmanager
    async def open(self, opening: Opening, history: History) -> AsyncIterator[_WatchedSession]:
        async with self._system.open(opening, history) as session:
            yield _WatchedSession(self, session)

    async def ask(self, session: Session, history: History) -> SystemReply:
        if self._k and isinstance(self._system, Ranker):
            asked = replace(history, address=history.address.to(purpose="rank"))
            self.rankings[history.turn] = await self._system.rank(asked, self._k)
        reply = await session.reply(history)
        return reply if self._show is None else replace(reply, items=reply.items[: self._show])


class _WatchedSession:
    def __init__(self, watched: _Watched, session: Session) -> None:
        self._watched = watched
        self._session = session

    async def reply(self, history: History) -> SystemReply:
        return await self._watched.ask(self._session, history)
