"""What `free` does around the loop: the filter, the published variant, turns without a target, and why units fail."""

import asyncio
import json
from dataclasses import replace

import pytest

from mysteryshopper.core import Choice, Item, Message, Scored, Unit
from mysteryshopper.experiment import Experiment, run
from mysteryshopper.experiment.selection import select
from mysteryshopper.items import Catalog
from mysteryshopper.protocols.ievalm import IEvaLM
from mysteryshopper.protocols.ievalm.careful import CarefulUser
from mysteryshopper.protocols.ievalm.told import asks_back, told_values
from mysteryshopper.systems.lexical import Lexical

ITEMS = """\
id,title,year,genre,director
1,Toy Parade,1995,animation,John Last
2,Toy Parade 2,1999,animation,Ash Brann
3,It,2017,horror,Andy Musch
4,Lantern Road,1998,drama,Ada Quill
"""


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def talk(name, *wanted, said=("Hello",)):
    messages = [{"role": "user", "content": text} for text in said]
    return {"id": name, "messages": [*messages, {"role": "assistant", "content": "So", "items": list(wanted)}]}


def free_run(folder, talks, system, *, user=None, models=None, turns=3, **options):
    (folder / "data").mkdir()
    (folder / "data" / "items.csv").write_text(ITEMS)
    (folder / "data" / "dialogues.jsonl").write_text("".join(json.dumps(one) + "\n" for one in talks))
    script = {"turns": ["Hmm.", "What else?", "And?", "Go on."], "on_hit": "That one, thanks."}
    user = user or {"kind": "scripted", "options": script}
    content = {
        "protocol": "ievalm",
        "users": [{"name": "guest", **user}],
        "systems": system if isinstance(system, list) else [system],
        "data": {"path": "data"},
        "options": {"setting": "free", "ks": [1, 2], "guard": "off", **options},
        "limits": {"turns": turns},
        "models": models or {},
    }
    return run(Experiment.from_dict(content, folder), folder / "run")


def shop(*replies, name="shop"):
    def reply(messages, session):
        session["turn"] = session.get("turn", 0) + 1
        session["heard"] = [*session.get("heard", []), messages[-1]["content"]]
        return replies[min(session["turn"], len(replies)) - 1]

    return {"name": name, "kind": "python", "function": reply}


def value(done, name, **group):
    return done.metric(name, **{"leaks": "all", **group}).estimate.value


class _Says:
    instructions = ()

    def __init__(self, text):
        self.text = text

    def start(self, scenario, rng):
        return {}

    async def speak(self, view, state):
        from mysteryshopper.core import UserTurn

        return UserTurn(self.text), state


def careful(text, *history):
    from mysteryshopper.core import History, Profile, Scenario, UserView

    target = Item("1", "The Salt Clock", 2004)
    user = CarefulUser(_Says(text), [target], Catalog([target, Item("2", "The Salt Clock 2", 2009)]))
    view = UserView(Scenario("s", Profile("p")), History(tuple(history)))
    return asyncio.run(user.speak(view, {}))[0]


def test_a_sentence_that_names_a_target_is_taken_out_and_the_rest_is_said():
    turn = careful("I like clocks. Something like The Salt Clock would do. Slow, please.")
    assert (turn.text, turn.notes) == ("I like clocks. Slow, please.", {"filtered": 1})
    assert turn.raw == "I like clocks. Something like The Salt Clock would do. Slow, please."


def test_a_misspelt_title_is_taken_out_as_well():
    assert careful("Is it The Salt Clok? Slow, please.").text == "Slow, please."


def test_a_turn_that_is_nothing_but_the_title_gets_a_stock_sentence():
    turn = careful("The Salt Clock (2004)!")
    assert "Salt" not in turn.text
    assert turn.text.strip()


def test_what_the_system_named_before_may_be_named():
    assert careful("The Salt Clock it is.", Message("assistant", "The Salt Clock (2004)?")).notes == {}


