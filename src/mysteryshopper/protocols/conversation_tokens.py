"""How many tokens a dialogue takes, by role and block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from mysteryshopper.core import Metric, Store
from mysteryshopper.metrics import mean

_Block = tuple[str, str]  # role, name


def measure_tokens(store: Store, definition: str, better: Literal["higher", "lower"] | None) -> Iterator[Metric]:
    """Yield the mean number of tokens a dialogue of every block whose calls report any.

    Calls name a scenario and a repeat. A user's serve its dialogues with all systems there, a system's those with all
    users, a judge's all: the tokens are shared out evenly among the dialogues that were held. The group is `role` and
    the block's name under its role.

    Args:
        store: The run.
        definition: What the metric means.
        better: Which way it is better.
    """
    plan = store.plan
    places: dict[tuple[str, int], int] = {}  # numbers for scenarios with their repeats: they take memory once
    clusters: list[str] = []
    held: dict[_Block, Counter[int]] = {
        block: Counter()
        for block in (
            *(("user", name) for name in plan.users),
            *(("system", name) for name in plan.systems),
            *(("judge", name) for name in plan.judges),
        )
    }
    for record in store.units():
        unit = record.unit
        if record.status == "planned":
            continue
        place = places.setdefault((unit.id, unit.repeat), len(places))
        if place == len(clusters):
            clusters.append(unit.cluster or unit.id)
        for block in (("user", unit.user), ("system", unit.system), *(("judge", name) for name in plan.judges)):
            held[block][place] += 1
    used: dict[_Block, Counter[int]] = {block: Counter() for block in held}
    for call in store.calls():
        where, usage = call.address, call.usage
        place_of_call = places.get((where.unit, where.repeat))
        tokens = used.get((where.role, where.component))
        if tokens is not None and place_of_call is not None:
            tokens[place_of_call] += usage.input_tokens + usage.output_tokens
    for (role, name), tokens in used.items():
        if any(tokens.values()):
            shares = held[role, name]
            estimate = mean([count / shares[place] for place, count in tokens.items()], [clusters[p] for p in tokens])
            control = role == "system" and plan.is_control(name)
            yield Metric("tokens", {"role": role, role: name}, estimate, definition, control, better)
