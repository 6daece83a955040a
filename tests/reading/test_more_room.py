"""How long the second try of a reply that was cut may be."""

from mysteryshopper.core import ChatReply, Usage
from mysteryshopper.reading import more_room


def cut(length):
    return ChatReply("{", finish="length", usage=Usage(10, length))


def test_it_is_twice_what_was_allowed_or_taken_and_never_little():
    assert more_room(cut(40), 50) == 100
    assert more_room(cut(1500)) == 3000  # else a second try could get less than the first
    assert more_room(cut(64)) == more_room(cut(0)) == 1024
