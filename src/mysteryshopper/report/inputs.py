"""What a report is made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mysteryshopper.core import ConfigError, JsonObject, Metric, Store

if TYPE_CHECKING:
    from mysteryshopper.experiment.labels.agreeing import Labelled


@dataclass(frozen=True, slots=True)
class ReportInput:
    """All that a report is made from.

    Attributes:
        store: What the run left.
        metrics: The numbers, in the order of their weight: the first names make the headline.
        summary: Content of `summary.json`.
        experiment: Text of the resolved `experiment.yaml`; secrets are names in it.
        name: Name of the run, usually its folder's.
        assertions: What the experiment asserts, as (assertion, whether it holds, why not).
        labelled: What people voted on, with their votes and what judges said.
    """

    store: Store
    metrics: Sequence[Metric]
    summary: JsonObject
    experiment: str = ""
    name: str = ""
    assertions: Sequence[tuple[str, bool, str]] = ()
    labelled: Sequence[Labelled] = ()


def local_models(experiment: str) -> list[str]:
    """Return the names of the models in a resolved experiment whose provider is `local`, sorted."""
    names = {
        str(block.get("name") or label)
        for label, block in _mappings(_parse(experiment), "model")
        if block.get("provider") == "local" and label != "embedding"
    }
    return sorted(names)


def block_names(experiment: str) -> dict[str, tuple[str, ...]]:
    """Return the names of the `users`, `systems` and `judges` blocks of a resolved experiment, in its order."""
    content = _parse(experiment)
    found = {}
    for part in ("users", "systems", "judges"):
        single = content.get(part.removesuffix("s"))
        blocks = content.get(part) or ([single] if isinstance(single, Mapping) else [])
        found[part] = tuple(
            str(block.get("name", block.get("kind", ""))) for block in blocks if isinstance(block, Mapping)
        )
    return found


def system_kinds(experiment: str) -> dict[str, str]:
    """Return the kind of each system block of a resolved experiment, by name."""
    content = _parse(experiment)
    blocks = content.get("systems") or ([content["system"]] if isinstance(content.get("system"), Mapping) else [])
    return {
        str(block.get("name", block.get("kind", ""))): str(block.get("kind", ""))
        for block in blocks
        if isinstance(block, Mapping)
    }


def insiders(experiment: str) -> list[str]:
    """Return the names of the user blocks in a resolved experiment whose kind is given its targets, sorted.

    A kind that can't be loaded any more (its package is gone) is left out.
    """
    content = _parse(experiment)
    blocks = content.get("users") or ([content["user"]] if isinstance(content.get("user"), Mapping) else [])
    return sorted(str(block.get("name", block["kind"])) for block in blocks if _sees_targets(block.get("kind")))


def _sees_targets(kind: Any) -> bool:
    from mysteryshopper.users import USERS  # here: a report without insiders should not wait for the users' imports

    try:
        return bool(kind) and bool(getattr(USERS.load(str(kind)), "sees_targets", False))
    except ConfigError:
        return False


def _parse(experiment: str) -> Mapping[str, Any]:
    import yaml

    content = yaml.safe_load(experiment)
    return content if isinstance(content, Mapping) else {}


def _mappings(value: Any, label: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(value, Mapping):
        yield label, value
        for key, inner in value.items():
            yield from _mappings(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from _mappings(inner, label)
