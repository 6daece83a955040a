"""`label`: blind sheets of judged pairs, and people's votes back into the run, its numbers and its report."""

import asyncio
import csv
import json
import re
import shutil
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from mysteryshopper.cli.main import run as command
from mysteryshopper.core import Message, ShopperError
from mysteryshopper.experiment import run as hold
from mysteryshopper.experiment.labels import kept_votes, label_metrics, make_copies, take_votes
from mysteryshopper.experiment.labels.keeping import keep_votes
from mysteryshopper.experiment.labels.making import _codes
from mysteryshopper.experiment.labels.reading import vote_of
from mysteryshopper.experiment.labels.records import Asked, Vote
from mysteryshopper.experiment.labels.sampling import Candidate, choose
from mysteryshopper.experiment.sitting import open_run
from mysteryshopper.report.labels import agreement_rows

SHOP = """
def long(messages, session):
    return {"content": "Here is one that I like, and here is why I like it so very much.", "items": [{"id": "1"}]}

def short(messages, session):
    return {"content": "=cmd|' /C calc'!A0", "items": [{"id": "2"}]}

def none(messages, session):
    return {"content": "<b>No idea</b>, \\u201csorry\\u201d; really,\\nnone."}
"""
PEOPLE = 14


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Hold a run of three systems with fourteen people, judged in pairs and one by one."""
    shop = tmp_path_factory.mktemp("labels")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MYSTERYSHOPPER_CACHE", str(shop / "cache"))
        (shop / "shop.py").write_text(SHOP)
        items = [{"id": "1", "title": "Lantern Road", "genre": ["drama"]}, {"id": "2", "title": "The Salt Clock"}]
        (shop / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
        wants = [{"id": f"p{n:02}", "wish": f"Drama {n}.", "attributes": {"genre": ["drama"]}} for n in range(PEOPLE)]
        (shop / "people.jsonl").write_text("".join(json.dumps(person) + "\n" for person in wants))
        (shop / "shop.yaml").write_text("""
protocol: conversation
user: {name: u, kind: scripted, profiles: people.jsonl, options: {turns: [A drama please.], wish_first: false}}
systems:
  - {name: chatty-bot, kind: python, function: "shop:long"}
  - {name: curt-bot, kind: python, function: "shop:short"}
  - {name: lost-bot, kind: python, function: "shop:none"}
judges:
  - {name: pairs, kind: rules-pair}
  - {name: marks, kind: rules}
data: {path: items.jsonl}
options: {guard: "off", controls: 3}
limits: {turns: 1}
""")
        sys.modules.pop("shop", None)
        return hold(shop / "shop.yaml", shop / "run").path


@pytest.fixture
def run(made, tmp_path):
    """A copy of the run that a test may write into."""
    folder = tmp_path / "run"
    shutil.copytree(made, folder)
    return folder


def copies(folder, **options):
    _, store = open_run(folder)
    try:
        return make_copies(store, **options)
    finally:
        store.close()


def sheets(folder: Path) -> list[Path]:
    return sorted(folder.glob("labels/*/annotator-*.csv"))


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: list[dict[str, str]], delimiter: str = ",", encoding: str = "utf-8") -> Path:
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def vote_head(rows):
    return next(head for head in rows[0] if head.startswith("overall ("))


def filled(path: Path, to: Path, votes, **how) -> Path:
    """Fill a sheet in: `votes` gives the answer to a row's words."""
    rows = read(path)
    head = vote_head(rows)
    return write(to, [{**row, head: votes(row)} for row in rows], **how)


def prefers_words(row: dict[str, str]) -> str:
    """Return what somebody votes who likes reasons best, and formulas least."""
    liked = ["calc", "No idea", "why I like"]
    side = [next(place for place, words in enumerate(liked) if words in row[name]) for name in "AB"]
    return "A" if side[0] > side[1] else "B"


def take(folder: Path, *files: Path):
    """Read votes into a run without reporting it, which takes time."""
    _, store = open_run(folder)
    try:
        return take_votes(folder, store, files)
    finally:
        store.close()


def numbers(folder: Path):
    """Return the numbers on people's votes."""
    _, store = open_run(folder)
    try:
        return list(label_metrics(folder, store))
    finally:
        store.close()


