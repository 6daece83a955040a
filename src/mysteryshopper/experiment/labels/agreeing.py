"""Votes of people set against each other and against the judges of the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mysteryshopper.core import Criterion, Json, Metric, Store
from mysteryshopper.experiment.labels.keeping import kept_votes, keys
from mysteryshopper.experiment.labels.records import Vote
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.judges.observing import Observation, Sort, observe
from mysteryshopper.judges.outcomes import Grades, Labels, Pairs
from mysteryshopper.judges.people import Voted, majority, measure_people

PEOPLE = "people"
"""Stands for the judge where people are meant."""

_USERS = "users"
_OF: Mapping[Sort, str] = {"pair": "pairs", "score": "dialogues", "label": "dialogues"}
"""What was voted on, where sheets of both asked about one criterion."""

_OF_PEOPLE = frozenset({"win_rate", "wins", "losses", "ties", "net_wins", "score", "label_share"})


@dataclass(frozen=True, slots=True)
class Labelled:
    """One case with all that was said of it on one criterion.

    Attributes:
        case: Its id.
        criterion: Name of the criterion.
        sort: What values are.
        systems: Name of the system of each exhibit, as values mean them.
        votes: By annotator.
        judged: By judge.
        vote: One of its votes, for what all of them share.
    """

    case: str
    criterion: str
    sort: Sort
    systems: tuple[str, ...]
    votes: Mapping[str, Json]
    judged: Mapping[str, Json]
    vote: Vote


def label_metrics(run: Path, store: RunStore) -> Iterator[Metric]:
    """Yield how far people agree, how far judges agree with them, and what people made of the systems.

    Nothing where no votes were read.
    """
    found = labelled(run, store)
    by_criterion: dict[tuple[str, Sort], list[Labelled]] = {}
    for one in found:
        by_criterion.setdefault((one.criterion, one.sort), []).append(one)
    for (criterion, sort), things in by_criterion.items():
        rows = [
            Voted(one.vote.cluster, one.votes, one.judged, one.vote.pair if sort == "pair" else "") for one in things
        ]
        both = sum(asked == criterion for asked, _ in by_criterion) > 1
        yield from measure_people(rows, sort, {"criterion": criterion, **({"of": _OF[sort]} if both else {})})
    for about in dict.fromkeys(one.vote.about for one in found):
        yield from _of_people(store, [one for one in found if one.vote.about == about], about)


def _of_people(store: Store, found: Sequence[Labelled], about: str) -> Iterator[Metric]:
    """Yield what people made of the systems, or of the simulated users, in the numbers of a judge.

    Pairs of one system's replies (to a query and to its careless form) say nothing of a system against another.
    """
    of_several = [one for one in found if one.sort != "pair" or len(set(one.systems)) == len(one.systems)]
    for counter in (Pairs(store.plan), Grades(store.plan), Labels(store.plan)):
        for one in of_several:
            counter.add([_observation(one)])
        for metric in counter.metrics():
            if metric.name in _OF_PEOPLE:
                yield metric if about != _USERS else replace(metric, group=_about_users(metric.group))


def _about_users(group: Mapping[str, str]) -> dict[str, str]:
    """Return a group whose `system` is a simulated user as numbers about users have it."""
    return {**{key: value for key, value in group.items() if key != "system"}, "about": _USERS, "user": group["system"]}


def labelled(run: Path, store: RunStore) -> list[Labelled]:
    """Return every case and criterion that people voted on, with what judges said; in the order of the votes.

    A judge whose criterion of that name has another scale, or other labels, has answered another question.
    A vote belongs to what was said, as a verdict does: where a case has changed since, as the run went on, it is left
    out.
    """
    votes: dict[tuple[str, str], dict[str, Vote]] = {}
    for vote in _standing(run, store):
        votes.setdefault((vote.case, vote.criterion), {})[vote.annotator] = vote
    if not votes:
        return []
    judged: dict[tuple[str, str], dict[str, Json]] = {}
    cases = {case for case, _ in votes}
    for stored in store.verdicts(messages=False):
        if stored.case.id in cases and stored.repeat == 0:
            for seen in observe(stored):
                people = votes.get((stored.case.id, seen.criterion.name))
                if people and _is_on_scale(seen, next(iter(people.values()))):
                    judged.setdefault((stored.case.id, seen.criterion.name), {})[stored.judge] = seen.said
    found = []
    for (case, criterion), by_annotator in votes.items():
        first = next(iter(by_annotator.values()))
        given = {name: vote.value for name, vote in by_annotator.items()}
        said = judged.get((case, criterion), {})
        found.append(Labelled(case, criterion, first.sort, first.systems, given, said, first))
    return found


def _is_on_scale(seen: Observation, vote: Vote) -> bool:
    """Whether a judge answers what people were asked: judges may have criteria of one name on scales of their own."""
    asked = seen.criterion
    same = (asked.labels, asked.low, asked.high) == (vote.labels, vote.low, vote.high)
    return seen.sort == vote.sort and (same or vote.sort == "pair")


def _standing(run: Path, store: RunStore) -> Iterator[Vote]:
    """Yield the votes on what is still said in their cases."""
    votes = kept_votes(run)
    said = {
        (key.sheet, keyed.case): keyed.said
        for key in (keys(run) if votes else {}).values()
        for keyed in key.items.values()
    }
    for vote in votes:
        shown = said.get((vote.sheet, vote.case))
        if shown is None or shown == store.newest_case_key(vote.case):
            yield vote


def _observation(one: Labelled) -> Observation:
    """Return what people said of a case as if the majority were a judge; scores by their mean."""
    given = list(one.votes.values())
    value = sum(given) / len(given) if one.sort == "score" else majority(given)
    vote = one.vote
    return Observation(
        one.case,
        PEOPLE,
        Criterion(one.criterion, "", vote.labels, vote.low, vote.high),
        one.sort,
        vote.user,
        one.systems,
        vote.cluster,
        "",
        "",
        0,
        (value,),
        ("AB",),
        ("ok",),
        False,
    )
