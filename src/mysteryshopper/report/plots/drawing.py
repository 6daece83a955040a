"""Charts drawn once: safe SVG for the page, the same as a file of its own, and a PNG."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mysteryshopper.report.plots.figure import Figure
from mysteryshopper.report.plots.svg import safe_svg
from mysteryshopper.report.plots.theme import COLOURS, PAPER

_CLASSES = {**{colour: name for name, colour in COLOURS.items()}, PAPER: "paper"}
_SHARP = 2.0


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure as drawn.

    Attributes:
        figure: What it shows.
        inline: Safe SVG for a page, coloured by the page's style.
        svg: Safe SVG that stands on its own.
        png: The same as pixels.
    """

    figure: Figure
    inline: str
    svg: str
    png: bytes


def draw(figures: Iterable[Figure]) -> list[Drawing]:
    """Draw figures; the libraries for it are loaded only if there are any. Nothing is fetched."""
    return [_draw(figure) for figure in figures]


def _draw(figure: Figure) -> Drawing:
    import vl_convert

    from mysteryshopper.report.plots.charts import vega_lite

    drawn = vl_convert.vegalite_to_svg(vega_lite(figure), vl_version="6.4", allowed_base_urls=[])
    name = f"plot-{figure.name}"
    svg = safe_svg(drawn, figure.title, figure.description, name)
    return Drawing(
        figure,
        safe_svg(drawn, figure.title, figure.description, name, _CLASSES),
        svg,
        vl_convert.svg_to_png(svg, scale=_SHARP),
    )
