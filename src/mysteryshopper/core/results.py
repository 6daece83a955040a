"""Units of work and the numbers made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from mysteryshopper.core.errors import Fault
from mysteryshopper.core.values import JsonObject

RUN_SCHEMA = 2
"""Version of what a run leaves (database, tables, summary). What reads them refuses a newer one; a database, whose
tables were laid out anew, also an older one."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest piece of an experiment that runs, fails and resumes by itself.

    Attributes:
        id: Id of what is asked (a scenario, a recommending turn). Systems and users are compared where they share it;
            `limits.units` counts and samples these.
        user: Name of the user block, where one takes part.
        system: Name of the system block, where one takes part.
        repeat: Number of the repeat, from 0.
        cluster: What makes units depend on each other (a dialogue, a person); empty means the id.
        data: What the protocol needs to run it again; small, JSON.
        draw: What `limits.units` counts and samples in the place of the id, where several ids are drawn together; empty
            means the id. It is not stored.
    """

    id: str
    user: str = ""
    system: str = ""
    repeat: int = 0
    cluster: str = ""
    data: JsonObject = field(default_factory=dict)
    draw: str = ""

    @property
    def key(self) -> str:
        """Unique name of this unit in the run."""
        return "|".join((self.id, self.user, self.system, str(self.repeat)))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number that says what it is.

    Attributes:
        value: The estimate; None where undefined.
        low: Lower end of the interval; None where there is none.
        high: Upper end.
        n: Observations it rests on.
        clusters: Independent clusters among them; None where not counted.
        level: Confidence level of the interval.
        method: How the interval was made, e.g. `wilson`.
        reason: Why value or interval is None.
        bounds: Value if all that was left out had failed, and if all had succeeded; None where nothing was left out.
        p: For a difference: two-sided p-value of no difference.
        detectable: For a difference: the smallest true one that so many clusters would find with 80 % power.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    clusters: int | None = None
    level: float = 0.95
    method: str = ""
    reason: str | None = None
    bounds: tuple[float, float] | None = None
    p: float | None = None
    detectable: float | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """One row of a result table.

    Attributes:
        name: Its name, e.g. `label_recall@10`.
        group: What it was computed for, e.g. `{"system": "lexical"}`.
        estimate: The number with its interval.
        definition: One sentence: what it measures, over what, what was left out.
        control: It belongs to a control (random, copy-history), shown beside the result.
        better: Whether a higher or a lower value serves people better; None where neither does.
    """

    name: str
    group: Mapping[str, str]
    estimate: Estimate
    definition: str = ""
    control: bool = False
    better: Literal["higher", "lower"] | None = None


class Score(NamedTuple):
    """One unit's value on one metric: what differences of systems are paired by.

    Attributes:
        name: Name of the metric.
        unit: What systems share: the unit's id, user and repeat.
        user: Name of the user block; empty where nobody is simulated.
        system: Name of the system block.
        cluster: What makes units depend on each other.
        value: The value; None where it is undefined or left out.
        fault: Whose fault it was, where the unit failed.
        better: As in `Metric`.
    """

    name: str
    unit: str
    user: str
    system: str
    cluster: str
    value: float | None
    fault: Fault = "none"
    better: Literal["higher", "lower"] | None = None
