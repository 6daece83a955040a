"""The `tree` protocol in runs: how roots grow, what is asked how often, and who wins by which judge."""

import json
from collections import Counter
from types import SimpleNamespace

import branching_runs
import pytest
from branching_runs import GENRES, cases, metric, scripted, stored, wise

from mysteryshopper.core import ConfigError
from mysteryshopper.experiment import aresume, arun, run
from mysteryshopper.experiment.plan import make_plan
from mysteryshopper.protocols.branching import Outcome, Outcomes
from mysteryshopper.protocols.tree.ranking import measure_ranking
from mysteryshopper.testing import FakeServer


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def shop(name, reply=None):
    """A shop without memory; by default it says who it is, and what it was told."""
    return branching_runs.shop(name, reply or (lambda messages, session: f"{name} heard {messages[-1]['content']}"))


def server_of_wishes(name):
    """A shop that shows what is wished for in the first message."""

    def reply(messages, session):
        number = next(place for place, genre in enumerate(GENRES, 1) if genre in messages[0]["content"])
        return {"content": f"{name} has just that for you, {messages[-1]['content']}", "items": [{"id": str(number)}]}

    return shop(name, reply)


def experiment(folder, people=2, **changes):
    content = {"users": [scripted("one", "two", "three", "four", "five")], "systems": [shop("one"), shop("two")]}
    return branching_runs.experiment(folder, "tree", people, "a {genre} for {n}", content, changes)


def talker(url, **changes):
    return {
        "models": {"any": {"name": "any", "base_url": f"{url}/v1", "temperature": 0.7, "concurrency": 64}},
        "users": [{"name": "u", "kind": "single-prompt", "model": "any", "profiles": "people.jsonl"}],
        "systems": [{"name": name, "kind": "openai", "model": "any"} for name in ("one", "two")],
        **changes,
    }


# --- how a root grows -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("final", "reactions"), [(False, 6), (True, 14)])
async def test_a_root_of_depth_three_takes_so_many_calls(tmp_path, final, reactions):
    async with FakeServer("numbered") as server:
        made = experiment(tmp_path, people=3, **talker(server.url, options={"final_reaction": final}))
        await arun(made, tmp_path / "run")
    dialogues, calls = stored(tmp_path / "run")
    for unit in ("p0", "p1", "p2"):
        addresses = [call.address for call in calls if call.address.unit == unit]
        assert len({str(address) for address in addresses}) == len(addresses)  # every call is its own
        paths = Counter((address.role, address.path == "0") for address in addresses)
        assert paths == {("user", True): 1, ("user", False): reactions, ("system", False): 14}
        systems = Counter(address.component for address in addresses if address.role == "system")
        assert systems == {"one": 7, "two": 7}
    assert [len(one.dialogue.data["comparisons"]) for one in dialogues] == [7, 7, 7]
    assert {one.dialogue.ended for one in dialogues} == {"depth"}
    assert len(cases(tmp_path / "run")) == 21


def test_a_branch_that_the_user_ends_gets_no_closing_turn(tmp_path):
    run(experiment(tmp_path, users=[scripted("that will do [END]")]), tmp_path / "run")
    dialogues, _ = stored(tmp_path / "run")
    for one in dialogues:
        assert [node.id for node in one.dialogue.nodes] == ["0", "0.0", "0.0.0", "0.1", "0.1.0"]
        assert len(one.dialogue.data["comparisons"]) == 1
        assert [branch["ended"] for branch in one.dialogue.data["branches"]] == ["user_done", "user_done"]
    assert len(cases(tmp_path / "run")) == 2


def test_both_branches_go_on_from_their_own_words_and_the_users_own_memory(tmp_path):
    run(experiment(tmp_path, people=1), tmp_path / "run")
    ((one,), _) = stored(tmp_path / "run")
    said = {node.id: [message.text for message in node.messages] for node in one.dialogue.nodes}
    assert said["0"] == ["a comedy for 0"]
    assert said["0.0"] == ["one heard a comedy for 0"]
    assert said["0.1"] == ["two heard a comedy for 0"]
    assert said["0.0.0"] == said["0.1.0"] == ["one"]  # the script's next line, on both branches
    assert said["0.1.0.0"] == ["one heard one"]
    assert said["0.1.0.0.0.1"] == ["two heard two"]
    read = {node.id: set(node.seen_by) for node in one.dialogue.nodes}
    assert read["0.0"] == {"one", "two", "u"}
    assert read["0.1.0.0.0.1"] == {"two"}
    case = next(case for case in cases(tmp_path / "run") if case.exhibits[0].node == "0.1.0.0")
    assert [message.text for message in case.context] == [
        "a comedy for 0",
        "a comedy for 0",
        "two heard a comedy for 0",
        "one",
    ]
    assert [[message.text for message in exhibit.messages] for exhibit in case.exhibits] == [
        ["one heard one"],
        ["two heard one"],
    ]
    assert (case.data["depth"], case.data["holds"], case.data["systems"]) == (2, "two", ["one", "two"])
    assert case.data["constraints"] == {"genre": ["comedy"]}


