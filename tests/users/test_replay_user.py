"""The replay user: says a stored user's words to a new system, takes what was wanted, and leaves as told."""

import json
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mysteryshopper.core import ConfigError, DataError, Shown
from mysteryshopper.experiment import Experiment, run
from mysteryshopper.testing import samples
from mysteryshopper.users import USERS
from mysteryshopper.users.replay import ReplayOptions, ReplayUser

DATA = {"wish": "a comedy with a clock", "constraints": {"genre": ["comedy"]}, "targets": ["t1"]}


def stored(folder, *dialogues, schema="1", drop=()):
    """Write tables of a run; a dialogue is (unit, ended, [(role, text), …]) and what differs from the usual."""
    rows, turns = [], []
    for number, (unit, ended, said, *changes) in enumerate(dialogues):
        name = f"d{number}"
        row = {"dialogue": name, "unit": unit, "repeat": 0, "user": "ann", "system": "old", "ended": ended}
        rows.append({**row, "fault": "none", "data": json.dumps(DATA), **(changes[0] if changes else {})})
        node = None
        for role, text in said:
            parent, node = node, "0" if node is None else f"{node}.0"
            turns.append({"dialogue": name, "node": node, "parent": parent, "turn": 1, "role": role, "text": text})
    (folder / "tables").mkdir(parents=True)
    for name, content in (("dialogues", rows), ("turns", turns)):
        table = pa.Table.from_pylist(content).replace_schema_metadata({"mysteryshopper_schema": schema})
        if drop:
            table = table.drop_columns([column for column in drop if column in table.column_names])
        pq.write_table(table, folder / "tables" / f"{name}.parquet")
    return folder


TALK = [("user", "a comedy please"), ("system", "Lantern Road?"), ("user", "no, with a clock"), ("system", "This one?")]
LONG = ("s1", "user_done", [*TALK, ("user", "yes, that is it!"), ("system", "Enjoy.")])
HOPELESS = ("s2", "user_gave_up", [*TALK, ("user", "I give up, bye")])
CUT = ("s3", "max_turns", TALK)


def profiles(folder, **options):
    return ReplayUser.own_profiles(ReplayOptions(run=folder.name, **options), folder.parent)


async def speak(talk, profile, *messages, shown=(), turn):
    user = ReplayUser()
    seen = talk.view(*messages, shown=shown, profile=profile, turn=turn)
    answer, state = await user.speak(seen, user.start(seen.scenario, Random(1)))
    assert state == {}
    return answer


def test_each_stored_dialogue_is_a_profile_with_its_wish_and_targets(tmp_path):
    found = profiles(stored(tmp_path / "old", LONG, HOPELESS, CUT))
    assert USERS.load("replay") is ReplayUser
    assert [profile.id for profile in found] == ["s1", "s2", "s3"]
    assert (found[0].wish, found[0].attributes) == ("a comedy with a clock", {"genre": ("comedy",)})
    assert found[0].notes["targets"] == ["t1"]
    script = found[0].notes["script"]
    assert (script["turns"], script["last"]) == (["a comedy please", "no, with a clock"], "yes, that is it!")
    assert found[2].notes["script"]["turns"] == ["a comedy please", "no, with a clock"]


def test_a_run_that_kept_no_wish_gives_profiles_without_one(tmp_path):
    found = profiles(stored(tmp_path / "old", (*CUT, {"data": "{}"})))
    assert (found[0].wish, found[0].attributes, "targets" in found[0].notes) == ("", {}, False)


async def test_it_says_the_stored_words_turn_by_turn_whatever_it_hears(talk, tmp_path):
    (profile,) = profiles(stored(tmp_path / "old", LONG))
    first = await speak(talk, profile, turn=1)
    assert (first.text, first.end, first.notes) == ("a comedy please", None, {})
    same = await speak(talk, profile, talk.said("a comedy please"), talk.heard("Lantern Road?"), turn=2)
    assert (same.text, same.notes) == ("no, with a clock", {"same_as_stored": True})
    other = await speak(talk, profile, talk.said("a comedy please"), talk.heard("Which decade?"), turn=2)
    assert (other.text, other.notes) == ("no, with a clock", {"same_as_stored": False})
    opened = [talk.heard("Lantern Road?"), talk.said("a comedy please"), talk.heard("This one?")]
    assert (await speak(talk, profile, *opened[:1], turn=1)).notes == {"same_as_stored": True}
    assert (await speak(talk, profile, *opened, turn=2)).notes == {"same_as_stored": True}


@pytest.mark.parametrize(
    ("dialogue", "words"), [(LONG, "yes, that is it!"), (HOPELESS, ""), (CUT, "")], ids=["done", "gave up", "cut"]
)
async def test_what_was_wanted_is_taken_when_it_is_shown(talk, tmp_path, dialogue, words):
    (profile,) = profiles(stored(tmp_path / "old", dialogue))
    said = [talk.said("a comedy please"), talk.heard("look", talk.road, talk.clock)]
    shown = [Shown(talk.road, False), Shown(talk.clock, True)]
    turn = await speak(talk, profile, *said, shown=shown, turn=2)
    assert (turn.text, turn.accepts, turn.end) == (words, ("t1",), "done")


