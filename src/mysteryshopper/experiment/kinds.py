"""All kinds by role, and their options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel, ValidationError

from mysteryshopper.core import ConfigError, Registry
from mysteryshopper.experiment.config_errors import Loc, plain_error
from mysteryshopper.judges import JUDGES
from mysteryshopper.models import MODELS
from mysteryshopper.protocols import PROTOCOLS
from mysteryshopper.systems import SYSTEMS
from mysteryshopper.users import USERS

REGISTRIES: Mapping[str, Registry] = {
    "users": USERS,
    "systems": SYSTEMS,
    "judges": JUDGES,
    "protocols": PROTOCOLS,
    "models": MODELS,
}
"""By the name under which `mysteryshopper list` shows them."""

__all__ = ["JUDGES", "MODELS", "PROTOCOLS", "REGISTRIES", "SYSTEMS", "USERS", "options_of", "within"]


def options_of(kind: Any, given: Mapping[str, Any], loc: Loc) -> BaseModel | None:
    """Return a kind's options, checked by the kind itself.

    Args:
        kind: The class of the kind; its `options` names a pydantic model. Absent, or `BaseModel` itself: it takes none.
        given: The `options` of its block.
        loc: Path of that key, for messages.

    Returns:
        The options; None if the kind has none and none were given.

    Raises:
        ConfigError: They don't fit.
    """
    model = getattr(kind, "options", None) or _NoOptions
    if model is BaseModel:
        model = _NoOptions
    try:
        checked: BaseModel = model.model_validate(dict(given))
    except ValidationError as error:
        raise plain_error(error, model, loc) from None
    return None if model is _NoOptions else checked


class _NoOptions(BaseModel, extra="forbid"):
    pass


@contextmanager
def within(key: str) -> Iterator[None]:
    """Name the block (`judges[1]`) in an error about one of its options, whose maker knows the option alone."""
    try:
        yield
    except ConfigError as error:
        if error.key is None or error.key.partition(".")[0] != "options":
            raise
        raise ConfigError(str(error).removeprefix(f"{error.key}: "), key=f"{key}.{error.key}") from error
