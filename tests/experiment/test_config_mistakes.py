"""One mistake each: the error names the key, what it got, and what to do."""

import re

import pytest
from pydantic import BaseModel, ValidationError
from pydantic_core._pydantic_core import list_all_errors

from mysteryshopper.core import ConfigError
from mysteryshopper.core import registry as registry_module
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.config_errors import _sentence, key_path
from mysteryshopper.experiment.expand import check_environment

GOOD = """
protocol: conversation
seed: 7
models:
  writer: {provider: openai, name: any, base_url: "http://127.0.0.1:9000/v1", max_tokens: 64}
users:
  - {name: plain, kind: single-prompt, model: writer}
systems:
  - {name: mine, kind: http, url: "http://127.0.0.1:9001/reply"}
  - {name: words, kind: lexical}
data: {name: films}
limits: {units: 5, turns: 3}
"""


def load(tmp_path, text):
    path = tmp_path / "shop.yaml"
    path.write_text(text, encoding="utf-8")
    return Experiment.load(path)


def refused(tmp_path, text):
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    return str(caught.value)


def test_the_file_without_a_mistake_is_taken(tmp_path):
    experiment = load(tmp_path, GOOD)
    assert [block.name for block in experiment.systems] == ["mine", "words"]
    assert experiment.model_of(experiment.users[0]).name == "any"


