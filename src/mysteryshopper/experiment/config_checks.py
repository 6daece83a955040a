"""What the keys of an experiment must be to each other: names, kinds, options, memory, prices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mysteryshopper.core import ConfigError, unknown
from mysteryshopper.datasets import DATASETS
from mysteryshopper.experiment.blocks import JudgeBlock, SystemBlock, UserBlock
from mysteryshopper.experiment.kinds import MODELS, PROTOCOLS, REGISTRIES, SYSTEMS, options_of
from mysteryshopper.models.block import ModelBlock
from mysteryshopper.models.budget import check_priced

if TYPE_CHECKING:
    from mysteryshopper.experiment.config import Experiment

_OWN_KEYS = ("model", "embedding", "url", "headers", "function", "memory")

_TAKES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "systems": {
        "agent-crs": ("model",),
        "base-crs": ("model",),
        "chat-persona": ("model",),
        "http": ("url", "headers", "memory"),
        "openai": ("model",),
        "python": ("function", "memory"),
        "embedding": ("embedding",),
        "zero-shot": ("model",),
        "zero-shot+embedding": ("model", "embedding"),
    },
    "users": dict.fromkeys(
        (
            "adaptsim",
            "cshi",
            "dual-prompt",
            "ievalm",
            "ievalm-published",
            "recusersim",
            "simple-usersim",
            "single-prompt",
            "target-free",
        ),
        ("model",),
    ),
    "judges": dict.fromkeys(("pairwise", "persuasiveness", "rubric", "simulators", "styles"), ("model",)),
}
"""Keys beside name, kind, profiles and options that a built-in kind takes; the first of them must be given."""

_OPTIONAL = frozenset({"embedding"})


def check(experiment: Experiment) -> None:
    """Check what no single key can tell.

    Raises:
        ConfigError: The first thing that does not fit.
    """
    for name, blocks in (("users", experiment.users), ("systems", experiment.systems), ("judges", experiment.judges)):
        _check_distinct(name, [block.name for block in blocks])
    for key, model in experiment.blocks():
        if isinstance(model, ModelBlock):
            MODELS.load(model.provider, key=f"{key}.provider")
    for key, block in experiment.sides():
        _check_side(experiment, key, block)
    _check_data(experiment)
    _check_protocol(experiment)
    _check_assertions(experiment)
    embedders = set(used_models(experiment, ("embedding",))) - set(used_models(experiment, ("model",)))
    check_priced(used_models(experiment), experiment.limits.max_cost, embedders=embedders)


def used_models(experiment: Experiment, parts: Iterable[str] = ("model", "embedding")) -> dict[str, ModelBlock]:
    """Return the models that users, systems, judges and the protocol talk to, by name, or by path if written in place.

    Args:
        experiment: The experiment.
        parts: Which keys of the blocks: those that name chat models, embedding models, or both. What a protocol calls
            by itself (it says so in an attribute `models`, names by key) are chat models.
    """
    found: dict[str, ModelBlock] = {}
    for key, block in experiment.sides():
        for part in parts:
            value = getattr(block, part, None)
            if isinstance(value, str):
                found[value] = experiment.models[value]
            elif value is not None:
                found[f"{key}.{part}"] = value
    if "model" in parts:
        found |= {name: experiment.models[name] for name in _own_models(experiment).values()}
    return found


def _own_models(experiment: Experiment) -> Mapping[str, str]:
    """Return the names of the models that the protocol calls by itself, by the key that names each."""
    kind: Any = PROTOCOLS.load(experiment.protocol, key="protocol")
    named: Mapping[str, str] = getattr(kind(options_of(kind, experiment.options, ("options",))), "models", {})
    return named


def memory_of(block: SystemBlock) -> str:
    """Return where a system keeps what was said: as its block says, else as its kind does."""
    kind = SYSTEMS.load(block.kind)
    return block.memory or getattr(kind, "memory", None) or ("session" if block.kind == "python" else "messages")


def _check_distinct(name: str, names: Iterable[str]) -> None:
    first: dict[str, int] = {}
    for place, given in enumerate(names):
        folded = given.casefold()
        if folded in first:
            raise ConfigError(
                f"the name {given!r} is taken by {name}[{first[folded]}]; give each block a name of its own.",
                key=f"{name}[{place}].name",
            )
        first[folded] = place


def _check_side(experiment: Experiment, key: str, block: UserBlock | SystemBlock | JudgeBlock) -> None:
    role = key.partition("[")[0]
    registry = REGISTRIES[role]
    kind = registry.load(block.kind, key=f"{key}.kind")
    for part in ("model", "embedding"):
        named = getattr(block, part, None)
        if isinstance(named, str) and named not in experiment.models:
            raise ConfigError(
                unknown("model", named, experiment.models) + " Models are named under `models:`.", key=f"{key}.{part}"
            )
    if registry.source(block.kind) == "built in":
        _check_own_keys(key, block, _TAKES.get(role, {}).get(block.kind, ()))
    options_of(kind, block.options, _loc(key, "options"))


def _check_own_keys(key: str, block: UserBlock | SystemBlock | JudgeBlock, takes: tuple[str, ...]) -> None:
    for name in _OWN_KEYS:
        given = getattr(block, name, None)
        if given and name not in takes:
            raise ConfigError(
                f"the kind {block.kind!r} takes no {name}; remove the key or change the kind.", key=f"{key}.{name}"
            )
    if takes and not getattr(block, takes[0]) and takes[0] not in _OPTIONAL:
        raise ConfigError(f"is missing: the kind {block.kind!r} needs it.", key=f"{key}.{takes[0]}")


def _check_data(experiment: Experiment) -> None:
    block = experiment.data
    if block is None:
        return
    if block.name is not None:
        DATASETS.load(block.name, key="data.name")
    elif block.path in DATASETS.names() and not (Path(experiment.folder) / block.path).exists():
        raise ConfigError(
            f"{block.path!r} is taken for a path, and there is no such file; for the data set of that name write"
            f" {{name: {block.path}}}.",
            key="data",
        )


def _check_protocol(experiment: Experiment) -> None:
    kind = PROTOCOLS.load(experiment.protocol, key="protocol")
    options = options_of(kind, experiment.options, ("options",))
    procedure: Any = kind(options)
    if (needs := getattr(procedure, "needs", None)) is not None:
        _check_needs(experiment, needs)
    if (about := getattr(procedure, "judges_about", None)) is not None:
        _check_judges(experiment, about)
    for key, name in _own_models(experiment).items():
        if name not in experiment.models:
            raise ConfigError(unknown("model", name, experiment.models) + " Models are named under `models:`.", key=key)
    if getattr(procedure, "forks", False):
        for place, block in enumerate(experiment.systems):
            if memory_of(block) == "session":
                raise ConfigError(
                    f"the protocol {experiment.protocol!r} branches dialogues, and a system that keeps what was said "
                    "behind its session can't be branched; test it with `conversation`, or, if it needs nothing but"
                    " the messages it gets, say `memory: messages`.",
                    key=f"systems[{place}].memory",
                )


def _check_needs(experiment: Experiment, needs: Iterable[str]) -> None:
    protocol = experiment.protocol
    for name in needs:
        if not getattr(experiment, name):
            raise ConfigError(f"is missing: the protocol {protocol!r} needs {_ONE[name]}.", key=name)
    if experiment.users and "users" not in needs:
        raise ConfigError(f"the protocol {protocol!r} simulates nobody here; remove them.", key="users")


def _check_judges(experiment: Experiment, about: str) -> None:
    """Find judges that a protocol, all of whose cases are about something (its `judges_about`), would show nothing."""
    judges = REGISTRIES["judges"]
    built_in = [name for name in judges.names() if judges.source(name) == "built in"]
    fit = [name for name in built_in if getattr(judges.load(name), "about", "systems") == about]
    for place, block in enumerate(experiment.judges):
        if getattr(judges.load(block.kind), "about", "systems") != about:
            raise ConfigError(
                f"the protocol {experiment.protocol!r} has {about} judged, and the kind {block.kind!r} judges something"
                f" else, so it would be shown nothing; take one of these kinds: {', '.join(fit)}.",
                key=f"judges[{place}].kind",
            )


_ONE = {"users": "at least one user", "systems": "at least one system", "data": "a data set"}


def _check_assertions(experiment: Experiment) -> None:
    named = {
        "system": [block.name for block in experiment.systems],
        "user": [block.name for block in experiment.users],
        "judge": [block.name for block in experiment.judges],
    }
    for place, assertion in enumerate(experiment.assert_):
        for group, known in named.items():
            name = assertion.group.get(group)
            if name is not None and name not in known:
                raise ConfigError(unknown(group, name, known), key=f"assert[{place}].{group}")
        _check_metric(experiment, assertion.metric, f"assert[{place}].metric")


def _check_metric(experiment: Experiment, name: str, key: str) -> None:
    """Find a mistyped metric, as far as the protocol says which metrics it gives (in an attribute `metrics`).

    A depth (`@10`) is not looked at. Judges bring metrics of their own: with judges, a name is refused only if it is
    near to one of the protocol's.
    """
    known = getattr(PROTOCOLS.load(experiment.protocol), "metrics", None)
    if known is None or {name, name.partition("@")[0]} & {*known}:
        return
    if not experiment.judges or get_close_matches(name, known, n=1, cutoff=0.8):
        raise ConfigError(unknown(f"{experiment.protocol} metric", name, known), key=key)


def _loc(key: str, *further: str) -> tuple[str | int, ...]:
    name, _, place = key.rstrip("]").partition("[")
    return (name, int(place), *further)
