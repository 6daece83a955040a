"""What HTTP and Python systems answer is read as they mean it, or refused in words."""

import pytest

from mysteryshopper.core import CallFailed, History, Item, ItemRef, Message, SystemReply
from mysteryshopper.items import Catalog
from mysteryshopper.systems.wire import body_messages, read_reply, resolver

CATALOG = Catalog(
    [
        Item("1", "The Salt Clock", 2004),
        Item("2", "Lantern Road", 1998),
        Item("3", "Lantern Road II", 2001),
    ],
    name="films",
)


def test_a_text_is_one_message():
    assert read_reply("Try Lantern Road.") == SystemReply(("Try Lantern Road.",))


def test_several_messages_are_kept_apart():
    answer = {"messages": ["One moment.", {"role": "assistant", "content": "Here you go."}, {"id": "m1", "text": "!"}]}
    assert read_reply(answer).messages == ("One moment.", "Here you go.", "!")


def test_null_content_is_an_empty_message_not_a_crash():
    assert read_reply({"content": None}).messages == ("",)


def test_items_keep_id_title_and_year():
    answer = {"content": "ok", "items": [{"id": 7, "title": "A", "year": "1999"}, {"title": "B"}, "C"]}
    assert read_reply(answer).items == (ItemRef("7", "A", 1999), ItemRef(None, "B"), ItemRef(None, "C"))


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (None, "not NoneType"),
        ([], "not list"),
        ({}, "neither"),
        ({"content": 3}, "must be a text"),
        ({"messages": "hello"}, "must be a list"),
        ({"content": "x", "items": {}}, "must be a list"),
        ({"content": "x", "items": [{}]}, "neither id nor title"),
        ({"content": "x", "items": [3]}, "must be an object"),
    ],
)
def test_other_forms_are_the_systems_fault(answer, why):
    if answer == {"content": "x", "items": {}}:
        answer = {"content": "x", "items": {"a": 1}}
    with pytest.raises(CallFailed, match=why) as caught:
        read_reply(answer)
    assert (caught.value.ended, caught.value.fault) == ("unreadable", "system")


def test_a_ranking_needs_no_words_but_a_turn_does():
    assert read_reply({"items": [{"id": 7}]}, silent=True).items == (ItemRef("7"),)
    for answer, silent in (({"items": [{"id": 7}]}, False), ({}, True), ({"choice": "a"}, True)):
        with pytest.raises(CallFailed, match="neither"):
            read_reply(answer, silent=silent)


def test_items_are_tied_by_id_where_the_title_agrees_else_by_title():
    resolve = resolver(CATALOG)
    reply = SystemReply(
        ("x",),
        (
            ItemRef("1", "Salt Clock, The", 2004),
            ItemRef("2", "The Salt Clock", 2004),  # the shop's own ids: the title decides
            ItemRef("99", "Lantern Road", 1998),
            ItemRef("3"),
            ItemRef(None, "Nobody Knows This", 1950),
        ),
    )
    assert [item.id for item in resolve(reply).items] == ["1", "1", "2", "3", None]


def test_without_a_list_the_items_are_those_the_text_names():
    reply = resolver(CATALOG)(SystemReply(("Lantern Road II (2001) is fine, so is The Salt Clock.",)))
    assert [item.id for item in reply.items] == ["3", "1"]


def test_without_a_catalogue_nothing_is_changed():
    reply = SystemReply(("x",), (ItemRef("a", "B"),))
    assert resolver(None)(reply) is reply


def test_messages_are_sent_as_they_were_and_empty_ones_left_out():
    history = History((Message("assistant", "Hi"), Message("user", " \n"), Message("user", "@1 {x} %s")))
    assert body_messages(history) == [
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "@1 {x} %s"},
    ]
