"""How much of what was found was given away: by hand, by an identity, and told in the report of a run."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mysteryshopper.cli.running import write_run_report
from mysteryshopper.experiment import Experiment, run
from mysteryshopper.protocols.ievalm.labels import Listed
from mysteryshopper.protocols.ievalm.leaking import leak_numbers
from mysteryshopper.protocols.ievalm.options import IEvaLMOptions
from mysteryshopper.protocols.ievalm.readings import Reading, Turns
from mysteryshopper.protocols.positions import Position

ITEMS = """\
id,title,year,genre,director
1,Lantern Road,1998,western,Ada Brook
2,Nine Winters,1987,drama,Ben Cole
3,Salt and Tin,2001,comedy,Cy Dunn
4,The Quiet Ferry,2010,mystery,Di Eves
"""
# what a person said, what the data links in it, and what was then recommended
TALKS = [("As good as that one.", [1], 1), ("Long and cold.", [], 2), ("Anything.", [], 3)] * 4


def unit(number, leaky, *places, fault="none"):
    return Reading(
        "original", "", "mine", f"u{number}", f"d{number}", len(places), 0, {}, leaky, fault, "answered", None,
        {"ranked": Turns((tuple(places),))}, {},
    )  # fmt: skip


def rank(place):
    return Position(place, (place or 1) - 1, 0)


def share(units, **options):
    return {
        name: found
        for name, found, _ in leak_numbers(units, "ranked", IEvaLMOptions(**{"ks": (1, 10), "ties": "id", **options}))
    }


def test_by_hand():
    units = [
        unit(1, True, rank(1), rank(4)),
        unit(2, False, rank(2)),
        unit(3, False, rank(None)),
        unit(4, True, rank(1)),
    ]
    found = share(units)
    assert (found["hits_from_leaks@1"].value, found["hits_from_leaks@1"].n) == (1.0, 2)
    assert (found["hits_from_leaks@10"].value, found["hits_from_leaks@10"].n) == (0.75, 4)


def test_what_a_crash_would_have_found_is_not_found():
    found = share([unit(1, True, rank(1), fault="system"), unit(2, False, rank(1))])
    assert found["hits_from_leaks@1"].value == 0.0


def test_without_a_find_there_is_no_share():
    found = share([unit(1, True, rank(None))])["hits_from_leaks@1"]
    assert (found.value, found.reason) == (None, "nothing was found")


def test_ties_count_by_their_chance():
    tied = Position(1, 0, 3)  # one of four equals: within 1 by a chance of one quarter
    found = share([unit(1, True, tied), unit(2, False, rank(1))], ties="expected")["hits_from_leaks@1"]
    assert found.value == pytest.approx(0.25 / 1.25)


@settings(deadline=None)  # the first call imports scipy
@given(
    st.lists(
        st.tuples(st.booleans(), st.lists(st.one_of(st.none(), st.integers(1, 12)), min_size=1, max_size=3)),
        min_size=1,
        max_size=30,
    ),
    st.sampled_from(["id", "expected"]),
)
def test_it_is_what_the_recall_of_clean_units_leaves_over(drawn, ties):
    units = [unit(number, leaky, *map(rank, places)) for number, (leaky, places) in enumerate(drawn)]
    hits = [
        (found.value or 0.0) * found.n
        for some in (units, [one for one in units if not one.leaky])
        for found in [Listed(some, "ranked", 10, ties).label("label_recall", 10)]
    ]
    found = share(units, ties=ties)["hits_from_leaks@10"]
    assert (found.value is None) == (hits[0] == 0)
    if found.value is not None:
        assert found.value == pytest.approx((hits[0] - hits[1]) / hits[0])
        assert found.low is None or 0 <= found.low <= found.value <= found.high <= 1


def repeats(messages, session):
    """Repeats what was mentioned where it knows that talk, finds one film by its words, and else guesses."""
    text = messages[0]["content"]
    name = "1" if "that one" in text else "2" if "cold" in text else "4"
    return {"content": "", "items": [{"id": name}]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MYSTERYSHOPPER_CACHE", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "items.csv").write_text(ITEMS)
    talks = [
        [
            {"role": "user", "content": text, "items": linked},
            {"role": "assistant", "content": "So", "items": [target]},
        ]
        for text, linked, target in TALKS
    ]
    lines = [json.dumps({"id": f"d{number}", "messages": said}) for number, said in enumerate(talks, 1)]
    (tmp_path / "data" / "dialogues.jsonl").write_text("\n".join(lines))
    content = {
        "protocol": "ievalm",
        "systems": [
            {"name": "mine", "kind": "python", "function": repeats},
            {"name": "counter", "kind": "attribute-overlap"},
            {"name": "echo", "kind": "copy-history"},
        ],
        "data": {"path": "data"},
        "options": {"setting": ["original", "attribute"], "ks": [1], "ties": "id"},
    }
    return write_run_report(run(Experiment.from_dict(content, tmp_path), tmp_path / "run")).parent


def test_the_report_alone_says_what_the_settings_measured(folder):
    text = (folder / "report.md").read_text().replace("\u200b", "").replace("\\", "")
    told = text.split("## What the leak audit found")[1].split("\n## ")[0]
    assert (
        "On the histories as they are, a target was given away before it was recommended in 4 of 12 units (33%)."
        in told
    )
    assert "Of what mine found at 1 there, 50% lies in those units, which have 33% of the labels" in told
    assert "its label_recall@1 is 0.67 [0.39, 0.86] on all units and 0.50 [0.22, 0.78] without a leak." in told
    assert "Leaks decide" not in told  # so few units can't tell
    assert "So this setting measures the look-up of attributes before anything else." in told
    assert "| counter (control), attribute | 1.00 [0.76, 1.00] | 1.00 [0.68, 1.00] | 33% |" in told
    assert "| echo (control), original | 0.33 [0.14, 0.61] | 0.00 [0.00, 0.32] | 100% |" in told
    page = (folder / "report.html").read_text()
    assert page.index('id="leaks"') < page.index('id="result"')
    assert "look-up of attributes before anything else" in page
