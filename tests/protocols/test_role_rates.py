"""Role reversal and repeated questions as rates: what counts, of how many turns, and in whose report they stand."""

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.cli.detectors import human_dialogues
from mysteryshopper.core import Dialogue, Message, Node
from mysteryshopper.dialogue import DETECTORS, Utterance, measured, plant, repeated_question
from mysteryshopper.dialogue.checking import human_turns
from mysteryshopper.experiment import Experiment, run
from mysteryshopper.protocols.role_rates import IMPORTED, ROLE_RATES, RoleRates

SERVES = "Sure! Here are three films for you: 1. Lantern Road 2. Nine Winters 3. The Salt Clock. Would you like more?"
ASKS = "Do you have anything that is set at sea?"


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def talk(*turns, root="p", flags=(), **data):
    """A dialogue of the user's turns with a word of the system after each; `flags` by the number of the turn."""
    nodes, parent = [], None
    for number, text in enumerate(turns, 1):
        path = "0" if parent is None else f"{parent}.0"
        held = (Message("user", text, author="simulated"),) if text else ()
        nodes.append(Node(path, parent, "user", number, held, flags=tuple(dict(flags).get(number, ()))))
        nodes.append(Node(f"{path}.0", path, "system", number, (Message("assistant", "Hm."),)))
        parent = f"{path}.0"
    return Dialogue(f"d{root}", root, tuple(nodes), "user_done", root=root, data=data)


def rates(*dialogues, guard="off", **more):
    counted = RoleRates(guard, **more)
    for one in dialogues:
        counted.add("u", one)
    return {(metric.name, metric.group["per"]): metric for metric in counted.metrics()}


def value(found, name, per="turn"):
    estimate = found[name, per].estimate
    return estimate.value, estimate.n


def test_both_are_told_by_turn_and_by_dialogue_and_of_how_many():
    found = rates(talk("hello there", SERVES, "ok"), talk("hi", "bye", root="q"))
    assert set(found) == {(name, per) for name in ROLE_RATES for per in ("turn", "dialogue")}
    assert value(found, "role_reversal_rate") == (0.2, 5)
    assert value(found, "role_reversal_rate", "dialogue") == (0.5, 2)
    assert value(found, "repeated_question_rate") == (0.0, 5)
    assert found["role_reversal_rate", "turn"].group == {"user": "u", "per": "turn"}
    assert found["role_reversal_rate", "turn"].better == "lower"


def test_the_person_is_the_cluster():
    talks = [talk("hello there", SERVES, root=f"p{number % 12}") for number in range(24)]
    estimate = rates(*talks)["role_reversal_rate", "turn"].estimate
    assert (estimate.value, estimate.n, estimate.clusters) == (0.5, 48, 12)


def test_a_question_asked_before_counts_whatever_else_the_turn_says():
    found = rates(talk(ASKS, f"No, that one is on land. {ASKS.upper()} Or by a lake?"))
    assert value(found, "repeated_question_rate") == (0.5, 2)
    assert value(rates(talk(ASKS, "Something set at sea, as I said.")), "repeated_question_rate") == (0.0, 2)
    assert value(rates(talk("and you?", "and you?")), "repeated_question_rate") == (0.0, 2), "too short to tell"


def test_a_whole_turn_said_again_counts_without_any_question():
    assert value(
        rates(talk("I want a slow film with trains", "hm", "I want a slow film with trains.")), ROLE_RATES[1]
    ) == (
        pytest.approx(1 / 3),
        3,
    )


def test_with_a_guard_flags_of_first_attempts_count_and_mended_words_do_not():
    mended = talk("hello there", "something slow please", flags={2: ("role_reversal",)})
    assert value(rates(mended, guard="reask"), "role_reversal_rate") == (0.5, 2)
    # the second attempt's text is none of the rate: the first one was asked for again for another fault
    again = talk(ASKS, f"As I said: {ASKS}", flags={2: ("leaked_thoughts",)})
    assert value(rates(again, guard="reask"), "repeated_question_rate") == (0.0, 2)
    assert value(rates(again, guard="flag"), "repeated_question_rate") == (0.5, 2), "flagged, it is as it was said"


