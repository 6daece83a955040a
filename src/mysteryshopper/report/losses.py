"""What was lost in a run, and whose fault it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from mysteryshopper.core import JsonObject, UnitRecord
from mysteryshopper.report.numbers import count
from mysteryshopper.report.text import one_line

_MEANING = {
    "system": "counts as a failure of that system in success-type metrics; graded metrics leave it out",
    "user": "left out of the metrics, and counted here",
    "judge": "left out of the metrics, and counted here",
    "infra": "left out of the metrics, and counted here",
}
_OTHERWISE = {
    ("simulator-comparison", "user"): "a loss of that simulator on every criterion, by every judge; other numbers leave"
    " it out",
}
"""Where a fault means something else, by protocol and fault."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Units lost in one way: by one fault, at one side, with one ending. `examples` are details in words."""

    fault: str
    ended: str
    user: str
    system: str
    units: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Losses:
    """The count of a run: planned = complete + all faults (+ units not run yet).

    Attributes:
        planned: Units planned.
        complete: Units complete.
        faults: Fault, units lost by it, and what that means for the numbers.
        open: Units neither complete nor lost.
        endings: How finished units ended, with their number, most frequent first.
        rows: What was lost.
    """

    planned: int
    complete: int
    faults: tuple[tuple[str, int, str], ...]
    open: int
    endings: tuple[tuple[str, int], ...]
    rows: tuple[Loss, ...]

    @property
    def lost(self) -> int:
        """Units lost by any fault."""
        return sum(units for _, units, _ in self.faults)

    @property
    def sentence(self) -> str:
        """The count in one sentence."""
        by = ", ".join(f"{count(units)} by fault {fault}" for fault, units, _ in self.faults if units)
        lost = f"; lost: {by}" if by else "; none was lost"
        waiting = f"; {count(self.open)} not run yet" if self.open else ""
        return f"{count(self.complete)} of {count(self.planned)} units complete{lost}{waiting}."


@dataclass
class _Kind:
    units: int = 0
    examples: list[str] = field(default_factory=list)


def losses(summary: JsonObject, units: Iterable[UnitRecord], examples: int = 3) -> Losses:
    """Return what was lost, from the summary's counts and the units' own records."""
    counts = summary.get("units", {})
    endings: Counter[str] = Counter()
    kinds: dict[tuple[str, str, str, str], _Kind] = {}
    for record in units:
        if record.ended:
            endings[record.ended] += 1
        if record.fault == "none":
            continue
        key = (record.fault, record.ended or "not said", record.unit.user, record.unit.system)
        kind = kinds.setdefault(key, _Kind())
        kind.units += 1
        if record.detail and len(kind.examples) < examples and (line := one_line(record.detail)) not in kind.examples:
            kind.examples.append(line)
    rows = tuple(
        Loss(fault, ended, one_line(user), one_line(system), kind.units, tuple(kind.examples))
        for (fault, ended, user, system), kind in sorted(kinds.items(), key=lambda pair: (-pair[1].units, pair[0]))
    )
    planned, complete = int(counts.get("planned", 0)), int(counts.get("complete", 0))
    meaning = {fault: _OTHERWISE.get((str(summary.get("protocol")), fault), text) for fault, text in _MEANING.items()}
    faults = tuple((fault, int(counts.get("faults", {}).get(fault, 0)), text) for fault, text in meaning.items())
    waiting = max(planned - complete - sum(number for _, number, _ in faults), 0)
    return Losses(planned, complete, faults, waiting, tuple(endings.most_common()), rows)
