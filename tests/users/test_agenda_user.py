"""The agenda user: what it tells, when it critiques, takes, waits, changes its mind and leaves."""

import json
from random import Random
from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from mysteryshopper.core import (
    Address,
    ConfigError,
    History,
    ItemRef,
    Message,
    Profile,
    Rater,
    Scenario,
    Shown,
    UserView,
)
from mysteryshopper.testing import check_user
from mysteryshopper.users import USERS
from mysteryshopper.users.agenda import AgendaOptions, AgendaUser, satisfaction

WISH = {"genre": ("Comedy",), "director": ("Di Wu",)}
CLOCK, ROAD, FINCH = (
    ItemRef("t1", "The Salt Clock", 2004),
    ItemRef("x9", "Lantern Road", 1998),
    ItemRef("x8", "Mr. Finch, Again", 2011),
)
STEADY = {"hidden_share": 0, "change_mind": 0, "hold_out": 0, "curiosity": 0, "typos": 0}


def person(**more):
    style = {"formality": "neutral", "conciseness": "plain", "carelessness": "careful", "sentiment": "neutral"}
    return Profile(**{"id": "anna", "attributes": WISH, "style": style, **more})


class Talk:
    """A dialogue with a user, driven by hand."""

    def __init__(self, profile=None, seed=1, **options):
        self.user = AgendaUser(AgendaOptions(**{**STEADY, **options}))
        self.scenario = Scenario("s", profile or person(), "films")
        self.state = self.user.start(self.scenario, Random(seed))
        self.messages, self.shown, self.turns = [], [], []

    def view(self):
        turn = len(self.turns) + 1
        history = History(tuple(self.messages), turn, Address(unit="s"))
        return UserView(self.scenario, history, tuple(self.shown), turn)

    async def speak(self):
        turn, self.state = await self.user.speak(self.view(), json.loads(json.dumps(self.state)))
        self.turns.append(turn)
        if turn.text:
            self.messages.append(Message("user", turn.text, author="simulated"))
        return turn

    async def hear(self, text, *shown):
        self.messages.append(Message("assistant", text, items=tuple(one.item for one in shown)))
        self.shown += shown
        return await self.speak()


def said(text, *words):
    return all(word.casefold() in text.casefold() for word in words)


async def test_it_keeps_the_contract_of_users():
    await check_user(AgendaUser())
    assert isinstance(AgendaUser(), Rater)


def test_it_is_built_by_the_registry():
    kind = USERS.load("agenda")
    assert isinstance(kind.build(kind.options(), SimpleNamespace(has_dataset=False)), AgendaUser)
    with pytest.raises(ValidationError):
        kind.options(patience=0)


@pytest.mark.parametrize("seed", range(20))
async def test_it_opens_with_part_of_its_wish(seed):
    turn = await Talk(seed=seed).speak()
    assert turn.action == "open"
    assert said(turn.text, "comedy") or said(turn.text, "Di Wu")
    assert turn.prompt.startswith("users/agenda@")


@pytest.mark.parametrize("seed", range(20))
async def test_what_is_hidden_is_told_only_when_asked_for(seed):
    talk = Talk(person(hidden=("director",)), seed)
    assert not said((await talk.speak()).text, "Di Wu")
    assert not said((await talk.hear("Nice to meet you.")).text, "Di Wu")
    asked = await talk.hear("Is there a director you like?")
    assert asked.action in ("answer", "about")
    assert said(asked.text, "Di Wu")


@pytest.mark.parametrize("seed", range(20))
async def test_what_is_hidden_comes_out_when_it_is_violated(seed):
    talk = Talk(person(hidden=("director",)), seed)
    await talk.speak()
    turn = await talk.hear("How about Lantern Road?", Shown(ROAD, False, ("director",)))
    assert turn.action == "critique"
    assert said(turn.text, "Di Wu")
    assert turn.rejects == ("x9",)
    assert turn.end is None


async def test_a_question_about_what_it_does_not_care_for():
    talk = Talk()
    await talk.speak()
    turn = await talk.hear("Which country should it be from?")
    assert turn.action == "dont_mind"
    assert not said(turn.text, "comedy")


