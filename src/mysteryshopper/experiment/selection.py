"""Which units of an experiment are run."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Iterator
from dataclasses import replace

from mysteryshopper.core import Unit


def select(units: Iterable[Unit], n: int | None, seed: int) -> Iterator[Unit]:
    """Yield the units of the first n ids in a seeded order.

    The order is that of a hash of seed and id, so that raising n only adds, and an id keeps its place whatever other
    ids there are. All units of one id (its users and systems) come together, in their own order; so do those that say
    in `draw` that they are drawn together.

    Args:
        units: All units; read once, at most n ids are held.
        n: How many ids; None yields all units as they come.
        seed: Seed of the experiment.
    """
    if n is None:
        yield from units
        return
    kept: dict[str, list[Unit]] = {}
    worst: list[tuple[int, str]] = []  # negated hashes: the top is the id that would go next
    for unit in units:
        name = unit.draw or unit.id
        if (same := kept.get(name)) is not None:
            same.append(unit)
            continue
        place = _place(seed, name)
        if len(kept) == n:
            if place >= -worst[0][0]:
                continue
            del kept[heapq.heapreplace(worst, (-place, name))[1]]
        else:
            heapq.heappush(worst, (-place, name))
        kept[name] = [unit]
    for _, name in sorted(worst, reverse=True):
        yield from kept[name]


def repeated(units: Iterable[Unit], repeats: int) -> Iterator[Unit]:
    """Yield every unit `repeats` times, numbered from 0."""
    for unit in units:
        for repeat in range(repeats):
            yield replace(unit, repeat=repeat)


def _place(seed: int, name: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{seed}/{name}".encode(), digest_size=16).digest())
