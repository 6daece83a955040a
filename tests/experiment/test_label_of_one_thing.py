"""A sheet for people asks about one thing: of each case on it, what a judge was asked of that very case."""

import branching_runs
import pytest

from mysteryshopper.core import Criterion, ShopperError
from mysteryshopper.experiment import Experiment, run
from mysteryshopper.experiment.labels import make_copies
from mysteryshopper.experiment.labels.sampling import Candidate, asked_about
from mysteryshopper.experiment.sitting import open_run


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def candidate(name, about, *criteria):
    return Candidate(name, ("u",), name, name, about, {one: Criterion(one, f"{one}?") for one in criteria})


FOUND = [
    candidate("u1", "users", "naturalness", "usefulness"),
    candidate("s1", "systems", "constraints_met", "overall"),
    candidate("s2", "systems", "constraints_met"),
    candidate("u2", "users", "naturalness"),
]


@pytest.mark.parametrize(
    ("named", "cases", "asked"),
    [
        ((), ["s1"], ["overall"]),  # systems first, though a case about users came first; and only where it was judged
        (("constraints_met",), ["s1", "s2"], ["constraints_met"]),
        (("naturalness",), ["u1", "u2"], ["naturalness"]),
        (("usefulness", "naturalness"), ["u1"], ["usefulness", "naturalness"]),
    ],
)
def test_a_sheet_holds_cases_that_were_judged_on_all_that_it_asks(named, cases, asked):
    fit, criteria = asked_about(FOUND, named)
    assert [one.case for one in fit] == cases
    assert [one.name for one in criteria] == asked


def test_what_was_never_judged_together_or_at_all_is_said():
    with pytest.raises(ShopperError, match="'overall' and 'naturalness' together"):
        asked_about(FOUND, ("overall", "naturalness"))
    with pytest.raises(ShopperError, match="did you mean 'naturalness'"):
        asked_about(FOUND, ("naturalnes",))
    (only,) = asked_about(FOUND[:1], ())[1]
    assert only.name == "naturalness"  # the first that was judged


def test_chats_whose_users_and_whose_systems_were_judged_give_sheets_of_either(tmp_path):
    branching_runs.write_dialogue(tmp_path / "data")
    (tmp_path / "pair.yaml").write_text("takes: pair\ncriteria:\n  - {name: overall, text: 'Which served better?'}\n")
    replies = {"duel": '{"overall": "A"}', "sims": '{"naturalness": "A", "usefulness": "tie"}'}
    content = {
        "protocol": "ievalm",
        "users": [
            {"name": name, "kind": "scripted", "options": {"turns": [f"{name} says hm.", f"{name} says what else?"]}}
            for name in ("ann", "bob")
        ],
        "systems": [
            branching_runs.shop(name, lambda messages, session, name=name: f"{name} has Nine Winters (1987).")
            for name in ("one", "two")
        ],
        "models": {name: {"provider": "scripted", "params": {"replies": [text]}} for name, text in replies.items()},
        "judges": [
            {"name": "sims", "kind": "simulators", "model": "sims"},
            {"name": "duel", "kind": "pairwise", "model": "duel", "options": {"criteria": "pair.yaml"}},
        ],
        "data": {"path": "data"},
        "options": {"setting": "free", "guard": "off", "compare_users": True},
        "limits": {"turns": 2},
    }
    run(Experiment.from_dict(content, tmp_path), tmp_path / "run")
    _, store = open_run(tmp_path / "run")
    try:
        (of_systems,) = make_copies(store, pairs=100)
        (of_users,) = make_copies(store, pairs=100, criteria=["naturalness"])
    finally:
        store.close()
    assert {tuple(entry.case.data["systems"]) for entry in of_systems.entries} == {("one", "two")}
    assert {entry.case.data.get("about") for entry in of_users.entries} == {"users"}
    assert [one.criterion for one in of_systems.asked] == ["overall"]
