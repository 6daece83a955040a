"""How agenda users sound: many voices, none that repeats itself or trips the fault detectors, titles left whole."""

from collections import Counter
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Goal, ItemRef, Opening, Profile, Scenario, SystemReply
from mysteryshopper.datasets import DataBlock, load
from mysteryshopper.dialogue import Policy, Scene, converse
from mysteryshopper.profiles import STYLES, generate_profiles
from mysteryshopper.users.agenda import AgendaOptions, AgendaUser
from mysteryshopper.users.agenda.fingers import FIRST_MARK, mistype, type_out
from mysteryshopper.users.agenda.hearing import listen
from mysteryshopper.users.agenda.manner import draw_manner
from mysteryshopper.users.agenda.naming import lack, want
from mysteryshopper.users.agenda.phrasebook import phrasebook
from mysteryshopper.users.styles import style_name

COMMON = ("open", "inform", "answer", "dont_mind", "critique", "reject", "accept", "rather", "more", "seen")


class Shop:
    """Asks, shows or chats by chance; nothing in it listens."""

    memory = "messages"

    def __init__(self, films, seed):
        self.films, self.rng = films, Random(seed)

    def open(self, opening, history):
        from contextlib import nullcontext

        return nullcontext(self)

    async def reply(self, history):
        if self.rng.random() < 0.4:
            return SystemReply((self.rng.choice(QUESTIONS),))
        shown = self.rng.sample(self.films, self.rng.choice((1, 1, 3)))
        refs = tuple(ItemRef(film.id, film.title, film.year) for film in shown)
        return SystemReply((f"There is {', '.join(film.title for film in shown)}.",), refs)


QUESTIONS = (
    "Hello, what are you looking for?",
    "Which country should it be from?",
    "Do you like horror?",
    "Is there an actor you like?",
    "What did you enjoy last?",
    "Anything else I should know?",
    "Do you want an older one?",
    "I see.",
    "Shall I suggest one?",
)


@pytest.fixture(scope="module")
def films():
    return load(DataBlock(name="films")).catalog()


async def dialogues(films, count, turns=6, guard="off"):
    found = []
    for place, profile in enumerate(generate_profiles(films, count, seed=11).profiles):
        scene = Scene(
            Scenario("s", profile, "films"),
            Opening("o"),
            Goal(constraints=profile.attributes),
            Policy(max_user_turns=turns, closing_turn=False, guard=guard),
            find=films.find,
        )
        shop = Shop(list(films), place)
        found.append(await converse(scene, AgendaUser(), shop, Random(place), name=profile.id))
    return found


def spoken(dialogue):
    return [node.messages[0].text for node in dialogue.nodes if node.side == "user" and node.messages]


@pytest.mark.slow
async def test_fault_detectors_stay_silent_but_for_three_turns_in_a_thousand(films):
    flags, turns = Counter(), 0
    for dialogue in await dialogues(films, 250, guard="flag"):
        nodes = [node for node in dialogue.nodes if node.side == "user"]
        turns += len(nodes)
        flags.update(bool(node.flags) for node in nodes)
    assert turns > 1_000
    assert flags[True] / turns < 0.003


async def test_users_sound_different_and_do_not_repeat_themselves(films):
    openings, again, total = [], 0, 0
    for dialogue in await dialogues(films, 80):
        assert dialogue.fault == "none", dialogue.detail
        said = spoken(dialogue)
        openings.append(said[0].casefold())
        again += len(said) - len({text.casefold() for text in said})
        total += len(said)
    assert len(set(openings)) == len(openings)
    assert again / total < 0.01


async def test_no_phrase_comes_twice_while_others_remain(films):
    book = {phrase.number: action for action, found in phrasebook().phrases.items() for phrase in found}
    for dialogue in await dialogues(films, 40):
        used = [node.state["used"] for node in dialogue.nodes if node.side == "user"][-1]
        twice = [number for number, count in Counter(used).items() if count > 1]
        assert not [number for number in twice if book[number] in COMMON]


async def test_titles_are_never_mistyped_and_none_is_named_before_it_was_shown(films):
    for dialogue in await dialogues(films, 60):
        shown = []
        for node in dialogue.nodes:
            if node.side == "system":
                shown += [one.item.title for one in node.items]
                continue
            text = node.messages[0].text
            for name in films.mentions(text):
                assert films.get(name).title in shown
            if node.turn_data.get("action") in ("accept", "settle"):
                assert any(title in text for title in shown)


