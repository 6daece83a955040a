"""The attribute asker: asks what splits best, shows what fits, takes criticism, and recovers."""

import time

import pytest

from mysteryshopper.core import Address, Chooser, ConfigError, History, Item, ItemRef, Message, Opening, Option, Ranker
from mysteryshopper.items import Catalog
from mysteryshopper.systems import SYSTEMS
from mysteryshopper.systems.attribute_asker import AttributeAsker, AttributeAskerOptions
from mysteryshopper.testing import check_system

CATALOG = Catalog(
    [
        Item(
            "1", "The Salt Clock", 2004, {"genre": ("drama",), "mood": ("slow",)}, "A lighthouse keeper mends a clock."
        ),
        Item("2", "Lantern Road", 1998, {"genre": ("comedy",), "mood": ("quick",)}, "Two cousins sell lamps."),
        Item("3", "Glass Harbour", 2011, {"genre": ("comedy", "crime"), "mood": ("slow",)}, "Thieves at the docks."),
        Item("4", "Nine Winters", 1987, {"genre": ("war",), "mood": ("slow",)}, "Soldiers wait for spring."),
        Item("5", "Paper Comet", 2019, {"genre": ("science fiction",), "mood": ("quick",)}, "A comet of letters."),
        Item("6", "Tin Parade", 1988, {"genre": ("comedy",), "mood": ("slow",)}, "A town builds a brass band."),
    ],
    name="films",
)


def asker(**options):
    return AttributeAsker(CATALOG, AttributeAskerOptions(**{"show": 2, "ask": 1, **options}))


async def talk(system, *lines):
    """Let a person say lines one after the other; return the replies."""
    messages, replies = (), []
    async with system.open(Opening("s"), History()) as session:
        for number, line in enumerate(lines):
            messages += (Message("user", line, author="simulated"),)
            reply = await session.reply(History(messages, number + 1, Address(unit="u")))
            replies.append(reply)
            messages += (Message("assistant", "\n".join(reply.messages), reply.items),)
    return replies


def ids(reply):
    return [item.id for item in reply.items]


async def test_it_keeps_the_contract():
    assert SYSTEMS.load("attribute-asker") is AttributeAsker
    assert isinstance(asker(), Ranker)
    assert isinstance(asker(), Chooser)
    await check_system(asker())


async def test_it_asks_about_what_splits_best_each_at_most_once_and_no_more_than_it_may():
    replies = await talk(asker(ask=3), "hello", "whatever", "I don't mind", "no idea")
    asked = [reply.notes.get("asked") for reply in replies]
    assert asked == ["genre", "decade", "mood", None]
    assert replies[0].messages[0].startswith("Do you have a particular genre in mind? For instance comedy, ")
    assert [len(reply.items) for reply in replies] == [0, 0, 0, 2]
    assert [reply.notes.get("asked") for reply in await talk(asker(ask=1), "hello", "lamps")] == ["genre", None]
    assert [reply.notes.get("asked") for reply in await talk(asker(ask=0), "lamps")] == [None]
    only = await talk(asker(ask=5, attributes=["mood"]), "hello", "hm")
    assert [reply.notes.get("asked") for reply in only] == ["mood", None]


async def test_what_was_told_is_not_asked_for_and_comes_back_noted():
    (reply,) = await talk(asker(ask=3), "a slow one please")
    assert reply.notes["asked"] == "genre"
    assert reply.messages[0].startswith("Noted: mood slow.")
    replies = await talk(asker(ask=3), "a comedy", "the eighties")
    assert replies[0].notes["asked"] == "decade"
    assert ids(replies[1]) == ["6"]


async def test_it_shows_what_fits_and_says_why_in_the_catalogues_words():
    first, second = await talk(asker(), "hello there", "Comedy, something slow")
    assert first.items == ()
    assert ids(second) == ["3", "6"]
    assert "1. Glass Harbour (2011) - genre: comedy; mood: slow" in second.messages[0]
    assert "crime" not in second.messages[0]


async def test_it_is_quiet_about_what_it_asks_once_little_is_left():
    (reply,) = await talk(asker(ask=5), "a slow comedy")
    assert ids(reply) == ["3", "6"]


async def test_words_put_what_fits_in_order():
    (reply,) = await talk(asker(ask=0, show=1), "a comedy with a brass band")
    assert ids(reply) == ["6"]


async def test_a_refused_value_is_not_shown_and_nothing_is_shown_twice():
    replies = await talk(asker(ask=0, show=1), "a comedy", "not that one", "no crime please", "more")
    shown = [ids(reply) for reply in replies]
    assert [len(one) for one in shown] == [1, 1, 1, 1]
    assert len({one[0] for one in shown}) == 4
    late = await talk(asker(ask=0, show=6), "no comedy and no war")
    assert sorted(ids(late[0])) == ["1", "5"]


async def test_what_the_person_names_is_known_to_them():
    (reply,) = await talk(asker(ask=0, show=6), "a comedy, but I know Lantern Road (1998)")
    assert sorted(ids(reply)) == ["3", "6"]


