import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mysteryshopper.core import DataError, Item, Scored
from mysteryshopper.items import LexicalIndex, VectorIndex, item_text

ITEMS = [
    Item("a", "Salt Clock, The (2004)", attributes={"genre": ("drama", "sea film")}, text="A keeper counts the tides."),
    Item("b", "Lantern Road", 1998, {"genre": ("comedy",)}, "Two tides of tourists meet.", ("Laternenweg",)),
    Item("c", "Mr. Finch, Again", text="A bird, a baker, a bet."),
]


def test_the_text_of_an_item():
    assert item_text(ITEMS[0]) == "Salt Clock, The (2004)\ngenre: drama, sea film\nA keeper counts the tides."
    assert item_text(ITEMS[1], ("title",)) == "Lantern Road (1998)\nLaternenweg"
    assert item_text(Item("x", "Bare")) == "Bare"


def test_bm25_by_hand():
    index = LexicalIndex([Item("x", "oak oak"), Item("y", "oak elm"), Item("z", "ash elm")], ("title",))
    found = index.search("OAK!", 5)
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))  # all texts are of average length, so that only idf and tf count
    assert [scored.id for scored in found] == ["x", "y"]
    assert [scored.score for scored in found] == pytest.approx([idf * 2 / (2 + 1.5), idf * 1 / (1 + 1.5)], rel=1e-5)


def test_words_of_all_fields_are_found_in_any_case():
    index = LexicalIndex(ITEMS)
    assert index.search("a FINCH", 1)[0].id == "c"
    assert [scored.id for scored in index.search("Comedy", 3)] == ["b"]
    assert {scored.id for scored in index.search("tides", 3)} == {"a", "b"}
    assert LexicalIndex(ITEMS, ("title",)).search("tides", 3) == []


def test_ties_with_the_last_come_too_and_zero_scores_do_not():
    index = LexicalIndex([Item(str(n), "oak") for n in range(4)] + [Item("e", "elm")])
    assert [scored.id for scored in index.search("oak", 2)] == ["0", "1", "2", "3"]
    assert index.search("oak", 0) == []
    assert index.search("", 2) == index.search("unheard", 2) == []
    assert LexicalIndex([]).search("oak", 2) == LexicalIndex([Item("x", "…")]).search("oak", 2) == []


@given(st.text(max_size=60), st.integers(0, 4))
def test_any_query_gives_positive_falling_scores(query, k):
    scores = [scored.score for scored in LexicalIndex(ITEMS).search(query, k)]
    assert scores == sorted(scores, reverse=True)
    assert all(score > 0 and math.isfinite(score) for score in scores)


def test_indexing_prints_and_writes_nothing(tmp_path):
    script = (
        "from mysteryshopper.items import Item, LexicalIndex\n"
        "import sys; assert 'bm25s' not in sys.modules and 'numpy' not in sys.modules\n"
        "LexicalIndex([Item('x', 'oak elm')]).search('oak', 1)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False, env=dict(os.environ)
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_cosine_by_hand():
    index = VectorIndex(ITEMS, [[3, 0], [0, 2], [1, 1]])
    assert index.search([5, 0], 3) == [Scored("a", 1.0), Scored("c", 0.707107), Scored("b", 0.0)]
    assert index.search([-1, 0], 1) == [Scored("b", 0.0)]


def test_equal_vectors_tie_whatever_their_length():
    index = VectorIndex(ITEMS, [[1, 2, 3], [2, 4, 6], [3, 2, 1]])
    assert [scored.id for scored in index.search([1, 2, 3], 1)] == ["a", "b"]


def test_vectors_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match="3 items need as many vectors"):
        VectorIndex(ITEMS, [[1, 0]])
    with pytest.raises(DataError, match="NaN"):
        VectorIndex(ITEMS[:1], [[math.nan, 0]])
    index = VectorIndex(ITEMS[:1], [[1, 0]])
    with pytest.raises(DataError, match="dimension 2"):
        index.search([1, 0, 0], 1)
    assert index.search([0, 0], 1) == []
    assert VectorIndex([], []).search([1, 0], 1) == []


@given(
    hnp.arrays(np.float32, (4, 3), elements=st.floats(-(2.0**99), 2.0**99, width=32)),
    st.integers(0, 3),
    st.integers(1, 4),
)
def test_cosines_are_bounded_and_an_item_is_nearest_to_itself(rows, place, k):
    items = [Item(str(n), "T") for n in range(4)]
    found = VectorIndex(items, rows).search(rows[place], k)
    assert all(-1 <= scored.score <= 1 for scored in found)
    if np.abs(rows[place]).max() > 1e-30:
        assert len(found) >= k
        assert str(place) in {scored.id for scored in found if scored.score == found[0].score}
    scores = [scored.score for scored in found]
    assert scores == sorted(scores, reverse=True)