MISTAKES = {
    "a misspelt key at the top": (
        ("limits: {", "limts: {"),
        ["limts: there is no key 'limts'", "did you mean 'limits'?"],
    ),
    "a misspelt key inside": (
        ("turns: 3", "turn: 3"),
        ["limits.turn: there is no key 'turn'", "did you mean 'turns'?"],
    ),
    "a misspelt kind": (
        ("kind: single-prompt", "kind: singel-prompt"),
        ["users[0].kind: there is no user kind 'singel-prompt'", "did you mean 'single-prompt'?", "Known: "],
    ),
    "a misspelt protocol": (
        ("protocol: conversation", "protocol: conversatoin"),
        ["protocol: there is no protocol kind 'conversatoin'", "did you mean 'conversation'?"],
    ),
    "an unknown provider": (
        ("provider: openai", "provider: opneai"),
        ["models.writer.provider: there is no model kind 'opneai'", "did you mean 'openai'?"],
    ),
    "a model that is not named": (
        ("model: writer", "model: writter"),
        ["users[0].model: there is no model 'writter'", "did you mean 'writer'?", "`models:`"],
    ),
    "an option that the protocol has not": (
        ("seed: 7", "seed: 7\noptions: {gaurd: flag}"),
        ["options.gaurd: there is no key 'gaurd'", "did you mean 'guard'?"],
    ),
    "an option's value that there is not": (
        ("seed: 7", "seed: 7\noptions: {guard: flagg}"),
        ["options.guard: there is no choice 'flagg'", "did you mean 'flag'?"],
    ),
    "an option that the kind has not": (
        ("kind: lexical", "kind: lexical, options: {shows: 3}"),
        ["systems[1].options.shows: there is no key 'shows'", "did you mean 'show'?"],
    ),
    "a word for a number": (
        ("units: 5", "units: five"),
        ["limits.units: got 'five', takes a whole number"],
    ),
    "a number in quotes": (
        ("units: 5", 'units: "5"'),
        ["limits.units: got '5', takes a whole number; numbers are written without quotes"],
    ),
    "a number for a name": (
        ("name: plain", "name: 7"),
        ["users[0].name: got 7, takes a text; to mean the word, put it in quotes: '7'"],
    ),
    "a truth value for a name": (
        ("name: plain", "name: true"),
        ["users[0].name: got true, takes a text; to mean the word, put it in quotes: 'true'"],
    ),
    "a list for a block": (
        ("limits: {units: 5, turns: 3}", "limits: [5, 3]"),
        ["limits: got a list, takes a block of keys"],
    ),
    "a negative limit": (
        ("units: 5", "units: -5"),
        ["limits.units: got -5, takes a number of 1 or more"],
    ),
    "no repeats": (
        ("seed: 7", "seed: 7\nrepeats: 0"),
        ["repeats: got 0, takes a number of 1 or more"],
    ),
    "one user and a list of users": (
        ("seed: 7", "seed: 7\nuser: {kind: single-prompt, model: writer}"),
        ["user: both `user` and `users` are given", "the list `users`"],
    ),
    "two blocks of one name": (
        ("name: words", "name: mine"),
        ["systems[1].name: the name 'mine' is taken by systems[0]", "a name of its own"],
    ),
    "names that differ in their case alone": (
        ("name: words", "name: Mine"),
        ["systems[1].name: the name 'Mine' is taken by systems[0]"],
    ),
    "a name that could be a path": (
        ("name: words", "name: ../../evil"),
        ["systems[1].name: ", "no slash", "choose another"],
    ),
    "a credential in a header": (
        ('reply"}', 'reply", headers: {X-Api-Key: abcdefghijkl}}'),
        ["systems[0].headers.X-Api-Key: ", "{env: MY_KEY}"],
    ),
    "a credential in a model's parameters": (
        ("max_tokens: 64", "params: {api_key: abcdefghijkl}"),
        ["models.writer.params.api_key: ", "`api_key_env: MY_KEY`"],
    ),
    "a credential for its name": (
        ("max_tokens: 64", "api_key_env: sk-abcdefghijklmnop"),
        ["models.writer.api_key_env: ", "not its value"],
    ),
    "a variable where none is filled in": (
        ("name: any", 'name: "${MY_MODEL}"'),
        ["models.writer.name: ${MY_MODEL} is not filled in here", "url, base_url and path alone"],
    ),
    "a variable in a header": (
        ('reply"}', 'reply", headers: {X-Shop: "${SHOP_KEY}"}}'),
        ["systems[0].headers.X-Shop: ${SHOP_KEY} is not filled in here", "{env: SHOP_KEY}"],
    ),
    "a comparison that is none": (
        ("seed: 7", 'seed: 7\nassert: [{metric: success, system: mine, low: "=> 0.6"}]'),
        ["assert[0].low: '=> 0.6' is no comparison", "'>= 0.6'"],
    ),
    "an assertion about a system there is not": (
        ("seed: 7", 'seed: 7\nassert: [{metric: success, system: mien, low: ">= 0.6"}]'),
        ["assert[0].system: there is no system 'mien'", "did you mean 'mine'?"],
    ),
    "an assertion with a misspelt key": (
        ("seed: 7", 'seed: 7\nassert: [{metric: success, sytem: mine, low: ">= 0.6"}]'),
        ["assert[0]: there is no key 'sytem'", "did you mean 'system'?"],
    ),
    "an assertion of nothing": (
        ("seed: 7", "seed: 7\nassert: [{metric: success, system: mine}]"),
        ["assert[0]: nothing is asserted", ">= 0.6"],
    ),
    "a cost limit with an unknown price": (
        ("units: 5", "units: 5, max_cost: 2"),
        ["models.writer.price: limits.max_cost is set", "price is unknown", "give {input, output}"],
    ),
    "a model for a kind that has none": (
        ("kind: lexical", "kind: lexical, model: writer"),
        ["systems[1].model: the kind 'lexical' takes no model", "remove the key"],
    ),
    "no address for an HTTP system": (
        (', url: "http://127.0.0.1:9001/reply"', ""),
        ["systems[0].url: is missing: the kind 'http' needs it"],
    ),
    "an address without http": (
        ("http://127.0.0.1:9001", "127.0.0.1:9001"),
        ["systems[0].url: ", "starts with http"],
    ),
    "no kind": (
        ("kind: lexical", "options: {show: 3}"),
        ["systems[1].kind: is missing: give it"],
    ),
    "no protocol": (("protocol: conversation\n", ""), ["protocol: is missing: give it"]),
    "a data set there is not": (
        ("name: films", "name: fims"),
        ["data.name: there is no data set kind 'fims'", "did you mean 'films'?"],
    ),
    "a data set's name for a path": (
        ("data: {name: films}", "data: films"),
        ["data: 'films' is taken for a path", "write {name: films}"],
    ),
    "a key given twice": (
        ("seed: 7", "seed: 7\nseed: 8"),
        ["shop.yaml:4: the key 'seed' is given a second time (first in line 3)", "keep one"],
    ),
    "no YAML": (("seed: 7", "seed: [7"), ["shop.yaml:4: this can't be read as YAML", "Mend the line"]),
    "a comparison without quotes": (
        ("seed: 7", "seed: 7\nassert: [{metric: success, low: >= 0.6}]"),
        ["shop.yaml:4: this can't be read as YAML", "Put the comparison in quotes, as in '>= 0.6'."],
    ),
    "a variable with a default": (
        ("http://127.0.0.1:9001", "${SHOP:-http://127.0.0.1:9001}"),
        ["systems[0].url: holds a ${…} that is no variable; write ${NAME}"],
    ),
    "a function that is none": (
        ("kind: lexical", "kind: python, function: shop.reply"),
        ["systems[1].function: 'shop.reply' names no function; write module:function"],
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named_with_its_key_and_its_remedy(tmp_path, name):
    (old, new), words = MISTAKES[name]
    assert old in GOOD
    message = refused(tmp_path, GOOD.replace(old, new, 1))
    assert [word for word in words if word not in message] == [], message
    assert "\n" not in message
    assert "pydantic" not in message.lower()


@pytest.mark.parametrize("name", [name for name in MISTAKES if "credential" in name])
def test_a_credential_is_not_repeated(tmp_path, name):
    (old, new), _ = MISTAKES[name]
    assert "abcdefghijkl" not in refused(tmp_path, GOOD.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: words", "name: basic words"),
        ("name: any", "name: hf_some_long_model"),
        ("kind: lexical", "kind: openai, model: writer, options: {instructions: Basic manners are a must.}"),
        ("name: plain", "name: token counter"),
    ],
)
def test_what_only_begins_like_a_credential_is_taken(tmp_path, old, new):
    load(tmp_path, GOOD.replace(old, new, 1))


def test_a_single_block_is_named_as_it_was_written(tmp_path):
    text = GOOD.replace("users:\n  - {name: plain, kind: single-prompt", "user:\n  {name: plain, kind: singel-prompt")
    assert refused(tmp_path, text).startswith("user.kind: there is no user kind 'singel-prompt'")


def test_further_mistakes_are_counted(tmp_path):
    text = GOOD.replace("units: 5, turns: 3", "units: 0, turns: 0, retries: -1")
    assert "(There are 2 more mistakes.)" in refused(tmp_path, text)


def test_a_missing_variable_stops_the_start_not_the_plan(tmp_path):
    text = GOOD.replace("max_tokens: 64", "api_key_env: MY_KEY").replace("http://127.0.0.1:9001", "${SHOP}")
    experiment = load(tmp_path, text)
    with pytest.raises(ConfigError, match=r"models\.writer\.api_key_env: the environment variable MY_KEY is not set"):
        check_environment(experiment, {"SHOP": "http://127.0.0.1:9001"})
    with pytest.raises(ConfigError, match=r"systems\[0\]\.url: the environment variable SHOP is not set; set it"):
        check_environment(experiment, {"MY_KEY": "0123456789ab"})
    check_environment(experiment, {"SHOP": "http://127.0.0.1:9001", "MY_KEY": "0123456789ab"})


def test_the_key_of_a_model_that_nobody_uses_is_not_asked_for(tmp_path):
    spare = "models:\n  spare: {name: b, base_url: 'http://127.0.0.1:1/v1', api_key_env: SPARE_KEY}\n"
    check_environment(load(tmp_path, GOOD.replace("models:\n", spare)), {})


class Forking:
    """A protocol of a plug-in that branches dialogues."""

    forks = True

    def __init__(self, options):
        pass


class _Point:
    name, value = "branching", "somewhere:Forking"

    def load(self):
        return Forking


def test_a_session_system_in_a_protocol_that_branches(tmp_path, monkeypatch):
    points = {"mysteryshopper.protocols": [_Point()]}
    monkeypatch.setattr(registry_module, "entry_points", lambda group: points.get(group, []))
    branching = GOOD.replace("protocol: conversation", "protocol: branching")
    load(tmp_path, branching)
    message = refused(tmp_path, branching.replace('reply"}', 'reply", memory: session}'))
    assert message.startswith("systems[0].memory: the protocol 'branching' branches dialogues")
    assert "memory: messages" in message
    # a python function keeps a session unless it says otherwise
    python = branching.replace("kind: lexical", "kind: python, function: 'shop:reply'")
    assert refused(tmp_path, python).startswith("systems[1].memory: ")


def test_a_missing_file_says_how_to_get_one(tmp_path):
    with pytest.raises(ConfigError, match=r"there is no file .*none\.yaml; `mysteryshopper init PROTOCOL`"):
        Experiment.load(tmp_path / "none.yaml")
    with pytest.raises(ConfigError, match="is a folder"):
        Experiment.load(tmp_path)
    (tmp_path / "latin.yaml").write_bytes("protocol: é".encode("latin-1"))
    with pytest.raises(ConfigError, match="byte 10 is not UTF-8"):
        Experiment.load(tmp_path / "latin.yaml")
    (tmp_path / "list.yaml").write_text("- 1")
    with pytest.raises(ConfigError, match="must hold keys and values"):
        Experiment.load(tmp_path / "list.yaml")


@pytest.mark.parametrize("error", list_all_errors(), ids=lambda error: error["type"])
def test_every_error_of_the_validator_reads_as_a_sentence(error):
    class Model(BaseModel):
        key: int

    context = {name: "1" if name != "error" else ValueError("x") for name in _details(error)}
    message = error["message_template_python"]
    for name, value in context.items():
        message = message.replace(f"{{{name}}}", str(value))
    if error["type"] == "literal_error":
        context["expected"] = "'one' or 'two'"
    sentence = _sentence({"type": error["type"], "ctx": context, "input": "x", "msg": message}, ("key",), Model)
    assert sentence[-1] in ".?"
    assert not {"Input", "should be", "pydantic", "{"} & {sentence.split()[0]}
    assert "Input should" not in sentence


def _details(error):
    return set(re.findall(r"\{(\w+)\}", error["message_template_python"])) | set(error["example_context"] or {})


def test_paths_are_written_as_in_the_file():
    assert key_path(("users", 0, "model", "‹block›", "provider")) == "users[0].model.provider"


def test_blocks_made_in_python_are_checked_too():
    from mysteryshopper.experiment.blocks import Limits

    with pytest.raises(ValidationError):
        Limits(units=0)
    with pytest.raises(ConfigError, match="protocol: there is no protocol kind 'x'"):
        Experiment(protocol="x")
