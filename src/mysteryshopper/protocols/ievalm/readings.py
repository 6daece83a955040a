"""What is read of a unit's dialogue: where its targets stood at the turn that counts, and what came before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mysteryshopper.core import Ended, Fault, Json, JsonObject, StoredDialogue
from mysteryshopper.metrics import coverage_by_turn
from mysteryshopper.protocols.ievalm.audit import is_leaky
from mysteryshopper.protocols.ievalm.options import IEvaLMOptions, Ties
from mysteryshopper.protocols.positions import Position

_MISSED = Position(None, 0, 0)


@dataclass(frozen=True, slots=True)
class Turns:
    """Where a unit's targets stood, turn by turn; None for a turn without a list."""

    turns: tuple[tuple[Position, ...] | None, ...]

    def first_hit(self, k: int, ties: Ties) -> int | None:
        """Return the number of the first turn with a target among the first k (`expected`: with any chance of it)."""
        for number, found in enumerate(self.turns, 1):
            if found is not None and any(_reached(place, k, ties) for place in found):
                return number
        return None

    def at(self, turn: int) -> tuple[Position, ...] | None:
        """Return the last list up to a turn."""
        return next((found for found in reversed(self.turns[:turn]) if found is not None), None)

    def counted(self, k: int, ties: Ties) -> tuple[Position, ...] | None:
        """Return the list that counts: that of the first hit, else the last one, as iEvaLM reads it."""
        return self.at(self.first_hit(k, ties) or len(self.turns))


@dataclass(frozen=True, slots=True)
class Reading:
    """One unit, read.

    Attributes:
        setting: Its setting.
        user: Name of the user block.
        system: Name of the system block.
        unit: What systems share.
        cluster: The human dialogue it is from.
        targets: Number of labels.
        unknown: Number of labels that the catalogue does not hold.
        leaks: Targets given away, by kind.
        leaky: Whether it leaks by the audit's rule.
        fault: Whose fault it was that it failed.
        ended: How it ended.
        success: Whether a target was taken (`free`) or ranked (`attribute`).
        lists: Where the targets stood, by name of the list.
        data: All that the dialogue keeps.
    """

    setting: str
    user: str
    system: str
    unit: str
    cluster: str
    targets: int
    unknown: int
    leaks: JsonObject
    leaky: bool
    fault: Fault
    ended: Ended
    success: bool | None
    lists: dict[str, Turns]
    data: JsonObject

    @classmethod
    def of(cls, stored: StoredDialogue, options: IEvaLMOptions) -> Reading:
        """Read a stored dialogue."""
        unit, dialogue = stored.unit, stored.dialogue
        data = dialogue.data
        return cls(
            setting=data["setting"],
            user=unit.user,
            system=unit.system,
            unit=f"{unit.id}|{unit.user}|{unit.repeat}",
            cluster=dialogue.root,
            targets=len(data["targets"]),
            unknown=len(data["unknown"]),
            leaks=data["leaks"],
            leaky=is_leaky(data["leaks"], options.audit),
            fault=dialogue.fault,
            ended=dialogue.ended,
            success=dialogue.success,
            lists={name: _turns(turns) for name, turns in data.get("lists", {}).items()},
            data=data,
        )

    def positions(self, name: str, k: int, ties: Ties) -> tuple[Position, ...] | None:
        """Return where the targets stand in the list that counts; missed where nothing was ever listed.

        None where the unit failed, so that there is nothing to read.
        """
        return None if self.fault != "none" else self._counted(name, k, ties)

    def by_turn(self, name: str, turn: int) -> tuple[Position, ...] | None:
        """Return where the targets stand in the last list up to a turn; as `positions` otherwise."""
        if self.fault != "none":
            return None
        return self.lists.get(name, Turns(())).at(turn) or self.missed

    @property
    def missed(self) -> tuple[Position, ...]:
        """The positions of targets that stand nowhere."""
        return (_MISSED,) * self.targets

    @property
    def recommended(self) -> bool:
        """Whether the system listed anything in any turn."""
        if "empty" in self.data:
            return not all(self.data["empty"])
        return any(found is not None for turns in self.lists.values() for found in turns.turns)

    def coverage(self, turns: int) -> list[float | None]:
        """Return the share of targets shown up to each turn; a dialogue that ended before keeps what it had."""
        shown: Sequence[Sequence[str]] = self.data.get("covered", ())
        padded = [*shown[:turns], *([()] * (turns - len(shown)))]
        return coverage_by_turn(padded, self.data["targets"], max(1, self.targets))

    def _counted(self, name: str, k: int, ties: Ties) -> tuple[Position, ...]:
        return self.lists.get(name, Turns(())).counted(k, ties) or self.missed


def readings(dialogues: Iterator[StoredDialogue], options: IEvaLMOptions) -> Iterator[Reading]:
    """Yield all units that left a dialogue, read."""
    return (Reading.of(stored, options) for stored in dialogues)


def _turns(value: Json) -> Turns:
    return Turns(
        tuple(None if found is None else tuple(Position.from_json(place) for place in found) for found in value)
    )


def _reached(place: Position, k: int, ties: Ties) -> bool:
    return place.rank is not None and (place.rank <= k if ties == "id" else place.better < k)
