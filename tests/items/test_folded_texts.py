"""Folded texts are kept for a while, as one text is searched for several things; long ones would fill the memory."""

import pytest

from mysteryshopper.items.folding import fold


@pytest.mark.parametrize("piece", ["The Salt Clock ", "塩の時計　", "AMÉLIE  "])
def test_a_short_text_is_folded_once_and_a_long_one_is_not_kept(piece):
    short, long = piece * 10, piece * 10_000
    assert fold(short) is fold(short)
    assert fold(long) == fold(long)
    assert fold(long) is not fold(long)
    assert fold(long).text.startswith(fold(short).text.strip())