def test_common_actions_have_twenty_five_variants_and_every_speaker_some():
    book = phrasebook()
    for action in ("open", "inform", "answer", "dont_mind", "critique", "reject", "accept", "rather", "seen"):
        assert len(book.phrases[action]) >= 25
    slots = {"want", "lack", "value", "attr", "ask", "liked", "title", "noun", "known", "context"}
    for action, (tone, talk, mood, number) in product(book.phrases, product(" fi", " tc", " wg", "sp")):
        marks = frozenset((tone + talk + mood + number).replace(" ", ""))
        assert book.pick(action, marks, slots, (), Random(1))


def test_every_value_asked_for_is_filled_in_whole():
    wish = {"genre": ("comedy",), "director": ("Di {Wu}",), "shape of it": ("(round|flat)",)}
    for seed in range(60):
        text = want(list(wish), wish, "movie", Random(seed))
        assert "Di {Wu}" in text
        assert "(round|flat)" in text
        assert text.startswith("a comedy")
        assert "Di {Wu}" in lack("director", wish, Random(seed))


@pytest.mark.parametrize(
    ("trait", "word", "holds"),
    [
        ("conciseness", "terse", lambda manner: manner.talk == "terse"),
        ("conciseness", "Verbose", lambda manner: manner.talk == "chatty"),
        ("formality", "informal", lambda manner: manner.tone == "casual"),
        ("sentiment", "grumpy", lambda manner: manner.mood == -1),
        ("carelessness", "none", lambda manner: manner.typos == 0),
        ("carelessness", "sloppy", lambda manner: manner.typos > 0.05),
    ],
)
def test_styles_are_read_in_several_words(trait, word, holds):
    for seed in range(10):
        assert holds(draw_manner(Profile("a", style={trait: word}), "films", AgendaOptions(), seed))


def manner(seed, **style):
    return draw_manner(Profile("a", style=style), "films", AgendaOptions(), seed)


def test_formal_and_casual_writers_differ():
    text = "I'm looking for something, please. Thanks."
    formal = manner(1, formality="formal", carelessness="careful")
    assert type_out(text, formal, 0, [], Random(1)) == "I am looking for something, please. Thanks."
    casual = {type_out(text, manner(seed, formality="casual"), 0, [], Random(seed)) for seed in range(40)}
    assert any("pls" in one or "plz" in one for one in casual)
    assert any(one == one.lower() for one in casual)
    assert any("Im " in one or "im " in one for one in casual)


def test_styles_cover_what_the_manners_know():
    for trait, words in STYLES.items():
        assert len({style_name(trait, word) for word in words} - {None}) == len(words)


@given(st.text(max_size=60), st.integers(0, 999), st.floats(0, 1))
def test_typing_never_touches_a_title(title, seed, rate):
    title = title.replace(chr(FIRST_MARK), "")
    manner = draw_manner(Profile("a", style={"carelessness": "careless"}), "films", AgendaOptions(), seed)
    typed = type_out(f"I would rather have {chr(FIRST_MARK)} than anything.", manner, 0, [title], Random(seed))
    assert title in typed
    assert mistype("of it 1990 42", rate, Random(seed)) == "of it 1990 42"


def test_as_many_words_are_mistyped_as_was_asked_for():
    text = "something wonderful " * 2000
    wrong = sum(one != two for one, two in zip(text.split(), mistype(text, 0.1, Random(1)).split(), strict=True))
    assert 0.085 < wrong / 4000 < 0.115  # a swap of two equal letters, or the same key, changes nothing
    assert mistype(text, 0, Random(1)) == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What genre do you like?", {"asked": ("genre",)}),
        ("Any favourite director, or a star?", {"asked": ("director", "actor")}),
        ("Which decade?", {"asked": ("decade",)}),
        ("Do you fancy a western or a musical?", {"values": (("genre", "western"), ("genre", "musical"))}),
        ("Something from the 80s?", {"values": (("decade", "80s"),)}),
        ("Is there a hue you like? ", {"asked": ("hue",)}),
        ("What are you in the mood for?", {"openly": True}),
        ("Can you tell me a film you liked?", {"liked": True}),
        ("Shall I look for more?", {"offers": True}),
        ("Could it rain tomorrow?", {"other": "polar"}),
        ("How is the weather?", {"other": "wh"}),
        ("Genres are fun.", {}),
        ("Hello!", {"greets": True}),
        ("", {"said": False}),
        ("12 … 34", {"said": False}),
    ],
)
def test_what_is_heard(text, found):
    heard = listen(text, {"actor": ("Ann Lee",), "hue": ("red",)})
    expected = {"said": True, **found}
    assert {name: getattr(heard, name) for name in expected} == expected
    assert heard.question == bool(found.keys() & {"asked", "values", "openly", "liked", "offers", "other"})


@given(st.text(max_size=300))
def test_whatever_is_said_is_borne(text):
    listen(text, {"genre": ("comedy",), "": ("",)})
