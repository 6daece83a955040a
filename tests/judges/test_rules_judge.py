"""The rules judge on small dialogues whose right values can be told by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mysteryshopper.core import Case, Criterion, Exhibit, Item, ItemRef, Message
from mysteryshopper.items import Catalog
from mysteryshopper.judges import JUDGES
from mysteryshopper.judges.rules import RulesJudge, RulesOptions, own_criteria
from mysteryshopper.testing import check_judge

CATALOG = Catalog(
    [
        Item(
            "1", "Paper Lighthouse", 1994, {"genre": ("drama",), "director": ("Ilse Falk",), "star": ("Bo Lindqvist",)}
        ),
        Item("2", "The Quiet Tram", 2011, {"genre": ("comedy",), "director": ("Otto Braun",), "star": ("Mia Sandor",)}),
        Item("3", "Iron Parade", 2003, {"genre": ("action", "war"), "director": ("Otto Braun",)}),
        Item("4", "Winter Ferry Home", 1987, {"genre": ("drama", "romance"), "director": ("Lea Kowalski",)}),
    ]
)
OWN = {criterion.name: criterion for criterion in own_criteria()}


def said(*texts, start="user", items=None):
    """Return messages that alternate; `items` gives the ids that a message carries, by its place."""
    sides = ("user", "assistant") if start == "user" else ("assistant", "user")
    return tuple(
        Message(
            sides[place % 2],
            text,
            items=tuple(ItemRef(name, CATALOG.get(name).title) for name in (items or {}).get(place, ())),
        )
        for place, text in enumerate(texts)
    )


def case_of(messages, criteria=(), context=(), **data):
    path = ".".join(["0"] * len(messages))
    return Case("c", "u", (Exhibit("A", "d", path, tuple(messages)),), criteria, context, data)


async def ruled(messages, catalog=CATALOG, options=None, context=(), **data):
    """Return the rulings by criterion; those of turns as a list."""
    judge = RulesJudge(RulesOptions(**(options or {})), catalog)
    verdict = await judge.judge(case_of(messages, context=context, **data))
    found = {ruling.criterion: ruling for ruling in verdict.rulings if ruling.criterion != "turn_answered"}
    return found | {"turn_answered": [ruling for ruling in verdict.rulings if ruling.criterion == "turn_answered"]}


def what(ruling):
    return [piece["what"] for piece in ruling.notes.get("evidence", ())]


# --- items shown -----------------------------------------------------------------------------------------------------


async def test_half_of_the_items_meet_the_wish_and_the_other_one_is_named_with_its_node():
    talk = said("A drama, please.", "Paper Lighthouse, or Iron Parade?", items={1: ("1", "3")})
    ruling = (await ruled(talk, constraints={"genre": ["Drama"]}))["constraints_met"]
    assert (ruling.value, ruling.status, ruling.node) == (0.5, "ok", "0.0")
    assert what(ruling) == ["Iron Parade lacks the genre wished for"]


@pytest.mark.parametrize(
    ("catalog", "data", "reason"),
    [
        (None, {"constraints": {"genre": ["drama"]}}, "there is no catalogue to look items up in"),
        (CATALOG, {}, "the wish has no hard constraints"),
        (CATALOG, {"constraints": {"genre": ["drama"]}}, "no item was shown"),
    ],
)
async def test_a_wish_that_cannot_be_looked_up_is_missing_with_its_reason(catalog, data, reason):
    ruling = (await ruled(said("Hello there", "Hello, what do you like?"), catalog, **data))["constraints_met"]
    assert (ruling.value, ruling.status, ruling.notes) == (None, "empty", {"reason": reason})


async def test_an_item_named_before_is_a_repeat_and_one_the_user_asks_about_is_none():
    talk = said(
        "Recommend me a film.",
        "How about Paper Lighthouse (1994)?",
        "What is Paper Lighthouse about?",
        "Paper Lighthouse tells of a keeper who writes letters to passing ships.",
        "Something else, please.",
        "How about Paper Lighthouse (1994) or Iron Parade (2003)?",
    )
    ruling = (await ruled(talk))["no_repeats"]
    assert (ruling.value, ruling.notes["n"], ruling.node) == (round(1 - 1 / 3, 6), 3, "0.0.0.0.0.0")
    assert what(ruling) == ["Paper Lighthouse was named before"]


@pytest.mark.parametrize("profile", [["Iron Parade (2003)"], ["3"]])
async def test_an_item_the_profile_knows_is_seen(profile):
    talk = said("Recommend me a film.", "Iron Parade?", items={1: ("3",)})
    assert (await ruled(talk, seen=profile))["not_seen"].value == 0.0


async def test_what_the_user_says_to_have_seen_is_seen_when_shown_again_and_a_denial_is_not():
    talk = said(
        "Any good film?",
        "The Quiet Tram?",
        "I've already seen that.",
        "Then The Quiet Tram!",
        items={1: ("2",), 3: ("2",)},
    )
    assert (await ruled(talk))["not_seen"].value == 0.5
    denied = said(
        "Any good film?", "The Quiet Tram?", "I haven't seen that.", "The Quiet Tram!", items={1: ("2",), 3: ("2",)}
    )
    ruling = (await ruled(denied))["not_seen"]
    assert (ruling.value, ruling.notes["reason"]) == (None, "nobody said what the user knows already")


# --- questions and requests ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "reply", "value"),
    [
        ("Can you recommend a drama?", "Paper Lighthouse (1994) is lovely.", 1.0),
        ("Can you recommend a drama?", "How about Iron Parade (2003)?", 0.0),
        ("Can you recommend a drama?", "1. Paper Lighthouse (1994)\n2. Iron Parade (2003)", 0.5),
        ("I want a war film, ideas?", "1. Iron Parade (2003)\n2. The Quiet Tram (2011)", 0.5),
        ("It really should be a film that came out in the 1990s.", "Paper Lighthouse (1994)", 1.0),
        ("Can you recommend a film?", "What kind of films do you like?", 1.0),
        ("Can you recommend a film?", "Films are a fine thing.", 0.0),
        ("Can you recommend a film?", "Have you seen ?", 0.0),
        ("I like slow films.", "Goodbye, have a nice day.", 0.0),
        ("Who directed Iron Parade?", "It was made by Otto Braun.", 1.0),
        ("Who directed Iron Parade?", "It is a great film and I loved it.", 0.0),
        ("When was Iron Parade released?", "It came out in 2003.", 1.0),
        ("When was Iron Parade released?", "1. Paper Lighthouse (1994)\n2. The Quiet Tram (2011)", 0.0),
        ("What genre is Iron Parade?", "An action film, mostly.", 1.0),
        ("What genre is Iron Parade?", "A good one.", 0.0),
        ("What is Iron Parade about?", "A tin soldier who refuses to march and is sent to the sea.", 1.0),
        ("What is Iron Parade about?", "1. Paper Lighthouse (1994)\n2. The Quiet Tram (2011)", 0.0),
        ("What is Iron Parade about?", "is a great film that everybody should watch tonight.", 0.0),
        ("Is Iron Parade any good for kids?", "You're welcome, have a good day.", 0.0),
        ("Is it sad?", "Not at all, no.", 1.0),
        ("Is it sad?", "Yes yes yes it it is sad.", 0.0),
    ],
)
async def test_how_far_a_turn_answered(ask, reply, value):
    found = await ruled(said(ask, reply))
    assert found["question_answered"].value == value
    assert [(ruling.value, ruling.node) for ruling in found["turn_answered"]] == [(value, "0.0")]


async def test_asking_back_twice_is_no_second_answer_and_saying_the_same_again_none_at_all():
    again = "What kind of films do you like?"
    found = await ruled(said("Recommend a film.", again, "I like dramas.", "Do you like dramas, or comedies?"))
    assert [ruling.value for ruling in found["turn_answered"]] == [1.0, 0.0]
    found = await ruled(said("Is it sad?", "It is not sad.", "Is it long?", "It is not sad."))
    assert [ruling.value for ruling in found["turn_answered"]] == [1.0, 0.0]
    assert what(found["question_answered"]) == ["says what it said before (asked: question)"]


@pytest.mark.parametrize("pleased", ["Thank you, perfect!", "Iron Parade is what I was looking for."])
async def test_thanks_and_acceptance_ask_for_nothing(pleased):
    found = await ruled(said("Recommend a film.", "Iron Parade (2003).", pleased, "Enjoy the film!"))
    assert found["question_answered"].notes["n"] == 1
    assert found["satisfied_words"].value == 1.0


async def test_what_was_said_before_the_exhibit_is_read_but_not_judged():
    before = said("Recommend a drama.", "Paper Lighthouse (1994)?", "Another one, please.")
    found = await ruled((Message("assistant", "Paper Lighthouse (1994)."),), context=before)
    assert [(ruling.value, ruling.node) for ruling in found["turn_answered"]] == [(0.0, "0")]
    assert found["no_repeats"].value == 0.0
    assert found["length"].notes["n"] == 1


# --- claims ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        ("Iron Parade was directed by Otto Braun.", 1.0),
        ("Iron Parade was directed by Ilse Falk.", 0.0),
        ("Iron Parade was not directed by Ilse Falk.", None),
        ("Iron Parade was released in 2003.", 1.0),
        ("Iron Parade was released in 2004.", 1.0),
        ("Iron Parade was released in 1990.", 0.0),
        ("Iron Parade is a comedy.", 0.0),
        ("Iron Parade is an action film. It is a comedy, too.", 0.5),
        ("Iron Parade and Paper Lighthouse were directed by Ilse Falk.", None),
        ("The Quiet Tram stars Mia Sandor.", 1.0),
        ("The Quiet Tram stars Bo Lindqvist.", None),
        ("Iron Parade was directed by Somebody Else.", None),
    ],
)
async def test_claims_are_held_against_the_catalogue(claim, value):
    assert (await ruled(said("Tell me more.", claim)))["no_contradiction"].value == value


async def test_claims_about_items_that_messages_carry_are_found_in_their_words():
    talk = said("A comedy?", "The Quiet Tram. It was directed by Ilse Falk.", items={1: ("2",)})
    ruling = (await ruled(talk))["no_contradiction"]
    assert (ruling.value, ruling.node) == (0.0, "0.0")


async def test_a_cast_contradicts_only_where_the_catalogue_lists_it_in_full():
    talk = said("Tell me more.", "The Quiet Tram stars Bo Lindqvist.")
    ruling = (await ruled(talk, options={"complete": ["star"]}))["no_contradiction"]
    assert ruling.value == 0.0
    assert what(ruling) == ["says bo lindqvist of The Quiet Tram, and the catalogue has Mia Sandor"]


# --- manner and form -------------------------------------------------------------------------------------------------


async def test_asking_for_the_same_again_is_no_progress():
    talk = said(
        "Recommend a slow film about trains.",
        "Hm.",
        "Recommend a slow film about trains!",
        "Hm.",
        "What is Iron Parade about?",
        "A march.",
    )
    ruling = (await ruled(talk))["progress"]
    assert (ruling.value, ruling.notes["n"], ruling.node) == (0.5, 2, "0.0.0")


async def test_thanks_and_complaints_are_the_users_words_after_the_first_reply():
    talk = said("Thanks for being here.", "Hi.", "That's not what I asked.", "Sorry.", "Hm.", "So?", "Perfect, thanks!")
    ruling = (await ruled(talk))["satisfied_words"]
    assert ruling.value == 0.5  # 0, a half and 1
    assert what(ruling) == ["complains: that's not", "is pleased: perfect"]


async def test_length_counts_turns_in_the_band():
    talk = said("Hi", "Two words.", "Hi", "These are five words exactly.")
    assert (await ruled(talk))["length"].value == 0.5
    assert (await ruled(talk, options={"words": [1, 2]}))["length"].value == 0.5


async def test_overall_is_the_weighted_mean_of_what_was_told():
    talk = said("Can you recommend a drama?", "How about Iron Parade (2003)?")
    found = await ruled(talk)
    told = {
        name: ruling.value for name, ruling in found.items() if name != "turn_answered" and ruling.value is not None
    }
    assert set(told) == {"question_answered", "no_repeats", "length", "readability", "overall"}
    assert (told["question_answered"], told["no_repeats"], told["length"]) == (0.0, 1.0, 1.0)
    assert told["readability"] < 60
    by_hand = 1 + 4 * (0 + 1 + 0.5 * 1 + 0.5 * told["readability"] / 60) / 3
    assert told["overall"] == pytest.approx(by_hand, abs=1e-5)


async def test_form_alone_makes_no_overall():
    ruling = (await ruled(said("Hello", "Hello, and good evening to you.")))["overall"]
    assert (ruling.value, ruling.notes["reason"]) == (None, "no criterion of the service could be told")


async def test_another_language_is_unsupported_and_not_guessed():
    found = await ruled(said("Ein Drama, bitte.", "Iron Parade?", items={1: ("3",)}), language="de", seen=["3"])
    assert {name for name, ruling in found.items() if name != "turn_answered" and ruling.status == "unsupported"} == {
        *("question_answered", "no_contradiction", "progress", "satisfied_words", "readability")
    }
    assert found["turn_answered"][0].status == "unsupported"
    assert found["not_seen"].value == 0.0  # ids need no language


# --- the contract ----------------------------------------------------------------------------------------------------


def test_it_is_a_kind_with_criteria_of_its_own():
    assert JUDGES.load("rules") is RulesJudge
    assert RulesJudge.takes == "one"
    assert (OWN["overall"].low, OWN["overall"].high, OWN["readability"].high) == (1, 5, 100)
    assert all(criterion.text for criterion in OWN.values())


@pytest.mark.parametrize("catalog", [CATALOG, None])
async def test_it_keeps_the_contract_of_judges(catalog):
    judge = RulesJudge(RulesOptions(), catalog)
    await check_judge(judge)
    await check_judge(judge, case_of(said("A drama?", "Paper Lighthouse (1994)."), own_criteria()))


async def test_only_what_is_asked_is_answered_and_foreign_criteria_are_unsupported():
    asked = (OWN["length"], Criterion("charm", "How charming is it?"))
    verdict = await RulesJudge(RulesOptions()).judge(case_of(said("Hi", "Hello to you, my dear friend."), asked))
    assert [(ruling.criterion, ruling.value, ruling.status) for ruling in verdict.rulings] == [
        ("length", 1.0, "ok"),
        ("charm", None, "unsupported"),
    ]


TEXTS = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        [
            "Recommend me a drama like Paper Lighthouse (1994)",
            "1. Paper Lighthouse (1994)\n2. Iron Parade",
            "It was directed by Otto Braun. It is a comedy from 1990?",
            "I've seen those, thanks, but that's not what I asked",
        ]
    ),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["user", "assistant", "system", "tool"]), TEXTS), max_size=8))
async def test_whatever_is_said_every_value_lies_on_its_scale(talk):
    judge = RulesJudge(RulesOptions(), CATALOG)
    messages = tuple(Message(role, text) for role, text in talk)
    verdict = await judge.judge(case_of(messages, seen=["1"], constraints={"genre": ["drama"]}))
    assert {ruling.criterion for ruling in verdict.rulings} == set(OWN)
    for ruling in verdict.rulings:
        if ruling.value is None:
            assert ruling.notes["reason"]
        else:
            assert OWN[ruling.criterion].low <= ruling.value <= OWN[ruling.criterion].high