def test_a_sequel_is_no_target():
    assert careful("I saw The Salt Clock 2 (2009).").notes == {}


def test_what_is_filtered_the_system_never_reads_and_the_unit_does_not_leak(tmp_path):
    user = {"kind": "scripted", "options": {"turns": ["I like lamps. Lantern Road (1998), say."], "on_hit": "Yes."}}
    done = free_run(tmp_path, [talk("d1", 4)], shop("What?", "Lantern Road (1998)?"), user=user, start="fresh")
    assert done.metric("leaky_units", leak="reply").estimate.value == 0
    assert value(done, "filtered_turns") > 0
    said = [row["text"] for row in done.table("turns").to_pylist() if row["role"] == "user"]
    assert said[0] == "I like lamps."


class _Hides(Lexical):
    """Ranks the target second, and shows another item."""

    async def rank(self, history, k):
        if history.address.purpose == "rank":
            return [Scored("2", 2.0), Scored("4", 1.0)]
        return [Scored("2", 2.0)]


def test_as_published_a_target_in_the_ranking_is_a_success_and_the_list_is_read_out(tmp_path, monkeypatch):
    monkeypatch.setattr("mysteryshopper.systems.lexical.Lexical", _Hides)
    models = {"seeker": {"provider": "scripted", "params": {"replies": ["I look for Lantern Road (1998)."]}}}
    user = {"kind": "ievalm-published", "model": "seeker"}
    mine = {"name": "mine", "kind": "lexical"}
    done = free_run(tmp_path, [talk("d1", 4)], mine, user=user, models=models, variant="as-published")
    assert value(done, "success") == 1.0
    assert value(done, "label_recall@2", list="ranked") == 1.0
    rows = done.table("turns").to_pylist()
    answer = next(row["text"] for row in rows if row["role"] == "system" and "whole list" in row["text"])
    assert "1. Toy Parade 2 (1999)" in answer
    assert "2. Lantern Road (1998)" in answer
    assert [row["text"] for row in rows if row["role"] == "user"][-1] == "I look for Lantern Road (1998)."
    assert done.metric("leaky_units", leak="named").estimate.value == 0


def test_as_published_the_list_is_read_out_in_the_last_turn_whatever_it_holds(tmp_path):
    done = free_run(tmp_path, [talk("d1", 4)], shop("Toy Parade (1995)?"), turns=2, variant="as-published")
    answers = [row["text"] for row in done.table("turns").to_pylist() if row["role"] == "system"]
    assert ["whole list" in text for text in answers] == [False, True]
    assert value(done, "success") == 0.0


def test_a_turn_whose_only_label_is_in_no_catalogue_is_kept_and_counts_nowhere_else(tmp_path, monkeypatch):
    load = IEvaLM._load

    def lose(self, plan):
        return {
            name: replace(turn, targets=(), unknown=("Nobody Made This",)) if turn.dialogue == "d2" else turn
            for name, turn in load(self, plan).items()
        }

    monkeypatch.setattr(IEvaLM, "_load", lose)
    done = free_run(tmp_path, [talk("d1", 4), talk("d2", 1)], shop("Lantern Road (1998)?"))
    assert done.metric("labels_outside_catalogue").estimate.value == 1
    assert done.metric("success", leaks="all").estimate.n == 1
    assert value(done, "success") == value(done, "ever_hit") == 1.0
    assert value(done, "preference_coverage", turn="1") == 1.0
    assert done.summary["units"]["complete"] == 2
    assert set(done.summary["units"]["faults"].values()) == {0}


