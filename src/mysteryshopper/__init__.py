"""Simulated users who test conversational recommenders and agents, and are tested themselves against people.

    from mysteryshopper import Experiment, run

    result = run(Experiment.load("shop.yaml"))
    result.table("dialogues")

What is named here is loaded when it is first used, so that importing the package is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mysteryshopper.core import (
        CallFailed,
        ConfigError,
        DataError,
        Estimate,
        Item,
        Metric,
        Profile,
        ShopperError,
        StopRun,
    )
    from mysteryshopper.datasets import DataBlock
    from mysteryshopper.experiment import Experiment, Run, aresume, arun, measure_again, resume, run
    from mysteryshopper.experiment.blocks import JudgeBlock, Limits, SystemBlock, UserBlock
    from mysteryshopper.experiment.comparing import Comparison, compare
    from mysteryshopper.experiment.plan import PlanReport, make_plan
    from mysteryshopper.items import Catalog
    from mysteryshopper.models import ModelBlock

__version__ = "0.1.0.dev0"

_WHERE = {
    "core": (
        "CallFailed",
        "ConfigError",
        "DataError",
        "Estimate",
        "Item",
        "Metric",
        "Profile",
        "ShopperError",
        "StopRun",
    ),
    "datasets": ("DataBlock",),
    "experiment": ("Experiment", "Run", "aresume", "arun", "measure_again", "resume", "run"),
    "experiment.comparing": ("Comparison", "compare"),
    "experiment.blocks": ("JudgeBlock", "Limits", "SystemBlock", "UserBlock"),
    "experiment.plan": ("PlanReport", "make_plan"),
    "items": ("Catalog",),
    "models": ("ModelBlock",),
}
_ROOMS = {name: room for room, names in _WHERE.items() for name in names}

__all__ = [
    "CallFailed",
    "Catalog",
    "Comparison",
    "ConfigError",
    "DataBlock",
    "DataError",
    "Estimate",
    "Experiment",
    "Item",
    "JudgeBlock",
    "Limits",
    "Metric",
    "ModelBlock",
    "PlanReport",
    "Profile",
    "Run",
    "ShopperError",
    "StopRun",
    "SystemBlock",
    "UserBlock",
    "aresume",
    "arun",
    "compare",
    "make_plan",
    "measure_again",
    "resume",
    "run",
]


def __getattr__(name: str) -> Any:
    room = _ROOMS.get(name)
    if room is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{room}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
