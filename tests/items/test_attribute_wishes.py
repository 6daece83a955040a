from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Item, Scored
from mysteryshopper.items import (
    Catalog,
    attribute_overlap,
    attribute_overlap_ranking,
    copy_history,
    meets,
    popularity,
)

FILM = Item("1", "Salt Clock", attributes={"genre": ("Comedy", "Drama"), "star": ("Ana  Lindé",)})


def test_every_attribute_needs_one_of_its_values():
    assert meets(FILM, {"genre": ("comedy", "horror")})
    assert meets(FILM, {"genre": ("DRAMA",), "star": ("ana linde\u0301",)})
    assert not meets(FILM, {"genre": ("comedy",), "star": ("Someone Else",)})
    assert not meets(FILM, {"director": ("Anyone",)})
    assert not meets(FILM, {"genre": ()})
    assert meets(FILM, {})


def test_overlap_counts_pairs_once():
    assert attribute_overlap(FILM, {"genre": ["comedy", "Comedy", "drama", "war"], "star": ["comedy"]}) == 2
    assert attribute_overlap(FILM, {}) == 0


def test_history_is_copied_last_first():
    assert [scored.id for scored in copy_history(["a", "b", "a", "c"])] == ["c", "a", "b"]
    assert [scored.score for scored in copy_history(["a", "b", "a", "c"])] == [3.0, 2.0, 1.0]
    assert copy_history([]) == []


def test_popularity_lists_ties_by_id_and_leaves_out_the_uncounted():
    assert popularity({"10": 2, "9": 2, "b": 2, "a": 5, "z": 0}) == [
        Scored("a", 5.0),
        Scored("9", 2.0),
        Scored("10", 2.0),
        Scored("b", 2.0),
    ]


def test_overlap_ranking_by_count_and_by_jaccard():
    films = Catalog(
        [
            Item("10", "A", attributes={"genre": ("comedy", "drama", "war")}),
            Item("9", "B", attributes={"genre": ("Comedy", "drama")}),
            Item("2", "C", attributes={"genre": ("comedy",), "star": ("x", "y", "z")}),
            Item("3", "D", attributes={"star": ("comedy",)}),
        ]
    )
    asked = {"genre": ["comedy", "DRAMA"]}
    assert attribute_overlap_ranking(films, asked) == [Scored("9", 2.0), Scored("10", 2.0), Scored("2", 1.0)]
    jaccard = attribute_overlap_ranking(films, asked, "jaccard")
    assert jaccard == [Scored("9", 1.0), Scored("10", 2 / 3), Scored("2", 0.5)]
    assert attribute_overlap_ranking(films, {"genre": ["comedy", "drama"], "star": []}, "jaccard")[-1] == Scored(
        "2", 0.2
    )
    assert attribute_overlap_ranking(films, asked, k=1) == [Scored("9", 2.0), Scored("10", 2.0)]
    assert attribute_overlap_ranking(films, {"genre": ["none"]}) == []


values = st.dictionaries(st.sampled_from(["genre", "star"]), st.lists(st.sampled_from(["a", "B", "c"]), max_size=3))


@given(st.lists(values, min_size=1, max_size=8), values, st.integers(1, 8))
def test_the_ranking_agrees_with_counting_item_by_item(held, asked, k):
    items = [Item(str(n), f"T{n}", attributes={a: tuple(v) for a, v in has.items()}) for n, has in enumerate(held)]
    counts = {item.id: attribute_overlap(item, asked) for item in items}
    ranking = attribute_overlap_ranking(Catalog(items), asked)
    assert {scored.id: scored.score for scored in ranking} == {name: n for name, n in counts.items() if n}
    best = attribute_overlap_ranking(Catalog(items), asked, k=k)
    assert best == ranking[: len(best)]
    assert len(best) >= min(k, len(ranking))
    assert len(best) == len(ranking) or ranking[len(best)].score < best[-1].score