@pytest.mark.parametrize(
    ("question", "action", "word"),
    [
        ("Do you like comedies?", "agree", "comedy"),
        ("Are you in the mood for horror?", "deny", "comedy"),
        ("Would you prefer something by Di Wu?", "agree", "Di Wu"),
        ("What genre would you like?", None, "comedy"),
        ("Do you want a film from the 80s?", "dont_mind", ""),
        ("Shall I suggest something?", "yes_please", ""),
        ("Do you have a film you liked before?", "liked", "Paper Tram"),
        ("How tall is your house?", "puzzled", ""),
    ],
)
async def test_it_understands_plain_questions(question, action, word):
    for seed in range(8):
        talk = Talk(person(likes=("Paper Tram (1990)",)), seed)
        await talk.speak()
        turn = await talk.hear(question)
        assert turn.action == action or (action is None and turn.action in ("answer", "about"))
        if not (turn.action == "agree" and len(turn.text.split()) <= 2):  # `yes please`
            assert said(turn.text, word)


async def test_it_takes_what_it_wanted_and_ends():
    talk = Talk()
    await talk.speak()
    turn = await talk.hear("Lantern Road, or The Salt Clock?", Shown(ROAD, False, ("genre",)), Shown(CLOCK, True))
    assert (turn.action, turn.accepts, turn.rejects, turn.end) == ("accept", ("t1",), ("x9",), "done")
    assert "The Salt Clock" in turn.text


async def test_an_attribute_that_only_some_lack_is_no_complaint_about_all():
    for seed in range(20):
        talk = Talk(seed=seed)
        await talk.speak()
        turn = await talk.hear(
            "Lantern Road or Mr. Finch, Again?", Shown(ROAD, False, ("genre",)), Shown(FINCH, False, ("director",))
        )
        assert turn.action == "critique"
        assert not {"these", "those", "they"} & set(turn.text.casefold().replace(".", " ").split())
        assert "Mr. Finch" not in turn.text
        assert turn.rejects == ("x9", "x8")


@pytest.mark.parametrize("names", [("The Salt Clock",), ("Salt Clock, The (2004)",), ("t1",)])
async def test_it_turns_down_what_it_has_seen_even_if_it_fits(names):
    talk = Talk(person(seen=names))
    await talk.speak()
    turn = await talk.hear("Take The Salt Clock.", Shown(CLOCK, True))
    assert (turn.action, turn.accepts, turn.rejects, turn.end) == ("seen", (), ("t1",), None)


async def test_a_namesake_of_another_year_is_not_what_it_has_seen():
    talk = Talk(person(seen=("The Salt Clock (1961)",)))
    await talk.speak()
    assert (await talk.hear("Take The Salt Clock.", Shown(CLOCK, True))).accepts == ("t1",)


async def test_a_target_it_does_not_know_the_name_of():
    """All that was said fits, and still it is not the one: it is turned down without a reason that is not true."""
    for seed in range(30):
        talk = Talk(seed=seed)
        await talk.speak()
        turn = await talk.hear("How about Lantern Road?", Shown(ROAD, False))
        assert turn.action == "reject"
        assert (turn.end, turn.accepts) == (None, ())
        assert not said(turn.text, "not by")
        assert not said(turn.text, "salt")


async def test_an_item_without_a_title_is_spoken_of_all_the_same():
    for seed in range(10):
        talk = Talk(seed=seed)
        await talk.speak()
        turn = await talk.hear("This one.", Shown(ItemRef("t1"), True))
        assert turn.accepts == ("t1",)
        assert "{" not in turn.text


async def test_the_same_again_is_noticed():
    talk = Talk()
    await talk.speak()
    await talk.hear("How about Lantern Road?", Shown(ROAD, False))
    assert (await talk.hear("How about Lantern Road?", Shown(ROAD, False))).action == "repeated"


async def test_it_bears_as_many_system_turns_as_its_profile_says():
    talk = Talk(person(patience=3))
    await talk.speak()
    for _ in range(2):
        assert (await talk.hear("I see.")).end is None
    turn = await talk.hear("I see.")
    assert (turn.action, turn.end) == ("give_up", "gave_up")
    assert turn.text


async def test_it_takes_what_it_wanted_though_its_patience_is_at_an_end():
    talk = Talk(person(patience=1))
    await talk.speak()
    assert (await talk.hear("The Salt Clock!", Shown(CLOCK, True))).accepts == ("t1",)


async def test_it_holds_out_for_a_preference_and_goes_back():
    talk = Talk(person(prefers={"country": ("France",)}), hold_out=1)
    await talk.speak()
    turn = await talk.hear("The Salt Clock!", Shown(CLOCK, True, ("country",)))
    assert (turn.action, turn.accepts, turn.end) == ("hold_out", (), None)
    assert said(turn.text, "France")
    turn = await talk.hear("Then Lantern Road.", Shown(ROAD, False, ("genre",)))
    assert (turn.action, turn.accepts, turn.end) == ("settle", ("t1",), "done")


