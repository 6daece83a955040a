"""The `robustness` protocol in runs: what is asked how often, what noise costs whom, and what of the intent is left."""

import json
from collections import Counter

import branching_runs
import pytest
from branching_runs import GENRES, cases, scripted, shop, stored, wise

from mysteryshopper.core import ConfigError, StopRun
from mysteryshopper.experiment import arun, run
from mysteryshopper.experiment.plan import make_plan
from mysteryshopper.testing import FakeServer


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


ECHO = shop("echo", lambda messages, session: f"You said: {messages[-1]['content']}")
CONSTANT = shop("constant", lambda messages, session: "Try anything you like.")


def reads_genres(messages, session):
    """A shop that shows what fits the genres it can read in the last message."""
    said = messages[-1]["content"].lower()
    found = [str(place) for place, genre in enumerate(GENRES, 1) if genre in said.split()]
    return {"content": f"Here is what I found, {len(found)} of them.", "items": [{"id": name} for name in found]}


READER = shop("reader", reads_genres)


def experiment(folder, people=12, **changes):
    users = [scripted("something else please", "another thing perhaps", "whatever")]
    content = {"users": users, "systems": [ECHO], "options": {"noise": ["delete"], "rates": [1.0]}}
    return branching_runs.experiment(folder, "robustness", people, "I want some {genre} to watch", content, changes)


def value(done, name, **group):
    found = [one for one in done.summary["metrics"] if one["name"] == name and group.items() <= one["group"].items()]
    assert len(found) == 1, (name, group, len(found))
    return found[0]["value"]


def spelling(seen):
    """A judge that prefers the one with more words of the clean query, each counted once."""
    names = seen.body["response_format"]["json_schema"]["schema"]["required"]
    shared, _, rest = seen.text.partition("\nA:\n")
    first, _, second = rest.partition("\nThe questions:")[0].partition("\nB:\n")
    query = set(shared.replace(",", " ").split())
    scores = [len(query & set(text.split())) for text in (first, second)]
    return json.dumps(dict.fromkeys(names, "A" if scores[0] > scores[1] else "B" if scores[1] > scores[0] else "tie"))


async def judged(folder, behaviour, **changes):
    async with FakeServer(behaviour) as server:
        done = await arun(experiment(folder, **wise(server.url, **changes)), folder / "run")
        return done, server.requests


OVERALL = {"judge": "duel", "criterion": "overall"}


async def test_a_chain_of_three_queries_takes_three_comparisons_and_six_system_calls(tmp_path):
    done, requests = await judged(tmp_path, spelling, people=2)
    dialogues, calls = stored(tmp_path / "run")
    for unit in ("p0", "p1"):
        addresses = [call.address for call in calls if call.address.unit == unit]
        assert Counter(address.role for address in addresses)["system"] == 6
        assert len({str(address) for address in addresses}) == len(addresses)
    found = cases(tmp_path / "run")
    assert len(found) == 6
    assert len(requests) == 6 * 2
    assert done.summary["units"]["complete"] == 2
    (one, _) = dialogues
    ids = [node.id for node in one.dialogue.nodes]
    clean = ["0", "0.0", "0.0.0", "0.0.0.0", "0.0.0.0.0", "0.0.0.0.0.0"]
    assert sorted(ids) == sorted([*clean, "1", "1.0", "0.0.1", "0.0.1.0", "0.0.0.0.1", "0.0.0.0.1.0"])


