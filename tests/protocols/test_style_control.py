"""The `style-control` protocol in runs: what is asked for, what judges see, and what comes out for whom."""

import json
import re
from pathlib import Path

import pytest

from mysteryshopper.core import ConfigError, Message, StopRun
from mysteryshopper.experiment import Experiment, arun
from mysteryshopper.experiment.plan import make_plan
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.experiment.view import procedure_of
from mysteryshopper.protocols.style_control.options import StyleOptions, name_of
from mysteryshopper.testing import FakeServer

ITEMS = "id,title,year,genre\n1,Lantern Road,1998,comedy\n2,Nine Winters,1987,war\n3,The Salt Clock,2004,drama\n"
ROOT = Path(__file__).parents[2]
GENRES = ("comedy", "war", "drama")
_TWO = (("formality", "formal"), ("conciseness", "concise"))


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def shows(messages, session):
    return {"content": "How about Lantern Road (1998)?", "items": [{"id": "1"}]}


SHOP = {"name": "shop", "kind": "python", "function": shows, "memory": "messages"}
CONSTANT = {
    "name": "constant",
    "kind": "scripted",
    "profiles": "people.jsonl",
    "options": {"turns": ["Good day. I would like something suitable.", "No Lantern Road, thank you."]},
}
AGENDA = {"name": "agenda", "kind": "agenda", "profiles": "people.jsonl", "options": {"typos": 0}}


def experiment(folder, people=12, **changes):
    persons = (
        {
            "id": f"p{n}",
            "wish": f"I want some {GENRES[n % 3]}",
            "attributes": {"genre": [GENRES[n % 3]]},
            "style": {"carelessness": "careful"},
        }
        for n in range(people)
    )
    (folder / "people.jsonl").write_text("".join(json.dumps(person) + "\n" for person in persons))
    (folder / "items.csv").write_text(ITEMS)
    content = {
        "protocol": "style-control",
        "users": [CONSTANT],
        "systems": [SHOP],
        "data": {"path": "items.csv"},
        "limits": {"turns": 2},
        **changes,
    }
    return Experiment.from_dict(content, folder)


def stored(folder):
    made, store = open_run(folder)
    try:
        return list(store.dialogues()), list(procedure_of(made).cases(store))
    finally:
        store.close()


def found(done, name, **group):
    return [one for one in done.summary["metrics"] if one["name"] == name and group.items() <= one["group"].items()]


def one(done, name, **group):
    (metric,) = found(done, name, **group)
    return metric


def test_requests_are_a_grid_of_each_value_or_of_all_combinations_or_chosen():
    each = StyleOptions()
    assert len(each.asked) == 2 + 3 + 3 + 2
    assert each.asked[:3] == ({"formality": "formal"}, {"formality": "informal"}, {"sentiment": "positive"})
    assert len(StyleOptions(combine="all").asked) == 2 * 3 * 3 * 2
    chosen = StyleOptions(requests=({"formality": "formal", "conciseness": "concise"}, {"formality": "informal"}))
    assert [name_of(request) for request in chosen.asked] == [
        "formality=formal+conciseness=concise",
        "formality=informal",
    ]
    assert chosen.values == {"formality": ("formal", "informal"), "conciseness": ("concise",)}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"styles": {"formality": []}}, "one value or more"),
        ({"styles": {"a=b": ["c"]}}, "no name of a style"),
        ({"styles": {"formality": ["formal", "casual"]}}, "'casual' means 'informal'"),
        ({"requests": [{"formality": "posh"}]}, "`requests` asks for formality: posh"),
        ({"requests": [{}]}, "asks for something"),
        (
            {"requests": [dict(_TWO), dict(reversed(_TWO))]},
            "asks for something, and for something else than the others",
        ),
        ({"cuts": {"humour": [1]}}, "styles that can be counted"),
        ({"cuts": {"conciseness": [9, 4]}}, "takes 2, rising"),
    ],
)
def test_mistakes_in_the_options_are_named(tmp_path, options, sentence):
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        experiment(tmp_path, options=options)


async def test_a_user_who_ignores_the_request_comes_to_a_half_and_a_third(tmp_path):
    done = await arun(experiment(tmp_path), out=tmp_path / "run")
    accuracy = one(done, "style_accuracy", style="formality", by="features")
    assert (accuracy["value"], accuracy["n"], accuracy["clusters"]) == (0.5, 24, 12)
    assert one(done, "style_f1", style="formality", by="features")["value"] == pytest.approx(0.3333, abs=5e-5)
    assert one(done, "style_f1", style="conciseness", by="features")["value"] == pytest.approx(1 / 6)
    assert one(done, "style_f1", style="formality", by="constant answer")["value"] == pytest.approx(1 / 3)
    # requests shuffled among a person's dialogues change nothing for one who ignores them
    shuffled = one(done, "style_f1", style="formality", by="features, shuffled")
    assert (shuffled["value"], shuffled["low"], shuffled["high"]) == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert one(done, "separation", style="formality")["value"] == 0.5
    assert one(done, "found_as", style="formality", asked="informal", found="formal")["value"] == 1
    assert not found(done, "style_missing")


