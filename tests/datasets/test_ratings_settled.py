"""One rating a pair: repeats are counted, of two that differ the newer is kept and the conflict listed."""

from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.datasets.ratings import read_ratings, settle
from mysteryshopper.datasets.records import Rating
from mysteryshopper.datasets.rows import read_rows


def read(path):
    return settle(read_ratings(path, read_rows(path)))


def test_identical_ones_are_dropped_and_counted_and_conflicts_listed(write):
    ratings = read(write("r.csv", "user,item,stars\na,x,4\na,x,4\nb,x,2\nb,x,5\n"))
    assert [(rating.user, rating.stars) for rating in ratings.rows] == [("a", 4), ("b", 5)]
    assert ratings.repeated == 1
    assert [(pair.kept.stars, pair.kept.line, pair.dropped.stars, pair.dropped.line) for pair in ratings.conflicts] == [
        (5, 5, 2, 4)
    ]


def test_newest_is_by_time_where_both_say_it(write):
    ratings = read(write("r.csv", "user,item,stars,time\na,x,2,2021-05-02\na,x,5,2020-01-01\nb,x,1,900\nb,x,2,1000\n"))
    assert [rating.stars for rating in ratings.rows] == [2, 2]
    assert len(ratings.conflicts) == 2


def test_a_repeat_of_a_dropped_one_is_a_repeat(write):
    ratings = read(write("r.csv", "user,item,stars\na,x,2\na,x,5\na,x,2\n"))
    assert ([rating.stars for rating in ratings.rows], ratings.repeated, len(ratings.conflicts)) == ([5], 1, 1)


def test_missing_stars_stay_missing(write):
    (rating,) = read(write("r.jsonl", '{"user": 1, "item": 2, "stars": null, "review": "null"}\n')).rows
    assert (rating.user, rating.item, rating.stars, rating.text) == ("1", "2", None, "null")


ratings = st.builds(
    Rating,
    user=st.sampled_from("ab"),
    item=st.sampled_from("xy"),
    stars=st.sampled_from([1.0, 2.0, 3.0]),
    time=st.sampled_from(["", "1", "2"]),
)


@given(st.lists(ratings, max_size=12))
def test_nothing_is_lost_in_silence(rows):
    settled = settle(rows)
    assert len(settled.rows) + settled.repeated + len(settled.conflicts) == len(rows)
    assert {(row.user, row.item) for row in settled.rows} == {(row.user, row.item) for row in rows}
    assert len({(row.user, row.item) for row in settled.rows}) == len(settled.rows)
