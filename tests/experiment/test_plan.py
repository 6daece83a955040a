"""The plan: what would be done, called, sent where and paid, without doing any of it."""

import json
import socket
import sys
from dataclasses import replace

import pytest

from mysteryshopper.core import ConfigError
from mysteryshopper.experiment.blocks import BLOCK_KEYS
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.init import starter, starters, write_starter
from mysteryshopper.experiment.plan import Range, make_plan
from mysteryshopper.experiment.schema import json_schema
from mysteryshopper.experiment.sheets import plan_sheets
from mysteryshopper.experiment.view import PlanView, planned_units, procedure_of

MODEL = {"name": "big", "base_url": "http://10.0.0.5:9000/v1", "api_key_env": "NO_SUCH_KEY", "max_tokens": 100}
CONTENT = {
    "protocol": "conversation",
    "seed": 7,
    "models": {"writer": MODEL},
    "users": [{"name": "plain", "kind": "single-prompt", "model": "writer"}],
    "systems": [
        {"name": "mine", "kind": "http", "url": "http://127.0.0.1:9001/reply", "headers": {"X-Key": {"env": "NO_KEY"}}},
        {"name": "words", "kind": "lexical"},
        {"name": "chance", "kind": "random"},
    ],
    "data": {"name": "films"},
    "limits": {"units": 10, "turns": 4, "retries": 2},
    "repeats": 2,
}


def experiment(**changes):
    return Experiment.from_dict({**CONTENT, **changes})


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(*_):
        raise AssertionError("a plan must not connect")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def test_units_are_counted_by_arm():
    report = make_plan(experiment())
    assert (report.ids, report.repeats, report.units) == (10, 2, 60)
    assert {(arm.user, arm.system): arm.units for arm in report.arms} == {
        ("plain", "mine"): 20,
        ("plain", "words"): 20,
        ("plain", "chance"): 20,
    }


def test_calls_are_counted_by_who_makes_or_gets_them():
    rows = {(row.role, row.block): row for row in make_plan(experiment()).rows}
    user = rows["user", "plain"]
    assert user.calls.least == 60  # a user who is done after one turn
    assert user.calls.expected == 60 * (4 + 1)  # the turns, and how satisfied it is
    assert user.calls.most >= user.calls.expected
    assert (user.model, user.host) == ("big", "10.0.0.5:9000")
    assert user.output_tokens.most == user.calls.most * 100
    mine, words = rows["system", "mine"], rows["system", "words"]
    assert (mine.host, mine.input_tokens, mine.cost) == ("127.0.0.1:9001", None, None)
    assert (words.host, words.cost) == ("this process", Range(0, 0, 0))


@pytest.mark.parametrize(("kind", "each"), [("simple-usersim", (1, 2, 3)), ("cshi", (1, 2, 4))])
def test_a_user_that_thinks_before_it_speaks_makes_more_calls_a_turn(kind, each):
    def calls(kind):
        users = [{"name": "plain", "kind": kind, "model": "writer"}]
        return next(row.calls for row in make_plan(experiment(users=users)).rows if row.role == "user")

    assert calls(kind) == tuple(one * more for one, more in zip(calls("single-prompt"), each, strict=True))


def test_a_price_gives_a_cost_and_an_unknown_one_none():
    assert make_plan(experiment()).cost is None
    priced = make_plan(experiment(models={"writer": {**MODEL, "price": {"input": 1, "output": 2}}}))
    (row,) = [row for row in priced.rows if row.role == "user"]
    assert row.cost.expected == pytest.approx(
        (row.input_tokens.expected * 1 + row.output_tokens.expected * 2) / 1_000_000
    )
    assert priced.cost == row.cost
    assert 0 < priced.cost.least < priced.cost.expected < priced.cost.most
    endless = {name: value for name, value in MODEL.items() if name != "max_tokens"}
    report = make_plan(experiment(models={"writer": {**endless, "price": {"input": 1, "output": 2}}}))
    assert report.cost.most is None


def test_hosts_and_variables_are_listed_and_no_key_is_needed():
    report = make_plan(experiment())
    assert report.hosts == {"10.0.0.5:9000": ("model writer",), "127.0.0.1:9001": ("system mine",)}
    assert [(use.name, use.goes_to, use.secret, use.is_set) for use in report.variables] == [
        ("NO_SUCH_KEY", "10.0.0.5:9000", True, False),
        ("NO_KEY", "127.0.0.1:9001", True, False),
    ]


def test_a_model_that_nobody_uses_is_not_contacted():
    spare = {"name": "spare", "base_url": "http://10.9.9.9/v1"}
    assert "10.9.9.9" not in make_plan(experiment(models={"writer": MODEL, "spare": spare})).hosts


def test_no_python_function_is_imported(tmp_path):
    (tmp_path / "shop_of_this_test.py").write_text("raise RuntimeError('imported')\n")
    content = {**CONTENT, "systems": [{"name": "own", "kind": "python", "function": "shop_of_this_test:reply"}]}
    assert make_plan(Experiment.from_dict(content, tmp_path)).units == 20
    assert "shop_of_this_test" not in sys.modules


