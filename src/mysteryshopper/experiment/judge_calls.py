"""How many calls a judge makes for so many cases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mysteryshopper.experiment.blocks import JudgeBlock
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.kinds import MODELS, REGISTRIES, options_of, within

_PLAIN_ONE = (1, 1, 2)
_PLAIN_PAIR = (0, 2, 4)


def calls_of_judge(experiment: Experiment, block: JudgeBlock, one: Sequence[int], pairs: Sequence[int]) -> list[int]:
    """Return the least, expected and most calls of a judge.

    A kind says how many calls a case takes in a class method `calls(options, folder, form)`; of another that has a
    model it is one for a single exhibit and two for a pair (none if its two look the same), each re-asked once at most.
    A judge without a model makes none. Repeats are calls of their own, but at temperature 0 one call serves all.

    Args:
        experiment: The experiment.
        block: The judge's block.
        one: The least, expected and most cases of one exhibit.
        pairs: The same of pairs.

    Raises:
        ConfigError: Its criteria can't be read.
    """
    model = experiment.model_of(block)
    if model is None:
        return [0, 0, 0]
    kind: Any = REGISTRIES["judges"].load(block.kind)
    options = options_of(kind, block.options, ("judges", experiment.judges.index(block), "options"))
    takes = getattr(kind, "takes", None)
    total = [0, 0, 0]
    for sort, cases, plain in (("one", one, _PLAIN_ONE), ("pair", pairs, _PLAIN_PAIR)):
        if takes not in (None, sort):
            continue
        form = model.form or getattr(MODELS.load(model.provider), "default_form", "chat")
        with within(f"judges[{experiment.judges.index(block)}]"):
            a_case = kind.calls(options, Path(experiment.folder), form) if hasattr(kind, "calls") else plain
        total = [sum_ + number * calls for sum_, number, calls in zip(total, cases, a_case, strict=True)]
    temperature = getattr(options, "temperature", None)
    sampled = (model.temperature if temperature is None else temperature) != 0
    return [count * block.repeats for count in total] if sampled else total
