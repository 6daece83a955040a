"""One setting of a run that holds several, as if it were a run of its own."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Literal

from mysteryshopper.core import Call, Case, Store, StoredDialogue, StoredVerdict, UnitRecord, Unjudged
from mysteryshopper.protocols.ievalm.options import Setting


class Slice:
    """The part of a store that belongs to one setting; verdicts and calls are those of the whole run."""

    def __init__(self, store: Store, setting: Setting) -> None:
        """Make the view."""
        self.plan = store.plan
        self._store = store
        self._setting = setting

    def units(self) -> Iterator[UnitRecord]:
        """The planned units of the setting."""
        return (record for record in self._store.units() if record.unit.data["setting"] == self._setting)

    def dialogues(self, *, nodes: bool = True, among: Container[str] | None = None) -> Iterator[StoredDialogue]:
        """The finished dialogues of the setting."""
        found = self._store.dialogues(nodes=nodes, among=among)
        return (stored for stored in found if stored.unit.data["setting"] == self._setting)

    def verdicts(self, *, messages: bool = True) -> Iterator[StoredVerdict]:
        """All verdicts."""
        return self._store.verdicts(messages=messages)

    def unjudged(self) -> Iterator[Unjudged]:
        """All cases without a verdict."""
        return self._store.unjudged()

    def calls(self) -> Iterator[Call]:
        """All calls."""
        return self._store.calls()

    def noted(self, key: str) -> str | None:
        """A text that the protocol kept by name."""
        return self._store.noted(key)


class About:
    """A store whose verdicts are only those about systems, or only those about users."""

    def __init__(self, store: Store, about: Literal["systems", "users"]) -> None:
        """Make the view."""
        self.plan = store.plan
        self._store = store
        self._about = about

    def units(self) -> Iterator[UnitRecord]:
        """All planned units."""
        return self._store.units()

    def dialogues(self, *, nodes: bool = True, among: Container[str] | None = None) -> Iterator[StoredDialogue]:
        """All finished dialogues."""
        return self._store.dialogues(nodes=nodes, among=among)

    def verdicts(self, *, messages: bool = True) -> Iterator[StoredVerdict]:
        """The verdicts of such cases."""
        return (stored for stored in self._store.verdicts(messages=messages) if self._is_about(stored.case))

    def unjudged(self) -> Iterator[Unjudged]:
        """Such cases without a verdict."""
        return (failed for failed in self._store.unjudged() if self._is_about(failed.case))

    def calls(self) -> Iterator[Call]:
        """All calls."""
        return self._store.calls()

    def noted(self, key: str) -> str | None:
        """A text that the protocol kept by name."""
        return self._store.noted(key)

    def _is_about(self, case: Case) -> bool:
        return bool(case.data.get("about", "systems") == self._about)
