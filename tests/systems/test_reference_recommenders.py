"""The reference recommenders rank as they say, and show what the dialogue has not held yet."""

import pytest

from mysteryshopper.core import Address, History, Item, ItemRef, Message, Opening
from mysteryshopper.items import Catalog
from mysteryshopper.systems.copy_history import CopyHistory
from mysteryshopper.systems.embedding import Embedding
from mysteryshopper.systems.lexical import Lexical
from mysteryshopper.systems.popularity import Popularity
from mysteryshopper.systems.random import RandomSystem
from mysteryshopper.testing import ScriptedEmbedder, check_system

CATALOG = Catalog(
    [
        Item("1", "The Salt Clock", 2004, {"genre": ("drama",)}, "A clockmaker keeps a lighthouse running."),
        Item("2", "Lantern Road", 1998, {"genre": ("comedy",)}, "Two cousins sell lamps on the road."),
        Item("3", "Glass Harbour", 2011, {"genre": ("comedy", "crime")}, "Thieves plan one last night at the docks."),
        Item("4", "Nine Winters", 1987, {"genre": ("war",)}, "Soldiers wait for a spring that does not come."),
        Item("10", "Paper Comet", 2019, {"genre": ("science fiction",)}, "A comet made of letters returns."),
    ],
    name="films",
)


def said(*turns: tuple[str, str, tuple[str, ...]], unit: str = "u", component: str = "") -> History:
    messages = tuple(
        Message("user" if who == "user" else "assistant", text, tuple(ItemRef(name) for name in items))
        for who, text, items in turns
    )
    return History(messages, 1, Address(unit=unit, path="0.1", component=component))


def ids(ranking):
    return [scored.id for scored in ranking]


SYSTEMS = {
    "copy-history": lambda: CopyHistory(CATALOG),
    "popularity": lambda: Popularity(CATALOG, {"3": 5, "1": 2, "2": 2, "10": 1}),
    "random": lambda: RandomSystem(CATALOG, seed=3),
    "lexical": lambda: Lexical(CATALOG),
    "embedding": lambda: Embedding(CATALOG, ScriptedEmbedder()),
}


@pytest.mark.parametrize("name", SYSTEMS)
async def test_each_conforms(name):
    await check_system(SYSTEMS[name]())


@pytest.mark.parametrize("name", ["popularity", "random", "lexical", "embedding"])
async def test_a_reply_shows_new_items_in_rank_order_and_names_them(name):
    system = SYSTEMS[name]()
    history = said(("user", "a comedy on the road with lamps and thieves", ()), ("system", "Try this.", ("3",)))
    async with system.open(Opening("s"), history) as session:
        reply = await session.reply(history)
    ranked = [found for found in ids(await system.rank(history, 5)) if found != "3"]
    assert [item.id for item in reply.items] == ranked[:3]
    assert all(item.title in reply.messages[0] for item in reply.items)


async def test_popularity_returns_the_whole_tie_at_its_end():
    system = SYSTEMS["popularity"]()
    assert ids(await system.rank(said(), 1)) == ["3"]
    assert ids(await system.rank(said(), 2)) == ["3", "1", "2"]
    assert ids(await system.rank(said(), 50)) == ["3", "1", "2", "10"]


async def test_copy_history_ranks_the_last_mention_first_without_repeats():
    history = said(("user", "x", ("1", "2")), ("system", "y", ("4",)), ("user", "z", ("1",)))
    assert ids(await SYSTEMS["copy-history"]().rank(history, 10)) == ["1", "4", "2"]


async def test_copy_history_repeats_what_the_user_named_in_plain_words():
    system = SYSTEMS["copy-history"]()
    history = said(("user", "I loved Glass Harbour (2011) and Lantern Road.", ()))
    async with system.open(Opening("s"), history) as session:
        reply = await session.reply(history)
    assert [item.id for item in reply.items] == ["2", "3"]


async def test_lexical_finds_titles_plots_and_attributes():
    system = SYSTEMS["lexical"]()
    assert ids(await system.rank(said(("user", "something with a lighthouse", ())), 1)) == ["1"]
    assert ids(await system.rank(said(("user", "science fiction please", ())), 1)) == ["10"]
    assert ids(await system.rank(said(("user", "nine winters", ())), 1)) == ["4"]
    assert ids(await system.rank(said(("user", "zzz", ())), 3)) == []


async def test_lexical_listens_to_the_user_and_not_to_itself():
    history = said(("system", "Do you like soldiers and winters?", ()), ("user", "no, lamps", ()))
    assert ids(await SYSTEMS["lexical"]().rank(history, 1)) == ["2"]


async def test_random_depends_on_the_place_in_the_run_and_the_seed_only():
    one, same, other = RandomSystem(CATALOG, 3), RandomSystem(CATALOG, 3), RandomSystem(CATALOG, 4)
    orders = {tuple(ids(await one.rank(said(unit=str(unit)), 5))) for unit in range(20)}
    assert len(orders) > 10
    assert ids(await one.rank(said(unit="7"), 5)) == ids(await same.rank(said(("user", "hello", ()), unit="7"), 5))
    mine = [ids(await one.rank(said(unit=str(unit)), 5)) for unit in range(5)]
    assert mine != [ids(await other.rank(said(unit=str(unit)), 5)) for unit in range(5)]


async def test_two_blocks_of_random_draw_apart():
    system = RandomSystem(CATALOG, 3)

    async def orders(name):
        return [ids(await system.rank(said(unit=str(unit), component=name), 5)) for unit in range(5)]

    assert await orders("random") == await orders("random")
    assert await orders("random") != await orders("random again")


async def test_nothing_left_to_show_is_said_in_words_without_items():
    system = SYSTEMS["lexical"]()
    history = said(("user", "zzz", ()))
    async with system.open(Opening("s"), history) as session:
        reply = await session.reply(history)
    assert reply.items == ()
    assert reply.messages[0].strip()
