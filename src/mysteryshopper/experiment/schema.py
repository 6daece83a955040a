"""The JSON Schema of experiment files, for editors and for whoever writes them by program."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from mysteryshopper.core import ConfigError
from mysteryshopper.experiment.blocks import BLOCK_KEYS
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.kinds import REGISTRIES

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ROLES = {"users": "UserBlock", "systems": "SystemBlock", "judges": "JudgeBlock"}


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of an experiment file, with the options of every kind that is installed."""
    schema = Experiment.model_json_schema(by_alias=True)
    definitions: dict[str, Any] = schema["$defs"]
    for role, block in _ROLES.items():
        definitions[block]["properties"]["kind"]["enum"] = REGISTRIES[role].names()
        definitions[block]["allOf"] = _options(role, "kind", definitions)
    definitions["ModelBlock"]["properties"]["provider"]["enum"] = REGISTRIES["models"].names()
    schema["properties"]["protocol"]["enum"] = REGISTRIES["protocols"].names()
    schema["allOf"] = _options("protocols", "protocol", definitions)
    for key in BLOCK_KEYS:
        schema["properties"][key] = schema["properties"][f"{key}s"]["items"]
        schema["allOf"].append({"not": {"required": [key, f"{key}s"]}})
    schema["properties"]["data"]["anyOf"].append({"type": "string", "description": "A path."})
    return {"$schema": _DIALECT, **schema, "title": "An experiment of mysteryshopper"}


def _options(role: str, key: str, definitions: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one rule a kind: if it is chosen, these are its options."""
    rules = []
    for kind in REGISTRIES[role].names():
        options = _options_schema(role, kind)
        for name, inner in options.pop("$defs", {}).items():
            definitions.setdefault(name, inner)
        name = f"{role}.{kind}.options"
        definitions[name] = options
        rules.append(
            {
                "if": {"properties": {key: {"const": kind}}, "required": [key]},
                "then": {"properties": {"options": {"$ref": f"#/$defs/{name}"}}},
            }
        )
    return rules


def _options_schema(role: str, kind: str) -> dict[str, Any]:
    try:
        model = getattr(REGISTRIES[role].load(kind), "options", None)
    except ConfigError:  # a plug-in that can't be loaded must not keep the others from being described
        return {"type": "object"}
    if isinstance(model, type) and issubclass(model, BaseModel) and model is not BaseModel:
        return model.model_json_schema()
    return {"type": "object", "maxProperties": 0}
