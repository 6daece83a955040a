"""A kind may say that it takes no options by naming none, or pydantic's `BaseModel` itself."""

import pytest
from pydantic import BaseModel

from mysteryshopper.core import ConfigError
from mysteryshopper.experiment.kinds import options_of


class Plain:
    pass


class Empty:
    options = BaseModel


@pytest.mark.parametrize("kind", [Plain, Empty])
def test_no_options_are_taken_and_none_are_needed(kind):
    assert options_of(kind, {}, ("users", 0, "options")) is None
    with pytest.raises(ConfigError, match=r"users\[0\]\.options\.volume"):
        options_of(kind, {"volume": 3}, ("users", 0, "options"))
