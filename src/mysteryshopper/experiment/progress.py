"""What a person sees while a run works: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Protocol


@dataclass(frozen=True, slots=True)
class Snapshot:
    """How far a run is.

    Attributes:
        stage: What is being done, e.g. `simulate`.
        done: Units finished, those of earlier sittings included; in the stage `judge`, cases asked about in this one.
        total: Units planned, or cases to ask about.
        before: Units that were finished before this sitting, for the estimate of the time left.
        calls: Calls answered in this sitting.
        cached: Of these, answered from the cache.
        tokens: Tokens of this sitting, both directions.
        cost: Known cost of this sitting.
        faults: Units by fault, of this sitting.
    """

    stage: str
    done: int
    total: int
    before: int = 0
    calls: int = 0
    cached: int = 0
    tokens: int = 0
    cost: float = 0.0
    faults: Mapping[str, int] = field(default_factory=dict)


class Progress(Protocol):
    """Somebody who is told how far a run is."""

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot; called often, must be cheap."""
        ...

    def close(self) -> None:
        """Leave the last state on the screen."""
        ...


class Silent:
    """Shows nothing."""

    def show(self, snapshot: Snapshot) -> None:
        """Show nothing."""

    def close(self) -> None:
        """Do nothing."""


def summary(snapshot: Snapshot) -> str:
    """Return calls, tokens, cost and faults as one line."""
    parts = [f"{snapshot.calls:,} calls", f"{snapshot.tokens:,} tokens"]
    if snapshot.cached:
        parts[0] += f" ({snapshot.cached:,} cached)"
    if snapshot.cost:
        parts.append(f"cost {snapshot.cost:.4f}")
    faults = {name: count for name, count in snapshot.faults.items() if count}
    parts.append(
        "faults: " + ", ".join(f"{name} {count}" for name, count in sorted(faults.items())) if faults else "no faults"
    )
    return " · ".join(parts)


class PlainProgress:
    """Writes a line now and then; for logs and pipes."""

    def __init__(self, file: IO[str] | None = None, every: float = 10.0) -> None:
        """Write to `file` (default: standard error), at most once in `every` seconds and at every change of stage."""
        self._file = file or sys.stderr
        self._every = every
        self._last = 0.0
        self._stage = ""
        self._shown: Snapshot | None = None
        self._latest: Snapshot | None = None

    def show(self, snapshot: Snapshot) -> None:
        """Write a line if it is time."""
        now = time.monotonic()
        self._latest = snapshot
        if snapshot.stage != self._stage or now - self._last >= self._every:
            self._stage, self._last = snapshot.stage, now
            self._write(snapshot)

    def close(self) -> None:
        """Write the last state if it was not written yet."""
        if self._latest is not None and self._latest is not self._shown:
            self._write(self._latest)

    def _write(self, snapshot: Snapshot) -> None:
        self._shown = snapshot
        print(f"{snapshot.stage}: {snapshot.done}/{snapshot.total} · {summary(snapshot)}", file=self._file, flush=True)


class LiveProgress:
    """A bar with units, time left, calls, tokens, cost and faults."""

    def __init__(self) -> None:
        """Start the display on standard error."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("[bold]{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("[dim]·"),
            TimeElapsedColumn(),
            TextColumn("[dim]left"),
            TimeRemainingColumn(elapsed_when_finished=False),
            TextColumn("{task.fields[summary]}"),
            console=Console(stderr=True),
            refresh_per_second=4,
        )
        self._task = self._bar.add_task("", total=None, summary="")
        self._stage = ""
        self._bar.start()

    def show(self, snapshot: Snapshot) -> None:
        """Update the bar; drawing happens a few times a second."""
        if snapshot.stage != self._stage:
            self._stage = snapshot.stage
            self._bar.reset(self._task, total=snapshot.total, completed=snapshot.before, description=snapshot.stage)
        self._bar.update(self._task, completed=snapshot.done, total=snapshot.total, summary=summary(snapshot))

    def close(self) -> None:
        """Stop the display, leaving its last state."""
        self._bar.stop()


def progress_for(file: IO[str] | None = None) -> Progress:
    """Return the display that suits standard error: live on a terminal, plain lines elsewhere."""
    return LiveProgress() if (file or sys.stderr).isatty() else PlainProgress(file)


class Counting:
    """Turns the events of a run into snapshots."""

    def __init__(self, progress: Progress, total: int, before: int) -> None:
        """Count for a display, with `before` of `total` units done."""
        self._progress = progress
        self.total = total
        self.before = before
        self.done = before
        self.faults: Counter[str] = Counter()

    def expect(self, total: int) -> None:
        """Set the total once it is known."""
        self.total = total

    def unit(self, fault: str) -> None:
        """Count a finished unit, or case."""
        self.done += 1
        if fault != "none":
            self.faults[fault] += 1

    def show(self, stage: str, calls: Mapping[str, int], cost: float) -> None:
        """Show how far the run is."""
        self._progress.show(
            Snapshot(
                stage,
                self.done,
                self.total,
                self.before,
                calls.get("calls", 0),
                calls.get("cached", 0),
                calls.get("tokens", 0),
                cost,
                self.faults,
            )
        )
