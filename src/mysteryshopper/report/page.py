"""The page itself: one HTML file that opens from disk and fetches nothing."""

from __future__ import annotations

import base64
import hashlib
import os
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from mysteryshopper import __version__
from mysteryshopper.report.dialogues import MOST_DIALOGUES, gallery
from mysteryshopper.report.inputs import ReportInput
from mysteryshopper.report.losses import losses
from mysteryshopper.report.notes import notes
from mysteryshopper.report.numbers import count, money
from mysteryshopper.report.standing import headline_names, standings
from mysteryshopper.report.tables import definitions, entry, side_by_side
from mysteryshopper.report.text import one_line, shorten


def write_report(path: str | Path, report: ReportInput) -> Path:
    """Write a report as one HTML file; an older one is replaced in one step.

    Args:
        path: The file to write.
        report: What it is made from.

    Returns:
        The path written.
    """
    target = Path(path)
    draft = target.with_name(target.name + ".part")
    draft.write_bytes(render_report(report).encode("utf-8", "replace"))
    os.replace(draft, target)
    return target


def render_report(report: ReportInput) -> str:
    """Return a report as HTML text. Equal inputs give equal text: it holds no time of day and no path."""
    style = _read("report.css")
    return _template().render(style=Markup(style), style_hash=_hash(style), **_content(report))  # noqa: S704 - our file


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("mysteryshopper.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2")


def _content(report: ReportInput) -> dict[str, Any]:
    found = standings(report.metrics)
    first = set(headline_names(report.metrics))
    by_system = [metric for metric in report.metrics if metric.group.get("system")]
    over_all = [metric for metric in report.metrics if not metric.group.get("system")]
    protocol = one_line(str(report.summary.get("protocol", "run")))
    return {
        "title": one_line(report.name) or protocol,
        "protocol": protocol,
        "seed": report.summary.get("seed"),
        "version": __version__,
        "notes": notes(report),
        "losses": losses(report.summary, report.store.units()),
        "headline": side_by_side([metric for metric in by_system or over_all if metric.name in first], found),
        "table": side_by_side(by_system, found),
        "others": side_by_side(over_all, found),
        "entries": [entry(metric, found) for metric in report.metrics],
        "definitions": definitions(report.metrics),
        "usage": _usage(report.summary),
        "gallery": gallery(report.store.dialogues(), report.store.verdicts()),
        "most_dialogues": MOST_DIALOGUES,
        "experiment": shorten(report.experiment, 100_000),
        "count": count,
    }


def _usage(summary: Any) -> list[dict[str, str]]:
    names = ("calls", "cached", "input_tokens", "output_tokens")
    return [
        {"role": one_line(str(role)), **{name: count(use.get(name)) for name in names}, "cost": money(use.get("cost"))}
        for role, use in summary.get("usage", {}).items()
    ]


def _read(name: str) -> str:
    return files("mysteryshopper.report").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(style: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
