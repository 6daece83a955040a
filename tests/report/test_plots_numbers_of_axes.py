"""Numbers along an axis do not run into each other, however little room long names leave to the plot."""

import re
from itertools import pairwise

import pytest

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.index import make_index
from mysteryshopper.report.plots import draw
from mysteryshopper.report.plots.figures import figures

_LABEL = re.compile(
    r'<text text-anchor="(start|middle|end)" transform="translate\(([\d.]+),16\)" font-size="12px" opacity="1"[^>]*>'
    r"([\d.]+)</text>"
)
_DIGIT = 6.0  # a character of 12 px is no narrower
_BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}


@pytest.mark.parametrize(("name", "least"), [("a", 6), ("a-recommender-with-a-long-name-of-its-own", 3)])
def test_numbers_of_an_axis_stand_apart(name, least):
    found = [Metric("success", {"system": name}, Estimate(0.55, 0.4, 0.7, n=20), better="higher")]
    (figure,) = figures(found, make_index([]), ())
    spans = []
    for anchor, place, text in _LABEL.findall(draw((figure,))[0].inline):
        wide = _DIGIT * len(text)
        left = float(place) - _BEFORE[anchor] * wide
        spans.append((left, left + wide))
    assert len(spans) >= least
    assert all(following - end >= 4 for (_, end), (following, _) in pairwise(spans))
