"""Domains as data sets: a folder with a `domain.yaml`, and items, dialogues or ratings beside it where there are any.

Some come with the package; a folder of a user's own is read the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from mysteryshopper.core import DataError, Item, unknown
from mysteryshopper.datasets.dataset import Dataset
from mysteryshopper.datasets.domain import Domain
from mysteryshopper.datasets.domain_files import DOMAIN_FILE, read_domain
from mysteryshopper.datasets.film_log import generated_log
from mysteryshopper.datasets.own import OwnData, files_in
from mysteryshopper.datasets.own_items import read_items
from mysteryshopper.datasets.records import Ratings
from mysteryshopper.datasets.rows import read_rows

if TYPE_CHECKING:
    from mysteryshopper.datasets.block import DataBlock

_ITEMS = "items.jsonl"


class OwnDomain(OwnData):
    """A domain folder of a user's own: described in `domain.yaml`, with items, dialogues and ratings as in any folder.

    None of the three is needed: a domain of talk alone has no items.
    """

    def __init__(self, path: Path, block: DataBlock) -> None:
        """Read what the domain is; items are read when they are asked for.

        Raises:
            DataError: The description can't be read, or a key of it is wrong.
        """
        described = read_domain(path)
        super().__init__(path, block, files_in(path))
        self.described = described
        self.domain = block.domain or described.field

    def load_items(self) -> Sequence[Item]:
        """Read the items, and check them against the description; none where there is no file of items."""
        if not self.has_items:
            return ()
        return told_items(super().load_items(), self._domain, self._files["items"])

    @property
    def _domain(self) -> Domain:
        assert self.described is not None  # noqa: S101 - set when it was made
        return self.described


class PackagedDomain(Dataset):
    """A domain that comes with the package; a subclass names its folder below `data/domains`.

    Its log of visits is drawn by chance: what is popular in it is popular nowhere else.
    """

    folder_name: ClassVar[str]

    @classmethod
    def open(cls, folder: Path, block: DataBlock) -> Self:
        """Open it for a `data:` block; it lies in the package, so the folder is not looked at."""
        described = packaged_domain(cls.folder_name)
        made = cls(
            cls.folder_name,
            domain=block.domain or described.field,
            language=block.language or "en",
            split=block.split,
        )
        made.described = described
        return made

    @property
    def has_items(self) -> bool:
        """Whether it has a catalogue."""
        return _folder(self.folder_name).joinpath(_ITEMS).is_file()

    @property
    def popularity_split(self) -> str:
        """The generated log has no splits; all of it is counted."""
        return "all"

    def label_counts(self, split: str | None = None) -> Counter[str]:
        """Count in how many people's generated logs each item stands."""
        return Counter(row.item for row in self.ratings().rows)

    def load_ratings(self) -> Ratings:
        """Draw the log; the same items give the same log."""
        return Ratings(rows=generated_log(self.items()))

    def load_items(self) -> Sequence[Item]:
        """Read the items; none where the domain has none."""
        if not self.has_items:
            return ()
        assert self.described is not None  # noqa: S101 - set when it was opened
        with as_file(_folder(self.folder_name) / _ITEMS) as path:
            return told_items(read_items(path, read_rows(path)), self.described, path)


class Food(PackagedDomain):
    """Restaurants, cafés, bars, stalls and bakeries of an invented town."""

    folder_name = "food"


class Beauty(PackagedDomain):
    """Care for skin and hair, and make-up, of invented brands."""

    folder_name = "beauty"


class Shop(PackagedDomain):
    """Phones, tablets and laptops of invented brands."""

    folder_name = "shop"


class Chitchat(PackagedDomain):
    """Talk for its own sake: topics and people, and nothing to recommend."""

    folder_name = "chitchat"


def packaged_domain(name: str) -> Domain:
    """Return the description of a domain that comes with the package.

    Raises:
        DataError: There is no such domain.
    """
    if name not in packaged_domains():
        raise DataError(unknown("domain", name, packaged_domains()))
    with as_file(_folder(name) / DOMAIN_FILE) as path:
        return read_domain(path)


def packaged_domains() -> list[str]:
    """Return the names of the domains that come with the package, sorted."""
    return sorted(folder.name for folder in _folder().iterdir() if folder.joinpath(DOMAIN_FILE).is_file())


def told_items(items: Iterable[Item], domain: Domain, path: Path) -> tuple[Item, ...]:
    """Return items as their domain has them: what is to be told goes into their text, the rest are its attributes.

    Args:
        items: As they were read, with every column an attribute.
        domain: Their domain.
        path: The file they came from, for errors.

    Raises:
        DataError: A column is neither an attribute of the domain nor told, or no item has an attribute, or a value
            that there are other words for.
    """
    kept = []
    used: set[str] = set()
    values: set[tuple[str, str]] = set()
    for item in items:
        for name in item.attributes:
            if name not in domain.attributes and name not in domain.told:
                known = unknown("attribute", name, (*domain.attributes, *domain.told))
                raise DataError(
                    f"the item {item.id!r} has a column that {DOMAIN_FILE} does not know; name it there under"
                    f" `attributes` or `told`. {known}",
                    path=path,
                )
        used.update(item.attributes)
        values.update((name, value) for name, found in item.attributes.items() for value in found)
        told = [
            form.replace("{v}", _listed(item.attributes[name]))
            for name, form in domain.told.items()
            if name in item.attributes
        ]
        attributes = {name: item.attributes[name] for name in domain.attributes if name in item.attributes}
        kept.append(replace(item, attributes=attributes, text=" ".join([item.text, *told]).strip()))
    if kept and (absent := [name for name in domain.attributes if name not in used]):
        raise DataError(
            f"no item has the attribute {absent[0]!r} of {DOMAIN_FILE}; give it to items, or remove it there", path=path
        )
    for name, attribute in domain.attributes.items():
        for value in attribute.same if kept else ():
            if (name, value) not in values:
                have = sorted(found for column, found in values if column == name)
                raise DataError(
                    f"{DOMAIN_FILE} has other words for a value that no item has: attributes.{name}.same."
                    f" {unknown('value', value, have)}",
                    path=path,
                )
    return tuple(kept)


def _listed(values: Sequence[str]) -> str:
    """Return values as they stand in a sentence: sentences one after another, words with commas."""
    return (" " if all(value.endswith((".", "!", "?")) for value in values) else ", ").join(values)


def _folder(name: str = "") -> Traversable:
    folder = files("mysteryshopper") / "data" / "domains"
    return folder / name if name else folder
