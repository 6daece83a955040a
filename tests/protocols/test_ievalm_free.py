"""Setting `free` of iEvaLM on a shop of four films: what was shown decides, lists are scored apart, leaks are found."""

import json

import pytest

from mysteryshopper.core import ConfigError, Dialogue, Node, Scored, Unit
from mysteryshopper.core.seams import StoredDialogue
from mysteryshopper.experiment import Experiment, run
from mysteryshopper.protocols.ievalm import IEvaLM, IEvaLMOptions
from mysteryshopper.protocols.ievalm.readings import Reading
from mysteryshopper.systems.lexical import Lexical
from mysteryshopper.users.scripted import ScriptedUser

ITEMS = """\
id,title,year,genre,director
1,Toy Story,1995,animation,John Lasseter
2,Toy Story 2,1999,animation,Ash Brannon
3,It,2017,horror,Andy Muschietti
4,Lantern Road,1998,drama,Ada Quill
"""


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def talk(name, wanted, *said):
    messages = [{"role": "user", "content": text, "items": list(items)} for text, *items in said or [("Hello",)]]
    return {"id": name, "messages": [*messages, {"role": "assistant", "content": "So", "items": [wanted]}]}


def free_run(folder, talks, *systems, user=None, turns=3, **options):
    (folder / "data").mkdir()
    (folder / "data" / "items.csv").write_text(ITEMS)
    (folder / "data" / "dialogues.jsonl").write_text("".join(json.dumps(one) + "\n" for one in talks))
    script = {"turns": ["Hmm.", "What else?", "And?", "Go on."], "on_hit": "That one, thanks."}
    content = {
        "protocol": "ievalm",
        "users": [{"name": "guest", "kind": "scripted", "options": user or script}],
        "systems": list(systems),
        "data": {"path": "data"},
        "options": {"setting": "free", "ks": [1, 2], "guard": "off", **options},
        "limits": {"turns": turns},
    }
    return run(Experiment.from_dict(content, folder), folder / "run")


def shop(*replies):
    """Return a system that answers turn by turn with these texts, and after the last says it again."""

    def reply(messages, session):
        session["turn"] = session.get("turn", 0) + 1
        return replies[min(session["turn"], len(replies)) - 1]

    return {"name": "shop", "kind": "python", "function": reply}


def value(done, name, **group):
    return done.metric(name, **{"leaks": "all", **group}).estimate.value


def test_it_in_a_sentence_is_no_recommendation_of_it(tmp_path):
    done = free_run(tmp_path, [talk("d1", 3)], shop("Have you seen it? It is late, it ends."))
    assert value(done, "ever_hit") == value(done, "success") == 0.0
    assert value(done, "missing_recommendation") == 1.0


def test_a_sequel_is_no_hit_for_its_original(tmp_path):
    done = free_run(tmp_path, [talk("d1", 1)], shop("How about Toy Story 2 (1999)?"))
    assert value(done, "ever_hit") == value(done, "label_recall@1", list="shown") == 0.0
    assert value(done, "missing_recommendation") == 0.0


def test_the_title_itself_is_a_hit_in_any_letter_case(tmp_path):
    done = free_run(tmp_path, [talk("d1", 1)], shop("How about toy story?"))
    assert value(done, "success") == value(done, "label_recall@1", list="shown") == 1.0


def test_a_dialogue_by_hand(tmp_path):
    done = free_run(tmp_path, [talk("d1", 4)], shop("What do you like?", "Toy Story 2 (1999)?", "Lantern Road (1998)?"))
    assert value(done, "success") == 1.0
    assert value(done, "first_hit_turn") == 3
    # system, user, system, user, system, user: one of six turns took a target
    assert value(done, "reward_per_length") == pytest.approx(1 / 6)
    assert value(done, "turns_without_items") == pytest.approx(1 / 3)
    assert [value(done, "preference_coverage", turn=str(turn)) for turn in (1, 2, 3)] == [0, 0, 1]
    assert [value(done, "label_recall_by_turn@2", list="shown", turn=str(turn)) for turn in (1, 2, 3)] == [0, 0, 1]


def test_only_the_first_few_of_a_reply_count_as_shown(tmp_path):
    many = {"content": "Look.", "items": [{"id": "2"}, {"id": "3"}, {"id": "4"}]}
    done = free_run(tmp_path, [talk("d1", 4)], shop(many), show=2)
    assert value(done, "ever_hit") == 0.0


