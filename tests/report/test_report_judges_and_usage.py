"""Rulings stand at the turn they concern, are counted by judge, and never guessed; usage says how long calls took."""

import re

from html_outline import Outline
from report_samples import FakeStore, dialogue, report

from mysteryshopper.core import Address, Call, Case, Exhibit, Ruling, StoredVerdict, Verdict
from mysteryshopper.report import render_report
from mysteryshopper.report.opinions import gather
from mysteryshopper.report.usage import waits


def ruled(*rulings, case="c1", control="", exhibits=("d0",), judge="referee", **data):
    shown = tuple(Exhibit(label, name, "0.0", ()) for label, name in zip("AB", exhibits, strict=False))
    return StoredVerdict(Case(case, "u", shown, (), data=data, control=control), Verdict(case, rulings), judge, "k")


def page_with(*verdicts):
    return render_report(report(store=FakeStore([dialogue(0)], (), list(verdicts))))


def turn(page, number):
    """The text of one turn; that of the last also holds what follows it."""
    parts = re.split(r'<li class="(?:user|system)" id="d-\w+-t(\d+)">', page)
    return re.sub(r"\s+", " ", Outline(parts[parts.index(str(number), 1) + 1]).text)


def test_a_ruling_on_a_turn_stands_at_that_turn_with_its_evidence():
    found = Ruling("turn_answered", 0, "ok", node="0.0", notes={"evidence": [{"node": "0.0", "what": "no year told"}]})
    page = page_with(ruled(found))
    assert "referee on turn_answered: 0 – no year told" in turn(page, 3)
    assert "turn_answered" not in turn(page, 1)


def test_evidence_of_a_ruling_on_the_whole_dialogue_is_marked_at_its_turns():
    notes = {"evidence": [{"node": "0.0", "what": "lacks the country"}, {"node": "0.0.0", "what": "is pleased"}]}
    page = page_with(ruled(Ruling("overall", 3.53333, "ok", notes=notes)))
    assert "referee on overall: lacks the country" in turn(page, 3)
    assert "referee on overall: is pleased" in turn(page, 4)
    assert "referee on overall 3.533 marked at 2 places above" in re.sub(r"\s+", " ", Outline(page).text)


def test_a_pair_is_no_ruling_on_a_turn_of_either_side():
    pair = ruled(Ruling("better", "A", "ok", order="BA", node="0.0"), exhibits=("d0", "d1"), systems=["mine", "other"])
    page = page_with(pair)
    assert "better" not in turn(page, 3)
    assert "as A (mine against other), shown BA" in re.sub(r"\s+", " ", Outline(page).text)


def test_what_could_not_be_read_is_counted_apart_and_controls_are_left_out():
    found = gather(
        [
            ruled(Ruling("good", 4, "ok")),
            ruled(Ruling("good", 2, "repaired"), case="c2"),
            ruled(Ruling("good", None, "refused", raw="I will not"), case="c3"),
            ruled(Ruling("good", 1, "ok"), case="c4", control="worse"),
        ],
        {"d0"},
    )
    [tally] = found.tallies
    assert (tally.read, tally.unread, tally.values) == (2, "refused 1", "4: 1, 2: 1")
    assert (found.cases, found.controls) == (4, 1)
    assert [one.token for one in found.by_dialogue["d0"]][:3] == ["good: 4", "good: 2", "good: not read"]


def test_opinions_on_dialogues_that_are_not_shown_are_counted_and_not_kept():
    found = gather([ruled(Ruling("good", 4, "ok"))], set())
    assert not found.by_dialogue
    assert found.tallies[0].read == 1


def test_waits_are_of_calls_that_were_sent():
    def call(ms, cached=False):
        return Call(f"c{ms}", "k", Address(role="system", component="mine"), "m", "ok", cached=cached, ms=ms)

    [row] = waits([*(call(float(ms)) for ms in range(1, 101)), call(9_000.0, cached=True)])
    assert (row.component, row.calls, row.median, row.slow) == ("mine", "100", "50 ms", "95 ms")
    assert waits([call(1_500.0)])[0].median == "1.5 s"
