"""`tables/*.parquet`: a run's dialogues, turns, verdicts, cases not judged, calls and metrics as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from mysteryshopper.core import ItemRef, Json, Metric, Node, Store, StoredDialogue, StoredVerdict, Unjudged, canonical
from mysteryshopper.core.chat import Call

_ROWS = 2000  # in memory at a time

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


def write_tables(folder: Path, store: Store, metrics: Iterable[Metric], schema: int) -> None:
    """Write all tables, streaming; each file appears when it is whole and carries the schema version."""
    folder.mkdir(parents=True, exist_ok=True)
    with _Table(folder, "dialogues", schema) as dialogues, _Table(folder, "turns", schema) as turns:
        for stored in store.dialogues():  # once for both: reading them is what takes time
            dialogues.add(_dialogue(stored))
            for row in _turns(stored):
                turns.add(row)
    others: Mapping[str, Iterator[Row]] = {
        "verdicts": (row for stored in store.verdicts(messages=False) for row in _rulings(stored)),
        "unjudged": map(_unjudged, store.unjudged()),
        "calls": map(_call, store.calls()),
        "metrics": map(_metric, metrics),
    }
    for name, rows in others.items():
        with _Table(folder, name, schema) as table:
            for row in rows:
                table.add(row)


class _Table:
    """One Parquet file, written in row groups; it appears under its name when it is whole."""

    def __init__(self, folder: Path, name: str, schema: int) -> None:
        self._path = folder / f"{name}.parquet"
        self._partial = folder / f"{name}.partial"
        self._shape = pa.schema(list(SCHEMAS[name].items()), metadata={"mysteryshopper_schema": str(schema)})
        self._rows: list[Row] = []

    def __enter__(self) -> Self:
        self._writer = pq.ParquetWriter(self._partial, self._shape)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._flush()
        self._writer.close()
        if kind is None:
            self._partial.replace(self._path)

    def add(self, row: Row) -> None:
        """Add one row."""
        self._rows.append(row)
        if len(self._rows) == _ROWS:
            self._flush()

    def _flush(self) -> None:
        columns = {name: [row[name] for row in self._rows] for name in self._shape.names}
        self._writer.write_table(pa.Table.from_pydict(columns, schema=self._shape))
        self._rows.clear()


def _dialogue(stored: StoredDialogue) -> Row:
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


def _turns(stored: StoredDialogue) -> Iterator[Row]:
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


def _rulings(stored: StoredVerdict) -> Iterator[Row]:
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


def _unjudged(failed: Unjudged) -> Row:
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


def _call(call: Call) -> Row:
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


def _metric(metric: Metric) -> Row:
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
