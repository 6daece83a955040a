"""A dialogue before its first word, as a unit of an experiment sets it up."""

from __future__ import annotations

from mysteryshopper.core import Json, Opening, RunContext, Unit, digest
from mysteryshopper.dialogue import Policy, Scene
from mysteryshopper.protocols.scenarios import Scenarios


def stage(
    scenarios: Scenarios, unit: Unit, context: RunContext, policy: Policy, *, system: str = "", fresh: Json = 0
) -> Scene:
    """Return the scene of a unit: its scenario, what the system learns, and where its calls lie.

    Args:
        scenarios: Where wishes come from.
        unit: The unit; its user speaks.
        context: What it runs with.
        policy: The rules.
        system: Name of the system's block, where it is not the unit's own.
        fresh: Another value gives another session, for systems that can't go on in the old one.
    """
    scenario, goal = scenarios.make(unit.user, unit.id, context.rng("scenario"))
    dataset = context.plan.dataset()
    opening = Opening(
        session=digest(context.plan.seed, unit.key, fresh)[:16],
        domain=scenario.domain,
        language=scenario.profile.language,
        catalog=dataset.name if dataset is not None else "",
        user=digest(context.plan.seed, unit.user, scenario.profile.id)[:12],
    )
    return Scene(
        scenario,
        opening,
        goal,
        policy,
        address=context.address,
        user=unit.user,
        system=system or unit.system,
        find=dataset.catalog().find if dataset is not None else None,
    )