@pytest.mark.parametrize(
    ("dialogue", "shown", "text", "end"),
    [
        (HOPELESS, False, "I give up, bye", "gave_up"),
        (LONG, False, "", "gave_up"),  # its last words would take what is not there
        (LONG, None, "yes, that is it!", "done"),  # nobody can tell what is wanted
        (CUT, False, "", "gave_up"),
    ],
)
async def test_when_all_is_said_it_leaves(talk, tmp_path, dialogue, shown, text, end):
    (profile,) = profiles(stored(tmp_path / "old", dialogue))
    said = [talk.said("a"), talk.heard("k", talk.road), talk.said("b"), talk.heard("l")]
    turn = await speak(talk, profile, *said, shown=[Shown(talk.road, shown)], turn=3)
    assert (turn.text, turn.end, turn.accepts) == (text, end, ())


def test_dialogues_are_chosen_by_user_system_and_repeat_and_only_without_fault(tmp_path):
    old = stored(
        tmp_path / "old",
        ("a", "max_turns", TALK),
        ("b", "max_turns", TALK, {"fault": "system"}),
        ("c", "max_turns", TALK, {"system": "new"}),
        ("d", "max_turns", TALK, {"repeat": 1}),
        ("e", "max_turns", TALK, {"user": "bob"}),
    )
    assert [one.id for one in profiles(old, user="ann", system="old")] == ["a"]
    assert [one.id for one in profiles(old, user="ann", system="old", repeat=1)] == ["d"]
    assert [one.id for one in profiles(old, user="bob", system="old")] == ["e"]
    with pytest.raises(DataError, match=r"several users \(ann, bob\); say whose dialogues in the option `user`"):
        profiles(old, system="old")
    with pytest.raises(DataError, match=r"several systems \(new, old\)"):
        profiles(old, user="ann")
    with pytest.raises(DataError, match="did you mean 'ann'"):
        profiles(old, user="anne", system="old")
    with pytest.raises(DataError, match="nothing to say again"):
        profiles(old, user="bob", system="new")


def test_tables_that_are_missing_newer_or_foreign_are_refused_in_a_sentence(tmp_path):
    with pytest.raises(DataError, match=r"dialogues\.parquet: can't be read"):
        profiles(tmp_path / "nowhere")
    with pytest.raises(DataError, match="has schema version 99"):
        profiles(stored(tmp_path / "newer", CUT, schema="99"))
    with pytest.raises(DataError, match="lacks the column 'text'"):
        profiles(stored(tmp_path / "foreign", CUT, drop=["text"]))


def test_dialogues_that_branch_or_share_a_unit_are_refused(tmp_path):
    with pytest.raises(DataError, match="several dialogues each"):
        profiles(stored(tmp_path / "twice", CUT, CUT))
    old = stored(tmp_path / "old", CUT)
    table = old / "tables" / "turns.parquet"
    rows = pq.read_table(table)
    branch = {**rows.to_pylist()[-1], "node": "0.0.0.1"}
    pq.write_table(pa.concat_tables([rows, pa.Table.from_pylist([branch], schema=rows.schema)]), table)
    with pytest.raises(DataError, match="branch"):
        profiles(old)


def test_a_scenario_that_is_not_its_own_is_refused():
    with pytest.raises(ConfigError, match="leave `profiles` out"):
        ReplayUser().start(samples.scenario(), Random(1))


ITEMS = "id,title,year,genre\n1,Lantern Road,1998,comedy\n2,Nine Winters,1987,war\n3,The Salt Clock,2004,drama\n"
PEOPLE = '{"id": "ann", "wish": "a war film"}\n{"id": "bob", "wish": "a comedy"}\n'


def test_a_run_is_said_again_to_another_system(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))
    (tmp_path / "people.jsonl").write_text(PEOPLE)
    (tmp_path / "items.csv").write_text(ITEMS)

    def experiment(user, answer):
        def shop(messages, session):
            return {"content": answer}

        content = {
            "protocol": "conversation",
            "users": [user],
            "systems": [{"name": "shop", "kind": "python", "function": shop}],
            "data": {"path": "items.csv"},
            "options": {"guard": "off"},
        }
        return Experiment.from_dict(content, tmp_path)

    lines = ["hello there", "nothing else?", "then bye [GIVE UP]"]
    scripted = {"name": "u", "kind": "scripted", "profiles": "people.jsonl", "options": {"turns": lines}}
    run(experiment(scripted, "What do you like?"), tmp_path / "old")
    replay = {"name": "again", "kind": "replay", "options": {"run": "old"}}
    done = run(experiment(replay, "Which decade?"), tmp_path / "new")
    rows = done.table("turns").to_pylist()
    said = [row["text"] for row in rows if row["role"] == "user"]
    assert said == ["hello there", "nothing else?", "then bye"] * 2
    assert {row["profile"] for row in done.table("dialogues").to_pylist()} == {"ann", "bob"}
    assert {row["ended"] for row in done.table("dialogues").to_pylist()} == {"user_gave_up"}
