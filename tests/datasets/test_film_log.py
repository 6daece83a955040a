"""The generated viewing log of the film catalogue: shaped like a log, the same each time, and counted as popularity."""

from collections import Counter

from mysteryshopper.core import Item
from mysteryshopper.datasets import DataBlock, load
from mysteryshopper.datasets.film_log import FILMS_EACH, VIEWERS, generated_log


def films(count=40):
    genres = ("comedy", "western", "heist", "horror")
    return [Item(f"f{number}", f"Film {number}", 1990, {"genre": (genres[number % 4],)}) for number in range(count)]


def test_the_same_films_give_the_same_log():
    assert generated_log(films()) == generated_log(films())
    assert generated_log([]) == ()


def test_nobody_sees_a_film_twice_or_too_many():
    seen = Counter((row.user, row.item) for row in generated_log(films()))
    assert set(seen.values()) == {1}
    each = Counter(user for user, _ in seen)
    assert len(each) == VIEWERS
    assert max(each.values()) <= FILMS_EACH


def test_few_films_are_seen_by_many():
    counts = sorted(load(DataBlock(name="films")).label_counts().values(), reverse=True)
    assert sum(counts[: len(counts) // 5]) > 0.4 * sum(counts)
    assert counts[0] > 10 * counts[len(counts) // 2]


def test_viewers_keep_to_genres_they_like():
    """Two of four genres are liked, and drawn four times as often: about 80 % of a viewer's films are of two genres."""
    by_viewer = {}
    catalog = {film.id: film for film in films(400)}
    for row in generated_log(list(catalog.values())):
        by_viewer.setdefault(row.user, Counter())[catalog[row.item].attributes["genre"][0]] += 1
    kept = [sum(n for _, n in genres.most_common(2)) / sum(genres.values()) for genres in by_viewer.values()]
    assert 0.7 < sum(kept) / len(kept) < 0.9


def test_popularity_counts_the_log():
    data = load(DataBlock(name="films"))
    assert data.popularity_split == "all"
    counts = data.label_counts("all")
    assert counts == Counter(row.item for row in data.ratings().rows)
    assert {row.stars for row in data.ratings().rows} == {None}
    assert set(counts) <= {item.id for item in data.items()}