def test_only_the_clean_branch_goes_on_and_the_judge_sees_the_clean_query(tmp_path):
    run(experiment(tmp_path, people=1), tmp_path / "run")
    first, second, third = cases(tmp_path / "run")
    wish = "I want some comedy to watch"
    assert [message.text for message in first.context] == [wish, wish]
    ((one,), _) = stored(tmp_path / "run")
    read = {node.id: set(node.seen_by) for node in one.dialogue.nodes}
    assert read["0"] == read["1"] == read["0.0"] == {"u", "echo"}
    assert read["1.0"] == {"echo"}  # the user never gets to read what its careless form brought
    assert first.exhibits[0].messages[0].text == f"You said: {wish}"
    dirty = first.exhibits[1].messages[0].text
    assert dirty != f"You said: {wish}"
    assert len(dirty) == len(f"You said: {wish}") - 4  # want, some, comedy, watch lose a letter each
    assert [message.text for message in second.context] == [wish, wish, f"You said: {wish}", "something else please"]
    assert dirty not in [message.text for case in (second, third) for message in case.context]
    assert (first.data["systems"], first.data["noise"], first.data["rate"]) == (["echo", "echo"], "delete", "1")


async def test_without_noise_it_is_exactly_one_half_and_no_call_is_made(tmp_path):
    options = {"noise": ["delete", "shuffle", "casing"], "rates": [0]}
    done, requests = await judged(tmp_path, "schema", options=options)
    assert requests == []
    _, calls = stored(tmp_path / "run")
    assert sum(call.address.role == "system" for call in calls) == 12 * 3  # the clean replies stand for both
    for noise in ("delete", "shuffle", "casing"):
        assert value(done, "noisy_win_rate", noise=noise, rate="0", **OVERALL) == 0.5
        assert value(done, "query_changed", noise=noise, rate="0") == 0.0
        assert value(done, "intent_findable", noise=noise, rate="0") == 1.0


async def test_a_constant_system_stays_at_one_half_and_an_echo_falls(tmp_path):
    options = {"noise": ["delete", "shuffle"], "rates": [0, 0.3, 1.0]}
    done, _ = await judged(tmp_path, spelling, systems=[CONSTANT, ECHO], options=options)
    rates = ("0", "0.3", "1")
    for noise in ("delete", "shuffle"):
        even = [value(done, "noisy_win_rate", system="constant", noise=noise, rate=rate, **OVERALL) for rate in rates]
        assert even == [0.5, 0.5, 0.5]
        assert value(done, "robustness_trend", system="constant", noise=noise, **OVERALL) == 0.0
    falls = [value(done, "noisy_win_rate", system="echo", noise="delete", rate=rate, **OVERALL) for rate in rates]
    assert falls[0] == 0.5 > falls[1] > falls[2] == 0.0
    trend = next(
        one
        for one in done.summary["metrics"]
        if one["name"] == "robustness_trend"
        and one["group"] == {**OVERALL, "user": "u", "system": "echo", "noise": "delete"}
    )
    assert trend["high"] < 0
    assert trend["p"] < 0.01
    # this judge counts words wherever they stand
    assert value(done, "noisy_win_rate", system="echo", noise="shuffle", rate="1", **OVERALL) == 0.5


async def test_a_judge_that_always_takes_the_first_sees_no_harm(tmp_path):
    done, _ = await judged(tmp_path, "schema", people=3)
    assert value(done, "noisy_win_rate", noise="delete", rate="1", **OVERALL) == 0.5
    assert value(done, "prefers_first", **OVERALL) == 1.0


def test_without_a_judge_it_shows_what_is_still_found_and_still_shown(tmp_path):
    options = {"noise": ["delete", "casing"], "rates": [1.0]}
    done = run(experiment(tmp_path, systems=[READER], options=options, limits={"turns": 1}), tmp_path / "run")
    assert value(done, "wanted_shown") == 1.0
    # a genre that lost a letter is found neither by the rule nor by the shop
    assert value(done, "intent_findable", noise="delete", rate="1") == 0.0
    assert value(done, "wanted_shown_noisy", noise="delete", rate="1") == 0.0
    assert value(done, "items_kept", noise="delete", rate="1") == 0.0
    # capitals harm neither
    assert value(done, "intent_findable", noise="casing", rate="1") == 1.0
    assert value(done, "wanted_shown_noisy", noise="casing", rate="1") == 1.0
    assert value(done, "items_kept", noise="casing", rate="1") == 1.0


