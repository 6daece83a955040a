"""More than two systems: a ranking from all pairs, by every judge and criterion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mysteryshopper.core import Metric, Plan
from mysteryshopper.metrics.bradley_terry import Game, bradley_terry
from mysteryshopper.protocols.branching import Outcomes
from mysteryshopper.protocols.tree.words import DEFINITIONS


def measure_ranking(
    judged: Mapping[tuple[str, str, str], Mapping[tuple[str, str], Outcomes]], plan: Plan
) -> Iterator[Metric]:
    """Yield strengths and ranks where more than two systems took part.

    Args:
        judged: Outcomes for the first of each pair, by judge, criterion and user.
        plan: The experiment.
    """
    if len(plan.systems) < 3:
        return
    for (judge, criterion, user), pairs in judged.items():
        games = (
            Game(first, second, outcome.value, outcome.root)
            for (first, second), outcomes in pairs.items()
            for outcome in outcomes.held
            if outcome.value is not None
        )
        ranking = bradley_terry(games, seed=plan.seed)
        for name, found in (("strength", ranking.strengths), ("rank", ranking.ranks)):
            for system in plan.systems:
                if system in found:
                    group = {"judge": judge, "criterion": criterion, "user": user, "system": system}
                    yield Metric(
                        name,
                        group,
                        found[system],
                        DEFINITIONS[name],
                        plan.is_control(system),
                        "higher" if name == "strength" else "lower",
                    )
