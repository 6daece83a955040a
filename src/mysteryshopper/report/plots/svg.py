"""Makes a drawn SVG safe to stand inside a page: known elements, known attributes, values that can only be geometry."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from html import escape

from mysteryshopper.core import ShopperError
from mysteryshopper.report.text import visible

_SPACE = "{http://www.w3.org/2000/svg}"
_ELEMENTS = {"g", "path", "rect", "line", "circle", "text", "tspan"}
_GEOMETRY = {
    "d",
    "x",
    "y",
    "x1",
    "x2",
    "y1",
    "y2",
    "width",
    "height",
    "r",
    "cx",
    "cy",
    "rx",
    "ry",
    "dx",
    "dy",
    "transform",
    "opacity",
    "fill-opacity",
    "stroke-opacity",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "text-anchor",
    "font-size",
    "font-weight",
    "dominant-baseline",
}
_PAINT = ("fill", "stroke")
_VALUE = re.compile(r"[-+0-9a-zA-Z.,() %#]*")
_BOX = re.compile(r"[-+0-9. ]+")


def safe_svg(drawn: str, title: str, description: str, name: str, classes: Mapping[str, str] | None = None) -> str:
    """Return a drawing with nothing in it but shapes and text.

    Scripts, styles, links, images, foreign objects, events, references and names are left out, whatever they hold.

    Args:
        drawn: SVG text.
        title: What a reader without eyes is told it is.
        description: What it shows, in sentences.
        name: Prefix of the two ids in it.
        classes: Class name by colour; a colour in it becomes a class, so that a page's style decides. Without it,
            colours stay, and the drawing stands on its own.

    Raises:
        ShopperError: It is no SVG.
    """
    if "<!DOCTYPE" in drawn or "<!ENTITY" in drawn:
        raise ShopperError("a drawing with declarations of its own can't be made safe.")
    try:
        root = ET.fromstring(drawn)  # noqa: S314 - without declarations there is nothing to expand
    except ET.ParseError as error:
        raise ShopperError(f"a plot could not be drawn as SVG ({error}).") from error
    box = root.get("viewBox", "")
    if root.tag != f"{_SPACE}svg" or not _BOX.fullmatch(box):
        raise ShopperError("a plot could not be drawn as SVG: it has no view box.")
    _, _, width, height = box.split()
    body = "".join(_element(child, classes) for child in root)
    # alone it needs a font that is surely there: pixels are made without the one that a page would give it
    space = "" if classes is not None else ' xmlns="http://www.w3.org/2000/svg" font-family="sans-serif"'
    return (
        f'<svg{space} class="plot" viewBox="{box}" width="{width}" height="{height}" role="img"'
        f' aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{_words(title)}</title><desc id="{name}-desc">{_words(description)}</desc>'
        f"{body}</svg>"
    )


def _element(element: ET.Element, classes: Mapping[str, str] | None) -> str:
    kind = str(element.tag).removeprefix(_SPACE)
    if kind not in _ELEMENTS or element.get("display") == "none":
        return ""
    inner = "".join(_element(child, classes) for child in element)
    words = _words(element.text or "") if kind in ("text", "tspan") else ""
    if not inner and not words and kind in ("g", "text", "tspan"):
        return ""
    attributes = _attributes(element, classes)
    if not inner and not words:
        return f"<{kind}{attributes}/>"
    return f"<{kind}{attributes}>{words}{inner}</{kind}>"


def _words(text: str) -> str:
    return escape(visible(text), quote=False)


def _attributes(element: ET.Element, classes: Mapping[str, str] | None) -> str:
    kept = {name: value for name, value in element.attrib.items() if name in _GEOMETRY and _VALUE.fullmatch(value)}
    styled: list[str] = []
    for name in _PAINT:
        colour = element.get(name, "").lower()
        if classes is not None and colour in classes:
            styled.append(f"{name}-{classes[colour]}")
        elif colour and _VALUE.fullmatch(colour) and "url" not in colour:
            kept[name] = colour
    if styled:
        kept["class"] = " ".join(styled)
    return "".join(f' {name}="{value}"' for name, value in kept.items())
