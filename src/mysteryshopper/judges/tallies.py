"""What verdicts add up to, for any protocol: scores, labels, pairs, what could not be read, and how far to trust it.

Cases stream by; of each only a few numbers stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from mysteryshopper.core import Metric, Store
from mysteryshopper.judges.agreements import Agreements
from mysteryshopper.judges.controls import Controls
from mysteryshopper.judges.observing import observe
from mysteryshopper.judges.outcomes import Grades, Labels, Pairs, Unread


def measure_verdicts(store: Store) -> Iterator[Metric]:
    """Yield what a run's verdicts say, judge by judge.

    Groups name `judge` and `criterion`, and where they are about systems `user`, `system` and, for pairs, `versus`
    (from `case.data`); intervals are clustered by `case.data["cluster"]`. What controls and agreement tell of
    a judge is marked `control`. Cases that could not be judged are in the bounds.

    Args:
        store: What the run left.
    """
    failures = list(store.unjudged())
    grades, labels, pairs, unread = Grades(store.plan, failures), Labels(store.plan), Pairs(store.plan), Unread()
    agreements, controls = Agreements(), Controls()
    every = (grades, labels, pairs, unread, agreements, controls)
    for _, verdicts in groupby(store.verdicts(messages=False), key=lambda stored: stored.case.id):
        observations = [observation for stored in verdicts for observation in observe(stored)]
        for counter in every:
            counter.add(observations)
    for failed in failures:
        pairs.miss(failed)
    for counter in every:
        yield from counter.metrics()


def control_warnings(metrics: list[Metric] | tuple[Metric, ...]) -> list[str]:
    """Return what a report says of judges that can't tell, one sentence each; none where they can, or nothing is known.

    Said is: a planted worse one is not told from the real one, or it is not shown that it is (the interval reaches 0.5,
    or there is none); one of two by the same system is preferred; the place shown decides.

    Args:
        metrics: All metrics of a run.
    """
    return [sentence for metric in metrics if (sentence := _warning(metric))]


def _warning(metric: Metric) -> str:
    found = metric.estimate
    if metric.name not in _WARNINGS or found.value is None:
        return ""
    who = f"{metric.group.get('judge', '')} on {metric.group.get('criterion', '')}"
    between = "" if found.low is None else f", {found.low:.2f} to {found.high:.2f}"
    figures = f"{found.value:.2f} of {found.n}{between}"
    if metric.name == "control_worse":
        if found.low is not None and found.low > 0.5:
            return ""
        if found.value > 0.5:
            return f"That the judge {who} can tell a planted worse case from the real one is not shown ({figures})."
    elif found.low is None or found.high is None or found.low <= 0.5 <= found.high:
        return ""
    return _WARNINGS[metric.name].format(who=who, figures=figures)


_WARNINGS = {
    "control_worse": "The judge {who} can't tell a planted worse case from the real one ({figures}); its verdicts say"
    " little.",
    "control_same": "The judge {who} prefers one of two by the same system ({figures}, 0.50 is fair); its verdicts"
    " lean.",
    "prefers_first": "The judge {who} leans to a place: the one shown first is chosen in {figures} decided showings.",
}
