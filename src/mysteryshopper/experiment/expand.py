"""`${NAME}` in addresses and paths, and credentials, which are named and never written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel

from mysteryshopper.core import ConfigError
from mysteryshopper.experiment.config_checks import used_models
from mysteryshopper.experiment.config_errors import Loc, key_path
from mysteryshopper.models.block import FromEnv, check_url
from mysteryshopper.models.masking import Secrets, looks_secret

if TYPE_CHECKING:
    from mysteryshopper.experiment.config import Experiment

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_WHERE = ("url", "base_url", "path")
_NAMES = frozenset({"name", "kind", "provider", "protocol", "model", "embedding", "path", "profiles", "folder"})

B = TypeVar("B", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Variable:
    """A use of an environment variable.

    Attributes:
        name: Name of the variable.
        key: Path of the key that names it.
        goes_to: Host that gets its value; `this machine` for a path.
        secret: It is a credential, never written anywhere.
        is_set: Whether it has a value now.
    """

    name: str
    key: str
    goes_to: str
    secret: bool
    is_set: bool


def check_texts(value: Any, loc: Loc = ()) -> None:
    """Refuse `${NAME}` where it is not filled in, and credentials that are written out, anywhere in a raw file.

    Raises:
        ConfigError: With the key's path and what to write; the credential is not repeated.
    """
    if isinstance(value, BaseModel):  # a block made in Python
        value = value.model_dump(by_alias=True)
    if isinstance(value, Mapping):
        for key, inner in value.items():
            check_texts(inner, (*loc, str(key)))
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for place, inner in enumerate(value):
            check_texts(inner, (*loc, place))
    elif isinstance(value, str):
        _check_text(value, loc)


def _check_text(text: str, loc: Loc) -> None:
    key = str(loc[-1]) if loc else ""
    in_header = len(loc) > 1 and loc[-2] in ("headers", "params")
    if (found := _VARIABLE.search(text)) and key not in _WHERE:
        better = f"; for a secret write {{env: {found[1]}}}" if in_header else ""
        raise ConfigError(
            f"{found[0]} is not filled in here: that works in url, base_url and path alone{better}.", key=key_path(loc)
        )
    if key in _WHERE and "${" in _VARIABLE.sub("", text):
        raise ConfigError(
            "holds a ${…} that is no variable; write ${NAME}, of letters, digits and underscores alone.",
            key=key_path(loc),
        )
    if _looks_written_out(text, key, in_header) and loc[0] != "assert":
        raise ConfigError(
            "a credential must not be written out here; put its value in an environment variable and name that, as "
            "`api_key_env: MY_KEY` of a model or `{env: MY_KEY}` in headers.",
            key=key_path(loc),
        )


def _looks_written_out(text: str, key: str, in_header: bool) -> bool:
    """Whether a text is a credential. Names and sentences are none, whatever they begin with."""
    if key == "env" or key.endswith("_env"):
        return False
    if in_header:
        return looks_secret(key, text)
    return looks_secret(key, "-") or (key not in _NAMES and " " not in text and looks_secret("", text))


def fill_in(text: str, key: str, environ: Mapping[str, str] | None = None) -> str:
    """Return a text with every `${NAME}` replaced by the variable's value.

    Raises:
        ConfigError: A variable is not set.
    """
    values = os.environ if environ is None else environ

    def value(match: re.Match[str]) -> str:
        if not values.get(match[1]):
            raise ConfigError(
                f"the environment variable {match[1]} is not set; set it, or write its value in place of {match[0]}.",
                key=key,
            )
        return values[match[1]]

    return _VARIABLE.sub(value, text)


def filled_in(block: B, key: str, environ: Mapping[str, str] | None = None) -> B:
    """Return a block (of a model, a system or data) with the variables in its url, base_url and path filled in.

    Raises:
        ConfigError: A variable is not set, or what comes out is no URL.
    """
    changes: dict[str, str] = {}
    for name in _WHERE:
        text = getattr(block, name, None)
        if isinstance(text, str) and _VARIABLE.search(text):
            changes[name] = fill_in(text, f"{key}.{name}", environ)
            if name != "path":
                try:
                    check_url(changes[name])
                except ValueError as error:
                    raise ConfigError(f"with its variables filled in, {error}.", key=f"{key}.{name}") from None
    return block.model_copy(update=changes) if changes else block


def variables(experiment: Experiment, environ: Mapping[str, str] | None = None) -> list[Variable]:
    """Return every use of an environment variable with the host its value goes to, in the order of the file.

    Models that no block uses are left out: nothing is sent to them.
    """
    values = os.environ if environ is None else environ
    found = []
    used = used_models(experiment)
    for key, block in experiment.blocks():
        if key.startswith("models.") and key.removeprefix("models.") not in used:
            continue
        host = host_of(block, values)
        for name in _WHERE:
            text = getattr(block, name, None)
            for variable in _VARIABLE.findall(text) if isinstance(text, str) else ():
                goes_to = "this machine" if name == "path" else host
                found.append(Variable(variable, f"{key}.{name}", goes_to, False, bool(values.get(variable))))
        for variable, place in _secrets(block):
            found.append(Variable(variable, f"{key}.{place}", host, True, bool(values.get(variable, "").strip())))
    return found


def _secrets(block: BaseModel) -> Iterator[tuple[str, str]]:
    if isinstance(name := getattr(block, "api_key_env", None), str):
        yield name, "api_key_env"
    for header, value in getattr(block, "headers", {}).items():
        if isinstance(value, FromEnv):
            yield value.env, f"headers.{header}"


def secrets_of(experiment: Experiment, environ: Mapping[str, str] | None = None) -> Secrets:
    """Return the secrets of an experiment, masked from now on as far as they are set; unused blocks' too."""
    secrets = Secrets(environ)
    secrets.watch(variable for _, block in experiment.blocks() for variable, _ in _secrets(block))
    return secrets


def check_environment(experiment: Experiment, environ: Mapping[str, str] | None = None) -> None:
    """Make sure that every variable has a value, before anything is sent.

    Raises:
        ConfigError: One has none.
    """
    for variable in variables(experiment, environ):
        if not variable.is_set:
            what = f"the credential for {variable.goes_to}" if variable.secret else "its value"
            raise ConfigError(
                f"the environment variable {variable.name} is not set; set it to {what} and start again.",
                key=variable.key,
            )


def host_of(block: BaseModel, environ: Mapping[str, str] | None = None) -> str:
    """Return host and port that a block is reached at; empty if it is reached in this process.

    A variable that is not set stays in the text.
    """
    values = os.environ if environ is None else environ
    url = getattr(block, "base_url", None) or getattr(block, "url", None)
    if not isinstance(url, str):
        return ""
    whole = _VARIABLE.sub(lambda match: values.get(match[1]) or match[0], url)
    host = urlsplit(whole).netloc.rpartition("@")[2] if "://" in whole else whole.split("/")[0]
    return host or whole