async def test_it_prefers_what_also_meets_its_preferences():
    talk = Talk(person(prefers={"country": ("France",)}))
    await talk.speak()
    turn = await talk.hear("Two ideas.", Shown(FINCH, True, ("country",)), Shown(CLOCK, True))
    assert turn.accepts == ("t1",)


async def test_it_asks_about_an_item_once_before_it_takes_it():
    talk = Talk(curiosity=1)
    await talk.speak()
    turn = await talk.hear("The Salt Clock!", Shown(CLOCK, True))
    assert turn.action == "inquire"
    assert "?" in turn.text
    assert (await talk.hear("It is about a clock.")).accepts == ("t1",)


async def test_only_a_preference_that_was_told_is_given_up():
    dropped = 0
    for seed in range(20):
        talk = Talk(person(prefers={"country": ("France",)}), seed, change_mind=1)
        await talk.speak()
        for _ in range(4):
            before = set(talk.state["told"])
            turn = await talk.hear("I see.")
            if "change_mind" in turn.notes["acts"]:
                dropped += 1
                assert talk.state["dropped"] == ["country"]
                assert "country" in before
    assert dropped > 10


async def test_a_question_of_its_own_wants_an_answer():
    for seed in range(40):
        talk = Talk(seed=seed, curiosity=1)
        await talk.speak()
        if (await talk.hear("Lantern Road!", Shown(ROAD, None))).action == "inquire":
            assert (await talk.hear("I see.")).action == "unanswered"
            return
    pytest.fail("it never asked")


async def test_words_without_sense_puzzle_it():
    talk = Talk()
    await talk.speak()
    assert (await talk.hear("   ")).action == "puzzled"


async def test_mood_follows_how_it_is_served():
    talk = Talk()
    await talk.speak()
    assert talk.state["mood"] == 0
    await talk.hear("Lantern Road", Shown(ROAD, False, ("genre",)))
    assert talk.state["mood"] == -1
    await talk.hear("The Salt Clock", Shown(CLOCK, True))
    assert talk.state["mood"] == 1


async def test_a_profile_without_attributes_asks_in_its_own_words():
    talk = Talk(Profile("bo", wish="a comedy about clocks for two"))
    assert said((await talk.speak()).text, "comedy about clocks for two") or talk.state
    whole = Talk(Profile("bo", wish="We need a laugh. Clocks would help."))
    assert "We need a laugh. Clocks would help." in (await whole.speak()).text


def test_another_language_is_refused():
    with pytest.raises(ConfigError, match="'bo' asks for 'fr-CA'"):
        AgendaUser().start(Scenario("s", Profile("bo", language="fr-CA")), Random(1))


async def test_the_rating_follows_the_rule():
    quick = Talk()
    await quick.speak()
    await quick.hear("The Salt Clock", Shown(CLOCK, True))
    assert (await quick.user.rate(quick.view(), quick.state)).value == 5  # 4.5 + 0.25 * 2
    slow = Talk(person(patience=4))
    await slow.speak()
    for _ in range(4):
        await slow.hear("Lantern Road", Shown(ROAD, False, ("genre",)))
    assert slow.turns[-1].end == "gave_up"
    assert (await slow.user.rate(slow.view(), slow.state)).value == 1  # 2 - 0.5 - 0.25 * 3


@pytest.mark.parametrize(
    ("served", "gave_up", "turns", "mood", "misses", "rating"),
    [
        (True, False, 1, 0, 0, 5),  # 4.5, rounded up
        (True, False, 2, -1, 0, 4),  # 4.25
        (True, False, 6, 2, 1, 4),  # 4.5 - 1 - 0.25 + 0.5 = 3.75
        (False, False, 2, 0, 0, 3),  # 2.5, rounded up
        (False, True, 3, -1, 0, 2),  # 2 - 0.25 - 0.25 = 1.5, rounded up
        (False, True, 20, -3, 0, 1),
        (True, False, 1, 3, 0, 5),
    ],
)
def test_ratings_by_hand(served, gave_up, turns, mood, misses, rating):
    assert satisfaction(served=served, gave_up=gave_up, turns=turns, mood=mood, misses=misses) == rating
