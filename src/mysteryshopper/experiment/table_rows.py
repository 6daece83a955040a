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

Row = dict[str, Any]


def dialogue_row(stored: StoredDialogue) -> Row:
    """Return the row of a dialogue."""
    unit, dialogue = stored.unit, stored.dialogue
    return {
        "dialogue": dialogue.id,
        "unit": unit.id,
        "repeat": unit.repeat,
        "user": unit.user,
        "system": unit.system,
        "profile": dialogue.profile,
        "ended": dialogue.ended,
        "fault": dialogue.fault,
        "detail": dialogue.detail,
        "success": dialogue.success,
        "turns": sum(1 for node in dialogue.nodes if node.side == "system" and node.turn > 0),
        "root": dialogue.root,
        "data": canonical(dialogue.data),
    }


def turn_rows(stored: StoredDialogue) -> Iterator[Row]:
    """Yield the rows of a dialogue's turns: one a node, and one a message of what people said before."""
    for node in stored.dialogue.nodes:
        prefix = node.turn == 0
        for message in node.messages if prefix else (None,):
            yield {
                "dialogue": stored.dialogue.id,
                "node": node.id,
                "parent": node.parent,
                "turn": node.turn,
                "role": node.side if message is None else message.side,
                "text": "\n".join(part.text for part in node.messages) if message is None else message.text,
                "items": _items(node) if message is None else _refs(message.items),
                "action": node.turn_data.get("action"),
                "thought": node.turn_data.get("thought"),
                "flags": _json(list(node.flags)),
                "prompt": node.prompt,
                "call": " ".join(node.calls),
                "ms": node.ms,
            }


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
        yield {
            "case": stored.case.id,
            "dialogue": " ".join(exhibit.dialogue for exhibit in exhibits),
            "node": ruling.node or " ".join(exhibit.node for exhibit in exhibits),
            "judge": stored.judge,
            "order": ruling.order,
            "repeat": stored.repeat,
            "criterion": ruling.criterion,
            "value": _text(ruling.value),
            "status": ruling.status,
            "raw": ruling.raw,
            "notes": canonical(dict(ruling.notes)),
            "control": stored.case.control,
        }


def unjudged_row(failed: Unjudged) -> Row:
    """Return the row of a case that could not be judged."""
    return {
        "case": failed.case.id,
        "dialogue": " ".join(exhibit.dialogue for exhibit in failed.case.exhibits),
        "judge": failed.judge,
        "repeat": failed.repeat,
        "status": failed.status,
        "reason": failed.reason,
    }


def _text(value: Json) -> str | None:
    return None if value is None else value if isinstance(value, str) else canonical(value)


def call_row(call: Call) -> Row:
    """Return the row of a call."""
    return {
        "call": call.id,
        "address": str(call.address),
        "role": call.address.role,
        "component": call.address.component,
        "model": call.model,
        "status": call.status,
        "cached": call.cached,
        "attempts": call.attempts,
        "input_tokens": call.usage.input_tokens,
        "output_tokens": call.usage.output_tokens,
        "cost": call.usage.cost,
        "ms": call.ms,
        "finish": call.finish,
        "prompt": call.prompt,
    }


def score_row(score: Score, control: bool) -> Row:
    """Return the row of one unit's value."""
    return {
        "name": score.name,
        "unit": score.unit,
        "user": score.user,
        "system": score.system,
        "cluster": score.cluster,
        "value": score.value,
        "fault": score.fault,
        "better": score.better,
        "control": control,
    }


def metric_row(metric: Metric) -> Row:
    """Return the row of a number."""
    estimate = metric.estimate
    low, high = estimate.bounds or (None, None)
    return {
        "name": metric.name,
        "group": canonical(dict(metric.group)),
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
        "clusters": estimate.clusters,
        "level": estimate.level,
        "method": estimate.method,
        "reason": estimate.reason,
        "bound_low": low,
        "bound_high": high,
        "p": estimate.p,
        "detectable": estimate.detectable,
        "better": metric.better,
        "control": metric.control,
        "definition": metric.definition,
    }