def test_a_system_that_breaks_on_noise_loses(tmp_path):
    def fussy(messages, session):
        if messages[-1]["content"].isupper():
            raise RuntimeError("please do not shout")
        return "Gladly."

    people = [{"id": "p", "wish": "a comedy please", "attributes": {"genre": ["comedy"]}}]
    made = experiment(
        tmp_path,
        people=1,
        systems=[shop("fussy", fussy)],
        options={"noise": ["casing"], "rates": [1.0]},
        judges=[{"name": "duel", "kind": "rules-pair"}],
        limits={"turns": 2},
    )
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(person) + "\n" for person in people))
    done = run(made, tmp_path / "run")
    ((one,), _) = stored(tmp_path / "run")
    assert one.dialogue.fault == "system"
    assert len(one.dialogue.data["probes"]) == 2  # the clean branch went on
    assert cases(tmp_path / "run") == []
    assert done.summary["units"]["faults"]["system"] == 1


async def test_a_model_makes_queries_careless_and_its_intent_is_checked(tmp_path):
    def writer(seen):
        if "type messages" in seen.body["messages"][0]["content"]:
            text = seen.text.split("\n")[1]
            return text.replace("some", "soome") if "last try" in seen.text else text.replace("comedy", "opera")
        return "no" if "opera" in seen.text else "yes"

    async with FakeServer(writer) as server:
        models = {"pen": {"name": "any", "base_url": f"{server.url}/v1", "temperature": 0}}
        options = {"noise": ["model"], "model": "pen"}
        made = experiment(tmp_path, people=1, models=models, options=options, limits={"turns": 1})
        done = await arun(made, tmp_path / "run")
        assert len(server.requests) == 4  # written, refused, written again, let through
    ((one,), calls) = stored(tmp_path / "run")
    (probe,) = one.dialogue.data["probes"]
    careless = next(node for node in one.dialogue.nodes if node.id == probe["node"])
    assert careless.messages[0].text == "I want soome comedy to watch"
    assert len(careless.calls) == 4
    assert careless.prompt.startswith("protocols/careless@")
    assert {call.address.purpose for call in calls if call.address.role == "user"} == {"rewrite", "check"}
    assert value(done, "intent_findable", noise="model") == 1.0


async def test_a_model_that_keeps_changing_the_meaning_costs_the_comparison_alone(tmp_path):
    async with FakeServer(lambda seen: "no") as server:
        models = {"pen": {"name": "any", "base_url": f"{server.url}/v1", "temperature": 0}}
        options = {"noise": ["model", "casing"], "model": "pen", "rates": [1.0]}
        done = await arun(
            experiment(tmp_path, people=1, models=models, options=options, limits={"turns": 2}), tmp_path / "run"
        )
    ((one,), _) = stored(tmp_path / "run")
    assert [tuple(probe["faults"]) for probe in one.dialogue.data["probes"]] == [("none", "user"), ("none", "none")] * 2
    assert one.dialogue.fault == "none", "the chain is whole: only what could not be written is missing"
    assert "twice" in one.dialogue.detail
    assert len(cases(tmp_path / "run")) == 2
    assert done.summary["units"]["complete"] == 1
    assert done.exit_code == 0
    told = {one.group.get("noise"): one.estimate for one in done.metrics if one.name == "unmade"}
    assert {noise: (found.value, found.n) for noise, found in told.items()} == {"model": (1.0, 2)}  # queries
    left_out = next(one for one in done.metrics if one.name == "wanted_shown_noisy" and one.group["noise"] == "model")
    assert (left_out.estimate.value, left_out.estimate.bounds) == (None, (0.0, 1.0)), "nothing is lost silently"


def test_the_user_itself_writes_again_as_a_careless_person(tmp_path):
    users = [{"name": "u", "kind": "agenda", "profiles": "people.jsonl", "options": {"typos": 0}}]
    made = experiment(tmp_path, users=users, options={"noise": ["independent"]}, limits={"turns": 2})
    run(made, tmp_path / "run")
    dialogues, _ = stored(tmp_path / "run")
    slips = 0
    for one in dialogues:
        nodes = {node.id: node for node in one.dialogue.nodes}
        for probe in one.dialogue.data["probes"]:
            clean, careless = nodes[probe["clean"]], nodes[probe["node"]]
            assert careless.parent == clean.parent
            assert careless.turn == clean.turn
            slips += probe["changed"]
    assert slips >= 10


