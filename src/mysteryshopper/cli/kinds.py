"""`list`: what is installed, where from, and what it can do."""

from __future__ import annotations

from typing import Any

from mysteryshopper.core import ConfigError, Registry, ShopperError, unknown
from mysteryshopper.experiment.kinds import REGISTRIES
from mysteryshopper.experiment.sheets import Sheet

_CAPABILITIES = {
    "talks": ("speak", "open"),
    "answers": ("answer",),
    "ranks": ("rank",),
    "chooses": ("choose",),
    "solves": ("solve",),
}
"""What a kind can do, by the methods of the capabilities in `core`, one of which is enough."""

_ABLE = ("users", "systems", "judges")
_TAKES = {"one": "judges one dialogue", "pair": "judges pairs"}


def kind_sheets(what: str) -> list[Sheet]:
    """Return one table for each sort of kinds, or for the one asked for.

    Raises:
        ShopperError: There is no such sort.
    """
    if what and what not in REGISTRIES:
        raise ShopperError(unknown("sort of kinds", what, REGISTRIES))
    return [_sheet(name, registry) for name, registry in REGISTRIES.items() if what in ("", name)]


def _sheet(name: str, registry: Registry) -> Sheet:
    rows: tuple[tuple[str, ...], ...] = tuple(_row(registry, kind) for kind in registry.names())
    head: tuple[str, ...] = ("kind", "can", "what it is", "from")
    if name not in _ABLE:
        head, rows = (head[0], *head[2:]), tuple((row[0], *row[2:]) for row in rows)
    return Sheet(name, head, rows, () if rows else ("none installed",))


def _row(registry: Registry, kind: str) -> tuple[str, str, str, str]:
    source = registry.source(kind)
    try:
        loaded = registry.load(kind)
    except (ConfigError, ImportError) as error:
        return kind, "–", f"can't be loaded: {error}", source
    return kind, ", ".join(_abilities(loaded)) or "–", _about(loaded), source


def _abilities(kind: Any) -> list[str]:
    found = [name for name, methods in _CAPABILITIES.items() if any(hasattr(kind, method) for method in methods)]
    if (takes := getattr(kind, "takes", "")) in _TAKES:
        found.append(_TAKES[takes])
    if getattr(kind, "sees_targets", False):
        found.append("sees its targets")
    if getattr(kind, "control", False):
        found.append("is a control")
    return found


def _about(kind: Any) -> str:
    text = (kind.__doc__ or "").strip().split("\n\n")[0]
    return " ".join(text.split())
