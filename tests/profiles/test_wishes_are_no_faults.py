"""What this package itself words, a wish or an agenda user's phrase, must not pass for a fault of the user."""

from collections import Counter, defaultdict
from random import Random

import pytest

from mysteryshopper.datasets import DataBlock, load
from mysteryshopper.dialogue.detectors import Utterance, faults
from mysteryshopper.profiles import wish_from_items
from mysteryshopper.users.agenda.phrasebook import phrasebook


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


def test_what_an_agenda_user_says_is_no_fault():
    """Under 1 % of the phrases may be flagged, by any detector."""
    known = {"title": "The Tin Harbour", "liked": "Paper Comets", "noun": "film", "lack": "not from France"}
    slots = defaultdict(lambda: "a thriller from the eighties", known)
    said = [phrase.fill(slots, Random(phrase.number)) for some in phrasebook().phrases.values() for phrase in some]
    flagged = {text: found for text in said if (found := faults(Utterance(text)))}
    assert len(said) > 300
    assert len(flagged) / len(said) < 0.01, flagged