async def test_a_user_who_writes_as_asked_is_found_to(tmp_path):
    done = await arun(experiment(tmp_path, people=10, users=[CONSTANT, AGENDA]), out=tmp_path / "run")
    dialogues, _ = stored(tmp_path / "run")
    assert len(dialogues) == 2 * 10 * 10
    asked = one(done, "style_f1", user="agenda", style="formality", by="features")
    assert asked["value"] > 0.9
    assert one(done, "style_f1", user="constant", style="formality", by="features")["value"] < 0.34
    chance = one(done, "style_f1", user="agenda", style="formality", by="features, shuffled")
    assert asked["value"] > chance["high"]
    lengths = one(done, "separation", user="agenda", style="conciseness", lower="concise", higher="verbose")
    assert lengths["value"] > 0.9
    assert lengths["n"] == 20
    words = {
        value: one(done, "feature_mean", user="agenda", style="conciseness", asked=value)["value"]
        for value in ("concise", "moderate", "verbose")
    }
    assert words["concise"] < words["moderate"] < words["verbose"]
    rows = [found(done, "found_as", user="agenda", style="sentiment", asked=mood) for mood in ("positive", "negative")]
    assert all(sum(cell["value"] for cell in row) == pytest.approx(1) for row in rows)


async def test_runs_are_compared_by_how_much_of_a_request_was_found(tmp_path):
    chosen = [{"formality": "formal", "conciseness": "verbose"}, {"formality": "informal"}]
    await arun(experiment(tmp_path, people=2, options={"requests": chosen}), out=tmp_path / "run")
    made, store = open_run(tmp_path / "run")
    try:
        scores = list(procedure_of(made).scores(store))
    finally:
        store.close()
    assert {score.name for score in scores} == {"style_as_asked, features"}
    # always formal and of middling length: half of the first request, nothing of the second
    assert sorted((score.unit.partition("~")[0], score.value) for score in scores) == [
        ("p0", 0.0),
        ("p0", 0.5),
        ("p1", 0.0),
        ("p1", 0.5),
    ]


async def test_the_same_person_by_chance_too_whatever_is_asked_for(tmp_path):
    users = [{"name": "agenda", "kind": "agenda", "profiles": {"generate": 5}}]
    shops = [{"name": "shop", "kind": "popularity"}]
    await arun(experiment(tmp_path, users=users, systems=shops, data={"name": "films"}), out=tmp_path / "run")
    dialogues, _ = stored(tmp_path / "run")
    by_person = {}
    for entry in dialogues:
        assert entry.dialogue.data["requested"] == entry.unit.data["requested"]
        assert entry.dialogue.data["requested"].items() <= entry.dialogue.data["style"].items()
        told = {key: entry.dialogue.data[key] for key in ("wish", "constraints")}
        by_person.setdefault(entry.dialogue.profile, []).append((entry.dialogue.root, json.dumps(told)))
    assert len(by_person) == 5
    assert all(len(held) == 10 and len(set(held)) == 1 for held in by_person.values())


async def test_units_are_people_with_all_their_requests(tmp_path):
    made = experiment(tmp_path, limits={"units": 3, "turns": 1})
    plan = make_plan(made)
    assert plan.units == 30
    done = await arun(made, out=tmp_path / "run")
    assert done.summary["units"]["complete"] == 30
    dialogues, _ = stored(tmp_path / "run")
    assert len({entry.dialogue.root for entry in dialogues}) == 3


async def test_judges_see_the_users_words_without_titles_and_not_the_request(tmp_path):
    await arun(experiment(tmp_path, people=1), out=tmp_path / "run")
    _, cases = stored(tmp_path / "run")
    assert len(cases) == 10
    case = cases[0]
    assert case.data["about"] == "style"
    assert case.data["requested"] == {"formality": "formal"}
    assert (case.criteria, case.context) == ((), ())
    assert case.exhibits[0].messages == (
        Message("user", "Good day. I would like something suitable.", author="simulated"),
        Message("user", "No […], thank you.", author="simulated"),
    )


def says(labels):
    """A judge that goes by words, and can't tell the mood."""

    def answer(seen):
        text = seen.text
        formal = "Good day" in text
        return json.dumps({**labels, "formality": "formal" if formal else "informal"})

    return answer


LABELS = {"conciseness": "moderate", "carelessness": "careful"}


async def test_what_a_judge_does_not_say_is_missing_and_never_wrong(tmp_path):
    async with FakeServer(says(LABELS)) as server:
        made = experiment(
            tmp_path,
            models={"m": {"name": "any", "base_url": f"{server.url}/v1", "temperature": 0}},
            judges=[{"name": "ear", "kind": "styles", "model": "m"}],
        )
        done = await arun(made, out=tmp_path / "run")
    assert done.exit_code in (0, 3)
    formal = one(done, "style_accuracy", style="formality", by="judge ear")
    assert (formal["value"], formal["n"], formal["bounds"]) == (0.5, 24, None)
    mood = one(done, "style_accuracy", style="sentiment", by="judge ear")
    assert (mood["value"], mood["n"], mood["bounds"]) == (None, 0, [0, 1])
    assert one(done, "style_missing", style="sentiment", by="judge ear")["value"] == 1
    # both say formal throughout: nothing beyond chance can be told
    assert one(done, "style_kappa", style="formality", by="judge ear")["value"] is None
    assert one(done, "style_agreement", style="formality", by="judge ear")["value"] == 1
    assert one(done, "style_agreement", style="formality", by="judge ear")["n"] == 120  # asked for or not
    assert one(done, "unread", judge="ear", criterion="sentiment", status="empty")["value"] == 1


