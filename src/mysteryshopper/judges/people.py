"""How far people agree with each other, and judges with people, on the same things."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from mysteryshopper.core import Estimate, Json, Metric
from mysteryshopper.judges.observing import Sort
from mysteryshopper.metrics import cohen_kappa, krippendorff_alpha, proportion, raw_agreement

MAJORITY = "majority"
"""Stands for the annotator where all people's majority is meant."""

_Row = tuple[str, Json, Json, str]  # annotator, what was said, majority of the others, cluster

_WHOLE = "; scores count as equal if they round to the same whole number"
_LONE = "nobody else voted on the same, so there is no majority of others"
DEFINITIONS: Mapping[str, str] = {
    "people_votes": "Number of votes of one annotator on one criterion.",
    "people_agreement": "Share of what both annotators voted on for which they say the same{whole}.",
    "people_kappa": "Cohen's kappa of two annotators over what both voted on: how far they agree beyond what their"
    " shares of each answer would give by chance{whole}.",
    "people_alpha": "Krippendorff's alpha over everything that two or more people voted on, {scale}.",
    "people_with_others": "Share of votes that are those of the majority of all others who voted on the same, one vote"
    " left out at a time; votes without such a majority are left out: what one more person reaches{whole}.",
    "people_with_others_kappa": "Cohen's kappa of those votes and the majorities of the others: the ceiling of"
    " judge_with_others_kappa{whole}.",
    "constant_with_others": "Share of the same left-out votes for which the majority of the others is the answer that"
    " is given most often: what always saying it reaches, without reading anything. Where it is above"
    " people_with_others, shares tell nothing, and kappa does{whole}.",
    "judge_people_agreement": "Share of what both ruled on for which the judge says what the annotator says; a pair on"
    " which the judge's two orders disagree counts as its tie; majority is what most people said, left out where no"
    " answer has most votes{whole}.",
    "judge_people_kappa": "Cohen's kappa of judge and annotator (or the majority) over what both ruled on{whole}.",
    "judge_people_alpha": "Krippendorff's alpha of judge and annotator (or the majority) over what both ruled on,"
    " {scale}.",
    "judge_with_others": "Share of the same left-out votes as in people_with_others for which the judge says what the"
    " majority of the others says: a judge who agrees as well as one more person reaches people_with_others{whole}.",
    "judge_with_others_kappa": "Cohen's kappa of the judge and the majorities of the others, over the same left-out"
    " votes; a judge who agrees as well as one more person reaches people_with_others_kappa{whole}.",
}
"""What each number means; `{scale}` and `{whole}` depend on what was asked."""

_SCALES: Mapping[Sort, str] = {
    "score": "by squared differences of scores",
    "label": "by equal or not",
    "pair": "by equal or not",
}


@dataclass(frozen=True, slots=True)
class Voted:
    """One thing that people voted on.

    Attributes:
        cluster: What makes things depend on each other (a root, a dialogue).
        votes: What each annotator said: a score, a label, or for pairs 0, 1 or 0.5. Where annotators have no names,
            their places stand for them, and mean nothing beyond this thing.
        judged: What each judge said of it, in the same values; absent where it said nothing.
        part: What it belongs to, where numbers are told apart by it.
    """

    cluster: str
    votes: Mapping[str, Json]
    judged: Mapping[str, Json] = field(default_factory=dict)
    part: str = ""


def majority(votes: Sequence[Json]) -> Json:
    """Return what most people said; None where no one answer was given most often."""
    ranked = Counter(votes).most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def measure_people(
    things: Sequence[Voted], sort: Sort, group: Mapping[str, str], *, named: bool = True, judges: bool = True
) -> Iterator[Metric]:
    """Yield how far people agree with each other, and every judge with them.

    Where nobody voted on what somebody else did, there are no numbers on the majority of others.

    Shares take Wilson's interval, at the effective n where things come in clusters; kappa and alpha a bootstrap over
    clusters, from 10 up.

    Args:
        things: What was voted on.
        sort: What votes are.
        group: What all of it is about (`criterion`, `label` …).
        named: Annotators are the same people from thing to thing, so that each, and each two, have numbers.
        judges: Judges answered on the people's scale; without, only people are measured.
    """
    whole = [_whole(thing, sort) for thing in things]
    names = list(dict.fromkeys(name for thing in things for name in thing.votes)) if named else []
    found = _Group(sort, dict(group), whole, things)
    for name in names:
        votes = sum(thing.votes.get(name) is not None for thing in things)
        yield found.metric("people_votes", Estimate(float(votes), n=votes, method="count"), annotator=name)
    yield found.alpha("people_alpha", [list(thing.votes.values()) for thing in things])
    shared = any(len(thing.votes) > 1 for thing in things)
    if shared:
        yield from found.with_others(names)
    for one, other in combinations(names, 2):
        sides = [[thing.votes.get(name) for thing in whole] for name in (one, other)]
        yield from found.two("people", sides, annotator=one, other=other)
    if judges:
        yield from _judges(found, names, shared)