def test_a_sheet_is_blind_and_its_key_stays_behind(run, capsys):
    assert command(["label", str(run), "--pairs", "9", "--annotators", "2", "--seed", "4"]) == 0
    told = capsys.readouterr().out
    assert "9 pairs, asked about overall" in told
    first, second = sheets(run)
    for path in (first, second):
        for text in (path.read_text("utf-8"), path.with_suffix(".html").read_text("utf-8")):
            assert not any(word in text for word in ("y-bot", "t-bot", "pair|", "p03|", "swapped"))
    assert not list(first.parent.glob("*.json"))
    key = json.loads((run / "labels" / f"{first.parent.name}.key.json").read_text())
    one, other = read(first), read(second)
    assert len({row["item"] for row in [*one, *other]}) == 18  # every copy has codes of its own
    cases = [[key["items"][row["item"]]["case"] for row in rows] for rows in (one, other)]
    assert sorted(cases[0]) == sorted(cases[1])
    assert cases[0] != cases[1]
    assert all("which of the two served this person better?" in row["question"] for row in one)
    assert vote_head(one) == "overall (A, B or tie)"
    assert "Drama" in one[0]["before"]


def test_sides_are_dealt_evenly_and_equal_seeds_give_equal_sheets(made):
    (copy,) = copies(made, pairs=10, seed=2)
    assert Counter(entry.swapped for entry in copy.entries) == {True: 5, False: 5}
    assert copies(made, pairs=10, seed=2) == [copy]
    assert copies(made, pairs=10, seed=3)[0].entries != copy.entries


def test_of_a_single_pair_either_side_may_stand_first(made):
    assert {copies(made, pairs=1, seed=seed)[0].entries[0].swapped for seed in range(12)} == {True, False}


def test_codes_hold_letters_alone_and_none_stands_twice(made):
    """A spreadsheet takes 04e105 for a number and 001234 for 1234, and saves what it took them for."""
    found = copies(made, pairs=1000, annotators=3)
    codes = [entry.item for copy in found for entry in copy.entries]
    assert len(set(codes)) == len(codes) == 3 * 3 * PEOPLE
    assert all(re.fullmatch("[b-df-hj-np-tv-z]{6}", code) for code in codes)
    assert re.fullmatch("[b-df-hj-np-tv-z]{8}", found[0].sheet)
    many = _codes("sheet", ["1", "2"], [f"case {number}" for number in range(12_000)])
    assert len(set(many.values())) == 24_000  # of six letters a few would be equal
    assert {len(code) for code in many.values()} == {7}


def test_the_sample_holds_pairs_of_systems_in_the_runs_proportions_and_spreads_over_people(made):
    (copy,) = copies(made, pairs=12)
    pairs = Counter(tuple(sorted(entry.case.data["systems"])) for entry in copy.entries)
    assert sorted(pairs.values()) == [4, 4, 4]
    assert len({entry.case.data["cluster"] for entry in copy.entries}) == 12
    assert not any(entry.case.control for entry in copy.entries)
    (whole,) = copies(made, pairs=1000)
    assert len(whole.entries) == 3 * PEOPLE


def test_places_go_to_strata_by_largest_remainder():
    found = [Candidate(f"{name}{place}", (name,), f"root {place}", f"{place:02}") for name, size in
             (("a", 6), ("b", 3), ("c", 1)) for place in range(size)]  # fmt: skip
    assert Counter(name[0] for name in choose(found, 5)) == {"a": 3, "b": 1, "c": 1}  # 3, 1.5 and .5: c is smaller
    assert len(set(choose(found, 10))) == 10


def test_formulas_and_markup_of_a_run_stay_text(run):
    command(["label", str(run), "--pairs", "20"])
    (path,) = sheets(run)
    cells = [cell for row in read(path) for cell in row.values()]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    page = path.with_suffix(".html").read_text("utf-8")
    assert "<b>No idea" not in page
    assert "&lt;b&gt;No idea" in page
    assert "script" not in page.replace("default-src", "")


