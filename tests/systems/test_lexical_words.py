"""`lexical` looks for words that tell something: small talk finds nothing, a title in quotes is looked for whole."""

import pytest

from mysteryshopper.core import History, Item, Message
from mysteryshopper.items import Catalog
from mysteryshopper.systems.lexical import Lexical
from mysteryshopper.systems.words import content_words

CATALOG = Catalog(
    [
        Item("1", "I, Clockmaker", 2004, {"genre": ("drama",)}),
        Item("2", "No Escape Again", 1998, {"genre": ("thriller",)}),
        Item("3", "The Movie", 2011, {"genre": ("comedy",)}),
        Item("4", "What We Want", 1987, {"genre": ("war",)}, "Lamps."),
    ]
)


async def found(*texts):
    said = tuple(Message("user", text) for text in texts)
    return [one.id for one in await Lexical(CATALOG).rank(History(said), 4)]


@pytest.mark.parametrize(
    "text", ["I", "no", "No, I don't want that", "hello!", "a movie please", "I've seen what it is"]
)
async def test_small_talk_finds_nothing(text):
    assert await found(text) == []


async def test_what_tells_something_is_found_among_small_talk():
    assert await found("No, I want a movie with lamps") == ["4"]
    assert await found("I want a thriller", "no, not that") == ["2"]
    assert await found("I want a clockmaker") == ["1"]


async def test_a_title_in_quotes_is_looked_for_word_by_word():
    assert (await found('I liked "No Escape Again"'))[0] == "2"
    assert await found('have you got "The Movie"?') == ["3"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I'm looking for a slow film, no war", "slow war"),
        ("I want “What We Want”, please", "what we want"),
        ("Some sci-fi from the 80s", "sci fi 80s"),
        ("yes no I me", ""),
    ],
)
def test_content_words(text, words):
    assert content_words(text) == words