def test_a_turn_that_stayed_empty_is_a_turn_and_a_wordless_goodbye_is_none():
    assert value(rates(talk("hello there", "", flags={2: ("empty",)})), "role_reversal_rate") == (0.0, 2)
    assert value(rates(talk("hello there", "")), "role_reversal_rate") == (0.0, 1)


def test_what_people_said_before_is_not_the_simulated_users():
    one = talk(SERVES, ASKS)
    prefix = tuple(
        Node(node.id, node.parent, node.side, 0 if node.id in ("0", "0.0") else node.turn, node.messages)
        for node in one.nodes
    )
    found = rates(Dialogue("d", "p", prefix, "user_done", root="p"))
    assert value(found, "role_reversal_rate") == (0.0, 1)


def test_on_the_branches_of_a_tree_a_turn_is_held_against_its_own_history():
    user = (Message("user", ASKS, author="simulated"),)
    other = (Message("user", "anything on land then, please", author="simulated"),)
    system = (Message("assistant", "Hm."),)
    nodes = (
        Node("0", None, "user", 1, other),
        Node("0.0", "0", "system", 1, system),
        Node("0.1", "0", "system", 1, system),
        Node("0.0.0", "0.0", "user", 2, user),
        Node("0.1.0", "0.1", "user", 2, user),  # the same words on the other branch repeat nothing
        Node("0.0.0.0", "0.0.0", "system", 2, system),
        Node("0.0.0.0.0", "0.0.0.0", "user", 3, user),
    )
    found = rates(Dialogue("d", "p", nodes, "depth", root="p"))
    assert value(found, "repeated_question_rate") == (0.25, 4)


def test_other_languages_are_left_out_and_said_so():
    found = rates(talk(SERVES, language="de"))
    assert found["role_reversal_rate", "turn"].estimate.value is None
    assert "English only" in found["role_reversal_rate", "turn"].estimate.reason
    assert value(rates(talk(SERVES, language="de"), talk("hello there", language="en-GB")), "role_reversal_rate") == (
        0.0,
        1,
    )


def test_the_definition_tells_how_far_the_detector_can_be_trusted():
    found = rates(talk("hello there"))
    for name, detector in (("role_reversal_rate", "role_reversal"), ("repeated_question_rate", "repeated_question")):
        row = measured(detector)
        text = found[name, "turn"].definition
        assert f"fired on {row.false} of {row.human:,} turns that people wrote" in text
        assert f"found {row.caught} of {row.planted} planted " in text
    repeated = found["repeated_question_rate", "turn"].definition
    assert "240 planted repetitions of a whole turn (100%)" in repeated  # none of a question inside another turn
    assert "a lower bound" in repeated


@given(st.lists(st.text(alphabet="ab ?.!\n", max_size=30), max_size=8))
def test_a_question_is_only_repeated_if_it_was_asked(turns):
    said = tuple(Message("user", text) for text in turns)
    for place, message in enumerate(said):
        again = repeated_question(Utterance(message.text, said[:place]))
        assert again is None or ("?" in again and any("?" in earlier.text for earlier in said[:place]))
        if place == 0:
            assert again is None


