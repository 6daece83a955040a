"""Plots of a report: drawn once to SVG, made safe, and kept as files beside the page that shows them."""

from mysteryshopper.report.plots.drawing import Drawing, draw
from mysteryshopper.report.plots.figure import Figure
from mysteryshopper.report.plots.figures import figures

__all__ = ["Drawing", "Figure", "draw", "figures"]