async def test_requests_of_sibling_branches_share_their_prefix_byte_for_byte(tmp_path):
    async with FakeServer("numbered") as server:
        await arun(experiment(tmp_path, people=1, **talker(server.url)), tmp_path / "run")
        bodies = [one.body["messages"] for one in server.requests]
    ((one,), _) = stored(tmp_path / "run")
    opening = one.dialogue.nodes[0].messages[0].text
    systems = [body for body in bodies if body[-1]["role"] == "user" and body[0]["content"] == opening]
    assert len(systems) == 14
    for body in systems:
        assert body[0] == systems[0][0]
    users = [body for body in bodies if body not in systems]
    assert len(users) == 7
    assert len({json.dumps(body[0]) for body in users}) == 1  # instructions
    deep = [body for body in users if len(body) == max(map(len, users))]
    assert len(deep) == 4  # answers after depth 2: each two siblings share all but the last reply
    texts = sorted(json.dumps(body[:-1]) for body in deep)
    assert texts[0] == texts[1]
    assert texts[2] == texts[3]


async def test_the_nodes_of_a_level_are_asked_at_once(tmp_path):
    async with FakeServer("numbered", latency=0.05) as server:
        made = experiment(
            tmp_path,
            people=1,
            **talker(
                server.url,
                limits={"turns": 4, "concurrency": 1},
                users=[scripted("one", "two", "three", "four", "five")],
            ),
        )
        await arun(made, tmp_path / "run")
        assert server.max_in_flight == 16


def test_a_crowded_level_is_drawn_and_a_root_has_its_limit(tmp_path):
    def sizes(name, **options):
        run(experiment(tmp_path, limits={"turns": 4}, options=options), tmp_path / name)
        dialogues, _ = stored(tmp_path / name)
        return [
            [Counter(one["depth"] for one in found.dialogue.data["comparisons"])[depth] for depth in (1, 2, 3, 4)]
            for found in dialogues
        ]

    assert sizes("all") == [[1, 2, 4, 8]] * 2
    assert sizes("frontier", frontier=3) == [[1, 2, 3, 3]] * 2
    assert sizes("nodes", max_nodes=5) == [[1, 2, 2, 0]] * 2
    dialogues, _ = stored(tmp_path / "nodes")
    drawn = {
        tuple(one["node"] for one in found.dialogue.data["comparisons"] if one["depth"] == 3) for found in dialogues
    }
    run(experiment(tmp_path, limits={"turns": 4, "concurrency": 1}, options={"max_nodes": 5}), tmp_path / "again")
    again, _ = stored(tmp_path / "again")
    assert drawn == {
        tuple(one["node"] for one in found.dialogue.data["comparisons"] if one["depth"] == 3) for found in again
    }


def test_systems_behind_a_session_are_refused_by_the_plan(tmp_path):
    with pytest.raises(ConfigError, match=r"systems\[1\].memory.*can't be branched"):
        experiment(tmp_path, systems=[shop("one"), {**shop("two"), "memory": "session"}])


def test_one_system_alone_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="name a second one"):
        make_plan(experiment(tmp_path, systems=[shop("one")]))


def test_the_plan_foresees_the_calls_of_each_system(tmp_path):
    report = make_plan(experiment(tmp_path, systems=[shop("one"), shop("two"), shop("three")]))
    rows = {(row.role, row.block): (row.calls.least, row.calls.expected) for row in report.rows}
    # two people, three pairs; every system is in two of them
    assert rows["system", "one"] == rows["system", "three"] == (4, 28)
    assert rows["user", "u"] == (18, 42)
    assert report.units == 6


async def test_a_finished_root_is_met_again_without_a_call_and_a_new_one_only_adds(tmp_path):
    async with FakeServer("numbered") as server:
        await arun(experiment(tmp_path, **talker(server.url, limits={"turns": 3, "units": 1})), tmp_path / "run")
        before = len(server.requests)
        assert before == 21
        await aresume(tmp_path / "run")
        assert len(server.requests) == before
        await aresume(tmp_path / "run", experiment(tmp_path, **talker(server.url, limits={"turns": 3, "units": 2})))
        assert len(server.requests) == 2 * before


