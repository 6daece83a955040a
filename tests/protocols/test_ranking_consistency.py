"""Rankings under several users: correlations, intervals by resampled units, steps, ties, and finished runs."""

import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mysteryshopper import Experiment, run
from mysteryshopper.core import ConfigError, DataError, Score
from mysteryshopper.datasets.block import DataBlock
from mysteryshopper.datasets.finished_runs import FinishedRuns
from mysteryshopper.protocols.ranking_consistency.correlating import correlations, same_best, smallest_p, spearman_step
from mysteryshopper.protocols.ranking_consistency.gathering import Gathered, pack, unpack
from mysteryshopper.protocols.ranking_consistency.measuring import Terms, measure_rankings
from mysteryshopper.protocols.ranking_consistency.rankings import Draws, Ranked

TERMS = Terms((), False, 399, 3)


def ranked(name, values, better="higher", clusters=None):
    """Return a condition with values by system, a list of one a unit."""
    found = Ranked(name)
    for system, given_values in values.items():
        for place, value in enumerate(given_values):
            cluster = clusters[place] if clusters else f"c{place}"
            found.add(Score("success", f"u{place}", name, system, cluster, value, better=better))
    return found


def sides(first, second, systems):
    draws = Draws([*first.clusters.values(), *second.clusters.values()], 399, 3)
    return draws.of(first, systems), draws.of(second, systems)


def metric(metrics, name, **group):
    (one,) = [m for m in metrics if m.name == name and all(m.group.get(key) == value for key, value in group.items())]
    return one.estimate


@pytest.mark.parametrize(
    ("n", "step", "p"), [(3, 0.5, 1 / 3), (4, 0.2, 1 / 12), (5, 0.1, 1 / 60), (8, 1 / 42, 2 / 40320)]
)
def test_how_finely_spearman_can_move_and_how_small_p_can_get(n, step, p):
    """AdaptSim's four systems: steps of .2, so that a lowest value of .895 can't be Spearman's without ties."""
    assert spearman_step(n) == pytest.approx(step)
    assert smallest_p(n) == pytest.approx(p)
    if n < 6:
        values = sorted({round(stats.spearmanr(range(n), order).statistic, 9) for order in _orders(n)})
        assert min(np.diff(values)) == pytest.approx(step)


def _orders(n):
    from itertools import permutations

    return permutations(range(n))


def test_the_three_correlations_are_scipys_ties_and_all():
    first = ranked("a", {"w": [1, 1], "x": [1, 0], "y": [1, 0], "z": [0, 0]})
    second = ranked("b", {"w": [1, 1], "x": [0, 0], "y": [1, 1], "z": [1, 0]})
    found = correlations(*sides(first, second, ["w", "x", "y", "z"]))
    x, y = [1, 0.5, 0.5, 0], [1, 0, 1, 0.5]
    assert found["rank_pearson"].value == pytest.approx(stats.pearsonr(x, y).statistic)
    assert found["rank_spearman"].value == pytest.approx(stats.spearmanr(x, y).statistic)
    assert found["rank_kendall"].value == pytest.approx(stats.kendalltau(x, y).statistic)
    assert (found["rank_spearman"].n, found["rank_spearman"].low) == (4, None)
    assert "too few clusters" in found["rank_spearman"].reason


def test_the_interval_is_that_of_means_over_redrawn_clusters():
    """Drawn by hand with the same generator: every draw's rankings correlated by scipy, the 2.5 % ends of them."""
    generator = np.random.default_rng(5)
    names = ["w", "x", "y", "z"]
    tables = [{name: generator.normal(place, 2, 12).tolist() for place, name in enumerate(names)} for _ in range(2)]
    first, second = ranked("a", tables[0]), ranked("b", tables[1])
    found = correlations(*sides(first, second, names))
    order = sorted(f"c{place}" for place in range(12))
    times = np.random.default_rng(3).multinomial(12, np.full(12, 1 / 12), size=399)
    for name, statistic in (
        ("rank_spearman", stats.spearmanr),
        ("rank_kendall", stats.kendalltau),
        ("rank_pearson", stats.pearsonr),
    ):
        drawn = []
        for row in times:
            means = [
                [
                    sum(row[order.index(f"c{place}")] * value for place, value in enumerate(table[system]))
                    for system in names
                ]
                for table in tables
            ]
            drawn.append(statistic(*means).statistic)
        low, high = np.quantile(drawn, [0.025, 0.975])
        value = found[name].value
        assert found[name].low == pytest.approx(min(low, value))
        assert found[name].high == pytest.approx(max(high, value))


def test_lower_is_better_turns_the_ranking_and_not_the_correlation():
    quick = {"w": [1.0, 2.0], "x": [2.0, 3.0], "y": [4.0, 5.0]}
    up = {"w": [9.0, 9.0], "x": [5.0, 5.0], "y": [1.0, 1.0]}
    one, other = sides(ranked("a", quick, "lower"), ranked("b", up), ["w", "x", "y"])
    assert one.ranks.tolist() == other.ranks.tolist() == [1, 2, 3]
    assert correlations(one, other)["rank_spearman"].value == 1.0
    assert same_best(one, other).value == 1.0