@pytest.mark.slow
def test_what_the_report_says_of_the_detectors_is_what_is_measured(shared_data, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_DATA", str(shared_data("redial").parent))
    people = list(human_dialogues(["redial", "inspired"]))
    turns = list(human_turns(people))
    reversed_, repeated = DETECTORS["role_reversal"], DETECTORS["repeated_turn"]
    faults = [one for one in plant(people, Random(0), 240) if one.detector in ("role_reversal", "repeated_turn")]

    def again(utterance):
        return repeated(utterance) is not None or repeated_question(utterance) is not None

    row = measured("role_reversal")
    assert row.human == len(turns)
    assert row.false == sum(reversed_(turn) is not None for turn in turns)
    planted = [one.utterance for one in faults if one.detector == "role_reversal"]
    assert (row.planted, row.caught) == (len(planted), sum(reversed_(turn) is not None for turn in planted))
    row = measured("repeated_question")
    assert row.human == len(turns)
    assert row.false == sum(map(again, turns))
    planted = [one.utterance for one in faults if one.detector == "repeated_turn"]
    assert (row.planted, row.caught) == (len(planted), sum(map(again, planted)))


# --- in whose report they stand -------------------------------------------------------------------------------------

ITEMS = "id,title,year,genre\n1,Lantern Road,1998,comedy\n2,Nine Winters,1987,war\n"
PEOPLE = [{"id": f"p{number}", "wish": "a comedy", "attributes": {"genre": ["comedy"]}} for number in range(3)]


def told(folder, **content):
    (folder / "items.csv").write_text(ITEMS)
    (folder / "people.jsonl").write_text("".join(json.dumps(person) + "\n" for person in PEOPLE))
    made = run(
        Experiment.from_dict({"data": {"path": "items.csv"}, "limits": {"turns": 3}, **content}, folder), folder / "run"
    )
    return {
        (one["name"], one["group"]["user"], one["group"]["per"]): (one["value"], one["n"])
        for one in made.summary["metrics"]
        if one["name"] in ROLE_RATES
    }


def reverser(**more):
    options = {"turns": ["hello there", SERVES, SERVES], "wish_first": False}
    return {"name": "u", "kind": "scripted", "profiles": "people.jsonl", "options": options, **more}


def shop(name="shop"):
    return {
        "name": name,
        "kind": "python",
        "function": lambda messages, session: f"{name} heard {messages[-1]['content']}",
        "memory": "messages",
    }


@pytest.mark.parametrize("guard", ["flag", "off"])
def test_in_conversation(tmp_path, guard):
    found = told(
        tmp_path,
        protocol="conversation",
        users=[reverser()],
        systems=[shop()],
        options={"guard": guard, "rating": False},
    )
    assert found["role_reversal_rate", "u", "turn"] == (pytest.approx(2 / 3), 9)
    assert found["role_reversal_rate", "u", "dialogue"] == (1.0, 3)
    assert found["repeated_question_rate", "u", "turn"] == (pytest.approx(1 / 3), 9)


def test_a_user_who_is_stopped_by_the_guard_is_counted(tmp_path):
    found = told(tmp_path, protocol="conversation", users=[reverser()], systems=[shop()], options={"rating": False})
    assert found["role_reversal_rate", "u", "dialogue"] == (1.0, 3)


def test_in_tree(tmp_path):
    found = told(
        tmp_path,
        protocol="tree",
        users=[reverser()],
        systems=[shop("one"), shop("two")],
        options={"guard": "flag", "controls": 0},
    )
    # a root is one opening, two answers after depth 1 and four after depth 2, of which the last are faulty
    assert found["role_reversal_rate", "u", "turn"] == (pytest.approx(6 / 7), 21)
    assert found["role_reversal_rate", "u", "dialogue"] == (1.0, 3)


def test_in_robustness_the_clean_turns_alone(tmp_path):
    found = told(
        tmp_path,
        protocol="robustness",
        users=[reverser()],
        systems=[shop()],
        options={"guard": "flag", "noise": ["drop_word"], "rates": [0.5], "controls": 0},
    )
    assert found["role_reversal_rate", "u", "turn"] == (pytest.approx(2 / 3), 9)


def test_in_import(tmp_path):
    lines = [
        {"id": "a", "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello."}]},
        {"id": "b", "messages": [{"role": "user", "content": SERVES}, {"role": "assistant", "content": "Hm."}]},
    ]
    (tmp_path / "talks").mkdir()
    (tmp_path / "talks" / "dialogues.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = told(tmp_path, protocol="import", data={"path": "talks"}, limits={})
    assert found["role_reversal_rate", IMPORTED, "turn"] == (0.5, 2)