def test_failures_are_told_apart_by_cause(tmp_path):
    talks = [talk("vague", 4), talk("told", 4, said=("I want a drama, please",)), talk("met", 1)]

    def reply(messages, session):
        if any("drama" in message["content"] for message in messages):
            return "Toy Parade 2 (1999)!"
        return "What do you like?" if len(messages) < 4 else "Toy Parade (1995)? No? What then?"

    system = {"name": "shop", "kind": "python", "function": reply}
    done = free_run(tmp_path, talks, system, turns=1)
    shares = {metric.group["cause"]: metric.estimate for metric in done.metrics if metric.name == "failures"}
    assert shares["vague_preference"].n == 3
    assert shares["vague_preference"].value == pytest.approx(2 / 3)
    assert shares["clarifying_question"].value == pytest.approx(2 / 3)
    assert shares["other"].value == pytest.approx(1 / 3)


def test_values_are_told_as_whole_words_only():
    target = Item("1", "X", None, {"genre": ("war",), "director": ("Ada Quill",)})
    assert told_values([Message("user", "a software film")], [target]) == 0
    assert told_values([Message("user", "WAR, by ada  quill. war!")], [target]) == 2
    assert told_values([Message("assistant", "war?")], [target]) == 0


def test_a_question_with_items_is_a_recommendation():
    asked = (Message("assistant", "Which one?"),)
    assert asks_back(asked, ()) is True
    assert asks_back(asked, ("item",)) is False
    assert asks_back((Message("assistant", "Hm."),), ()) is False


def test_all_settings_draw_the_same_turns():
    units = [Unit(f"{n}:{setting}", system="s", draw=str(n)) for n in range(30) for setting in ("original", "free")]
    drawn = list(select(units, 5, seed=7))
    assert len(drawn) == 10
    assert [unit.id for unit in drawn[::2]] == [unit.id.replace("free", "original") for unit in drawn[1::2]]
    plain = [unit.id for unit in select([Unit(str(n)) for n in range(30)], 5, seed=7)]
    assert [unit.draw for unit in drawn[::2]] == plain


def test_two_systems_are_ranked_and_their_difference_is_paired(tmp_path):
    talks = [talk(f"d{number}", 4) for number in range(12)]
    systems = [shop("Lantern Road (1998)?", name="good"), shop("Toy Parade (1995)?", name="bad")]
    done = free_run(tmp_path, talks, systems, turns=1)
    places = {m.group["system"]: m.estimate for m in done.metrics if m.name == "rank" and m.group["leaks"] == "all"}
    assert (places["good"].value, places["good"].low, places["good"].high) == (1, 1, 1)
    assert places["bad"].value == 2
    paired = done.metric("success_difference", system="good", versus="bad").estimate
    assert (paired.value, paired.n) == (1.0, 12)
    assert paired.p < 0.01


def test_as_published_what_never_recommended_is_left_out_of_attribute_recall(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "items.csv").write_text(ITEMS)
    lines = [json.dumps(talk(name, 4)) for name in ("d1", "d2")]
    (tmp_path / "data" / "dialogues.jsonl").write_text("\n".join(lines))

    class Asks(Lexical):
        async def choose(self, options, history):
            asks = "d1" in history.address.unit
            return Choice(options[0].id if asks else "recommend")

    values = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mysteryshopper.systems.lexical.Lexical", Asks)
        for variant in ("fixed", "as-published"):
            content = {
                "protocol": "ievalm",
                "systems": [{"kind": "lexical"}],
                "data": {"path": "data"},
                "options": {"setting": "attribute", "ks": [1, 4], "variant": variant},
                "limits": {"turns": 2},
            }
            done = run(Experiment.from_dict(content, tmp_path), tmp_path / variant)
            values[variant] = done.metric("label_recall@4", leaks="all").estimate
    assert values["fixed"].n == 2
    assert values["as-published"].n == 1


def test_reward_and_rounds_as_worked_by_hand(tmp_path):
    """User asks, system asks, user answers, system recommends, user accepts: 1 of 5 turns, 1 of 1 round."""
    system = shop("What do you like?", "Lantern Road (1998)?")
    done = free_run(tmp_path, [talk("d1", 4)], system, start="fresh")
    assert value(done, "reward_per_length") == pytest.approx(1 / 5)
    assert value(done, "successful_rounds") == 1.0
