"""The one text of a JSON value is what Python's own encoder says, and refuses the same."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import canonical

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(VALUES)
def test_it_is_the_text_of_the_plain_encoder(value):
    assert canonical(value) == json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def test_what_is_no_json_is_refused_and_leaves_no_trace():
    circle: list[object] = []
    circle.append(circle)
    for bad in (math.nan, [-math.inf], circle):
        with pytest.raises(ValueError, match=r"JSON compliant|Circular reference"):
            canonical(bad)
    with pytest.raises(TypeError):
        canonical({"a": {1, 2}})
    assert canonical({"b": [1.0, True], "a": None}) == '{"a":null,"b":[1.0,true]}'
