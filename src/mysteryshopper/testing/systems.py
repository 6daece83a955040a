"""The conformance check of systems under test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from mysteryshopper.core import (
    Choice,
    Chooser,
    History,
    ItemRef,
    Opening,
    Option,
    Ranker,
    Session,
    System,
    SystemReply,
    encode,
)
from mysteryshopper.testing import samples
from mysteryshopper.testing.checking import essence, json_copy, require, snapshot, survives

_TALK = (
    samples.history("Something slow, with trains.", asks="system"),
    samples.history("Something slow, with trains.", "Paper Lighthouse?", "I have seen that one.", asks="system"),
)
_OTHER = samples.history("Loud robots, please.", asks="system")


async def check_system(system: System, *, opens: bool = True, repeatable: bool = True) -> None:
    """Check that a system adapter keeps the contract of `core.System`, and of `Ranker` and `Chooser` where it has them.

    Checked: replies have the right types; histories are not changed; a system that says it lives in the messages
    answers a history the same whatever else its sessions heard; one that lives behind a session id keeps conversations
    apart; empty histories, hostile texts and all scripts are borne; rankings are sorted, finite and without repeats.

    Args:
        system: The system.
        opens: False for a system that can't speak first; it is then not asked to.
        repeatable: False for a system that draws a new reply each time; equality of replies is then not checked.

    Raises:
        AssertionError: It breaks the contract; the sentence says where.
    """
    require(isinstance(system, System), f"{type(system).__name__} has no `open` or no `memory`, so it is no system")
    require(
        system.memory in ("messages", "session"),
        f"memory is {system.memory!r}; a system lives in the `messages` or behind a `session`",
    )
    await _check_memory(system, repeatable=repeatable)
    if opens:
        await _alone(system, "opening", [samples.history(asks="system")], "on an empty history")
    for number, (what, text) in enumerate(samples.HOSTILE.items()):
        await _alone(system, f"hostile{number}", [samples.history(text, asks="system")], f"after the user said {what}")
    if isinstance(system, Ranker):
        await _check_ranker(system)
    if isinstance(system, Chooser):
        await _check_chooser(system)


async def _check_memory(system: System, *, repeatable: bool) -> None:
    lone = await _alone(system, "lone", _TALK, "in a conversation of its own")
    async with _open(system, "one") as one, _open(system, "two") as two:
        mixed = [await _reply(one, _TALK[0], "with two conversations open")]
        await _reply(two, _OTHER, "with two conversations open")
        mixed.append(await _reply(one, _TALK[1], "with two conversations open"))
        if system.memory == "messages":
            await _reply(one, _OTHER, "on another branch")
            mixed.append(await _reply(one, _TALK[1], "again after another branch"))
            lone.append(lone[-1])
    if repeatable:
        for alone, together in zip(lone, mixed, strict=True):
            require(
                essence(alone) == essence(together),
                f"memory is {system.memory!r}, but a reply changed with what another conversation or branch said: "
                f"{alone.messages!r}, then {together.messages!r}",
            )


def _open(system: System, session: str) -> AbstractAsyncContextManager[Session]:
    return system.open(Opening(session=session, domain="films", catalog="sample", user="someone"), History())


async def _alone(system: System, session: str, histories: Sequence[History], when: str) -> list[SystemReply]:
    async with _open(system, session) as opened:
        return [await _reply(opened, history, when) for history in histories]


async def _reply(session: Session, history: History, when: str) -> SystemReply:
    before = snapshot(history)
    reply: Any = await survives(f"reply {when}", session.reply(history))
    require(history == before, f"reply {when} changed the history it was given")
    require(isinstance(reply, SystemReply), f"reply {when} returned {type(reply).__name__}, not a SystemReply")
    require(
        isinstance(reply.messages, tuple) and all(isinstance(text, str) for text in reply.messages),
        f"reply {when} has messages that are no tuple of texts: {reply.messages!r}",
    )
    require(
        isinstance(reply.items, tuple) and all(isinstance(item, ItemRef) for item in reply.items),
        f"reply {when} has items that are no tuple of ItemRef: {reply.items!r}",
    )
    for item in reply.items:
        require(
            item.id is None or isinstance(item.id, str), f"reply {when} has an item id that is no text: {item.id!r}"
        )
    json_copy(f"the notes of reply {when}", dict(reply.notes))
    checked: SystemReply = reply
    return checked


async def _check_ranker(system: Ranker) -> None:
    for when, history in (("on an empty history", samples.history()), ("after a wish", _TALK[0])):
        longer = [await survives(f"rank {when}", system.rank(history, k)) for k in (1, 5, 5)]
        for k, ranking in zip((1, 5, 5), longer, strict=True):
            ids = [scored.id for scored in ranking]
            scores = [scored.score for scored in ranking]
            require(all(isinstance(name, str) for name in ids), f"rank {when} has an id that is no text: {ids!r}")
            require(len(set(ids)) == len(ids), f"rank {when} names an item twice: {ids!r}")
            require(all(math.isfinite(score) for score in scores), f"rank {when} has a score that is no number")
            require(scores == sorted(scores, reverse=True), f"rank {when} is not sorted, best first: {scores!r}")
            if len(scores) > k:
                require(scores[-1] == scores[k - 1], f"rank {when} goes on below the ties of place {k}: {scores!r}")
        require(_encoded(longer[1]) == _encoded(longer[2]), f"rank {when} gave two rankings for the same history")
        require(
            [one.score for one in longer[0][:1]] == [one.score for one in longer[1][:1]],
            f"rank {when} has another best score when fewer items are asked for",
        )


def _encoded(ranking: Sequence[object]) -> list[object]:
    return [encode(scored) for scored in ranking]


async def _check_chooser(system: Chooser) -> None:
    options = [Option("ask-genre", "Ask which genre is wanted."), Option("recommend", "Recommend items now.")]
    for when, history in (("on an empty history", samples.history()), ("after a wish", _TALK[0])):
        choice = await survives(f"choose {when}", system.choose(options, history))
        require(isinstance(choice, Choice), f"choose {when} returned {type(choice).__name__}, not a Choice")
        known = {option.id for option in options}
        require(
            choice.option is None or choice.option in known,
            f"choose {when} chose {choice.option!r}, which was no option; it takes an id, or None with a status",
        )
        require(
            (choice.option is None) == (choice.status not in ("ok", "repaired")),
            f"choose {when} has option {choice.option!r} with status {choice.status!r}; only ok and repaired carry one",
        )
