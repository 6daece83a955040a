"""Simulated users in a report: who won against whom, pair by pair, and how far each kept its role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mysteryshopper.core import Metric
from mysteryshopper.report.numbers import count, with_interval
from mysteryshopper.report.text import one_line

_SHARES = {
    "wins": "won",
    "ties": "draw",
    "losses": "lost",
    "inconsistent": "orders disagree",
    "net_wins": "net",
    "win_rate": "win rate",
    "consistency": "same in both orders",
}
_RANKS = ("strength", "rank")
_RATES = {"role_reversal_rate": "did the recommender's work", "repeated_question_rate": "asked the same again"}
_PER = ("turn", "dialogue")


@dataclass(frozen=True, slots=True)
class Table:
    """A table to read.

    Attributes:
        caption: What it shows.
        rows: A head, then rows of texts.
        further: The same in parts, system by system; empty where there is one.
    """

    caption: str
    rows: tuple[tuple[str, ...], ...]
    further: tuple[tuple[str, ...], ...] = ()


def is_of_seekers(metric: Metric) -> bool:
    """Whether a number stands in one of these tables: of pairs of simulated users, their ranking, or their role."""
    if metric.name in _RATES:
        return "per" in metric.group
    if metric.group.get("about") != "users":
        return False
    return metric.name in _RANKS or (metric.name in _SHARES and "versus" in metric.group)


def contest_tables(metrics: Sequence[Metric]) -> list[Table]:
    """Return a table for each judge and pair of simulated users, and one of ranks for each judge of more than two."""
    found = [one for one in metrics if is_of_seekers(one) and one.name not in _RATES]
    pairs: dict[tuple[str, str, str], dict[tuple[str, str], dict[str, Metric]]] = {}
    ranks: dict[str, dict[tuple[str, str], dict[str, Metric]]] = {}
    for one in found:
        group = one.group
        if one.name in _RANKS:
            ranks.setdefault(group["judge"], {}).setdefault((group["criterion"], group["user"]), {})[one.name] = one
        else:
            rows = pairs.setdefault((group["judge"], group["user"], group["versus"]), {})
            rows.setdefault((group["criterion"], group.get("system", "")), {})[one.name] = one
    return [_ranking(judge, rows) for judge, rows in ranks.items()] + [
        _contest(pair, rows) for pair, rows in pairs.items()
    ]


def role_table(metrics: Sequence[Metric]) -> Table | None:
    """Return how far each simulated user kept its role, and of how many turns and dialogues; None without any."""
    users: dict[str, dict[tuple[str, str], Metric]] = {}
    for one in metrics:
        if one.name in _RATES and "per" in one.group:
            who = " ".join(value for key, value in one.group.items() if key not in ("per", "setting"))
            users.setdefault(who, {})[one.name, one.group["per"]] = one
    if not users:
        return None
    head = ["simulated user", *(f"{text}, by {per}" for text in _RATES.values() for per in _PER), "turns", "dialogues"]
    rows = [head]
    for who, rates in users.items():
        cells = [_cell(rates.get((name, per))) for name in _RATES for per in _PER]
        ns = [next((count(one.estimate.n) for (_, by), one in rates.items() if by == per), "–") for per in _PER]
        rows.append([one_line(who), *cells, *ns])
    return Table("How far simulated users kept their role", tuple(map(tuple, rows)))


def role_notes(metrics: Sequence[Metric]) -> list[str]:
    """Return what the rates of the role table mean, and how far their detectors can be trusted."""
    found = {one.name: one.definition for one in metrics if one.name in _RATES and one.group.get("per") == "turn"}
    return [f"{_RATES[name]}: {one_line(text, 2_000)}" for name, text in found.items()]


def _contest(pair: tuple[str, str, str], rows: dict[tuple[str, str], dict[str, Metric]]) -> Table:
    judge, first, second = pair
    head = (*_SHARES.values(), "pairs")
    whole: list[tuple[str, ...]] = [("on", *head)]
    parts: list[tuple[str, ...]] = [("on", "with", *head)]
    for (criterion, system), cells in rows.items():
        n = next(iter(cells.values())).estimate.n
        told = (*(_cell(cells.get(name)) for name in _SHARES), count(n))
        if system:
            parts.append((one_line(criterion), one_line(system), *told))
        else:
            whole.append((one_line(criterion), *told))
    caption = one_line(f"{first} against {second}, by {judge}: what {first} won and lost")
    return Table(caption, tuple(whole), tuple(parts) if len(parts) > 1 else ())


def _ranking(judge: str, rows: dict[tuple[str, str], dict[str, Metric]]) -> Table:
    users = tuple(dict.fromkeys(user for _, user in rows))
    table = [("on", *map(one_line, users))]
    for criterion in dict.fromkeys(criterion for criterion, _ in rows):
        cells = (rows.get((criterion, user), {}) for user in users)
        table.append((one_line(criterion), *map(_place, cells)))
    return Table(one_line(f"All simulated users, by {judge}: rank, and Bradley-Terry strength"), tuple(table))


def _place(cells: dict[str, Metric]) -> str:
    """Return rank and strength in a line; of games that only tell the order, the rank alone."""
    told = [_cell(cells.get("rank"))]
    if (strength := cells.get("strength")) is not None and strength.estimate.value is not None:
        told.append(f"strength {with_interval(strength.estimate)}")
    return "; ".join(told)


def _cell(metric: Metric | None) -> str:
    return "–" if metric is None else with_interval(metric.estimate)
