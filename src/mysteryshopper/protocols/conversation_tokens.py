"""How many tokens a dialogue takes, by role and block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from mysteryshopper.core import Metric, Store
from mysteryshopper.metrics import mean

_Where = tuple[str, int]  # unit id, repeat


def measure_tokens(store: Store, definition: str, better: Literal["higher", "lower"] | None) -> Iterator[Metric]:
    """Yield the mean number of tokens a dialogue of every block whose calls report any.

    A user's calls serve its dialogues with all systems, a system's those with all users, a judge's all: their tokens on
    one scenario and repeat are shared out evenly among these. The group is `role` and the block's name under its role.

    Args:
        store: The run.
        definition: What the metric means.
        better: Which way it is better.
    """
    plan = store.plan
    used: dict[tuple[str, str], dict[_Where, int]] = {}
    for call in store.calls():
        where, usage = call.address, call.usage
        tokens = used.setdefault((where.role, where.component), {})
        place = (where.unit, where.repeat)
        tokens[place] = tokens.get(place, 0) + usage.input_tokens + usage.output_tokens
    users, systems = len(plan.users), len(plan.systems)
    dialogues = {"user": systems, "system": users, "judge": users * systems}
    blocks = [
        *(("user", name) for name in plan.users),
        *(("system", name) for name in plan.systems),
        *(("judge", name) for name in plan.judges),
    ]
    for role, name in blocks:
        tokens = used.get((role, name), {})
        if not any(tokens.values()):
            continue
        estimate = mean([count / dialogues[role] for count in tokens.values()], [unit for unit, _ in tokens])
        control = role == "system" and plan.is_control(name)
        yield Metric("tokens", {"role": role, role: name}, estimate, definition, control, better)
