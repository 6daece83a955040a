"""What judges said of chats: all that any protocol tells, persuasiveness by hit and miss, and simulators in pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from mysteryshopper.core import Fault, Metric, Store, StoredVerdict
from mysteryshopper.judges.observing import observe
from mysteryshopper.judges.tallies import measure_verdicts
from mysteryshopper.metrics import graded_mean, proportion, total_variation
from mysteryshopper.protocols.ievalm.options import IEvaLMOptions
from mysteryshopper.protocols.ievalm.slices import About

_BY_HIT = frozenset({"persuasiveness", "explanation_relevance"})
_WORDS = (
    "Mean score from 0 to 2 over judged dialogues in which {what}; persuasiveness that is high for hits alone says"
    " who hit, not who explained."
)
_HIT = {"yes": "a target was shown", "no": "no target was shown"}
_SHARE = "Share of judged dialogues with this score: what a judge's use of the scale is held against people's by."
_DISTANCE = (
    "Total variation distance between the judge's scores and people's, as given in `people`: the share of its verdicts"
    " that would have to be others for both to use the scale alike. 0 is alike; alike in sum is not yet agreed on any"
    " one dialogue."
)


def measure_opinions(store: Store, options: IEvaLMOptions) -> Iterator[Metric]:
    """Yield what judges said, of systems and then of simulated users; nothing in a run without judges or chats."""
    if "free" not in options.settings or not store.plan.judges:
        return
    yield from measure_verdicts(About(store, "systems"))
    yield from _by_hit(store, options)
    for metric in measure_verdicts(About(store, "users")):
        yield replace(metric, group=_of_users(metric.group))


def _of_users(group: Mapping[str, str]) -> dict[str, str]:
    """Return the group of a number about users; the tally takes whoever stands in an exhibit for a system."""
    named = {("user" if key == "system" else key): value for key, value in group.items() if key != "user"}
    return {"about": "users", **named}


@dataclass
class _Scores:
    values: list[float | None] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)


def _by_hit(store: Store, options: IEvaLMOptions) -> Iterator[Metric]:
    found: defaultdict[tuple[str, str, str, str, str], _Scores] = defaultdict(_Scores)
    for stored in store.verdicts(messages=False):
        for key, value, cluster in _scores(stored):
            found[key].values.append(value)
            found[key].clusters.append(cluster)
    for (judge, criterion, user, system, hit), scores in sorted(found.items()):
        group = {"judge": judge, "criterion": criterion, "user": user, "system": system, "hit": hit}
        faults: list[Fault] = ["none" if value is not None else "judge" for value in scores.values]
        estimate = graded_mean(scores.values, faults, scores.clusters, (0.0, 2.0)).estimate
        metric = partial(Metric, group=group, control=store.plan.is_control(system), better="higher")
        yield metric("score_by_hit", estimate=estimate, definition=_WORDS.format(what=_HIT[hit]))
    known: dict[str, Mapping[Hashable, float]] = {name: dict(scores.items()) for name, scores in options.people.items()}
    for (judge, criterion, user, system), scores in sorted(_merged(found).items()):
        read = [
            (value, place) for value, place in zip(scores.values, scores.clusters, strict=True) if value is not None
        ]
        for level in (0, 1, 2):
            share = proportion([float(round(value) == level) for value, _ in read], [place for _, place in read])
            group = {"judge": judge, "criterion": criterion, "user": user, "system": system, "score": str(level)}
            yield Metric("score_share", group, share, _SHARE, store.plan.is_control(system))
        if (people := known.get(criterion)) is not None:
            levels, places = [round(value) for value, _ in read], [place for _, place in read]
            group = {"judge": judge, "criterion": criterion, "user": user, "system": system}
            distance = total_variation(levels, people, places)
            yield Metric("score_distance", group, distance, _DISTANCE, store.plan.is_control(system), better="lower")


def _scores(stored: StoredVerdict) -> Iterator[tuple[tuple[str, str, str, str, str], float | None, str]]:
    if "hit" not in stored.case.data:
        return
    for seen in observe(stored):
        if seen.criterion.name in _BY_HIT and seen.sort == "score" and not seen.control and not seen.repeat:
            hit = "yes" if stored.case.data["hit"] else "no"
            yield (seen.judge, seen.criterion.name, seen.user, seen.systems[0], hit), seen.mean, seen.cluster


def _merged(found: Mapping[tuple[str, str, str, str, str], _Scores]) -> dict[tuple[str, str, str, str], _Scores]:
    merged: defaultdict[tuple[str, str, str, str], _Scores] = defaultdict(_Scores)
    for (*place, _), scores in sorted(found.items()):
        kept = merged[place[0], place[1], place[2], place[3]]
        kept.values += scores.values
        kept.clusters += scores.clusters
    return dict(merged)
