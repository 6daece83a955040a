"""What `prompt-optimisation` measures: the gain by each judge, every round, and how far the judges can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Literal

from mysteryshopper.core import Estimate, Metric, Store
from mysteryshopper.judges.agreements import Agreements
from mysteryshopper.judges.controls import Controls
from mysteryshopper.judges.observing import observe
from mysteryshopper.judges.outcomes import Unread
from mysteryshopper.metrics import PairOutcome, cohen_kappa, paired_difference, proportion
from mysteryshopper.optimize.deciding import outcomes
from mysteryshopper.optimize.options import OptimisationOptions
from mysteryshopper.optimize.story import Story, name_of, read_story
from mysteryshopper.optimize.words import DEFINITIONS

_POINTS: Mapping[PairOutcome, float] = {"win": 1.0, "loss": -1.0, "tie": 0.0, "inconsistent": 0.0}
_NO_GAIN = "no prompt was better than the initial one"
_TOGETHER = "no interval: one person's dialogues with several systems are lost together, and only their number is kept"
_NO_SPREAD = "no interval: how the problems spread over dialogues is not kept"

_Pairs = dict[str, tuple[PairOutcome | None, str]]  # outcome and cluster by case


def measure_optimisation(store: Store, options: OptimisationOptions, decides: str) -> Iterator[Metric]:
    """Yield all numbers of a run, what was gained first; nothing before there is a story.

    Args:
        store: What the run left.
        options: The protocol's options.
        decides: Name of the judge that decides, where the story does not say who has.
    """
    story = read_story(store)
    if story is None or not story.rounds:
        return
    decides = story.judge or decides
    judged: dict[str, dict[tuple[int, int], _Pairs]] = {}
    for judge in store.plan.judges:
        for pair, case, cluster, outcome in outcomes(store, judge, options.criteria):
            judged.setdefault(judge, {}).setdefault(pair, {})[case] = (outcome, cluster)
    yield from _gains(store, story, options, decides, judged)
    for one in story.rounds:
        if one.parent is not None:
            for judge, pairs in judged.items():
                if found := pairs.get((one.number, one.parent)):
                    group = {"judge": judge, "round": str(one.number), "against": name_of(one.parent)}
                    yield _metric("round_gain", group, _net(found, story), better="higher")
    yield from _told(story, len(store.plan.systems))
    yield from _of_judges(store)


def _gains(
    store: Store,
    story: Story,
    options: OptimisationOptions,
    decides: str,
    judged: Mapping[str, Mapping[tuple[int, int], _Pairs]],
) -> Iterator[Metric]:
    final = (story.best, 0)
    for judge in store.plan.judges:
        part = "decided" if judge == decides else "held out" if judge == options.held_out else "asked afterwards"
        pairs = judged.get(judge, {}).get(final, {}) if story.best else {}
        found = _net(pairs, story) if story.best else Estimate(None, reason=_NO_GAIN)
        yield _metric("gain", {"judge": judge, "part": part}, found, better="higher")
    if options.held_out is None or not story.best:
        return
    one, other = (judged.get(judge, {}).get(final, {}) for judge in (decides, options.held_out))
    both = [
        (_side(one[case][0]), _side(other[case][0]), one[case][1])
        for case in one
        if case in other and one[case][0] is not None and other[case][0] is not None
    ]
    group = {"judge": decides, "other": options.held_out}
    clusters = [cluster for *_, cluster in both]
    same = proportion([first == second for first, second, _ in both], clusters)
    yield _metric("gain_agreement", group, same, better="higher")
    kappa = cohen_kappa([first for first, *_ in both], [second for _, second, _ in both], clusters)
    yield _metric("gain_kappa", group, kappa, better="higher")


def _side(outcome: PairOutcome | None) -> str:
    return outcome if outcome in ("win", "loss") else "neither"


def _net(pairs: _Pairs, story: Story) -> Estimate:
    """Return wins less losses over the pairs judged; in the bounds, the others of the batch all lost, and all won.

    Its test is against no difference, by person: where all agree there is no interval, and still something to say.
    """
    points = {case: None if outcome is None else _POINTS[outcome] for case, (outcome, _) in pairs.items()}
    clusters = {case: cluster for case, (_, cluster) in pairs.items()}
    compared = paired_difference(points, dict.fromkeys(points, 0.0), clusters)
    found = replace(compared.estimate, p=compared.p, detectable=compared.detectable)
    first = story.rounds[0]
    total = first.dialogues + sum(first.lost.values())  # every round has the same people and systems
    missing = total - found.n
    if not missing:
        return found
    net = (found.value or 0.0) * found.n
    return replace(found, bounds=((net - missing) / total, (net + missing) / total))


def _told(story: Story, systems: int) -> Iterator[Metric]:
    new = [one for one in story.rounds if one.parent is not None]
    yield _metric("rounds", {}, _count(len(new)))
    yield _metric("improvements", {}, _count(sum(one.better for one in new)))
    for one in story.rounds:
        if one.problems is not None and one.reviewed:
            found = sum(problem.dialogues for problem in one.problems) / one.reviewed
            estimate = Estimate(found, n=one.reviewed, reason=_NO_SPREAD)
            yield _metric("problems_a_dialogue", {"round": str(one.number)}, estimate, better="lower")
    for one in story.rounds:
        lost = sum(one.lost.values())
        if total := one.dialogues + lost:
            share = proportion([True] * lost + [False] * one.dialogues)
            if systems > 1:
                share = Estimate(lost / total, n=total, reason=_TOGETHER)
            yield _metric("dialogues_lost", {"round": str(one.number)}, share, better="lower")


def _of_judges(store: Store) -> Iterator[Metric]:
    counters = (Unread(), Agreements(), Controls())
    for _, verdicts in groupby(store.verdicts(messages=False), key=lambda stored: stored.case.id):
        seen = [one for stored in verdicts for one in observe(stored)]
        for counter in counters:
            counter.add(seen)
    for counter in counters:
        yield from counter.metrics()


def _count(number: int) -> Estimate:
    return Estimate(float(number), n=number, method="count")


def _metric(
    name: str,
    group: Mapping[str, str],
    found: Estimate,
    *,
    better: Literal["higher", "lower"] | None = None,
) -> Metric:
    return Metric(name, group, found, DEFINITIONS[name], better=better)
