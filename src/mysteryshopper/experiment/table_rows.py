"""Columns of `tables/*.parquet`, and the rows that what a run left has in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from mysteryshopper.core import (
    Call,
    ItemRef,
    Json,
    Metric,
    Node,
    Score,
    StoredDialogue,
    StoredVerdict,
    Unjudged,
    canonical,
)

_STR, _INT, _FLOAT, _BOOL = pa.string(), pa.int64(), pa.float64(), pa.bool_()

SCHEMAS: dict[str, Any] = {
    "dialogues": {
        **dict.fromkeys(("dialogue", "unit"), _STR),
        "repeat": _INT,
        **dict.fromkeys(("user", "system", "profile", "ended", "fault", "detail"), _STR),
        "success": _BOOL,
        "turns": _INT,
        "root": _STR,
        "data": _STR,
    },
    "turns": {
        **dict.fromkeys(("dialogue", "node", "parent"), _STR),
        "turn": _INT,
        **dict.fromkeys(("role", "text", "items", "action", "thought", "flags", "prompt", "call"), _STR),
        "ms": _FLOAT,
    },
    "verdicts": {
        **dict.fromkeys(("case", "dialogue", "node", "judge", "order"), _STR),
        "repeat": _INT,
        **dict.fromkeys(("criterion", "value", "status", "raw", "notes", "control"), _STR),
    },
    "unjudged": {
        **dict.fromkeys(("case", "dialogue", "judge"), _STR),
        "repeat": _INT,
        **dict.fromkeys(("status", "reason"), _STR),
    },
    "calls": {
        **dict.fromkeys(("call", "address", "role", "component", "model", "status"), _STR),
        "cached": _BOOL,
        **dict.fromkeys(("attempts", "input_tokens", "output_tokens"), _INT),
        **dict.fromkeys(("cost", "ms"), _FLOAT),
        **dict.fromkeys(("finish", "prompt"), _STR),
    },
    "scores": {
        **dict.fromkeys(("name", "unit", "user", "system", "cluster"), _STR),
        "value": _FLOAT,
        **dict.fromkeys(("fault", "better"), _STR),
        "control": _BOOL,
    },
    "metrics": {
        **dict.fromkeys(("name", "group"), _STR),
        **dict.fromkeys(("value", "low", "high"), _FLOAT),
        **dict.fromkeys(("n", "clusters"), _INT),
        "level": _FLOAT,
        **dict.fromkeys(("method", "reason"), _STR),
        **dict.fromkeys(("bound_low", "bound_high", "p", "detectable"), _FLOAT),
        "better": _STR,
        "control": _BOOL,
        "definition": _STR,
    },
}
"""Columns by table. Lists and objects (`items`, `flags`, `data`, `value`, `group`) are JSON text."""

Row = tuple[Any, ...]
"""The values of one row, in the order of its table's columns."""


def dialogue_row(stored: StoredDialogue) -> Row:
    """Return the row of a dialogue."""
    unit, dialogue = stored.unit, stored.dialogue
    return (
        dialogue.id,
        unit.id,
        unit.repeat,
        unit.user,
        unit.system,
        dialogue.profile,
        dialogue.ended,
        dialogue.fault,
        dialogue.detail,
        dialogue.success,
        sum(1 for node in dialogue.nodes if node.side == "system" and node.turn > 0),
        dialogue.root,
        canonical(dialogue.data),
    )


def turn_rows(node: Node) -> list[Row]:
    """Return the rows of a dialogue's node, without the dialogue's name, which comes first.

    It is one row, but of what people said before one a message.
    """
    flags, calls = _json(list(node.flags)), " ".join(node.calls)
    action, thought = node.turn_data.get("action"), node.turn_data.get("thought")
    said = (
        [(message.side, message.text, _refs(message.items)) for message in node.messages]
        if node.turn == 0
        else [(node.side, "\n".join(part.text for part in node.messages), _items(node))]
    )
    return [
        (node.id, node.parent, node.turn, role, text, items, action, thought, flags, node.prompt, calls, node.ms)
        for role, text, items in said
    ]


def _ref(item: ItemRef) -> dict[str, Json]:
    return {"id": item.id, "title": item.title, "year": item.year}


def _refs(items: Iterable[ItemRef]) -> str:
    return _json([_ref(item) for item in items])


def _json(value: Json) -> str:
    return canonical(value) if value else "[]"


def _items(node: Node) -> str:
    return _json([{**_ref(shown.item), "mine": shown.mine} for shown in node.items])


def ruling_rows(stored: StoredVerdict) -> Iterator[Row]:
    """Yield the rows of a verdict, one a ruling."""
    exhibits = stored.case.exhibits
    for ruling in stored.verdict.rulings:
        yield (
            stored.case.id,
            " ".join(exhibit.dialogue for exhibit in exhibits),
            ruling.node or " ".join(exhibit.node for exhibit in exhibits),
            stored.judge,
            ruling.order,
            stored.repeat,
            ruling.criterion,
            _text(ruling.value),
            ruling.status,
            ruling.raw,
            canonical(dict(ruling.notes)),
            stored.case.control,
        )


def unjudged_row(failed: Unjudged) -> Row:
    """Return the row of a case that could not be judged."""
    return (
        failed.case.id,
        " ".join(exhibit.dialogue for exhibit in failed.case.exhibits),
        failed.judge,
        failed.repeat,
        failed.status,
        failed.reason,
    )


def _text(value: Json) -> str | None:
    return None if value is None else value if isinstance(value, str) else canonical(value)


def call_row(call: Call) -> Row:
    """Return the row of a call."""
    return (
        call.id,
        str(call.address),
        call.address.role,
        call.address.component,
        call.model,
        call.status,
        call.cached,
        call.attempts,
        call.usage.input_tokens,
        call.usage.output_tokens,
        call.usage.cost,
        call.ms,
        call.finish,
        call.prompt,
    )


def score_row(score: Score, control: bool) -> Row:
    """Return the row of one unit's value."""
    return (
        score.name,
        score.unit,
        score.user,
        score.system,
        score.cluster,
        score.value,
        score.fault,
        score.better,
        control,
    )


def metric_row(metric: Metric) -> Row:
    """Return the row of a number."""
    estimate = metric.estimate
    low, high = estimate.bounds or (None, None)
    return (
        metric.name,
        canonical(dict(metric.group)),
        estimate.value,
        estimate.low,
        estimate.high,
        estimate.n,
        estimate.clusters,
        estimate.level,
        estimate.method,
        estimate.reason,
        low,
        high,
        estimate.p,
        estimate.detectable,
        metric.better,
        metric.control,
        metric.definition,
    )
