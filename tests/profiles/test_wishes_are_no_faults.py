"""What a person says who speaks a wish as it is worded here must not pass for a fault of the user."""

from collections import Counter
from random import Random

import pytest

from mysteryshopper.datasets import DataBlock, load
from mysteryshopper.dialogue.detectors import Utterance, faults
from mysteryshopper.profiles import wish_from_items


@pytest.fixture(scope="module")
def wishes():
    films = list(load(DataBlock(name="films")).catalog())
    return [
        wish_from_items([film], Random(f"{film.id} {number}"), name="p").wish for film in films for number in (1, 2)
    ]


def test_a_wish_as_worded_here_is_no_fault(wishes):
    """Under 1 % of wishes may be flagged, by any detector; a guarded user who says its wish would be lost by them."""
    found = [(name, wish) for wish in wishes if wish for name in faults(Utterance(wish))]
    flagged = Counter(name for name, _ in found)
    assert len(wishes) > 1_000
    assert len({wish for _, wish in found}) / len(wishes) < 0.01, (flagged, found[:5])
