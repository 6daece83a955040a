"""Chat models that know no catalogue: what they list is matched, what they say finds items, and what they choose."""

import numpy as np
import pytest

from mysteryshopper.core import Address, Chooser, History, Item, ItemRef, Message, Opening, Option, Ranker
from mysteryshopper.items import Catalog
from mysteryshopper.models.scripted import ScriptedModel
from mysteryshopper.systems import SYSTEMS
from mysteryshopper.systems.zero_shot import ZeroShot, ZeroShotEmbedding
from mysteryshopper.testing import check_system

CATALOG = Catalog(
    [
        Item("1", "The Salt Clock", 2004, {"genre": ("drama",)}),
        Item("2", "Lantern Road", 1998, {"genre": ("comedy",)}),
        Item("3", "Glass Harbour", 2011, {"genre": ("crime",)}),
        Item("4", "Glass Harbour", 1971, {"genre": ("war",)}),
    ],
    name="films",
)


class Words:
    """Embeds a text by which of four words it holds."""

    name = "words"

    def __init__(self):
        self.asked = []

    async def embed(self, texts):
        self.asked.append(list(texts))
        rows = [[float(word in text.casefold()) for word in ("drama", "comedy", "crime", "war")] for text in texts]
        return np.array(rows, dtype=np.float32) + np.float32(0.01)


def said(*texts, items=()):
    messages = tuple(
        Message("assistant", text, items) if place % 2 else Message("user", text, author="simulated")
        for place, text in enumerate(texts)
    )
    return History(messages, 1, Address(unit="u", role="system", component="zero"))


async def answer(system, history):
    async with system.open(Opening("s"), history) as session:
        return await session.reply(history)


@pytest.mark.parametrize("form", ["chat", "completion"])
async def test_they_keep_the_contract(form):
    model = ScriptedModel(lambda request, address: "You could watch Lantern Road (1998).", form=form)
    assert SYSTEMS.load("zero-shot") is ZeroShot
    assert SYSTEMS.load("zero-shot+embedding") is ZeroShotEmbedding
    for system in (ZeroShot(model, CATALOG), ZeroShotEmbedding(model, CATALOG, embedder=Words())):
        assert isinstance(system, Ranker)
        assert isinstance(system, Chooser)
        await check_system(system)


async def test_items_are_the_titles_it_names_that_the_catalogue_holds():
    text = "1. Lantern Road (1998), it is funny\n2. Nobody's Film (2001), unknown\n3. Glass Harbour (2011), dark"
    reply = await answer(ZeroShot(ScriptedModel([text]), CATALOG), said("a film please"))
    assert [item.id for item in reply.items] == ["2", "3"]
    assert reply.messages == (text,)


async def test_what_was_shown_or_named_by_the_person_is_no_new_item():
    shown = (ItemRef("2", "Lantern Road", 1998),)
    history = said("like The Salt Clock (2004)", "Lantern Road", "more", items=shown)
    text = "The Salt Clock (2004), Lantern Road (1998) and Glass Harbour (1971)"
    reply = await answer(ZeroShot(ScriptedModel([text]), CATALOG), history)
    assert [item.id for item in reply.items] == ["4"]


async def test_a_ranking_is_the_list_without_what_matches_nothing():
    model = ScriptedModel(["1. Glass Harbour (1971)\n2. Glass Harbour\n3. Made Up (1999)\n4. Salt Clock, The (2004)"])
    ranking = await ZeroShot(model, CATALOG).rank(said("war"), 10)
    assert [one.id for one in ranking] == ["4", "1"], "an ambiguous title without its year is no item"
    assert [one.score for one in ranking] == sorted({one.score for one in ranking}, reverse=True)
    assert model.requests[0][1].purpose == "rank"


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [("Ask about the genre.", "genre"), ("b", "recommend"), ("genre or recommend?", None), ("Z", None)],
)
async def test_it_chooses_an_option_or_none(reply, chosen):
    options = [Option("genre", "Ask about the genre."), Option("recommend", "Recommend something.")]
    model = ScriptedModel([reply])
    choice = await ZeroShot(model, CATALOG).choose(options, said("hi"))
    assert choice.option == chosen
    assert model.requests[0][0].choices == ("Ask about the genre.", "Recommend something.")


async def test_the_words_of_reply_and_dialogue_find_the_items():
    words = Words()
    system = ZeroShotEmbedding(ScriptedModel(["something with crime", "a war film"]), CATALOG, embedder=words)
    first = await system.rank(said("an old thing", "k", "surprise me"), 1)
    assert [one.id for one in first] == ["3"]
    assert words.asked[-1] == ["k\nsurprise me\nsomething with crime"]
    await system.rank(said("hello"), 1)
    assert sum(len(texts) == 4 for texts in words.asked) == 1, "the index is built once"


async def test_a_reply_that_only_asks_shows_nothing():
    system = ZeroShotEmbedding(ScriptedModel(["Which genre do you like?"]), CATALOG, embedder=Words())
    assert (await answer(system, said("hi"))).items == ()