def test_raising_units_keeps_the_units_there_are():
    few, many = experiment(), experiment(limits={"units": 15}, repeats=1)
    keys = [{unit.key for unit in planned_units(made, procedure_of(made), PlanView(made))} for made in (few, many)]
    assert {key for key in keys[0] if key.endswith("|0")} < keys[1]


def test_controls_are_known_by_their_kind():
    view = PlanView(experiment())
    assert [view.is_control(name) for name in view.systems] == [False, False, True]


def test_nothing_to_do_is_refused(tmp_path):
    (tmp_path / "none.jsonl").write_text("")
    users = [{"name": "plain", "kind": "single-prompt", "model": "writer", "profiles": "none.jsonl"}]
    with pytest.raises(ConfigError, match="there is nothing to do"):
        make_plan(Experiment.from_dict({**CONTENT, "users": users}, tmp_path))


def test_the_printed_plan_says_all_of_it():
    text = json.dumps([[sheet.title, sheet.rows, sheet.notes] for sheet in plan_sheets(make_plan(experiment()))])
    for words in (
        "60 units of 10 different ones, each 2 times",
        "10.0.0.5:9000 is contacted by model writer",
        "The credential in NO_KEY (systems[0].headers.X-Key) goes to 127.0.0.1:9001; not set now.",
        "sent up to 2 times more",
        "Cost: unknown; no limit is set.",
    ):
        assert words in text


def test_what_a_bot_of_ones_own_costs_is_not_called_nothing():
    def told(*systems):
        user = {"kind": "scripted", "options": {"turns": ["Hello."]}}
        plan = make_plan(experiment(models={}, users=[user], systems=list(systems)))
        return " ".join(note for sheet in plan_sheets(plan) for note in sheet.notes)

    bot = {"name": "mine", "kind": "http", "url": "http://127.0.0.1:9001/reply"}
    chance = {"name": "chance", "kind": "random"}
    assert "No model costs money; what mine may cost is not known here." in told(bot, chance)
    assert "Nothing costs money" not in told(bot, chance)
    assert "Nothing costs money." in told(chance)


def test_where_nobody_is_called_no_figures_are_explained():
    plan = replace(make_plan(experiment()), rows=())
    assert plan_sheets(plan)[1].notes == ("Nobody is called.",)


def test_one_unit_is_called_one():
    plan = make_plan(experiment(systems=[{"kind": "random"}], limits={"units": 1}, repeats=1))
    assert plan_sheets(plan)[0].title.endswith(": 1 unit")


# --- init and schema ---


@pytest.mark.parametrize("protocol", ["conversation", "demo", "robustness", "tree"])
def test_a_written_file_can_be_planned(tmp_path, protocol):
    path = write_starter(protocol, tmp_path / "deep" / "mine.yaml")
    report = make_plan(Experiment.load(path))
    assert report.units > 0
    assert report.foreseen


def test_the_file_for_ievalm_can_be_planned(tmp_path, monkeypatch, shared_data):
    monkeypatch.setenv("MYSTERYSHOPPER_DATA", str(shared_data("redial").parent))
    assert make_plan(Experiment.load(write_starter("ievalm", tmp_path / "mine.yaml"))).ids == 200


@pytest.mark.parametrize("protocol", starters())
def test_what_is_commented_out_fits_too(protocol):
    lines = starter(protocol).splitlines()
    wanted = ("mine, kind: http", "own, kind: python", "api_key_env", "price", "max_cost", "assert:", "  - {metric")
    text = "\n".join(
        line.replace("# ", "", 1) if line.lstrip().startswith("#") and any(word in line for word in wanted) else line
        for line in lines
    )
    from mysteryshopper.experiment.yaml_text import read_yaml

    made = Experiment.from_dict(read_yaml(text, protocol))
    if protocol not in ("demo", "demo-local", "import"):
        assert made.assert_
        assert any(block.kind == "http" for block in made.systems)


def test_a_file_that_is_there_is_left_alone(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("mine")
    from mysteryshopper.core import ShopperError

    with pytest.raises(ShopperError, match="is there already; choose another name with --out"):
        write_starter("conversation", path)
    assert path.read_text() == "mine"
    with pytest.raises(ShopperError, match="did you mean 'conversation'"):
        write_starter("conversatoin", tmp_path / "x.yaml")


def test_the_schema_holds_every_key_and_the_options_of_every_kind():
    schema = json.loads(json.dumps(json_schema()))
    assert {"protocol", "assert", "limits", *BLOCK_KEYS, *(f"{key}s" for key in BLOCK_KEYS)} <= set(
        schema["properties"]
    )
    assert schema["additionalProperties"] is False
    assert "guard" in schema["$defs"]["protocols.conversation.options"]["properties"]
    assert "show" in schema["$defs"]["systems.lexical.options"]["properties"]
    assert "single-prompt" in schema["$defs"]["UserBlock"]["properties"]["kind"]["enum"]
    references = {line.split("#/$defs/")[1].split('"')[0] for line in json.dumps(schema).split('"$ref": ')[1:]}
    assert references <= set(schema["$defs"])