def test_votes_come_back_turned_to_the_systems_whatever_side_they_stood_on(run, tmp_path, capsys):
    command(["label", str(run), "--pairs", "1000", "--annotators", "2"])
    done = [filled(path, tmp_path / path.name, prefers_words) for path in sheets(run)]
    assert command(["label", str(run), "--read", *map(str, done)]) == 0
    votes = kept_votes(run)
    assert len(votes) == 2 * 3 * PEOPLE
    for vote in votes:
        preferred = vote.systems[int(vote.value)]
        assert preferred == max(vote.systems, key=["curt-bot", "lost-bot", "chatty-bot"].index)
    summary = json.loads((run / "summary.json").read_text())
    by_name = {}
    for row in summary["metrics"]:
        by_name.setdefault(row["name"], []).append(row)
    (between,) = by_name["people_agreement"]
    assert (between["value"], between["n"]) == (1.0, 3 * PEOPLE)
    wins = [row for row in by_name["win_rate"] if row["group"]["judge"] == "people"]
    rates = {(row["group"]["system"], row["group"]["versus"]): row["value"] for row in wins}
    expected = {("chatty-bot", "curt-bot"): 1.0, ("chatty-bot", "lost-bot"): 1.0, ("curt-bot", "lost-bot"): 0.0}
    assert rates == expected
    page = (run / "report.html").read_text("utf-8")
    assert "How far judges agree with people" in page
    assert "vote by vote" in page
    assert "judge pairs says what most people say" in page
    assert "How far people and judges agree" in capsys.readouterr().out


def test_the_judge_is_held_against_what_people_said_pair_by_pair(run, tmp_path):
    """People who always say what the judge does not: agreement 0, and kappa below 0."""
    _, store = open_run(run)
    said = {
        stored.case.id: next(one.value for one in stored.verdict.rulings if one.criterion == "overall")
        for stored in store.verdicts(messages=False)
        if stored.judge == "pairs" and not stored.case.control
    }
    store.close()
    command(["label", str(run), "--pairs", "1000"])
    (path,) = sheets(run)
    key = json.loads((run / "labels" / f"{path.parent.name}.key.json").read_text())["items"]

    def against(row):
        keyed = key[row["item"]]
        turned = {"A": "B", "B": "A"} if not keyed["swapped"] else {"A": "A", "B": "B"}
        return turned.get(said[keyed["case"]], "A")

    take(run, filled(path, tmp_path / "x.csv", against))
    mine = [one for one in numbers(run) if one.group.get("judge") == "pairs" and one.group.get("annotator") == "1"]
    values = {metric.name: metric.estimate.value for metric in mine}
    assert values["judge_people_agreement"] == 0.0
    assert values["judge_people_kappa"] <= 0
    assert values["judge_people_alpha"] < 0


def test_single_dialogues_are_scored_on_the_judges_scale(run, tmp_path):
    command(["label", str(run), "--singles", "--pairs", "12"])
    (path,) = sheets(run)
    rows = read(path)
    assert vote_head(rows) == "overall (a number from 1 (worst) to 5 (best))"
    assert {"dialogue"} == {"A", "B", "dialogue"} & rows[0].keys()
    done = filled(path, tmp_path / "scored.csv", lambda row: "4,5" if "why I like" in row["dialogue"] else "1")
    take(run, done)
    assert {(vote.systems[0] == "chatty-bot", vote.value) for vote in kept_votes(run)} == {(True, 4.5), (False, 1.0)}
    said = [one for one in numbers(run) if one.group.get("judge") == "people"]
    people = {metric.group["system"]: metric.estimate.value for metric in said}
    assert people == {"chatty-bot": 4.5, "curt-bot": 1.0, "lost-bot": 1.0}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda rows: rows[2].update({vote_head(rows): "C"}), r"overall of item \w+ takes A, B or tie, got 'C'"),
        (lambda rows: rows[1].update(sheet="feedbeef"), "the sheet 'feedbeef' is none of this run's"),
        (lambda rows: rows[1].update(item="zzz"), "there is no item 'zzz' on the sheet"),
        (lambda rows: rows[1].update(annotator=""), "no annotator is named"),
        (lambda rows: rows.append(dict(rows[0])), r"item \w+ stands in line \d+ already"),
        (lambda rows: [row.pop("sheet") for row in rows], "is no sheet of `mysteryshopper label`"),
    ],
)
def test_what_is_no_vote_is_named_by_file_and_line_and_nothing_is_kept(run, tmp_path, capsys, change, problem):
    command(["label", str(run), "--pairs", "4"])
    (path,) = sheets(run)
    good = filled(path, tmp_path / "good.csv", prefers_words)
    rows = read(good)
    change(rows)
    bad = write(tmp_path / "bad.csv", rows)
    capsys.readouterr()
    assert command(["label", str(run), "--read", str(bad)]) == 1
    told = capsys.readouterr().err
    assert re.search(problem, told), told
    assert re.search(r"bad\.csv:\d+", told)
    assert kept_votes(run) == []


