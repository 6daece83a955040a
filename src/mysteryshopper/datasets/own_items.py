"""A user's own items: one row an item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from mysteryshopper.core import DataError, Item
from mysteryshopper.datasets.fields import Fields
from mysteryshopper.datasets.rows import Report, Row, stop
from mysteryshopper.reading import split_year

_ID = ("id", "item_id", "item")
_TITLE = ("title", "name")
_TEXT = ("text", "plot", "description")


def read_items(path: Path, rows: Iterable[Row], report: Report = stop) -> Iterator[Item]:
    """Yield an item for each row; a row that is none, or whose id was used before, goes to `report`.

    Columns: `id` and `title`; if wanted `year`, `text` (or `plot`, `description`) and `aliases`. A year in brackets at
    the title's end is read from it. Every other column is an attribute, with several values as a JSON list or set apart
    by `|`; so is every key of an object `attributes`. An exact repeat of a row is passed over.
    """
    seen: dict[str, tuple[Item, int]] = {}
    for row in rows:
        fields = Fields(path, row)
        try:
            item = _item(fields)
            first, line = seen.setdefault(item.id, (item, row.line))
            if first is item:
                yield item
            elif first != item:
                raise fields.error(f"the id {item.id!r} was used in line {line} for another item; ids must be unique")
        except DataError as error:
            report(error)


def _item(fields: Fields) -> Item:
    name = fields.id(_ID)
    whole = fields.text(_TITLE)
    if not whole.strip():
        raise fields.error("expected a title in 'title' or 'name', but it is missing")
    title, year = split_year(whole)
    given = fields.year(["year"])
    text, aliases = fields.text(_TEXT), fields.words(["aliases"])
    nested = fields.take(["attributes"]) or {}
    if not isinstance(nested, dict):
        raise fields.error(f"expected an object in 'attributes', got {nested!r}")
    fields.values.update(nested)
    attributes = {str(key): fields.words([key]) for key in list(fields.values)}
    attributes = {key: words for key, words in attributes.items() if words}
    return Item(name, title, year if given is None else given, attributes, text, aliases)