def test_controls_are_drawn_among_the_clean_replies(tmp_path):
    run(experiment(tmp_path, people=6, systems=[READER], options={"controls": 3}), tmp_path / "run")
    found = cases(tmp_path / "run")
    same = [case for case in found if case.control == "same"]
    worse = [case for case in found if case.control == "worse"]
    assert (len(same), len(worse)) == (3, 3)
    assert len({case.id for case in found}) == len(found)
    for case in worse:
        wanted = str(1 + GENRES.index(case.data["constraints"]["genre"][0]))
        assert [item.id for item in case.exhibits[0].messages[0].items] == [wanted]
        assert wanted not in [item.id for item in case.exhibits[1].messages[0].items]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rates": [1.5]}, "from 0 to 1"),
        ({"rates": [0.1, 0.1]}, "named once"),
        ({"noise": ["model"]}, "who rewrites"),
        ({"model": "pen"}, "who rewrites"),
        ({"noise": ["swap"]}, "noise"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path, options, message):
    with pytest.raises(ConfigError, match=message):
        experiment(tmp_path, options=options)


def test_the_plan_foresees_the_calls(tmp_path):
    report = make_plan(experiment(tmp_path, people=2, options={"noise": ["delete", "casing"], "rates": [0, 0.5]}))
    rows = {(row.role, row.block): row.calls for row in report.rows}
    # two chains of three queries; each is answered clean and at two rates above nought
    assert rows["system", "echo"].expected == 2 * 3 * (1 + 2)
    assert rows["user", "u"].expected == 2 * 3


def with_writer(folder, **model):
    pen = {"name": "any", "base_url": "http://127.0.0.1:9/v1", **model}
    more = {"noise": ["model", "casing"], "model": "pen"}
    return {"models": {"pen": pen}, "options": more, "limits": {"turns": 3, "max_cost": 1.0}}


def test_the_model_that_rewrites_is_planned_priced_and_kept_in_budget(tmp_path):
    priced = with_writer(tmp_path, price={"input": 1.0, "output": 2.0}, max_tokens=100, api_key_env="PEN_KEY")
    report = make_plan(experiment(tmp_path, people=2, **priced))
    (row,) = [row for row in report.rows if row.block == "pen"]
    # a query is written and checked: two calls, and twice that if the check fails
    assert (row.calls.expected, row.calls.most) == (2 * 3 * 2, 2 * 3 * 4)
    assert row.cost.expected > 0
    assert report.cost.most >= row.cost.most
    assert report.hosts["127.0.0.1:9"] == ("model pen",)
    assert [(one.name, one.goes_to) for one in report.variables] == [("PEN_KEY", "127.0.0.1:9")]
    with pytest.raises(ConfigError, match=r"models\.pen\.price.*price is unknown"):
        experiment(tmp_path, **with_writer(tmp_path, max_tokens=100))
    with pytest.raises(ConfigError, match=r"models\.pen\.max_tokens"):
        experiment(tmp_path, **with_writer(tmp_path, price={"input": 1.0, "output": 2.0}))


def test_a_model_that_is_not_named_or_can_not_rewrite_is_refused(tmp_path):
    made = with_writer(tmp_path, price={"input": 1.0, "output": 2.0}, max_tokens=100)
    with pytest.raises(ConfigError, match=r"options\.model.*penn.*pen"):
        experiment(tmp_path, **{**made, "options": {**made["options"], "model": "penn"}})
    raw = {"pen": {"provider": "local", "name": "smollm2"}}
    with pytest.raises(StopRun, match=r"options\.model.*needs a chat model"):
        run(experiment(tmp_path, **{**made, "models": raw, "limits": {"turns": 1}}), tmp_path / "run")
