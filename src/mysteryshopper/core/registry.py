"""Kinds by name: built in, or brought by a package through entry points. Loaded when first asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from mysteryshopper.core.errors import ConfigError


class Registry:
    """Kinds of one sort, e.g. all users. Immutable: plug-ins come in through entry points, not through calls.

    A built-in kind wins over a plug-in of the same name. Names are compared as written.
    """

    def __init__(self, sort: str, builtin: Mapping[str, str], group: str) -> None:
        """Make a registry.

        Args:
            sort: What these are, in the singular, for messages: `user`, `system` …
            builtin: `module:Class` by kind name.
            group: Entry point group of plug-ins, e.g. `mysteryshopper.users`.
        """
        self.sort = sort
        self._builtin = dict(builtin)
        self._group = group

    def names(self) -> list[str]:
        """Return all kinds, sorted."""
        return sorted({*self._builtin, *self._plugins()})

    def load(self, name: str, *, key: str | None = None) -> Any:
        """Return the class of a kind.

        Args:
            name: The kind.
            key: Path of the key that named it, for the message.

        Raises:
            ConfigError: There is no such kind (a near name is offered), or its package fails to import.
        """
        if (target := self._builtin.get(name)) is not None:
            module, _, attribute = target.partition(":")
            return getattr(import_module(module), attribute)
        if (plugin := self._plugins().get(name)) is not None:
            try:
                return plugin.load()
            except Exception as error:
                raise ConfigError(
                    f"the {self.sort} {name!r} of {plugin.value} can't be loaded: {error}", key=key
                ) from error
        raise ConfigError(unknown(f"{self.sort} kind", name, self.names()), key=key)

    def source(self, name: str) -> str:
        """Return where a kind comes from: `built in`, or the module of its plug-in."""
        return "built in" if name in self._builtin else self._plugins()[name].value

    def _plugins(self) -> dict[str, EntryPoint]:
        return {point.name: point for point in sorted(entry_points(group=self._group), key=lambda point: point.value)}


def unknown(what: str, got: object, known: Iterable[str]) -> str:
    """Return the sentence for a name that does not exist, with the nearest one that does."""
    names = sorted(known)
    near = get_close_matches(str(got), names, n=1, cutoff=0.6)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return f"there is no {what} {got!r}{hint} Known: {', '.join(names) or 'none'}."
