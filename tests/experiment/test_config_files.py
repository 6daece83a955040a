"""How experiment files are read, written out again, and compared for a resume."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import ConfigError
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.expand import Variable, filled_in, host_of, variables
from mysteryshopper.experiment.resolved import changes, check_resumable, resolved, resolved_yaml
from mysteryshopper.experiment.yaml_text import read_yaml, write_yaml
from mysteryshopper.models import ModelBlock

TEXT = """
protocol: conversation
seed: 7
models:
  writer:
    name: any
    base_url: ${SHOP_MODEL}/v1
    api_key_env: MODEL_KEY
    temperature: 0.7
    max_tokens: 64
    price: {input: 1, output: 2}
user: {name: plain, kind: single-prompt, model: writer, profiles: people.jsonl}
systems:
  - name: mine
    kind: http
    url: http://127.0.0.1:9001/reply
    headers: {X-Key: {env: SHOP_KEY}, X-Shop: films}
  - {name: words, kind: lexical, options: {show: 2}}
data: {path: "${DATA}/items.csv"}
limits: {units: 50, turns: 5}
assert:
  - {metric: success, system: mine, low: ">= 0.6"}
"""


def read(text=TEXT, folder="."):
    return Experiment.from_dict(read_yaml(text, "shop.yaml"), folder)


# --- YAML ---


def test_yaml_is_read_as_version_1_2_means_it():
    text = "a: no\nb: on\nc: 12:30\nd: 2024-01-02\ne: 010\nf: 0o10\ng: 1e3\nh: true\ni: ~\nj: 1_000\nk: .5\nl: 0x1F"
    assert read_yaml(text, "x") == {
        **{"a": "no", "b": "on", "c": "12:30", "d": "2024-01-02", "e": 10, "f": 8, "g": 1000.0, "h": True},
        **{"i": None, "j": "1_000", "k": 0.5, "l": 31},
    }


def test_a_key_given_twice_is_refused_with_both_lines():
    with pytest.raises(ConfigError, match=r"x\.yaml:3: the key 'b' is given a second time \(first in line 2\)"):
        read_yaml("a:\n  b: 1\n  b: 2\n", "x.yaml")


def test_anchors_and_merges_work_and_code_does_not():
    assert read_yaml("a: &x {b: 1}\nc: {<<: *x, d: 2}", "x")["c"] == {"b": 1, "d": 2}
    with pytest.raises(ConfigError, match=r"x:1: this can't be read as YAML"):
        read_yaml("a: !!python/object/apply:os.getcwd []", "x")


words = st.text(max_size=12) | st.sampled_from(
    ["no", "1e5", "0o17", "~", "2024-01-01", "12:30", "<<", "=", "0x1", "1_0"]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)


@given(values)
def test_what_is_written_is_read_back(value):
    assert read_yaml(write_yaml(value), "x") == value


# --- variables and secrets ---


def test_every_variable_is_listed_with_the_host_it_goes_to():
    environ = {"SHOP_MODEL": "http://10.0.0.5:9000", "SHOP_KEY": "0123456789abcdef"}
    assert variables(read(), environ) == [
        Variable("SHOP_MODEL", "models.writer.base_url", "10.0.0.5:9000", False, True),
        Variable("MODEL_KEY", "models.writer.api_key_env", "10.0.0.5:9000", True, False),
        Variable("SHOP_KEY", "systems[0].headers.X-Key", "127.0.0.1:9001", True, True),
        Variable("DATA", "data.path", "this machine", False, False),
    ]


def test_variables_are_filled_in_only_when_something_is_built():
    experiment = read()
    block = filled_in(experiment.models["writer"], "models.writer", {"SHOP_MODEL": "http://10.0.0.5:9000"})
    assert block.base_url == "http://10.0.0.5:9000/v1"
    assert experiment.models["writer"].base_url == "${SHOP_MODEL}/v1"
    with pytest.raises(ConfigError, match=r"models\.writer\.base_url: the environment variable SHOP_MODEL is not set"):
        filled_in(experiment.models["writer"], "models.writer", {})
    with pytest.raises(ConfigError, match=r"models\.writer\.base_url: with its variables filled in, a URL starts with"):
        filled_in(experiment.models["writer"], "models.writer", {"SHOP_MODEL": "somewhere"})


def test_a_host_is_named_without_what_must_not_be_shown():
    assert host_of(ModelBlock(name="a", base_url="https://example.org/v1")) == "example.org"
    assert host_of(ModelBlock(name="a", base_url="${WHERE}/v1"), {}) == "${WHERE}"
    assert host_of(ModelBlock(name="a", base_url="${WHERE}/v1"), {"WHERE": "http://u:secret@h:1"}) == "h:1"
    assert host_of(ModelBlock(provider="local")) == ""


# --- the resolved file ---


def test_the_resolved_file_reads_back_as_the_same_experiment(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "runs").mkdir()
    experiment = read(folder=tmp_path / "project")
    (tmp_path / "runs" / "experiment.yaml").write_text(resolved_yaml(experiment, tmp_path / "runs"))
    again = Experiment.load(tmp_path / "runs" / "experiment.yaml")
    assert changes(experiment, again) == []
    assert resolved(again, tmp_path) == resolved(experiment, tmp_path)
    assert resolved(again, tmp_path)["folder"] == "project"


def test_the_resolved_file_holds_names_and_no_values(monkeypatch):
    for name in ("SHOP_MODEL", "MODEL_KEY", "SHOP_KEY", "DATA"):
        monkeypatch.setenv(name, f"http://value-of-{name.lower()}-0123456789")
    text = resolved_yaml(read())
    assert "value-of" not in text
    assert all(name in text for name in ("${SHOP_MODEL}", "MODEL_KEY", "SHOP_KEY", "${DATA}"))


def test_defaults_are_written_out():
    limits = resolved(read())["limits"]
    assert limits == {
        "units": 50,
        "turns": 5,
        "concurrency": 16,
        "attempt_timeout": 60.0,
        "retries": 3,
        "max_wait": 600.0,
        "max_cost": None,
    }


def test_a_function_is_written_by_its_name():
    def reply(messages, session):
        return "hello"

    experiment = Experiment(
        protocol="conversation",
        user={"kind": "single-prompt", "model": {"name": "a", "base_url": "http://127.0.0.1:1/v1"}},
        system={"name": "mine", "kind": "python", "function": reply},
        data="items.csv",
    )
    assert experiment.systems[0].function is reply
    written = resolved(experiment)
    assert written["systems"][0]["function"].endswith(":test_a_function_is_written_by_its_name.<locals>.reply")
    assert written["data"]["path"] == "items.csv"


# --- what may change on resume ---


def changed(old, new):
    assert old in TEXT
    return changes(read(), read(TEXT.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("${SHOP_MODEL}/v1", "http://10.0.0.6:1/v1"),
        ("MODEL_KEY", "OTHER_KEY"),
        ("{env: SHOP_KEY}", "{env: OTHER_KEY}"),
        ("http://127.0.0.1:9001/reply", "http://127.0.0.1:9002/reply"),
        ("turns: 5", "turns: 5, concurrency: 2, attempt_timeout: 9, retries: 0, max_wait: 1, max_cost: 2"),
        ("max_tokens: 64", "max_tokens: 64\n    rpm: 5\n    tpm: 500\n    concurrency: 2\n    attempt_timeout: 3"),
        ("price: {input: 1, output: 2}", "price: {input: 3, output: 4}"),
    ],
)
def test_where_and_how_fast_may_change(old, new):
    assert changed(old, new) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("units: 50", "units: 60"),
        ("units: 50, ", ""),
        ("seed: 7", "seed: 7\nrepeats: 3"),
        ("  - {name: words", "  - {name: chance, kind: random}\n  - {name: words"),
        ("user: {name: plain", "users:\n  - {name: again, kind: single-prompt, model: writer}\n  - {name: plain"),
        ("models:\n", "models:\n  other: {name: b, base_url: 'http://127.0.0.1:1/v1'}\n"),
    ],
)
def test_units_repeats_and_blocks_may_grow(old, new):
    assert changed(old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "refused"),
    [
        ("seed: 7", "seed: 8", "seed changed from 7 to 8"),
        ("name: any", "name: other", "models.writer.name changed from 'any' to 'other'"),
        ("temperature: 0.7", "temperature: 0.8", "models.writer.temperature changed from 0.7 to 0.8"),
        ("max_tokens: 64", "max_tokens: 65", "models.writer.max_tokens changed from 64 to 65"),
        ("X-Shop: films", "X-Shop: books", "systems.mine.headers.X-Shop changed from 'films' to 'books'"),
        ("show: 2", "show: 3", "systems.words.options.show changed from 2 to 3"),
        ("turns: 5", "turns: 6", "limits.turns changed from 5 to 6"),
        ("units: 50", "units: 40", "limits.units may only grow, from 50 to 40"),
        ("name: words", "name: terms", "systems: 'words' is gone"),
        ("${DATA}/items.csv", "${DATA}/more.csv", "data.path changed from '${DATA}/items.csv' to '${DATA}/more.csv'"),
        ("seed: 7", "seed: 7\noptions: {guard: off}", "options.guard changed from nothing to 'off'"),
        ('low: ">= 0.6"', 'low: ">= 0.5"', "assert changed"),
    ],
)
def test_all_else_is_refused_by_name(old, new, refused):
    found = changed(old, new)
    assert any(line.startswith(refused) for line in found), found
    with pytest.raises(ConfigError, match="this run can't go on with a changed experiment: "):
        check_resumable(read(), read(TEXT.replace(old, new, 1)))


def test_repeats_and_units_may_not_shrink():
    many = read(TEXT.replace("seed: 7", "seed: 7\nrepeats: 3"))
    assert changes(many, read()) == ["repeats may only grow, from 3 to 1"]
    everything = read(TEXT.replace("units: 50, ", ""))
    assert changes(everything, read()) == ["limits.units may only grow, from all to 50"]


def test_other_profiles_are_another_experiment(tmp_path):
    assert changed("people.jsonl", "others.jsonl")[0].startswith("users.plain.profiles changed from ")
    assert changes(read(folder=tmp_path), read(folder=tmp_path / "x" / "..")) == []


def test_another_protocol_is_another_experiment():
    text = TEXT.replace("user: {name: plain, kind: single-prompt, model: writer, profiles: people.jsonl}\n", "")
    old = read(text.replace("protocol: conversation", "protocol: ievalm"))
    new = old.model_copy(update={"protocol": "conversation"})
    assert changes(old, new) == ["protocol changed from 'ievalm' to 'conversation'"]


def test_a_cost_limit_asks_embedding_models_for_no_limit_of_their_replies():
    vectors = {"name": "m", "base_url": "http://127.0.0.1:9/v1", "price": {"input": 1.0, "output": 0.0}}
    content = {
        "protocol": "ievalm",
        "models": {"vectors": vectors},
        "systems": [{"kind": "embedding", "embedding": "vectors"}],
        "data": {"name": "redial"},
        "limits": {"max_cost": 1.0},
    }
    assert Experiment.from_dict(content).limits.max_cost == 1.0
    with pytest.raises(ConfigError, match=r"models\.vectors\.max_tokens"):
        Experiment.from_dict({**content, "systems": [*content["systems"], {"kind": "openai", "model": "vectors"}]})