async def test_a_value_that_all_items_shown_lack_is_asked_for_once_more_not_refused():
    replies = await talk(asker(ask=0, show=1), "something slow", "that's not a comedy")
    assert ids(replies[0]) == ["4"]
    assert ids(replies[1]) == ["3"]
    refused = await talk(asker(ask=0, show=1), "a comedy", "no comedy, something slow")
    assert ids(refused[0]) == ["2"]
    assert ids(refused[1]) == ["4"]


async def test_when_nothing_fits_what_was_said_last_is_given_up_and_said():
    (reply,) = await talk(asker(ask=0), "a comedy from the eighties that is quick")
    assert ids(reply) == ["6"]
    assert "I left this aside: mood quick." in reply.messages[0]
    replies = await talk(asker(ask=0, show=6), "science fiction", "not quick")
    assert ids(replies[0]) == ["5"]
    assert "I left this aside: science fiction" not in replies[1].messages[0]


async def test_a_changed_mind_replaces_what_was_said_before():
    replies = await talk(asker(ask=0, show=1), "a war film", "actually, a crime story instead")
    assert [ids(reply) for reply in replies] == [["4"], ["3"]]


async def test_an_answer_belongs_to_the_attribute_that_was_asked_for():
    doubled = Catalog(
        [
            Item("1", "First Of Many", attributes={"star": ("Ida Quill",), "director": ("Bo Tamm",)}),
            Item("2", "Second Of Many", attributes={"star": ("Bo Tamm",), "director": ("Ida Quill",)}),
        ]
    )
    system = AttributeAsker(doubled, AttributeAskerOptions(ask=0, show=2))

    async def shown(question):
        said = (Message("assistant", question), Message("user", "Ida Quill"))
        return ids(await system.reply(History(said)))

    assert await shown("Do you have a particular director in mind?") == ["2"]
    assert await shown("Which star do you like best?") == ["1"]
    assert await shown("What do you like?") == ["1", "2"]


async def test_a_word_for_two_values_of_one_attribute_means_either():
    years = Catalog(
        [Item("1", "First Of Many", 1925), Item("2", "Second Of Many", 2021), Item("3", "Third Of Many", 1990)]
    )
    system = AttributeAsker(years, AttributeAskerOptions(ask=0, show=3))
    (reply,) = await talk(system, "something from the 20s")
    assert sorted(ids(reply)) == ["1", "2"]


async def test_all_shown_is_said_in_words_without_items():
    replies = await talk(asker(ask=0, show=6), "anything slow or quick", "and now?")
    assert len(replies[0].items) == 6
    assert replies[1].items == ()
    assert "nothing else" in replies[1].messages[0]


async def test_it_ranks_by_what_fits_then_by_words():
    system = asker()
    said = History((Message("user", "a slow comedy with thieves, no war"),))
    ranked = await system.rank(said, 6)
    assert [one.id for one in ranked][:2] == ["3", "6"]
    assert "4" not in [one.id for one in ranked]
    assert all(one.score > 0 for one in ranked)
    assert await system.rank(History(), 5) == []


async def test_it_chooses_the_best_attribute_of_those_offered_and_recommends_after_its_questions():
    options = [
        Option("mood", "Ask about the mood."),
        Option("genre", "Ask about the genre."),
        Option("go", "Recommend."),
    ]
    system = asker(ask=1)
    assert (await system.choose(options, History((Message("user", "hello"),)))).option == "genre"
    asked = (Message("user", "hi"), Message("assistant", "Which one?", entities=("genre",)), Message("user", "comedy"))
    assert (await system.choose(options, History(asked))).option == "go"
    assert (await asker(ask=2).choose(options, History(asked))).option == "mood"
    assert (await asker(ask=2).choose(options[:2], History(asked))).option == "mood"
    assert (await system.choose(options[2:], History())).option == "go"


def test_an_attribute_that_no_item_has_is_refused():
    with pytest.raises(ConfigError, match="did you mean 'genre'"):
        asker(attributes=["gender"])


@pytest.mark.slow
async def test_a_reply_over_redial_takes_under_two_milliseconds(shared_data, monkeypatch):
    from mysteryshopper.datasets import load
    from mysteryshopper.datasets.block import DataBlock

    monkeypatch.setenv("MYSTERYSHOPPER_DATA", str(shared_data("redial").parent))
    catalog = load(DataBlock(name="redial"), shared_data("redial")).catalog()
    system = AttributeAsker(catalog)
    lines = ["hello", "a comedy or a drama, no romance", "Tom Hanks", "not from the 80s", "something else"]
    replies = await talk(system, *lines)
    said = tuple(
        message
        for line, reply in zip(lines, replies, strict=True)
        for message in (Message("user", line), Message("assistant", reply.messages[0], reply.items))
    )
    began = time.process_time()
    for number in range(100):
        await system.reply(History((*said, Message("user", f"a western, number {number}"))))
    assert (time.process_time() - began) / 100 < 0.002 * 2, "twice the bar, for a busy machine"
    assert all(isinstance(item, ItemRef) for reply in replies for item in reply.items)