def test_what_can_not_be_told_says_why():
    two = ranked("a", {"x": [1, 0], "y": [0, 0]}), ranked("b", {"x": [1, 0], "y": [0, 0]})
    found, _ = measure_rankings({"success": {"a": two[0], "b": two[1]}}, ["success"], TERMS)
    assert metric(found, "rank_spearman").value is None
    assert metric(found, "rank_spearman").reason.startswith("2 systems are always fully alike or opposed")
    flat = ranked("c", {"x": [1, 1], "y": [1, 1], "z": [1, 1]})
    some = ranked("d", {"x": [1, 1], "y": [1, 0], "z": [0, 0]})
    found, _ = measure_rankings({"success": {"c": flat, "d": some}}, ["success", "happiness"], TERMS)
    assert metric(found, "rank_spearman", first="c").reason == "one of them puts all systems level"
    assert "there are success" in metric(found, "rank_spearman", score="happiness").reason
    apart = ranked("e", {"q": [1, 1]})
    found, _ = measure_rankings({"success": {"c": flat, "e": apart}}, ["success"], TERMS)
    assert metric(found, "rank_spearman").reason == "they have no system in common"


def test_ties_are_counted_and_share_their_place():
    values = {"w": [1, 1], "x": [1, 1], "y": [0, 1], "z": [0, 0]}
    _, rankings = measure_rankings({"success": {name: ranked(name, values) for name in "ab"}}, ["success"], TERMS)
    assert metric(rankings, "tied_systems", under="a").value == 2
    places = {m.group["system"]: m.estimate.value for m in rankings if m.name == "rank" and m.group["under"] == "a"}
    assert places == {"w": 1.5, "x": 1.5, "y": 3.0, "z": 4.0}


def test_controls_are_ranked_only_where_asked_for():
    values = {"w": [1, 1], "x": [1, 0], "y": [0, 0], "chance": [0, 1]}
    both = {"success": {name: ranked(name, values) for name in ("a", "b")}}
    found, _ = measure_rankings(both, ["success"], Terms({"chance"}, False, 99, 1))
    assert metric(found, "rank_spearman").n == 3
    found, _ = measure_rankings(both, ["success"], Terms({"chance"}, True, 99, 1))
    assert metric(found, "rank_spearman").n == 4


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=12, max_size=12), min_size=3, max_size=5),
    st.lists(st.lists(st.integers(0, 3), min_size=12, max_size=12), min_size=5, max_size=5),
)
def test_whatever_the_values_correlations_lie_in_bounds_and_swapping_sides_changes_nothing(first, second):
    names = [f"s{place}" for place in range(len(first))]
    one = ranked("a", dict(zip(names, first, strict=True)))
    other = ranked("b", dict(zip(names, second, strict=False)))
    forth, back = correlations(*sides(one, other, names)), correlations(*sides(other, one, names))
    for name, estimate in forth.items():
        assert estimate.value is None or -1 <= estimate.value <= 1
        assert estimate.value is not None or estimate.reason
        if estimate.low is not None:
            assert -1 - 1e-9 <= estimate.low <= estimate.value <= estimate.high <= 1 + 1e-9
        assert back[name].value == pytest.approx(estimate.value)


def test_conditions_are_named_by_what_tells_them_apart():
    gathered = Gathered()
    for user in ("plain", "blunt"):
        gathered.add(Score("success", "u", user, "x", "c", 1.0))
        for judge in ("one", "two"):
            gathered.add(Score("overall", "u", user, "x", "c", 3.0), judge=judge)
    gathered.add(Score("rating", "u", "blunt", "x", "c", 1.0))  # verdicts come by case, in an order of their own
    gathered.add(Score("rating", "u", "plain", "x", "c", 1.0))
    gathered.add(Score("lonely", "u", "plain", "x", "c", 1.0))
    found = gathered.conditions()
    assert list(found) == ["success", "overall", "rating"]
    assert list(found["rating"]) == ["plain", "blunt"]
    assert set(found["success"]) == {"plain", "blunt"}
    assert set(found["overall"]) == {f"{user} · {judge}" for user in ("plain", "blunt") for judge in ("one", "two")}


def test_scores_come_out_of_the_pack_as_they_went_in():
    rows = [
        {
            "name": "success",
            "unit": "p1|u|0",
            "user": "u",
            "system": "x",
            "cluster": "p1",
            "value": 1.0,
            "better": "higher",
        },
        {
            "name": "success",
            "unit": "p2|u|0",
            "user": "u",
            "system": "x",
            "cluster": "p2",
            "better": "higher",
            "control": True,
        },
    ]
    found = list(unpack(json.loads(json.dumps(pack(rows)))))
    assert [(score.unit, score.cluster, score.value) for score, _ in found] == [
        ("p1|u|0", "p1", 1.0),
        ("p2|u|0", "p2", None),
    ]