def _judges(found: _Group, names: Sequence[str], shared: bool) -> Iterator[Metric]:
    whole, things = found.whole, found.things
    parts = list(dict.fromkeys(thing.part for thing in things if thing.part))
    for judge in dict.fromkeys(name for thing in things for name in thing.judged):
        said = [thing.judged.get(judge) for thing in whole]
        most = [majority(list(thing.votes.values())) for thing in whole]
        for annotator in (MAJORITY, *names):
            votes = most if annotator == MAJORITY else [thing.votes.get(annotator) for thing in whole]
            raw = [
                None if vote is None else most_of if annotator == MAJORITY else thing.votes.get(annotator)
                for thing, vote, most_of in zip(things, votes, most, strict=True)
            ]
            yield from found.two("judge_people", [said, votes], judge=judge, annotator=annotator)
            rows = [[thing.judged.get(judge), vote] for thing, vote in zip(things, raw, strict=True)]
            yield found.alpha("judge_people_alpha", rows, judge=judge, annotator=annotator)
        if shared:
            yield from found.judge_with_others(judge)
        if len(parts) > 1:
            for part in parts:
                places = [place for place, thing in enumerate(things) if thing.part == part]
                same = raw_agreement(
                    [said[place] for place in places],
                    [most[place] for place in places],
                    [things[place].cluster for place in places],
                )
                yield found.metric("judge_people_agreement", same, judge=judge, annotator=MAJORITY, pair=part)


@dataclass(frozen=True)
class _Group:
    """Things of one criterion: as they were voted, and with scores rounded."""

    sort: Sort
    group: Mapping[str, str]
    whole: Sequence[Voted]
    things: Sequence[Voted]

    @property
    def clusters(self) -> list[str]:
        return [thing.cluster for thing in self.things]

    def metric(self, name: str, estimate: Estimate, **more: str) -> Metric:
        """Return one number with its definition."""
        rounded = _WHOLE if self.sort == "score" else ""
        definition = DEFINITIONS[name].format(scale=_SCALES[self.sort], whole=rounded)
        better = None if name == "people_votes" else "higher"
        return Metric(name, {**more, **self.group}, estimate, definition, control=True, better=better)  # type: ignore[arg-type]

    def alpha(self, name: str, rows: Sequence[Sequence[Json]], **more: str) -> Metric:
        """Return Krippendorff's alpha over rows of ratings."""
        scale = "interval" if self.sort == "score" else "nominal"
        return self.metric(name, krippendorff_alpha(rows, scale, self.clusters), **more)  # type: ignore[arg-type]

    def two(self, stem: str, sides: Sequence[Sequence[Json]], **more: str) -> Iterator[Metric]:
        """Yield the share of equal answers of two raters, and kappa."""
        one, other = sides
        yield self.metric(f"{stem}_agreement", raw_agreement(one, other, self.clusters), **more)
        yield self.metric(f"{stem}_kappa", cohen_kappa(one, other, self.clusters), **more)

    def with_others(self, names: Sequence[str]) -> Iterator[Metric]:
        """Yield how often a vote is that of the majority of the others, and beyond chance; each annotator's, too."""
        rows = [(name, vote, most, cluster) for name, vote, most, cluster in self._left_out()]
        common = _commonest([vote for thing in self.whole for vote in thing.votes.values() if vote is not None])
        constant = [("", common, most, cluster) for _, _, most, cluster in rows]
        yield self.metric("constant_with_others", _share(constant))
        shares = [("", rows)]
        shares += [(name, [row for row in rows if row[0] == name]) for name in names if len(names) > 2]
        for name, kept in shares:
            more = {"annotator": name} if name else {}
            yield self.metric("people_with_others", _share(kept), **more)
            yield self.metric("people_with_others_kappa", _kappa(kept), **more)

    def judge_with_others(self, judge: str) -> Iterator[Metric]:
        """Yield the same of a judge, over the same left-out votes."""
        said = {id(thing): thing.judged.get(judge) for thing in self.whole}
        rows = [
            (name, said[id(thing)], most, thing.cluster)
            for thing in self.whole
            if said[id(thing)] is not None
            for name, _, most in _left_out(thing)
            if most is not None
        ]
        yield self.metric("judge_with_others", _share(rows), judge=judge)
        yield self.metric("judge_with_others_kappa", _kappa(rows), judge=judge)

    def _left_out(self) -> Iterator[_Row]:
        for thing in self.whole:
            for name, vote, most in _left_out(thing):
                if most is not None:
                    yield name, vote, most, thing.cluster


def _share(rows: Sequence[_Row]) -> Estimate:
    if not rows:
        return Estimate(None, clusters=0, reason=_LONE)
    return proportion([said == most for _, said, most, _ in rows], [cluster for *_, cluster in rows])


def _kappa(rows: Sequence[_Row]) -> Estimate:
    if not rows:
        return Estimate(None, clusters=0, reason=_LONE)
    said, most, clusters = ([row[place] for row in rows] for place in (1, 2, 3))
    return cohen_kappa(said, most, clusters)


def _left_out(thing: Voted) -> Iterator[tuple[str, Json, Json]]:
    """Yield each vote with its annotator and the majority of the others; None without others or a majority."""
    votes = [(name, vote) for name, vote in thing.votes.items() if vote is not None]
    for place, (name, vote) in enumerate(votes):
        yield name, vote, majority([other for at, (_, other) in enumerate(votes) if at != place])


def _commonest(votes: Sequence[Json]) -> Json:
    """Return the answer given most often, of several the first in order; None without any."""
    counts = Counter(votes)
    return min(counts, key=lambda vote: (-counts[vote], str(vote)), default=None)


def _whole(thing: Voted, sort: Sort) -> Voted:
    """Return a thing with its scores rounded to whole numbers, halves up."""
    if sort != "score":
        return thing
    return Voted(
        thing.cluster,
        {name: _round(vote) for name, vote in thing.votes.items()},
        {name: _round(value) for name, value in thing.judged.items()},
        thing.part,
    )


def _round(value: Json) -> Json:
    return None if value is None else math.floor(float(value) + 0.5)
