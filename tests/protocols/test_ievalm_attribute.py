"""Setting `attribute` of iEvaLM: questions, template answers, and the published rows."""

from pathlib import Path

import pytest
import yaml

from mysteryshopper.core import Choice, ConfigError, Item, StopRun
from mysteryshopper.experiment import Experiment, run
from mysteryshopper.experiment.comparing import compare
from mysteryshopper.protocols.ievalm.attribute import attribute_answer
from mysteryshopper.systems.lexical import Lexical

EXAMPLES = Path(__file__).parents[2] / "examples"
KS = (1, 10, 25, 50)
ITEMS = """\
id,title,year,genre,director
1,Lantern Road,1998,comedy|drama,Ada Quill
2,Nine Winters,1987,drama,Bo Harrow
3,Salt Clock,2004,,Ada Quill
4,Paper River,1977,western,Cleo Quill
"""
TALKS = """\
{"id": "d1", "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "So", "items": [1, 2]}]}
{"id": "d2", "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "So", "items": [3]}]}
"""


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))


def attribute_run(folder, *systems, turns=None, **options):
    (folder / "data").mkdir()
    (folder / "data" / "items.csv").write_text(ITEMS)
    (folder / "data" / "dialogues.jsonl").write_text(TALKS)
    content = {
        "protocol": "ievalm",
        "systems": list(systems),
        "data": {"path": "data"},
        "options": {"setting": "attribute", "ks": [1, 2], "attributes": ["genre", "director"], **options},
        "limits": {} if turns is None else {"turns": turns},
    }
    return run(Experiment.from_dict(content, folder), folder / "run")


def said(done, unit):
    rows = [row for row in done.table("turns").to_pylist() if row["dialogue"].startswith(f"{unit}|") and row["turn"]]
    return [(row["role"], row["text"]) for row in rows]


def unit_of(done, start):
    return next(row["unit"] for row in done.table("dialogues").to_pylist() if row["unit"].startswith(start))


def test_the_answer_is_the_sorted_union_over_targets():
    targets = [Item("1", "A", attributes={"star": ("Zoe", "Max")}), Item("2", "B", attributes={"star": ("Max", "Ann")})]
    assert attribute_answer(targets, "star") == ("Ann", "Max", "Zoe")
    assert attribute_answer(targets, "writer") == ()


def test_it_asks_in_order_then_recommends_and_stops_at_a_hit(tmp_path):
    done = attribute_run(tmp_path, {"name": "overlap", "kind": "attribute-overlap"})
    talk = said(done, unit_of(done, "d1"))
    assert [role for role, _ in talk] == ["system", "user"] * 3
    assert talk[1][1] == "comedy, drama"
    assert talk[3][1] == "Ada Quill, Bo Harrow"
    assert "Lantern Road" in talk[4][1]
    assert done.metric("label_recall@2", leaks="all").estimate.value == 1.0
    assert done.metric("questions", leaks="all").estimate.value == 2


def test_what_has_no_value_is_answered_with_no_information_and_counted(tmp_path):
    done = attribute_run(tmp_path, {"name": "overlap", "kind": "attribute-overlap"})
    nothing = said(done, unit_of(done, "d2"))[1][1]
    assert "," not in nothing.split(";")[0]
    assert nothing != ""
    counts = {
        attribute: done.metric("no_information_answers", attribute=attribute).estimate
        for attribute in ("genre", "director")
    }
    assert [(one.value, one.n) for one in counts.values()] == [(1, 2), (0, 2)]


def test_with_too_few_turns_the_last_one_recommends(tmp_path):
    done = attribute_run(tmp_path, {"name": "overlap", "kind": "attribute-overlap"}, turns=2)
    assert done.metric("questions", leaks="all").estimate.value == 1
    assert done.metric("missing_recommendation", leaks="all").estimate.value == 0


class _Stubborn(Lexical):
    """Asks as long as there is anything to ask."""

    async def choose(self, options, history):
        return Choice(next(option.id for option in options))


class _Mumbling(Lexical):
    async def choose(self, options, history):
        return Choice(None, "invalid", "hm")


def test_a_system_that_only_asks_counts_as_missed_and_stays_in_n(tmp_path, monkeypatch):
    monkeypatch.setattr("mysteryshopper.systems.lexical.Lexical", _Stubborn)
    done = attribute_run(tmp_path, {"name": "shy", "kind": "lexical"}, turns=2)
    recall = done.metric("label_recall@2", leaks="all").estimate
    assert (recall.value, recall.n) == (0.0, 3)
    assert done.metric("missing_recommendation", leaks="all").estimate.value == 1.0


