"""What judges ruled, as a report shows it: at the turn it concerns, beneath the dialogue, and counted."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from mysteryshopper.core import Json, JsonObject, Ruling, StoredVerdict
from mysteryshopper.report.text import one_line, shorten

_READ = ("ok", "repaired")
_MOST_VALUES = 6


@dataclass(frozen=True, slots=True)
class Opinion:
    """One ruling of a judge on a dialogue.

    Attributes:
        judge: Name of the judge block.
        criterion: What was asked.
        value: The answer in words; a dash where it could not be read.
        status: How the reply could be read.
        order: In which order the exhibits were shown.
        node: The turn it concerns; empty for the whole dialogue.
        remarks: What the judge bases it on, as node and text, where it names the turn.
        evidence: What else it bases it on, as name and text.
        raw: The reply as it came, where it says more than the value.
        exhibit: For a pair: which exhibit this dialogue was, and against which system.
        control: `same` or `worse` for a control case.
    """

    judge: str
    criterion: str
    value: str
    status: str
    order: str
    node: str
    remarks: tuple[tuple[str, str], ...]
    evidence: tuple[tuple[str, str], ...]
    raw: str
    exhibit: str
    control: str

    @property
    def is_marked(self) -> bool:
        """Whether there is more to say of it than the value: not read, of a pair, or of a control."""
        return bool(self.status not in _READ or self.exhibit or self.control)

    @property
    def token(self) -> str:
        """What a filter calls it: criterion and value."""
        return f"{self.criterion}: {self.value}" if self.status in _READ else f"{self.criterion}: not read"


@dataclass(frozen=True, slots=True)
class Tally:
    """What one judge said on one criterion, control cases left out.

    Attributes:
        judge: Name of the judge block.
        criterion: What was asked.
        read: Rulings with a value.
        unread: Rulings without, in words by status; empty where there are none.
        values: The most frequent values, or mean and range of numbers, in words.
    """

    judge: str
    criterion: str
    read: int
    unread: str
    values: str


@dataclass(frozen=True, slots=True)
class Opinions:
    """Rulings by dialogue, for those a report shows; and the tallies over all."""

    by_dialogue: Mapping[str, tuple[Opinion, ...]]
    tallies: tuple[Tally, ...]
    cases: int
    controls: int


@dataclass
class _Count:
    read: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    values: Counter[str | float] = field(default_factory=Counter)  # in words, but for fractions: those are told once
    total: float = 0.0
    low: float = float("inf")
    high: float = float("-inf")
    numbers: int = 0

    def add(self, ruling: Ruling) -> None:
        value = ruling.value
        if value is None or ruling.status not in _READ:
            self.unread[ruling.status] += 1
            return
        self.read += 1
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            self.numbers += 1
            self.total += value
            if value < self.low:
                self.low = value
            if value > self.high:
                self.high = value
        self.values[value if isinstance(value, float) else _value(value)] += 1

    def words(self) -> str:
        values: Counter[str] = Counter()
        for value, number in self.values.items():
            values[_value(value)] += number
        if self.read and self.numbers == self.read and len(values) > 2:
            return f"mean {self.total / self.read:.2f}, from {self.low:.4g} to {self.high:.4g}"
        told = ", ".join(f"{value}: {number:,}" for value, number in values.most_common(_MOST_VALUES))
        return f"{told}, …" if len(values) > _MOST_VALUES else told


def gather(verdicts: Iterable[StoredVerdict], wanted: Collection[str]) -> Opinions:
    """Read all verdicts once, streaming; keep the rulings on the dialogues wanted, count the others."""
    found: dict[str, list[Opinion]] = defaultdict(list)
    counts: dict[tuple[str, str], _Count] = defaultdict(_Count)
    cases = controls = 0
    for stored in verdicts:
        case = stored.case
        cases += 1
        controls += bool(case.control)
        for ruling in () if case.control else stored.verdict.rulings:
            counts[stored.judge, ruling.criterion].add(ruling)
        for exhibit in {exhibit.dialogue: exhibit for exhibit in case.exhibits}.values():
            if exhibit.dialogue in wanted:
                where = _exhibit(stored, exhibit.label)
                found[exhibit.dialogue].extend(_opinion(stored, ruling, where) for ruling in stored.verdict.rulings)
    tallies = tuple(
        Tally(
            one_line(judge),
            one_line(criterion),
            one.read,
            ", ".join(f"{status} {number:,}" for status, number in sorted(one.unread.items())),
            one.words(),
        )
        for (judge, criterion), one in counts.items()
    )
    return Opinions({name: tuple(opinions) for name, opinions in found.items()}, tallies, cases, controls)


def _exhibit(stored: StoredVerdict, label: str) -> str:
    if len(stored.case.exhibits) < 2:
        return ""
    systems = stored.case.data.get("systems")
    if not isinstance(systems, (list, tuple)) or len(systems) < 2:
        return one_line(label)
    return one_line(f"{label} ({systems[0]} against {systems[1]})")


def _opinion(stored: StoredVerdict, ruling: Ruling, exhibit: str) -> Opinion:
    value = _value(ruling.value)
    remarks, evidence = _evidence(ruling.notes)
    raw = (ruling.raw or "").strip()
    return Opinion(
        judge=one_line(stored.judge) + (f" (repeat {stored.repeat})" if stored.repeat else ""),
        criterion=one_line(ruling.criterion),
        value=value,
        status=ruling.status,
        order=ruling.order,
        node=ruling.node if len(stored.case.exhibits) == 1 else "",
        remarks=remarks,
        evidence=evidence,
        raw="" if raw == value else shorten(raw, 2_000)[0],
        exhibit=exhibit,
        control=stored.case.control,
    )


def _value(value: Json) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else one_line(str(value))


def _evidence(notes: JsonObject) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """Split notes into remarks on turns (entries of `evidence` with `node` and `what`) and all else that is said."""
    remarks: list[tuple[str, str]] = []
    others: list[tuple[str, str]] = []
    for key, value in notes.items():
        if key == "evidence" and isinstance(value, (list, tuple)):
            placed = [one for one in value if isinstance(one, Mapping) and one.get("node") and "what" in one]
            remarks.extend((str(one["node"]), one_line(str(one["what"]), 600)) for one in placed)
            others.extend(("evidence", _words(one)) for one in value if one not in placed)
        elif value not in (None, "", [], {}):
            others.append((one_line(str(key)), _words(value)))
    return tuple(remarks), tuple(others)


def _words(value: object) -> str:
    if isinstance(value, Mapping):
        return one_line("; ".join(f"{key} {_words(inner)}" for key, inner in value.items()), 600)
    if isinstance(value, (list, tuple)):
        return one_line(", ".join(_words(inner) for inner in value), 600)
    return one_line(str(value), 600)
