"""More people in a run that is there: the first stay who they are, and only the new ones are met."""

import pytest

from mysteryshopper.core import ConfigError
from mysteryshopper.experiment import Experiment, resume, run


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def experiment(profiles, units=None, data="food", **user):
    return Experiment(
        protocol="conversation",
        seed=5,
        users=[{"name": "u", "kind": "agenda", "profiles": profiles, **user}],
        systems=[{"kind": "lexical"}],
        data={"name": data},
        limits={"turns": 2, "units": units},
    )


def said(run_):
    found = {}
    for row in run_.table("turns").to_pylist():
        found.setdefault(row["dialogue"], []).append(row["text"])
    return found


@pytest.mark.parametrize("key", ["generate", "demographic"])
def test_raising_the_number_only_adds(key, tmp_path):
    first = run(experiment({key: 4}), tmp_path / "run")
    before = said(first)
    grown = resume(tmp_path / "run", experiment({key: 7}))
    assert (first.summary["units"]["complete"], grown.summary["units"]["complete"]) == (4, 7)
    assert (first.ran, grown.ran) == (4, 3)
    after = said(grown)
    assert len(before) == 4
    assert {name: after[name] for name in before} == before
    assert said(run(experiment({key: 7}), tmp_path / "at once")) == after


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            {"profiles": {"generate": 4}},
            {"profiles": {"generate": 3}},
            "users.u.profiles.generate may only grow, from 4",
        ),
        (
            {"profiles": {"generate": 4}, "units": 2},
            {"profiles": {"generate": 6}, "units": 2},
            "limits.units draws 2 out of them, which would be others",
        ),
        ({"profiles": {"generate": 4}}, {"profiles": {"generate": 6, "hard": 1}}, "users.u.profiles.hard changed"),
        ({"profiles": {"generate": 4}}, {"profiles": {"demographic": 6}}, "users.u.profiles.generate changed"),
    ],
)
def test_what_would_change_who_they_are_is_refused(old, new, told, tmp_path):
    run(experiment(**old), tmp_path / "run")
    with pytest.raises(ConfigError, match=told):
        resume(tmp_path / "run", experiment(**new))


def test_more_people_may_come_where_a_limit_is_lifted(tmp_path):
    first = run(experiment({"generate": 4}, units=2), tmp_path / "run")
    grown = resume(tmp_path / "run", experiment({"generate": 5}))
    assert (first.ran, grown.ran) == (2, 3)
