"""Small tables for people, before it is known where they will be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mysteryshopper.experiment.plan import PlanReport, Range

_HERE = "this process"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table.

    Attributes:
        title: One line above it.
        columns: Heads of the columns.
        rows: Cells, as many in each row as there are columns.
        notes: Lines below it.
    """

    title: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()


def plan_sheets(report: PlanReport) -> list[Sheet]:
    """Return a plan as tables: what is done, called, sent where, and what it costs."""
    return [_units(report), _calls(report), _hosts(report)]


def _units(report: PlanReport) -> Sheet:
    repeats = "" if report.repeats == 1 else f", each {report.repeats} times"
    units = "1 unit" if report.units == 1 else f"{report.units:,} units of {report.ids:,} different ones"
    return Sheet(
        f"{report.protocol}, seed {report.seed}: {units}{repeats}",
        ("user", "system", "units"),
        tuple((arm.user or "–", arm.system or "–", f"{arm.units:,}") for arm in report.arms),
    )


def _calls(report: PlanReport) -> Sheet:
    if not report.foreseen:
        return Sheet("Calls", notes=(f"The protocol {report.protocol!r} can't tell its calls before it runs.",))
    if not report.rows:
        return Sheet("Calls", notes=("Nobody is called.",))
    rows = []
    for row in report.rows:
        tokens = [_three(found) if found else "–" for found in (row.input_tokens, row.output_tokens)]
        money = "–" if row.host == _HERE else _three(row.cost, money=True)
        rows.append((row.role, row.block, row.model or "–", row.host, _three(row.calls), *tokens, money))
    notes = ["Each figure is: least / expected / most."]
    if any(row.input_tokens for row in report.rows):
        notes[0] += " Tokens are assumed, by the number of turns and max_tokens."
    if any(row.role == "judge" and row.calls.most for row in report.rows):
        notes.append(
            "What judges are asked is known only when the dialogues are: their most is an upper bound. Pairs that look"
            " the same, dialogues that fail, and at temperature 0 equal requests, take no call."
        )
    notes.append(f"A call that fails is sent up to {report.retries} times more; that is not counted here.")
    free = report.cost == (0, 0, 0)
    unknown = [row.block for row in report.rows if row.cost is None and not row.model and row.host != _HERE]
    nothing = (
        f"No model costs money; what {', '.join(unknown)} may cost is not known here."
        if unknown
        else "Nothing costs money."
    )
    notes.append(nothing if free else f"Cost: {_three(report.cost, money=True)}{_limit(report)}.")
    heads = ("role", "block", "model", "goes to", "calls", "tokens in", "tokens out", "cost")
    return Sheet("Calls", heads, tuple(rows), tuple(notes))


def _limit(report: PlanReport) -> str:
    return "; no limit is set" if report.max_cost is None else f"; limits.max_cost is {report.max_cost:g}"


def _hosts(report: PlanReport) -> Sheet:
    if not report.hosts:
        notes = ["Nothing leaves this machine."]
    else:
        notes = [f"{host} is contacted by {', '.join(names)}." for host, names in report.hosts.items()]
    for use in report.variables:
        what = "credential" if use.secret else "value"
        state = "" if use.is_set else "; not set now"
        notes.append(f"The {what} in {use.name} ({use.key}) goes to {use.goes_to}{state}.")
    return Sheet("What is sent where", notes=tuple(notes))


def _three(figures: Range | None, money: bool = False) -> str:
    if figures is None:
        return "unknown"
    return " / ".join("unknown" if figure is None else _figure(figure, money) for figure in figures)


def _figure(figure: float, money: bool) -> str:
    if money or figure < 10_000:
        return f"{figure:.4g}" if money else f"{figure:,.0f}"
    return f"{figure / 1e3:.0f}k" if figure < 999_500 else f"{figure / 1e6:,.3g}M"


def list_sheet(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *notes: str) -> Sheet:
    """Return a table of given cells."""
    return Sheet(title, tuple(columns), tuple(tuple(row) for row in rows), notes)
