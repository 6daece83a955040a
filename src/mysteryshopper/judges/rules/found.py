"""What one rule found: a value, or why there is none, and its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mysteryshopper.core import Ruling, Status

MOST_EVIDENCE = 12
"""Pieces of evidence that a ruling keeps; `n` and the value count all."""

Evidence = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule found.

    Attributes:
        value: The value; None where it can't be told.
        n: How many things (items, turns, claims) it rests on.
        evidence: What speaks against the system (or the user's turns that count), each with its node.
        reason: Why there is no value.
        status: `ok`, or what kept the rule from telling.
        node: The one turn it concerns, where it concerns one.
    """

    value: float | None
    n: int = 0
    evidence: Sequence[Evidence] = ()
    reason: str = ""
    status: Status = "ok"
    node: str = ""

    def ruling(self, criterion: str) -> Ruling:
        """Return it as a ruling; evidence in one turn alone names that turn."""
        notes: dict[str, object] = {"n": self.n} if self.value is not None else {"reason": self.reason}
        if self.evidence:
            notes["evidence"] = [dict(piece) for piece in self.evidence[:MOST_EVIDENCE]]
        nodes = {str(piece["node"]) for piece in self.evidence}
        return Ruling(
            criterion,
            None if self.value is None else round(self.value, 6),
            self.status,
            notes=notes,
            node=self.node or (nodes.pop() if len(nodes) == 1 else ""),
        )


def untold(reason: str) -> Found:
    """Return that nothing could be told, and why."""
    return Found(None, reason=reason, status="empty")


def unsupported(reason: str) -> Found:
    """Return that the judge can't read this: its language, or what it was not made for."""
    return Found(None, reason=reason, status="unsupported")


def share(bad: Sequence[Evidence], n: int, none: str) -> Found:
    """Return the share of n things that nothing speaks against; untold if there are none."""
    return untold(none) if n == 0 else Found(1 - len(bad) / n, n, bad)
