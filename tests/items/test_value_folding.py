"""Values of attributes as they are compared."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.items import fold_value, fold_values


@given(st.text(st.characters(max_codepoint=0x17F), max_size=20))
def test_plain_letters_take_no_shortcut_that_shows(value):
    composed = unicodedata.normalize("NFC", unicodedata.normalize("NFC", value).casefold())
    assert fold_value(value) == " ".join(composed.split())


def test_equal_values_are_one():
    assert fold_values(("Drama", " drama", "Ame\u0301lie", "AMÉLIE")) == {"drama", "amélie"}
