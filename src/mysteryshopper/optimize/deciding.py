"""Whether a new prompt is better: what a judge said of the pairs, and what the simulated users' own failures say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby

from mysteryshopper.core import Fault, Store
from mysteryshopper.judges.observing import Observation, observe
from mysteryshopper.judges.outcomes import pair_result
from mysteryshopper.metrics import PairOutcome
from mysteryshopper.optimize.batches import Batch, places
from mysteryshopper.optimize.cases import PAIR
from mysteryshopper.optimize.story import Tally


def outcome_of(seen: Sequence[Observation], criteria: Collection[str] = ()) -> PairOutcome | None:
    """Return how one pair came out for the new prompt, over all criteria and repeats of one judge.

    It is won if more criteria are won (in both orders) than lost, and lost if fewer are. If as many, it is inconsistent
    where the orders disagree on some and decide on none, else a tie.

    Args:
        seen: What the judge said of the pair.
        criteria: Which criteria count; all if none is named.

    Returns:
        None where nothing could be read.
    """
    results = [pair_result(one) for one in seen if not criteria or one.criterion.name in criteria]
    read = [result for result in results if result is not None]
    if not read:
        return None
    lead = read.count("win") - read.count("loss")
    if lead:
        return "win" if lead > 0 else "loss"
    return "inconsistent" if "inconsistent" in read and "win" not in read else "tie"


def outcomes(
    store: Store, judge: str, criteria: Collection[str] = ()
) -> Iterator[tuple[tuple[int, int], str, str, PairOutcome | None]]:
    """Yield the numbers of the prompts, the case, its cluster and the outcome of every pair that a judge ruled on."""
    verdicts = (one for one in store.verdicts(messages=False) if one.judge == judge and PAIR in one.case.data)
    for name, given in groupby(verdicts, key=lambda one: one.case.id):
        held = list(given)
        seen = [observation for one in held for observation in observe(one)]
        new, old = held[0].case.data[PAIR]
        yield (new, old), name, str(held[0].case.data["cluster"]), outcome_of(seen, criteria)


def tally(new: Batch, old: Batch, judged: Iterable[PairOutcome | None], asked: int) -> Tally:
    """Count the pairs of two batches.

    A dialogue that failed by the simulated user's own fault loses its pair, so that a prompt which makes users break
    down can't win with those that are left; if both failed so, it is a tie. Pairs that another's fault took away are
    dropped.

    Args:
        new: The batch with the new prompt.
        old: The batch it is compared with.
        judged: Outcomes of the pairs that were judged.
        asked: How many pairs there were to judge.
    """
    found = list(judged)
    forfeits = [_forfeit(new.faults.get(place), old.faults.get(place)) for place in places((new, old))]
    return Tally(
        found.count("win") + forfeits.count("win"),
        found.count("loss") + forfeits.count("loss"),
        found.count("tie") + forfeits.count("tie"),
        found.count("inconsistent"),
        asked - len([one for one in found if one is not None]),
        sum(one in ("win", "loss") for one in forfeits),
        forfeits.count("dropped"),
    )


def _forfeit(new: Fault | None, old: Fault | None) -> str:
    faults = {fault for fault in (new, old) if fault is not None}
    if not faults:
        return ""
    if faults != {"user"}:
        return "dropped"
    return "tie" if new == old else "loss" if new is not None else "win"
