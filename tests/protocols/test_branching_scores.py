"""What runs of `tree` and `robustness` are compared by: one value a root or chain, by hand and through `compare`."""

import json

import branching_runs
import pytest
from branching_runs import scores, scripted, shop, wise, write_people

from mysteryshopper import compare
from mysteryshopper.core import ConfigError
from mysteryshopper.experiment import arun, resume, run
from mysteryshopper.testing import FakeServer

RULES = [{"name": "rules", "kind": "rules-pair", "options": {"band": 0}}]
MET = "root_win_rate (rules, constraints_met)"


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def shows(name, *numbers):
    """A shop that shows, at its n-th reply, the n-th of these items."""

    def reply(messages, session):
        number = numbers[min(sum(one["role"] == "assistant" for one in messages), len(numbers) - 1)]
        return {"content": f"{name} has this one for you", "items": [{"id": number}]}

    return shop(name, reply)


def grown(folder, systems, people=1, **changes):
    content = {"users": [scripted("more please", "and more")], "judges": RULES, "systems": systems}
    made = branching_runs.experiment(
        folder, "tree", people, "a {genre} for {n}", content, {"systems": systems} | changes
    )
    return run(made, folder / "run")


def test_a_root_of_a_tree_is_worth_its_mean_to_either_system(tmp_path):
    # item 1 is the comedy that p0 wants: `good` shows it at once, `late` at its second chance
    grown(tmp_path, [shows("good", "1"), shows("late", "2", "1")], limits={"turns": 2})
    found = scores(tmp_path / "run")
    # the first history is good's; at the second level both show it, on both branches: a win and two ties
    assert found[MET, "p0|u|0", "good"] == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert found[MET, "p0|u|0", "late"] == pytest.approx(1 - 2 / 3)
    assert found["wanted_shown", "p0|u|0", "good"] == 1.0
    assert found["wanted_shown", "p0|u|0", "late"] == pytest.approx(2 / 3)
    assert next(iter(found))[0] == "root_win_rate (rules, overall)"  # by this, `compare` says who won


def test_of_three_systems_each_has_the_mean_over_its_opponents_and_itself_is_none(tmp_path):
    systems = [shows("best", "1"), shows("same", "1"), shows("bad", "3")]
    done = grown(tmp_path, systems, limits={"turns": 1}, options={"against_self": True})
    found = scores(tmp_path / "run")
    assert [found[MET, "p0|u|0", name] for name in ("best", "same", "bad")] == [0.75, 0.75, 0.0]
    (gap,) = [
        one["value"]
        for one in done.summary["metrics"]
        if one["name"] == "wanted_shown_difference"
        and (one["group"]["system"], one["group"]["versus"]) == ("best", "bad")
    ]
    assert gap == 1.0


def test_a_missing_reply_loses_the_root_and_one_that_nobody_could_judge_is_no_value(tmp_path):
    def broken(messages, session):
        raise RuntimeError("out of stock")

    done = grown(tmp_path, [shows("one", "1"), shop("two", broken)], limits={"turns": 1})
    found = scores(tmp_path / "run")
    overall = "root_win_rate (rules, overall)"  # no judge was ever asked, and none is needed: crashing never pays
    assert [found[overall, "p0|u|0", name] for name in ("one", "two")] == [1.0, 0.0]
    group = {"judge": "rules", "criterion": "overall", "system": "one", "versus": "two"}
    assert branching_runs.metric(done, "root_win_rate", **group)["value"] == 1.0
    assert found["wanted_shown", "p0|u|0", "two"] == 0.0


def test_a_pair_weighs_the_same_however_often_it_is_judged(tmp_path):
    def tires(messages, session):
        if sum(one["role"] == "assistant" for one in messages):
            raise RuntimeError("closed")
        return {"content": "here is one", "items": [{"id": "3"}]}

    found = []
    for repeats in (1, 3):
        folder = tmp_path / str(repeats)
        folder.mkdir()
        judges = [{**RULES[0], "repeats": repeats}]
        systems = [shop("tired", tires), shows("good", "1")]
        done = grown(folder, systems, limits={"turns": 2}, judges=judges)
        group = {"judge": "rules", "criterion": "constraints_met", "system": "tired", "versus": "good"}
        whole = branching_runs.metric(done, "root_win_rate", **group)
        found.append((whole["value"], whole["n"], scores(folder / "run")[MET, "p0|u|0", "tired"]))
    # the first history is judged and lost; of the second level two replies are missing
    assert found[0] == found[1] == (0.0, 3, 0.0)


def test_systems_in_another_order_would_be_other_pairs_so_that_a_run_of_trees_does_not_go_on(tmp_path):
    systems = [shows("good", "1"), shows("late", "2")]
    grown(tmp_path, systems, limits={"turns": 1})
    with pytest.raises(ConfigError, match="'good', 'late' stand in another order"):
        resume_as(tmp_path, systems[::-1])
    done = resume_as(tmp_path, [shows("more", "3"), *systems])  # a further one may stand anywhere
    assert done.summary["units"]["complete"] == 3