def test_a_system_that_fails_ends_its_branch_loses_the_comparison_and_leaves_the_other_alone(tmp_path):
    def broken(messages, session):
        if len(messages) > 1:
            raise RuntimeError("out of stock")
        return "two heard it"

    systems = [shop("one"), shop("two", broken)]
    done = run(
        experiment(tmp_path, systems=systems, judges=[{"name": "rules", "kind": "rules-pair"}]), tmp_path / "run"
    )
    dialogues, _ = stored(tmp_path / "run")
    for one in dialogues:
        assert (one.dialogue.ended, one.dialogue.fault) == ("unreadable", "system")
        faults = {found["node"]: tuple(found["faults"]) for found in one.dialogue.data["comparisons"]}
        # at each history after the first, `two` fails; only the branches of `one` go on
        assert faults == {
            "0": ("none", "none"),
            "0.0.0": ("none", "system"),
            "0.1.0": ("none", "system"),
            "0.0.0.0.0": ("none", "system"),
            "0.1.0.0.0": ("none", "system"),
        }
    assert len(cases(tmp_path / "run")) == 2
    group = {"judge": "rules", "criterion": "overall", "system": "one", "versus": "two"}
    assert metric(done, "win_rate_by_depth", depth="2", **group)["value"] == 1.0
    assert metric(done, "win_rate_by_depth", depth="3", **group)["value"] == 1.0
    assert metric(done, "root_win_rate", **group)["n"] == 10


# --- who wins -------------------------------------------------------------------------------------------------------


def first_place(seen):
    names = seen.body["response_format"]["json_schema"]["schema"]["required"]
    return json.dumps(dict.fromkeys(names, "A"))


def longer(seen):
    """Prefer the longer of the two texts that are shown as A and B."""
    names = seen.body["response_format"]["json_schema"]["schema"]["required"]
    first, _, rest = seen.text.partition("\nA:\n")[2].partition("\nB:\n")
    second = rest.partition("\nThe questions:")[0]
    first, second = len(first), len(second)
    return json.dumps(dict.fromkeys(names, "A" if first > second else "B" if second > first else "tie"))


def chatty(name, words):
    return shop(name, lambda messages, session: " ".join(["blah"] * words) + f" {messages[-1]['content']}")


async def judged(folder, behaviour, **changes):
    async with FakeServer(behaviour) as server:
        done = await arun(experiment(folder, people=12, **wise(server.url, **changes)), folder / "run")
        return done, server.requests


async def test_a_judge_that_always_takes_the_first_gives_one_half_and_no_consistency(tmp_path):
    done, _ = await judged(tmp_path, first_place, limits={"turns": 2})
    group = {"judge": "duel", "criterion": "overall", "system": "one", "versus": "two"}
    assert metric(done, "root_win_rate", **group)["value"] == 0.5
    assert metric(done, "consistency", **group)["value"] == 0.0
    assert metric(done, "consistency", **group)["n"] == 36
    assert metric(done, "prefers_first", judge="duel", criterion="overall")["value"] == 1.0


async def test_a_judge_that_likes_length_is_right_in_both_orders(tmp_path):
    done, requests = await judged(
        tmp_path, longer, limits={"turns": 2}, systems=[chatty("short", 2), chatty("long", 9)]
    )
    group = {"judge": "duel", "criterion": "overall", "system": "short", "versus": "long"}
    assert metric(done, "root_win_rate", **group)["value"] == 0.0
    assert metric(done, "losses", **group)["value"] == 1.0
    assert metric(done, "consistency", **group)["value"] == 1.0
    assert len(requests) == 12 * 3 * 2


async def test_three_systems_are_ranked_and_a_clean_sweep_only_gets_an_order(tmp_path):
    systems = [chatty("middle", 4), chatty("short", 2), chatty("long", 9)]
    done, _ = await judged(tmp_path, longer, limits={"turns": 1}, systems=systems)
    ranks = {
        name: metric(done, "rank", judge="duel", criterion="overall", system=name)["value"]
        for name in ("long", "middle", "short")
    }
    assert ranks == {"long": 1.0, "middle": 2.0, "short": 3.0}
    strength = metric(done, "strength", judge="duel", criterion="overall", system="long")
    assert strength["value"] is None
    assert (
        strength["reason"] == "the games separate the systems, so only their order can be told: long | middle | short"
    )


def test_systems_that_never_met_are_not_ranked_and_the_reason_says_so():
    plan = SimpleNamespace(systems=("a", "b", "c", "d"), seed=1, is_control=lambda name: False)
    halves = Outcomes([Outcome(value, f"root {place}") for place, value in enumerate([1.0, 0.0] * 6)])
    found = list(measure_ranking({("j", "overall", "u"): {("a", "b"): halves, ("c", "d"): halves}}, plan))
    assert {one.name for one in found} == {"strength", "rank"}
    for one in found:
        assert one.estimate.value is None
        assert "never met" in one.estimate.reason
        assert "a, b | c, d" in one.estimate.reason


