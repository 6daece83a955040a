"""Two runs of the same people: what is paired, what is not, and what is said of a comparison that limps."""

import json

import pytest

from mysteryshopper.core import ShopperError
from mysteryshopper.experiment import Experiment, run
from mysteryshopper.experiment.comparing import compare

ITEMS = "id,title,year,genre\n1,Lantern Road,1998,comedy\n2,Nine Winters,1987,war\n3,The Salt Clock,2004,drama\n"
GENRES = ("comedy", "war", "drama")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def shelf(*ids):
    """A shop that answers every turn with these items."""

    def reply(messages, session):
        return {"content": "Here you are.", "items": [{"id": name} for name in ids]}

    return reply


def talk(folder, name, reply, people=12, system="shop", genres=GENRES, **changes):
    """Twelve people who each want one genre, in turn; they take what they wanted once it is shown."""
    persons = ((f"p{n:02}", genres[n % 3]) for n in range(people))
    lines = (
        json.dumps({"id": name, "wish": f"a {genre}", "attributes": {"genre": [genre]}}) for name, genre in persons
    )
    (folder / f"{name}.jsonl").write_text("\n".join(lines))
    (folder / "items.csv").write_text(ITEMS)
    options = {"turns": ["hello", "and now?"], "on_hit": "That one."}
    content = {
        "protocol": "conversation",
        "users": [{"name": "u", "kind": "scripted", "profiles": f"{name}.jsonl", "options": options}],
        "systems": [{"name": system, "kind": "python", "function": reply}],
        "data": {"path": "items.csv"},
        "options": {"guard": "off"},
        "limits": {"turns": 2},
        **changes,
    }
    return run(Experiment.from_dict(content, folder), folder / name).path


def row(found, metric):
    return next(one for one in found.rows if one.metric == metric)


def test_the_difference_is_second_minus_first_over_shared_people(tmp_path):
    old = talk(tmp_path, "old", shelf("1"))  # serves comedies: 4 of 12
    new = talk(tmp_path, "new", shelf("2", "3"))  # serves the others: 8 of 12
    found = compare(old, new)
    success = row(found, "success")
    assert (success.first, success.second) == (pytest.approx(4 / 12), pytest.approx(8 / 12))
    assert success.difference.value == pytest.approx(1 / 3)
    assert (success.difference.n, success.unpaired, found.shared) == (12, (0, 0), 12)
    assert success.difference.low < 1 / 3 < success.difference.high
    # by hand: 8 gains and 4 losses; sums as far from 0 as 4 in all sign patterns of 12: 2 * P(Binomial(12, 1/2) <= 4)
    assert success.difference.p == pytest.approx(2 * (1 + 12 + 66 + 220 + 495) / 4096)
    assert (found.count("won"), found.count("lost")) == (8, 4)
    assert row(found, "turns_to_success").difference.value is None  # nobody was served by both
    assert "share no unit" in row(found, "turns_to_success").difference.reason
    assert found.warnings == ()


def test_units_that_only_one_run_has_are_counted_and_left_out(tmp_path):
    old = talk(tmp_path, "old", shelf("1"), people=12)
    new = talk(tmp_path, "new", shelf("1"), people=15)
    found = compare(old, new)
    success = row(found, "success")
    assert (found.shared, success.unpaired) == (12, (0, 3))
    assert (success.difference.value, found.moved) == (0, ())
    back = row(compare(new, old), "success")
    assert back.unpaired == (3, 0)


def test_dialogues_of_what_was_won_and_lost_lie_beside_each_other(tmp_path):
    found = compare(talk(tmp_path, "old", shelf("1")), talk(tmp_path, "new", shelf("2")))
    assert [moved.change for moved in found.moved] == ["lost"] * 4 + ["won"] * 4
    lost = found.moved[0]
    assert (lost.unit, lost.first, lost.second) == ("p00|u|0", 1.0, 0.0)
    assert [one.dialogue.success for one in lost.dialogues] == [True, False]
    assert [one.unit.id for one in lost.dialogues] == ["p00", "p00"]


def test_a_system_that_crashes_loses_what_it_had_won(tmp_path):
    def broken(messages, session):
        raise RuntimeError("out of stock")

    found = compare(talk(tmp_path, "old", shelf("1")), talk(tmp_path, "new", broken))
    assert row(found, "success").second == 0
    assert found.count("lost") == 4


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"options": {"guard": "off", "closing_turn": False}}, "options.closing_turn"),
        ({"limits": {"turns": 3}}, "limits.turns"),
        ({"seed": 3}, "seed"),
    ],
)
def test_what_else_differs_is_named(tmp_path, changes, key):
    old = talk(tmp_path, "old", shelf("1"))
    new = talk(tmp_path, "new", shelf("1"), **changes)
    found = compare(old, new)
    assert [setting.key for setting in found.settings if setting.matters] == [key]
    assert len(found.warnings) == 1
    assert key in found.warnings[0]