def test_choices_that_cannot_be_read_are_counted_and_the_order_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr("mysteryshopper.systems.lexical.Lexical", _Mumbling)
    done = attribute_run(tmp_path, {"name": "hm", "kind": "lexical"}, turns=3)
    assert done.metric("unread_choices", leaks="all").estimate.value == 4
    assert done.metric("questions", leaks="all").estimate.value == 2


def test_a_talker_is_scored_by_the_items_of_its_reply(tmp_path):
    def shop(messages, session):
        return {"content": "This one.", "items": [{"id": "3"}]}

    done = attribute_run(tmp_path, {"name": "shop", "kind": "python", "function": shop})
    assert done.metric("label_recall@1", leaks="all").estimate.value == pytest.approx(1 / 3)


def test_a_crash_counts_as_a_miss(tmp_path):
    def shop(messages, session):
        raise RuntimeError("closed")

    done = attribute_run(tmp_path, {"name": "shop", "kind": "python", "function": shop})
    recall = done.metric("label_recall@1", leaks="all").estimate
    assert (recall.value, recall.n) == (0.0, 3)
    assert done.summary["units"]["faults"]["system"] == 2


def test_an_attribute_that_no_item_has_is_refused(tmp_path):
    with pytest.raises((ConfigError, StopRun), match="genre"):
        attribute_run(tmp_path, {"kind": "attribute-overlap"}, attributes=["gnere"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("example", "count", "jaccard", "n", "nothing", "clean"),
    [
        (
            "ievalm-redial",
            [0.6853, 0.9973, 0.9982, 0.9993],
            [0.6862, 0.9996, 0.9998, 0.9998],
            4499,
            {"genre": 7, "star": 12, "director": 7},
            2924,
        ),
        (
            "ievalm-opendialkg",
            [0.8763, 0.9794, 0.9857, 0.9873],
            [0.9120, 0.9905, 0.9921, 0.9929],
            1261,
            {"genre": 248, "actor": 454, "director": 549, "writer": 190},
            764,
        ),
    ],
)
def test_attribute_rows_are_exact(example, count, jaccard, n, nothing, clean, tmp_path, shared_data, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_DATA", str(shared_data("redial").parent))
    content = yaml.safe_load((EXAMPLES / f"{example}.yaml").read_text())
    content["systems"] = [one for one in content["systems"] if one["kind"] == "attribute-overlap"]
    content["options"]["setting"] = "attribute"
    done = run(Experiment.from_dict(content, tmp_path), tmp_path / "run")
    for system, right in (("attribute-overlap", count), ("attribute-jaccard", jaccard)):
        found = [done.metric(f"label_recall@{k}", system=system, leaks="all").estimate for k in KS]
        assert [round(one.value, 4) for one in found] == right
        assert {one.n for one in found} == {n}
        told = {name: done.metric("no_information_answers", system=system, attribute=name) for name in nothing}
        assert {name: metric.estimate.value for name, metric in told.items()} == nothing
    linked = done.metric("leaky_units", system="attribute-overlap", leak="history").estimate
    assert linked.n - linked.value == clean


def test_each_system_goes_through_the_same_questions_and_recommends_by_itself(tmp_path):
    def shop(messages, session):
        return {"content": "This one.", "items": [{"id": "2"}]}

    systems = [{"name": "overlap", "kind": "attribute-overlap"}, {"name": "shop", "kind": "python", "function": shop}]
    done = attribute_run(tmp_path, *systems, turns=3)
    told = {}
    for row in done.table("turns").to_pylist():
        if row["dialogue"].startswith("d2") and row["turn"]:
            told.setdefault(row["dialogue"], []).append((row["role"], row["turn"], row["text"]))
    first, second = told.values()
    assert first[:4] == second[:4]
    assert ("Salt Clock" in first[4][2], "Nine Winters" in second[4][2]) == (True, True)
    for system in ("overlap", "shop"):
        questions = done.metric("questions", leaks="all", system=system).estimate
        assert (questions.value, questions.n) == (2, 2)


def test_a_run_of_one_setting_is_paired_with_a_run_of_several(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one = attribute_run(tmp_path / "one", {"kind": "attribute-overlap"})
    two = attribute_run(tmp_path / "two", {"kind": "attribute-overlap"}, setting=["original", "attribute"])
    found = compare(one.path, two.path)
    row = next(row for row in found.rows if row.metric == "label_recall@2 (attribute)")
    assert (row.difference.value, row.difference.n) == (0.0, 2)