def resume_as(folder, systems):
    content = {"users": [scripted("more please", "and more")], "judges": RULES, "systems": systems}
    changes = {"limits": {"turns": 1}}
    return resume(folder / "run", branching_runs.experiment(folder, "tree", 1, "a {genre} for {n}", content, changes))


def test_two_runs_of_trees_are_compared_root_by_root(tmp_path):
    for name, first in (("old", "2"), ("new", "1")):
        (tmp_path / name).mkdir()
        grown(tmp_path / name, [shows("mine", first), shows("base", "3")], people=3, limits={"turns": 2})
    found = compare(tmp_path / "old" / "run", tmp_path / "new" / "run", ("mine", "mine"))
    assert found.shared == 3
    rows = {row.metric: row for row in found.rows}
    # item 1 serves p0 alone, item 2 p1 alone, item 3 p2: of three people one is gained and one is lost
    assert (rows["wanted_shown"].first, rows["wanted_shown"].second) == pytest.approx((1 / 3, 1 / 3))
    assert (rows[MET].first, rows[MET].second) == pytest.approx((0.5, 0.5))
    assert (found.count("won"), found.count("lost")) == (1, 1)
    assert all(len(one.dialogues) == 2 for one in found.moved)


def reads_last(name, hears):
    """A shop that shows the comedy where it hears this word in the last message."""

    def reply(messages, session):
        items = [{"id": "1"}] if hears in messages[-1]["content"].lower().split() else []
        return {"content": f"{name} looked it up.", "items": items}

    return shop(name, reply)


def probed(folder, systems, **changes):
    content = {"users": [scripted("another comedy please", "whatever")], "systems": systems}
    options = {"noise": ["casing", "delete"], "rates": [0, 1.0], **changes.pop("options", {})}
    more = {"limits": {"turns": 2}, "options": options, **changes}
    return branching_runs.experiment(folder, "robustness", 1, "one comedy now", content, more)


def test_a_chain_is_worth_the_mean_of_its_noises_and_rate_nought_is_none(tmp_path):
    run(probed(tmp_path, [reads_last("reader", "comedy"), reads_last("please", "please")]), tmp_path / "run")
    found = scores(tmp_path / "run")
    # both queries name the comedy; capitals are read, letters lost are not
    assert found["wanted_shown", "p0|u|0", "reader"] == 1.0
    assert found["wanted_shown_noisy (casing)", "p0|u|0", "reader"] == 1.0
    assert found["wanted_shown_noisy (delete)", "p0|u|0", "reader"] == 0.0
    assert found["wanted_shown_noisy", "p0|u|0", "reader"] == 0.5
    assert found["items_kept", "p0|u|0", "reader"] == 0.5
    # the other hears the second query alone
    assert found["wanted_shown", "p0|u|0", "please"] == 0.5
    assert found["wanted_shown_noisy", "p0|u|0", "please"] == 0.25


async def test_a_chains_judged_score_leaves_rate_nought_out(tmp_path):
    def prefers_hits(seen):
        names = seen.body["response_format"]["json_schema"]["schema"]["required"]
        first, _, rest = seen.text.partition("\nA:\n")[2].partition("\nB:\n")
        hits = ["Lantern" in text for text in (first, rest.partition("\nThe questions:")[0])]
        return json.dumps(dict.fromkeys(names, "tie" if hits[0] == hits[1] else "A" if hits[0] else "B"))

    async with FakeServer(prefers_hits) as server:
        made = probed(tmp_path, [reads_last("reader", "comedy")], **wise(server.url))
        await arun(made, tmp_path / "run")
    found = scores(tmp_path / "run")
    assert found["noisy_win_rate (duel, overall)", "p0|u|0", "reader"] == pytest.approx((0.5 + 0.0) / 2)
    assert found["noisy_win_rate (duel, overall, casing)", "p0|u|0", "reader"] == 0.5
    assert found["noisy_win_rate (duel, overall, delete)", "p0|u|0", "reader"] == 0.0
    assert ("noisy_win_rate (duel, language, delete)", "p0|u|0", "reader") not in found
    assert next(iter(found))[0] == "noisy_win_rate (duel, overall)"


def test_the_trend_without_a_judge_starts_at_the_chains_own_clean_queries(tmp_path):
    made = probed(tmp_path, [reads_last("please", "please")], options={"noise": ["delete"], "rates": [0.5, 1.0]})
    write_people(tmp_path, 12, "one comedy now")
    done = run(made, tmp_path / "run")
    found = {one["name"]: one for one in done.summary["metrics"]}
    # every third wants the comedy, and is served by one query of two; at rate 1 nothing is heard, at 0.5 some of it
    half = next(
        one["value"]
        for one in done.summary["metrics"]
        if one["name"] == "wanted_shown_noisy" and one["group"]["rate"] == "0.5"
    )
    assert 0 < half < 1 / 6
    # least squares over rates 0, 0.5 and 1: the middle one has no lever
    assert found["wanted_shown_trend"]["value"] == pytest.approx(-1 / 6)
