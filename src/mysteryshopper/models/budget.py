"""Money: prices, and a limit that no call may pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from mysteryshopper.core import CallFailed, ConfigError

if TYPE_CHECKING:
    from mysteryshopper.models.block import ModelBlock, Price

_FREE = frozenset({"local", "scripted", "replay"})
_ROUNDING = 1e-9
_STEP = 1.25


def cost(price: Price | None, input_tokens: int, output_tokens: int) -> float | None:
    """Return the money for these tokens; None where the price is unknown."""
    if price is None:
        return None
    return (input_tokens * price.input + output_tokens * price.output) / 1_000_000


def check_priced(models: Mapping[str, ModelBlock], max_cost: float | None, *, embedders: Collection[str] = ()) -> None:
    """Refuse a cost limit that can't be kept.

    Args:
        models: Blocks by name.
        max_cost: `limits.max_cost`; None is no limit.
        embedders: Names of those blocks that only make embeddings, which have no output to limit.

    Raises:
        ConfigError: A model has no price, or its replies no upper limit, so that no worst case can be reserved.
    """
    if max_cost is None:
        return
    for name, block in models.items():
        if block.provider in _FREE:
            continue
        if block.price is None:
            raise ConfigError(
                "limits.max_cost is set, but this model's price is unknown; give {input, output} per million tokens, "
                "or take the limit away.",
                key=f"models.{name}.price",
            )
        if name in embedders:
            continue
        if block.max_tokens is None and not isinstance(block.params.get("max_completion_tokens"), int):
            raise ConfigError(
                "limits.max_cost is set, but this model's replies have no upper limit; set max_tokens.",
                key=f"models.{name}.max_tokens",
            )


class Budget:
    """What may be spent in a run. A call reserves its worst case before it is sent, and settles afterwards.

    Attributes:
        limit: The most that may be spent; None is no limit.
        spent: What calls have cost so far, those of earlier tries of the run included.
    """

    def __init__(
        self, limit: float | None = None, spent: float = 0.0, at_risk: Callable[[float], object] | None = None
    ) -> None:
        """Make a budget of which `spent` is gone already.

        Args:
            limit: The most that may be spent; None is no limit.
            spent: What is gone already.
            at_risk: Told, before a call is sent, the most that calls without an answer may have cost if this process
                were killed now: those in flight, and attempts that were lost. It rises in steps of a quarter, so that
                it is told a few dozen times in a run, and never falls.
        """
        self.limit = limit
        self.spent = spent
        self._reserved = 0.0
        self._lost = 0.0
        self._at_risk = at_risk
        self._told = 0.0

    def reserve(self, worst: float | None) -> Reservation:
        """Set the worst case of one call aside.

        Args:
            worst: The most it can cost; None where that has no bound.

        Raises:
            CallFailed: The limit could be passed; `ended` is `budget`, nothing was sent.
        """
        if self.limit is None:
            return Reservation(self, 0.0)
        if worst is None:
            raise CallFailed(
                "limits.max_cost is set and this call's cost has no upper limit: give the model its price and "
                "max_tokens.",
                ended="budget",
            )
        self._take(worst)
        return Reservation(self, worst)

    def _take(self, amount: float) -> None:
        if self.limit is None:
            return
        if self.spent + self._reserved + amount > self.limit * (1 + _ROUNDING):
            raise CallFailed(
                f"the cost limit of {self.limit:g} could be passed by this call ({self.spent:.6g} is spent): raise "
                "limits.max_cost and resume.",
                ended="budget",
            )
        self._reserved += amount
        if self._at_risk is not None and (risk := self._reserved + self._lost) > self._told:
            self._told = risk * _STEP
            self._at_risk(self._told)

    def _settle(self, reserved: float, spent: float | None) -> None:
        if reserved:
            self._reserved = max(0.0, self._reserved - reserved)
        if spent is None:
            self._lost += reserved
        self.spent += reserved if spent is None else spent


class Reservation:
    """The worst case of one call, set aside until it is settled."""

    __slots__ = ("_budget", "_held", "_worst")

    def __init__(self, budget: Budget, worst: float) -> None:
        """Made by `Budget.reserve`; without a limit `worst` is 0."""
        self._budget = budget
        self._worst = worst
        self._held = worst

    def lose(self) -> None:
        """Count the worst case as spent: an attempt may have been charged although no answer came."""
        self._budget._settle(self._held, None)
        self._held = 0.0

    def again(self) -> None:
        """Set the worst case aside once more, for another attempt.

        Raises:
            CallFailed: The limit could be passed by it.
        """
        self._budget._take(self._worst)
        self._held = self._worst

    def settle(self, spent: float | None) -> None:
        """Count what was spent and give the rest back; an unknown cost counts as the worst case."""
        self._budget._settle(self._held, spent)
        self._held = 0.0
