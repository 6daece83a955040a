"""What a run left, for people: one self-contained HTML page, and three lines for the terminal.

Everything that came from a model, a user or a file is shown as text. The page holds one script of ours, fetches
nothing, and says so to the browser in a Content-Security-Policy.
"""

from mysteryshopper.report.inputs import ReportInput
from mysteryshopper.report.page import render_report, write_report
from mysteryshopper.report.terminal import verdict_lines
from mysteryshopper.report.text import visible

__all__ = ["ReportInput", "render_report", "verdict_lines", "visible", "write_report"]