class _TwoFaced(Lexical):
    """Ranks the one film and shows another."""

    async def rank(self, history, k):
        if history.address.purpose == "rank":
            return [Scored("2", 2.0), Scored("4", 1.0)]
        return [Scored("2", 2.0)]


def test_ranking_and_shown_items_are_scored_apart(tmp_path, monkeypatch):
    monkeypatch.setattr("mysteryshopper.systems.lexical.Lexical", _TwoFaced)
    done = free_run(tmp_path, [talk("d1", 4)], {"name": "mine", "kind": "lexical"})
    assert value(done, "label_recall@2", list="ranked") == 1.0
    assert value(done, "label_recall@1", list="ranked") == 0.0
    assert value(done, "label_recall@2", list="shown") == value(done, "success") == 0.0


def test_units_that_leak_are_set_apart_by_kind(tmp_path):
    talks = [
        talk("linked", 4, ("That one again", 4)),
        talk("named", 4, ("I liked Lantern Road (1998) once.",)),
        talk("clean", 4),
    ]
    done = free_run(tmp_path, talks, shop("Lantern Road (1998)?"))
    leaks = {
        kind: done.metric("leaky_units", leak=kind).estimate.value for kind in ("history", "named", "reply", "any")
    }
    assert leaks["history"] == 1
    assert leaks["any"] == 2
    assert done.metric("success", leaks="free").estimate.n == 1
    assert done.metric("success", leaks="all").estimate.n == 3


def test_a_user_who_names_the_target_first_leaks_it(tmp_path):
    script = {"turns": ["Something like Lantern Road (1998)."], "on_hit": "Yes."}
    systems = shop("What?", "Lantern Road (1998)?")
    done = free_run(tmp_path, [talk("d1", 4)], systems, user=script, start="fresh", filter=False)
    assert done.metric("leaky_units", leak="reply").estimate.value == 1
    assert done.metric("success", leaks="free").estimate.n == 0


def test_a_fresh_start_has_no_history_to_leak(tmp_path):
    done = free_run(tmp_path, [talk("d1", 4, ("That one again", 4))], shop("Hm?"), start="fresh")
    assert done.metric("leaky_units", leak="any").estimate.value == 0
    first = done.table("turns").to_pylist()[0]
    assert (first["role"], first["turn"]) == ("user", 1)


def test_a_crash_after_a_hit_was_near_still_counts_as_a_miss(tmp_path):
    def fragile(messages, session):
        raise RuntimeError("out of stock")

    done = free_run(tmp_path, [talk("d1", 4)], {"name": "shop", "kind": "python", "function": fragile})
    for name, group in (("success", {}), ("label_recall@1", {"list": "shown"}), ("preference_coverage", {"turn": "3"})):
        estimate = done.metric(name, leaks="all", **group).estimate
        assert (estimate.value, estimate.n) == (0.0, 1)


def test_the_user_knows_attributes_and_no_title(tmp_path, monkeypatch):
    known = []

    def start(self, scenario, rng):
        known.append(scenario.profile)
        return {}

    monkeypatch.setattr(ScriptedUser, "start", start)
    free_run(tmp_path, [talk("d1", 4), talk("d2", 1)], shop("Hm?"))
    assert [profile.attributes["genre"] for profile in known] == [("drama",), ("animation",)]
    assert not any(title in repr(profile) for profile in known for title in ("Lantern", "Toy Story"))


def test_free_needs_users_and_the_other_settings_refuse_them():
    assert IEvaLM(IEvaLMOptions(setting="free")).needs == ("users", "systems", "data")
    assert IEvaLM(IEvaLMOptions(setting=("original", "attribute"))).needs == ("systems", "data")
    with pytest.raises(ConfigError, match="users"):
        Experiment.from_dict(
            {
                "protocol": "ievalm",
                "systems": [{"kind": "lexical"}],
                "data": {"name": "redial"},
                "options": {"setting": "free"},
            }
        )


def test_preference_coverage_of_the_published_example():
    shown = [["a"], ["b"], ["a", "b"]]
    data = {"setting": "free", "targets": list("abcd"), "unknown": [], "leaks": {}, "covered": shown}
    dialogue = Dialogue("d", "", (Node("0", None, "system", 1, ()),), "max_turns", data=data)
    reading = Reading.of(StoredDialogue(Unit("u", data={"setting": "free"}), dialogue), IEvaLMOptions(setting="free"))
    assert reading.coverage(3) == [0.25, 0.5, 0.5]
    assert reading.coverage(5) == [0.25, 0.5, 0.5, 0.5, 0.5]
