"""A made-up run to report on. The shop, its films and its visitors are invented."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from mysteryshopper.core import (
    Call,
    Case,
    Dialogue,
    Estimate,
    Exhibit,
    ItemRef,
    Message,
    Metric,
    Node,
    Ruling,
    Shown,
    StoredDialogue,
    StoredVerdict,
    Unit,
    UnitRecord,
    Verdict,
)
from mysteryshopper.report import ReportInput

EXPERIMENT = """\
protocol: conversation
seed: 7
models:
  writer: {provider: openai, name: any-name, base_url: http://127.0.0.1:9000/v1, api_key_env: WRITER_KEY}
users:
- {name: plain, kind: single-prompt, model: writer}
systems:
- {name: mine, kind: http, url: http://127.0.0.1:9001/reply}
- {name: popular, kind: popularity}
"""


@dataclass
class FakeStore:
    """What a run left, from lists."""

    dialogue_list: Sequence[StoredDialogue] = ()
    unit_list: Sequence[UnitRecord] = ()
    verdict_list: Sequence[StoredVerdict] = ()
    plan: Any = None

    def units(self) -> Iterator[UnitRecord]:
        return iter(self.unit_list)

    def dialogues(self, *, nodes: bool = True, among: Container[str] | None = None) -> Iterator[StoredDialogue]:
        return (stored for stored in self.dialogue_list if among is None or stored.dialogue.id in among)

    def verdicts(self, *, messages: bool = True) -> Iterator[StoredVerdict]:
        return iter(self.verdict_list)

    def calls(self) -> Iterator[Call]:
        return iter(())


@dataclass
class Words:
    """Texts to plant at every place that takes one."""

    user: str = "Hi! I feel like something slow and warm tonight."
    system: str = "You may like these two."
    thought: str = "The second one is what I wanted, so I take it."
    title: str = "The Salt Clock"
    detail: str = ""
    names: str = "mine"
    extra: dict[str, Any] = field(default_factory=dict)


def dialogue(number: int = 0, words: Words | None = None, **changes: Any) -> StoredDialogue:
    """A dialogue of three turns in which the second item shown is taken."""
    words = words or Words()
    unit = Unit(f"visitor-{number:03d}", user="plain", system=words.names)
    opening = Node(
        "0",
        None,
        "user",
        1,
        (Message("user", words.user, author="simulated"),),
        turn_data={"thought": words.thought, "action": "describe"},
        flags=("role_reversal",) if number % 5 == 1 else (),
    )
    shown = (Shown(ItemRef("17", "Lantern Road", 1998), mine=False), Shown(ItemRef("4", words.title, 2004), mine=True))
    reply = Node(
        "0.0",
        "0",
        "system",
        1,
        (Message("assistant", words.system), Message("assistant", "Shall I say more about one of them?")),
        items=shown,
        turn_data={"notes": words.extra},
    )
    closing = Node(
        "0.0.0",
        "0.0",
        "user",
        2,
        (Message("user", f"{words.title}, please. Thank you!", author="simulated"),),
        turn_data={"accepts": ["4"], "end": "done", "rating": 4.0},
    )
    record = Dialogue(
        f"d{number}", f"p{number}", (opening, reply, closing), "user_done", detail=words.detail, success=True
    )
    return StoredDialogue(unit, _replaced(record, changes))


def _replaced(record: Dialogue, changes: dict[str, Any]) -> Dialogue:
    from dataclasses import replace

    return replace(record, **changes)


def metric(name: str, system: str, value: float | None, low: float | None, high: float | None, **more: Any) -> Metric:
    """A metric over 49 units of one system."""
    control = more.pop("control", False)
    definition = more.pop("definition", "Share of dialogues in which an accepted item met the wish.")
    estimate = Estimate(value, low, high, n=49, clusters=49, method=more.pop("method", "wilson"), **more)
    return Metric(name, {"system": system}, estimate, definition, control=control)


def metrics(name: str = "mine") -> list[Metric]:
    """Two metrics of two systems and a control."""
    return [
        metric("success", name, 0.61, 0.47, 0.74, bounds=(0.58, 0.64)),
        metric("success", "other", 0.12, 0.05, 0.24),
        metric("success", "popular", 0.2, 0.11, 0.33, control=True),
        metric("rating", name, 3.4, None, None, method="", reason="9 clusters are too few", definition="Mean rating."),
        metric(
            "rating",
            "popular",
            None,
            None,
            None,
            method="",
            reason="nobody rated",
            definition="Mean rating.",
            control=True,
        ),
    ]


def summary(**changes: Any) -> dict[str, Any]:
    """A summary of 50 planned units, three of them lost."""
    return {
        "schema": 1,
        "protocol": "conversation",
        "seed": 7,
        "units": {"planned": 50, "complete": 47, "faults": {"user": 1, "system": 2, "judge": 0, "infra": 0}},
        "metrics": [],
        "usage": {
            "user": {"calls": 300, "cached": 12, "input_tokens": 91000, "output_tokens": 7000, "cost": None},
            "system": {"calls": 150, "cached": 0, "input_tokens": 52000, "output_tokens": 9000, "cost": 0.1234},
        },
        **changes,
    }


def units(detail: str = "POST /reply answered 502 four times", name: str = "mine") -> list[UnitRecord]:
    """The three lost units and one that was complete."""
    return [
        UnitRecord(Unit("v1", "plain", name), "complete", "user_done"),
        UnitRecord(Unit("v2", "plain", name), "failed", "http_error", "system", detail),
        UnitRecord(Unit("v3", "plain", name), "failed", "http_error", "system", detail),
        UnitRecord(Unit("v4", "plain", name), "failed", "user_fault", "user", "role_reversal twice"),
    ]


def verdict(dialogue_id: str, value: str = "tie") -> StoredVerdict:
    """A verdict on one dialogue."""
    case = Case("c1", "u1", (Exhibit("A", dialogue_id, "0.0", ()),), ())
    return StoredVerdict(case, Verdict("c1", (Ruling("helpfulness", value, "ok"),)), "referee", "k")


def report(count: int = 3, words: Words | None = None, **changes: Any) -> ReportInput:
    """All of it as a report's input."""
    name = (words or Words()).names
    store = FakeStore([dialogue(number, words) for number in range(count)], units(name=name), [verdict("d0")])
    parts = {
        "store": store,
        "metrics": metrics(name),
        "summary": summary(),
        "experiment": EXPERIMENT,
        "name": "evening",
    }
    return ReportInput(**{**parts, **changes})