def test_what_is_said_and_what_is_left_to_its_default_are_the_same(tmp_path):
    old = talk(tmp_path, "old", shelf("1"))
    new = talk(tmp_path, "new", shelf("1"), options={"guard": "off", "closing_turn": True, "stop_on": "accept"})
    assert compare(old, new).settings == ()


def test_the_compared_systems_own_settings_are_no_warning(tmp_path):
    base = {"name": "shop", "kind": "random"}
    old = talk(tmp_path, "old", shelf("1"), systems=[{**base, "options": {"show": 1}}])
    new = talk(tmp_path, "new", shelf("1"), systems=[{**base, "options": {"show": 2}}])
    found = compare(old, new)
    assert [(one.key, one.first, one.second, one.tested) for one in found.settings] == [
        ("systems.shop.options.show", "1", "2", True)
    ]
    assert found.warnings == ()


def test_people_who_want_something_else_are_told_of(tmp_path):
    old = talk(tmp_path, "old", shelf("1"))
    same = talk(tmp_path, "same", shelf("1"))  # another file that says the same
    assert compare(old, same).warnings == ()
    other = compare(old, talk(tmp_path, "new", shelf("1"), genres=("war", "war", "war")))
    assert any("In 8 shared units the person wants something else" in warning for warning in other.warnings)
    assert any("users.u.profiles" in warning for warning in other.warnings)


def test_one_run_is_compared_by_two_of_its_systems(tmp_path):
    systems = [
        {"name": "a", "kind": "python", "function": shelf("1")},
        {"name": "b", "kind": "python", "function": shelf("2", "3")},
    ]
    folder = talk(tmp_path, "both", shelf("1"), systems=systems)
    with pytest.raises(ShopperError, match="this is one run: name two of its systems"):
        compare(folder, folder)
    found = compare(folder, folder, ("a", "b"))
    assert row(found, "success").difference.value == pytest.approx(1 / 3)
    measured = run_again(folder)
    difference = measured.metric("success_difference", system="a", versus="b").estimate
    assert difference.value == pytest.approx(-1 / 3)  # a minus b
    assert difference.p == row(found, "success").difference.p


def run_again(folder):
    from mysteryshopper.experiment import measure_again

    return measure_again(folder)


def test_the_only_systems_of_two_runs_are_paired_whatever_their_names(tmp_path):
    old = talk(tmp_path, "old", shelf("1"), system="before")
    new = talk(tmp_path, "new", shelf("2"), system="after")
    assert compare(old, new).pairs == (("before", "after"),)
    assert compare(old, new).shared == 12
    two = [{"name": name, "kind": "python", "function": shelf("1")} for name in ("x", "y")]
    many = talk(tmp_path, "many", shelf("1"), systems=two)
    with pytest.raises(ShopperError, match=r"--systems before x"):
        compare(old, many)
    assert compare(old, many, ("before", "y")).pairs == (("before", "y"),)
    with pytest.raises(ShopperError, match="there is no system 'z'"):
        compare(old, many, ("before", "z"))


def test_runs_that_share_nothing_say_so(tmp_path):
    old = talk(tmp_path, "old", shelf("1"))
    persons = [{"id": f"q{n}", "attributes": {"genre": ["war"]}} for n in range(3)]
    (tmp_path / "others.jsonl").write_text("".join(json.dumps(person) + "\n" for person in persons))
    user = {"name": "u", "kind": "scripted", "profiles": "others.jsonl", "options": {"turns": ["hello"]}}
    new = talk(tmp_path, "new", shelf("1"), users=[user])
    found = compare(old, new)
    assert found.shared == 0
    assert row(found, "success").difference.value is None
    assert "share no unit" in found.warnings[0]


def test_runs_of_other_protocols_and_folders_without_a_run_are_refused(tmp_path):
    old = talk(tmp_path, "old", shelf("1"))
    with pytest.raises(ShopperError, match="holds no run"):
        compare(old, tmp_path / "nowhere")


@pytest.mark.parametrize("repeats", [1, 3])
def test_repeats_of_one_person_are_one_cluster(tmp_path, repeats):
    old = talk(tmp_path, "old", shelf("1"), repeats=repeats)
    new = talk(tmp_path, "new", shelf("2"), repeats=repeats)
    difference = row(compare(old, new), "success").difference
    assert (difference.n, difference.clusters) == (12 * repeats, 12)
