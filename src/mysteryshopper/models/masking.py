"""Secrets: values of environment variables that go to their own endpoint and are never written or printed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping

from mysteryshopper.core import StopRun

_SHORTEST = 12
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET_NAME = re.compile(
    r"(?:^|[-_. ])(?:x?api)?(?:key|token|secret|password|passwd|auth|authorization|cookie|credentials?)"
    r"(?:$|[-_. ])",
    re.IGNORECASE,
)
_SECRET_PARAMS = frozenset(
    {
        "api_key",
        "apikey",
        "api-key",
        "key",
        "access_token",
        "auth_token",
        "authorization",
        "token",
        "secret",
        "password",
    }
)
_SECRET_VALUE = re.compile(
    r"(?:bearer|basic|token)\s+\S{4,}"
    r"|(?:sk|pk|rk|gsk|hf|xai|ghp|gho|glpat|r8|nvapi|pplx|fw)[-_][A-Za-z0-9_\-]{8,}"
    r"|AIza[A-Za-z0-9_\-]{20,}"
    r"|eyJ[A-Za-z0-9_\-]+\.[A-Za-z0-9_\-.]+",
    re.IGNORECASE,
)


class Secrets:
    """The secrets of one run: read from the environment when first needed, masked wherever anything is written."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        """Make it over `environ`, by default the process's environment."""
        self._environ: Mapping[str, str] = os.environ if environ is None else environ
        self._hidden: list[str] = []

    def get(self, variable: str, *, key: str) -> str:
        """Return the value of a variable, which is masked from now on.

        Args:
            variable: Name of the environment variable.
            key: The key of the experiment file that names it, for the message.

        Raises:
            StopRun: It is not set, or can't be sent in a header.
        """
        value = self._environ.get(variable, "").strip()
        if not value:
            raise StopRun(f"{key}: the environment variable {variable} is not set; set it to the secret and go on.")
        self._hide(value)
        if any(ord(sign) < 32 or ord(sign) == 127 for sign in value):
            raise StopRun(f"{key}: the value of {variable} holds a line break or control character; set it anew.")
        return value

    def watch(self, variables: Iterable[str]) -> None:
        """Mask the values of these variables from now on, as far as they are set."""
        for variable in variables:
            if value := self._environ.get(variable, "").strip():
                self._hide(value)

    def mask(self, text: str) -> str:
        """Return the text with every secret of 12 or more characters replaced by `***`."""
        for value in self._hidden:
            if value in text:
                text = text.replace(value, "***")
        return text

    def _hide(self, value: str) -> None:
        if len(value) < _SHORTEST or value in self._hidden:
            return
        forms = {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
        self._hidden = sorted({*self._hidden, *forms}, key=len, reverse=True)  # a longer one may hold a shorter one


def is_variable(name: str) -> bool:
    """Whether a text can be the name of an environment variable."""
    return _VARIABLE.fullmatch(name) is not None and not looks_secret("", name)


def looks_secret(name: str, value: object) -> bool:
    """Whether a literal looks like a credential, by the name of its header or parameter, or by itself.

    Only texts can be credentials; an empty one is none.
    """
    if not isinstance(value, str) or not value.strip():
        return False
    return _SECRET_NAME.search(name) is not None or _SECRET_VALUE.match(value.strip()) is not None


def secret_param(params: object) -> str | None:
    """Return the name of the first parameter, at any depth, whose literal looks like a credential; None if none does.

    Names are compared whole here: parameters such as `prompt_cache_key` are no credentials.
    """
    if isinstance(params, list):
        return next((found for part in params if (found := secret_param(part)) is not None), None)
    if not isinstance(params, dict):
        return None
    for name, value in params.items():
        named = isinstance(value, str) and value.strip() and str(name).lower() in _SECRET_PARAMS
        if named or looks_secret("", value):
            return str(name)
        if (found := secret_param(value)) is not None:
            return found
    return None
