"""Asking a system for a ranking, and what is kept of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import TypeGuard

from mysteryshopper.core import (
    Chooser,
    History,
    ItemRef,
    Json,
    Opening,
    Plan,
    Ranker,
    RunContext,
    Scored,
    Shown,
    System,
    Unit,
    digest,
)
from mysteryshopper.datasets import Dataset
from mysteryshopper.datasets.records import reference
from mysteryshopper.metrics import order_by_id
from mysteryshopper.protocols.positions import positions

IN_FULL = 3
"""Items of a ranking that are kept, for the report; where the targets stand is kept apart."""


async def ask_ranking(system: System, history: History, k: int, opening: Callable[[], Opening]) -> list[Scored]:
    """Ask for a ranking; a system that can only talk is scored by the items of its reply, in their order."""
    return (await ask_system(system, history, k, opening))[0]


async def ask_system(
    system: System, history: History, k: int, opening: Callable[[], Opening]
) -> tuple[list[Scored], str | None]:
    """Ask for a ranking as `ask_ranking`; return with it what a system said that can only talk, else None.

    `opening` is called only for such a one.
    """
    if is_ranker(system):
        return list(await system.rank(history, k)), None
    async with system.open(opening(), history) as session:
        reply = await session.reply(history)
    return in_order(reply.items[:k]), "\n".join(reply.messages)


def is_ranker(system: object) -> TypeGuard[Ranker]:
    """Whether a system can rank: as `isinstance(system, Ranker)`, which is slow, but looked up once a class."""
    return _can(type(system), "rank")  # type: ignore[arg-type]  # a class can be hashed, whatever its instances do


def is_chooser(system: object) -> TypeGuard[Chooser]:
    """Whether a system can choose, in the same way."""
    return _can(type(system), "choose")  # type: ignore[arg-type]


@lru_cache(maxsize=256)
def _can(kind: type, method: str) -> bool:
    return callable(getattr(kind, method, None))


def in_order(items: Iterable[ItemRef]) -> list[Scored]:
    """Return items as a ranking without ties; one that the catalogue does not hold keeps its place."""
    return [Scored(item.id or f"?{place}", float(-place)) for place, item in enumerate(items)]


def places(ranking: Sequence[Scored], targets: Sequence[str]) -> list[Json]:
    """Return where the targets stand, as JSON."""
    return [position.to_json() for position in positions(ranking, targets)]


def best_shown(ranking: Sequence[Scored], dataset: Dataset, targets: Sequence[str]) -> tuple[Shown, ...]:
    """Return the best few of a ranking, marked as targets or not."""
    found = {name: dataset.catalog().find(name) for name in order_by_id(ranking, IN_FULL)}
    return tuple(
        Shown(ItemRef(None, name) if item is None else reference(item), name in targets) for name, item in found.items()
    )


def opening_of(unit: Unit, context: RunContext, system: System) -> Opening:
    """Return what a system learns at the start of a unit; one with a session of its own takes a new id each time."""
    plan: Plan = context.plan
    dataset: Dataset = plan.dataset()
    fresh = context.attempt if system.memory == "session" else 0
    return Opening(
        session=digest(plan.seed, unit.key, fresh)[:16],
        domain=dataset.domain,
        language=dataset.language,
        catalog=dataset.name,
        user=digest(plan.seed, unit.user, unit.id)[:12],
    )
