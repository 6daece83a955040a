"""The templates of pages, filled in with every text escaped, and the styles that go with them."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup


@cache
def environment() -> Environment:
    """Return the environment that pages are rendered in: all is escaped, and an undefined value is an error."""
    made = Environment(
        loader=PackageLoader("mysteryshopper.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["spare"] = _spare
    return made


@cache
def read_part(name: str) -> str:
    """Return the text of a style or script of the pages."""
    return files("mysteryshopper.report").joinpath("templates", name).read_text(encoding="utf-8")


def content_hash(text: str) -> str:
    """Return the hash by which a page's policy allows one inline style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _spare(text: str) -> Markup:
    """Return a text for between two tags, where quotes need no escape, which halves the size of JSON."""
    return Markup(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))  # noqa: S704 - escaped here