async def test_a_turn_that_begins_with_a_title_does_not_begin_small(tmp_path):
    """Titles are no signs of style: one taken out must leave none behind."""
    turns = ["Good day. I would like something suitable.", "Lantern Road is a choice that Lantern Road makes."]
    users = [{**CONSTANT, "options": {"turns": turns}}]
    done = await arun(experiment(tmp_path, people=1, users=users), out=tmp_path / "run")
    assert one(done, "feature_mean", style="formality", asked="formal")["value"] == 1


def test_a_judge_that_would_be_shown_nothing_is_refused(tmp_path):
    models = {"m": {"name": "any", "base_url": "http://127.0.0.1:9/v1"}}
    with pytest.raises(ConfigError, match="shown nothing; take one of these kinds: styles"):
        experiment(tmp_path, models=models, judges=[{"name": "marks", "kind": "rubric", "model": "m"}])


async def test_a_user_whose_own_options_ask_for_a_style_is_refused(tmp_path):
    """They go before the profile, in which the request travels: it would look deaf to what it is asked for."""
    reply = json.dumps({"thought": "so", "action": "say it", "reply": "Good day."})
    user = {"name": "u", "kind": "adaptsim", "model": "m", "profiles": "people.jsonl"}
    async with FakeServer(lambda seen: reply) as server:
        models = {"m": {"name": "any", "base_url": f"{server.url}/v1"}}
        chosen = {"requests": [{"formality": "informal", "conciseness": "concise"}]}
        stiff = [{**user, "options": {"style": {"formality": "formal"}}}]
        with pytest.raises(StopRun, match=r"'u' is asked to be 'informal' in formality.*its own options.*'formal'"):
            await arun(experiment(tmp_path, 1, users=stiff, models=models, options=chosen), out=tmp_path / "run")
        glad = [{**user, "options": {"style": {"sentiment": "positive"}}}]  # of which nothing is asked
        done = await arun(experiment(tmp_path, 1, users=glad, models=models, options=chosen), out=tmp_path / "other")
    assert done.summary["units"]["complete"] == 1


async def test_a_failed_user_is_missing_and_another_language_is_not_counted(tmp_path):
    silent = {**CONSTANT, "name": "silent", "options": {"turns": [" "]}}
    done = await arun(experiment(tmp_path, users=[silent]), out=tmp_path / "run")
    scored = one(done, "style_accuracy", style="formality", by="features")
    assert (scored["value"], scored["n"], scored["bounds"]) == (None, 0, [0, 1])
    _, cases = stored(tmp_path / "run")
    assert cases == []
    people = tmp_path / "people.jsonl"
    made = experiment(tmp_path)
    people.write_text(people.read_text().replace('"wish"', '"language": "de", "wish"'))
    done = await arun(made, out=tmp_path / "other")
    assert one(done, "style_missing", style="formality", by="features")["value"] == 1


async def test_styles_of_ones_own_are_for_judges_with_criteria_of_their_names(tmp_path):
    (tmp_path / "humour.yaml").write_text(
        "takes: one\ncriteria:\n  - {name: humour, text: 'Is it meant to be funny?', labels: [dry, none]}\n"
    )
    async with FakeServer(lambda seen: '{"humour": "none"}') as server:
        made = experiment(
            tmp_path,
            options={"styles": {"humour": ["dry", "none"]}},
            models={"m": {"name": "any", "base_url": f"{server.url}/v1", "temperature": 0}},
            judges=[{"name": "ear", "kind": "styles", "model": "m", "options": {"criteria": "humour.yaml"}}],
        )
        done = await arun(made, out=tmp_path / "run")
    assert one(done, "style_f1", style="humour", by="judge ear")["value"] == pytest.approx(1 / 3)
    assert not found(done, "style_f1", by="features")
    assert not found(done, "separation")


@pytest.mark.slow
async def test_the_example_comes_to_what_the_docs_say(tmp_path):
    done = await arun(Experiment.load(ROOT / "examples" / "style-beauty.yaml"), out=tmp_path / "run")
    page = (ROOT / "docs" / "protocols" / "style-control.md").read_text("utf-8")
    rows = {
        cells[0].strip(): cells[1:] for cells in (line.split("|")[1:-1] for line in page.splitlines() if "|" in line)
    }
    styles = [cell.strip() for cell in rows["user"]]
    for name, user in (("`shopper` (agenda)", "shopper"), ("`always-alike` (scripted)", "always-alike")):
        for style, cell in zip(styles, rows[name], strict=True):
            scored = one(done, "style_f1", user=user, style=style, by="features")
            assert scored["value"] == pytest.approx(float(cell.split()[0]), abs=0.05), (user, style)