def test_lines_are_counted_through_cells_of_several_lines(run, tmp_path, capsys):
    command(["label", str(run), "--pairs", "4"])
    (path,) = sheets(run)
    bad = filled(path, tmp_path / "bad.csv", lambda row: "maybe")
    lines = bad.read_text("utf-8").split("\n")
    command(["label", str(run), "--read", str(bad)])
    told = capsys.readouterr().err
    numbers = [int(part.split(":")[0]) for part in told.split("bad.csv:")[1:]]
    items = [row["item"] for row in read(bad)]
    assert [lines[number - 1].split(",")[0] for number in numbers] == items


def test_spreadsheets_that_set_cells_apart_by_semicolons_and_blank_cells_are_read(run, tmp_path):
    command(["label", str(run), "--pairs", "4"])
    (path,) = sheets(run)
    answers = iter([" tie ", "b", "", "A"])
    done = filled(path, tmp_path / "x.csv", lambda row: next(answers), delimiter=";", encoding="utf-8-sig")
    (taken,) = take(run, done)
    assert (taken.votes, taken.blank, taken.replaced) == (3, 1, 0)
    assert len(kept_votes(run)) == 3


def test_reading_again_replaces_and_two_sheets_by_one_name_are_refused(run, tmp_path):
    command(["label", str(run), "--pairs", "4"])
    (path,) = sheets(run)
    first = filled(path, tmp_path / "first.csv", lambda row: "A")
    second = filled(path, tmp_path / "second.csv", lambda row: "tie")
    with pytest.raises(ShopperError, match="are both by annotator '1'"):
        take(run, first, second)
    take(run, first)
    (taken,) = take(run, second)
    assert taken.replaced == 4
    assert [vote.value for vote in kept_votes(run)] == [0.5] * 4
    rows = read(second)
    other = write(tmp_path / "other.csv", [{**row, "annotator": "ana"} for row in rows])
    take(run, other)
    assert Counter(vote.annotator for vote in kept_votes(run)) == {"1": 4, "ana": 4}


def test_votes_on_what_is_said_no_more_are_left_out(run, tmp_path):
    """As where a bot that draws answered anew when the run went on: the judge's new verdict is on other words."""
    command(["label", str(run), "--pairs", "1000"])
    (path,) = sheets(run)
    take(run, filled(path, tmp_path / "x.csv", prefers_words))
    votes = {metric.name: metric.estimate.value for metric in numbers(run)}["people_votes"]
    _, store = open_run(run)
    stored = next(one for one in store.verdicts() if one.judge == "pairs" and not one.case.control)
    first, second = stored.case.exhibits
    changed = replace(first, messages=(*first.messages, Message("assistant", "One more thing.")))
    asyncio.run(store.put_verdict(replace(stored, case=replace(stored.case, exhibits=(changed, second)))))
    store.close()
    assert {metric.name: metric.estimate.value for metric in numbers(run)}["people_votes"] == votes - 1


def test_a_sheet_that_may_be_filled_in_is_never_written_over(run, capsys):
    assert command(["label", str(run), "--pairs", "4"]) == 0
    assert command(["label", str(run), "--pairs", "4"]) == 1
    assert "may hold votes" in capsys.readouterr().err
    assert command(["label", str(run), "--pairs", "4", "--seed", "1"]) == 0