# --- whole runs ------------------------------------------------------------------------------------------------------

SHOP = """
def of(rank):
    def reply(messages, session):
        wish = next(one["content"] for one in messages if one["role"] == "user")
        person = int("".join(sign for sign in wish if sign.isdigit()))
        return {"content": "This?", "items": [{"id": "1" if person % 4 < rank else "2"}]}
    return reply

good, fair, poor = of(3), of(2), of(1)
"""


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))
    (tmp_path / "shop.py").write_text(SHOP)
    items = [{"id": "1", "title": "Lantern Road", "genre": ["drama"]}, {"id": "2", "title": "The Salt Clock"}]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    people = [{"id": f"p{n:02}", "wish": f"Drama {n}", "attributes": {"genre": ["drama"]}} for n in range(12)]
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(person) + "\n" for person in people))
    yield tmp_path
    sys.modules.pop("shop", None)


def experiment(shop, users=("one", "two"), **more):
    block = {"kind": "scripted", "profiles": "people.jsonl", "options": {"wish_first": True, "on_hit": "That one."}}
    systems = [{"name": name, "kind": "python", "function": f"shop:{name}"} for name in ("good", "fair", "poor")]
    content = {
        "protocol": "ranking-consistency",
        "seed": 1,
        "users": [{"name": name, **block} for name in users],
        "systems": systems,
        "data": {"path": "items.jsonl"},
        "options": {"guard": "off", "controls": 0},
        "limits": {"turns": 2},
        "folder": str(shop),
    }
    return Experiment.from_dict({**content, **more})


def test_two_users_and_then_their_finished_runs_give_the_same_ranking(shop):
    sys.modules.pop("shop", None)
    first = run(experiment(shop), shop / "runs" / "first")
    spearman = first.metric("rank_spearman", score="success").estimate
    assert (spearman.value, spearman.n, spearman.clusters) == (1.0, 3, 12)
    assert "one ranking twice" in spearman.reason  # scripted users who say the same are no second opinion
    assert first.metric("rank", score="success", under="one", system="good").estimate.value == 1.0
    assert first.metric("success", user="one", system="fair").estimate.value == 0.5
    assert first.metric("smallest_p", score="success").estimate.value == pytest.approx(1 / 3)

    run(experiment(shop, ("one",), protocol="conversation"), shop / "runs" / "second")
    done = run(
        experiment(
            shop,
            users=(),
            systems=[],
            data={"name": "runs", "path": "runs"},
            options={"runs": ["first", "second"], "ranked_by": ["success"]},
        ),
        shop / "ranked",
    )
    found = {(m.group["first"], m.group["second"]): m.estimate for m in done.metrics if m.name == "rank_spearman"}
    assert set(found) == {
        ("first · one", "first · two"),
        ("first · one", "second · one"),
        ("first · two", "second · one"),
    }
    assert all(estimate.value == 1.0 for estimate in found.values())
    assert done.metric("ranked_value", under="second · one", system="poor").estimate.value == 0.25
    table = first.table("scores").to_pylist()
    assert (
        sum(row["value"] for row in table if (row["name"], row["system"], row["user"]) == ("success", "good", "one"))
        == 9
    )


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"users": ("one",)}, "a single user gives a single ranking"),
        ({"users": (), "systems": [], "options": {"runs": ["a", "b"]}}, "finished runs lie in a folder"),
        (
            {"users": (), "systems": [], "data": {"name": "runs", "path": "nowhere"}, "options": {"runs": ["a", "b"]}},
            "no run with scores 'a'",
        ),
        (
            {"users": (), "systems": [], "data": {"name": "runs", "path": "x"}, "options": {"runs": ["a", "a"]}},
            "name two",
        ),
        ({"users": (), "data": {"name": "runs", "path": "x"}, "options": {"runs": ["a", "b"]}}, "nobody talks where"),
    ],
)
def test_what_has_no_two_rankings_is_refused_before_anything_runs(shop, more, problem):
    with pytest.raises(ConfigError, match=problem):
        run(experiment(shop, **more), shop / "run")


def test_scores_of_a_newer_version_are_refused_by_name(tmp_path):
    path = tmp_path / "later" / "tables" / "scores.parquet"
    path.parent.mkdir(parents=True)
    columns = {name: pa.array(["x"]) for name in ("name", "unit", "system")}
    pq.write_table(pa.table(columns).replace_schema_metadata({"mysteryshopper_schema": "99"}), path)
    runs = FinishedRuns.open(tmp_path, DataBlock(name="runs", path=str(tmp_path)))
    with pytest.raises(DataError, match="written by a newer version"):
        next(runs.scores("later"))
    path.write_bytes(b"no table")
    with pytest.raises(DataError, match="is no Parquet file"):
        next(runs.scores("later"))
