"""A viewing log for the film catalogue, drawn by chance: nobody watched anything.

It gives the demo something to count popularity in. The shape is that of real logs: few films are seen by many, most by
few, and people keep to genres they like.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from mysteryshopper.core import Item, rng
from mysteryshopper.datasets.records import Rating

VIEWERS = 300
FILMS_EACH = 12
_GENRE = "genre"
_FAVOURITES = 2
_STEEPNESS = 0.7
_PULL = 4.0
"""How much likelier a film of a favourite genre is to be seen than an equally well-known one of another."""


def generated_log(films: Sequence[Item]) -> tuple[Rating, ...]:
    """Return a log of `VIEWERS` viewers who each saw up to `FILMS_EACH` films; the same films give the same log.

    How well known a film is falls with its place in a shuffled order (a power law with exponent 0.7); a viewer likes
    `_FAVOURITES` genres. Ratings have no stars: they say that a film was seen.
    """
    if not films:
        return ()
    random = rng("film log")
    genres = sorted({genre for film in films for genre in film.attributes.get(_GENRE, ())})
    places = list(range(1, len(films) + 1))
    random.shuffle(places)
    rows = []
    for viewer in range(1, VIEWERS + 1):
        liked = set(random.sample(genres, min(_FAVOURITES, len(genres))))
        weights = accumulate(
            (1.0 if liked.isdisjoint(film.attributes.get(_GENRE, ())) else _PULL) / place**_STEEPNESS
            for film, place in zip(films, places, strict=True)
        )
        drawn = random.choices(films, cum_weights=list(weights), k=FILMS_EACH)
        seen = dict.fromkeys(film.id for film in drawn)
        rows += [Rating(f"viewer-{viewer}", film, None, text="seen") for film in seen]
    return tuple(rows)