def test_what_can_not_be_asked_is_said(run, capsys):
    assert command(["label", str(run), "--criterion", "over-all"]) == 1
    assert "did you mean 'overall'?" in capsys.readouterr().err
    assert command(["label", str(run), "--read"]) == 1
    assert "name the filled-in sheets" in capsys.readouterr().err
    assert command(["label", str(run), "x.csv"]) == 2
    capsys.readouterr()
    assert command(["label", str(run), "--read", "x.csv"]) == 1
    assert "has written no sheet" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "given", "value"),
    [
        (Asked("c", "", "", "pair"), " TIE", 0.5),
        (Asked("c", "", "", "pair"), "first", None),
        (Asked("c", "", "", "score", low=1, high=5), "3,5", 3.5),
        (Asked("c", "", "", "score", low=1, high=5), "6", None),
        (Asked("c", "", "", "score", low=1, high=5), "nan", None),
        (Asked("c", "", "", "label", labels=("Formal", "casual")), "formal", "Formal"),
        (Asked("c", "", "", "label", labels=("Formal", "casual")), "form", None),
    ],
)
def test_a_vote_is_read_as_it_stands_or_not_at_all(asked, given, value):
    assert vote_of(given, asked) == value


def test_votes_on_simulated_users_are_told_of_users_not_of_systems(run):
    votes = [
        Vote(
            "s", "1", f"users|{n}", "realism", "pair", float(n > 9), f"p{n}", systems=("agenda", "cshi"), about="users"
        )
        for n in range(12)
    ]
    (run / "labels").mkdir()
    keep_votes(run, votes)
    (rate,) = [metric for metric in numbers(run) if metric.name == "win_rate"]
    assert rate.group == {
        "judge": "people",
        "criterion": "realism",
        "about": "users",
        "user": "agenda",
        "versus": "cshi",
    }
    assert rate.estimate.value == pytest.approx(10 / 12)


def test_votes_on_two_replies_of_one_system_are_no_wins_of_it(run):
    """As in `robustness`, where both exhibits are by one system."""
    votes = [Vote("s", "1", f"pair|{n}", "overall", "pair", 0.0, f"p{n}", "u", ("bot", "bot")) for n in range(12)]
    (run / "labels").mkdir()
    keep_votes(run, votes)
    assert {metric.name for metric in numbers(run)} == {"people_votes", "people_alpha"}


def test_pairs_and_single_dialogues_asked_the_same_are_told_apart(run):
    votes = [
        Vote("s", who, f"pair|{n}", "overall", "pair", 0.0, f"p{n}", "u", ("a", "b")) for n in range(3) for who in "12"
    ]
    votes += [
        Vote("t", who, f"one|{n}", "overall", "score", n + 1.0, f"p{n}", "u", ("a",)) for n in range(3) for who in "12"
    ]
    (run / "labels").mkdir()
    keep_votes(run, votes)
    found = {metric.group["of"]: metric.estimate.value for metric in numbers(run) if metric.name == "people_alpha"}
    assert found == {"pairs": None, "dialogues": 1.0}
    rows = {row.criterion: row.alpha for row in agreement_rows(numbers(run)) if row.who == "people"}
    assert rows == {"overall, pairs": "–", "overall, dialogues": "1.00"}


@pytest.mark.parametrize(
    ("scale", "judged"),
    [
        ({"sort": "score", "value": 5.0}, {"marks"}),
        ({"sort": "score", "value": 5.0, "high": 10.0}, set()),
        ({"sort": "label", "value": "good", "labels": ("good", "bad")}, set()),
    ],
)
def test_a_judge_with_another_scale_of_that_name_is_not_held_against_the_votes(run, scale, judged):
    _, store = open_run(run)
    cases = [one.case for one in store.verdicts(messages=False) if one.judge == "marks" and not one.case.control]
    store.close()
    votes = [
        Vote("s", "1", case.id, "overall", cluster=case.data["cluster"], systems=("x",), **scale) for case in cases
    ]
    (run / "labels").mkdir()
    keep_votes(run, votes)
    found = {metric.group["judge"] for metric in numbers(run) if metric.name == "judge_people_agreement"}
    assert found == judged