def test_with_rotating_pairs_a_root_has_one_pair_and_every_pair_comes_up_alike(tmp_path):
    systems = [shop("one"), shop("two"), shop("three")]
    report = make_plan(experiment(tmp_path, people=6, systems=systems, options={"pairs": "rotate"}))
    assert {arm.system: arm.units for arm in report.arms} == {
        "one vs two": 2,
        "one vs three": 2,
        "two vs three": 2,
    }


def test_a_root_counts_once_however_many_nodes_it_has(tmp_path):
    # p0 leaves both branches at once, p1 never does: 1 and 3 comparisons
    def uneven(name, good):
        def reply(messages, session):
            fits = "comedy" in messages[0]["content"]
            return {"content": f"{name} has this film for you", "items": [{"id": "1" if fits == good else "2"}]}

        return shop(name, reply)

    people = [
        {"id": "p0", "wish": "a comedy", "attributes": {"genre": ["comedy"]}},
        {"id": "p1", "wish": "a drama", "attributes": {"genre": ["drama"]}},
    ]
    users = [
        {
            "name": "u",
            "kind": "scripted",
            "profiles": "people.jsonl",
            "options": {"turns": ["more please", "and more"], "wish_first": True, "on_hit": "That one."},
        }
    ]
    made = experiment(
        tmp_path,
        limits={"turns": 2},
        users=users,
        systems=[uneven("good", True), uneven("bad", False)],
        judges=[{"name": "rules", "kind": "rules-pair", "options": {"band": 0}}],
    )
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(person) + "\n" for person in people))
    done = run(made, tmp_path / "run")
    group = {"judge": "rules", "criterion": "constraints_met", "system": "good", "versus": "bad"}
    # p0: good wins at the first history; the branch of `bad` goes on, where good wins again. p1: all three are ties.
    found = metric(done, "root_win_rate", **group)
    assert (found["value"], found["n"], found["clusters"]) == (0.75, 5, 2)
    assert metric(done, "win_rate", **group)["value"] == pytest.approx((2 + 3 / 2) / 5)
    assert metric(done, "win_rate_by_words", holds="bad", **group)["value"] == pytest.approx(0.75)
    assert metric(done, "win_rate_by_words", holds="good", **group)["value"] == 0.5
    # p0: one of the first history's two, then one of two again; p1: nobody has a drama
    assert metric(done, "wanted_shown", system="good")["value"] == 0.5
    assert metric(done, "wanted_shown", system="bad")["value"] == 0.0


# --- controls -------------------------------------------------------------------------------------------------------


def test_controls_show_a_reply_twice_and_against_one_from_another_root(tmp_path):
    systems = [server_of_wishes("one"), shop("useless")]
    run(experiment(tmp_path, people=6, systems=systems, options={"controls": 4}), tmp_path / "run")
    found = cases(tmp_path / "run")
    assert len({case.id for case in found}) == len(found)
    same = [case for case in found if case.control == "same"]
    assert len(same) == 4
    for case in same:
        assert case.exhibits[0].messages == case.exhibits[1].messages
        assert case.data["systems"][0] == case.data["systems"][1]
    worse = [case for case in found if case.control == "worse"]
    assert len(worse) == 4
    for case in worse:
        assert case.data["systems"] == ["one", "one"]  # what served nobody can't be made worse
        real, planted = case.exhibits
        wanted = str(1 + GENRES.index(case.data["constraints"]["genre"][0]))
        assert [item.id for item in real.messages[-1].items] == [wanted]
        assert [item.id for item in planted.messages[-1].items] != [wanted]
        assert (planted.dialogue, planted.node) == ("", "")
    assert len(found) == 6 * 7 + 8


def test_against_itself_a_system_stands_in_trees_of_its_own_that_are_controls(tmp_path):
    done = run(
        experiment(tmp_path, options={"against_self": True}, judges=[{"name": "rules", "kind": "rules-pair"}]),
        tmp_path / "run",
    )
    assert done.summary["units"]["complete"] == 6
    own = [case for case in cases(tmp_path / "run") if case.data["systems"][0] == case.data["systems"][1]]
    assert len(own) == 2 * 2 * 7
    assert {case.control for case in own} == {"same"}
    names = {(one["group"].get("system"), one["group"].get("versus")) for one in done.summary["metrics"]}
    assert ("one", "one") not in names  # no result of the experiment
