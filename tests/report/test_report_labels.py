"""How a report tells of people's votes: a sentence a judge, two sides a row, disagreements first."""

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.experiment.labels import Vote
from mysteryshopper.experiment.labels.agreeing import Labelled
from mysteryshopper.report.labels import agreement_rows, people_sentences, voted_rows


def share(name, value, n=20, **group):
    return Metric(name, group, Estimate(value, value - 0.1, value + 0.1, n, n, method="wilson"))


METRICS = [
    Metric("people_alpha", {"criterion": "overall"}, Estimate(None, reason="no unit has two ratings")),
    share("people_with_others", 0.8, criterion="overall"),
    share("people_with_others", 0.7, criterion="overall", annotator="ana"),
    share("constant_with_others", 0.5, criterion="overall"),
    share("judge_people_agreement", 0.6, judge="rules", annotator="majority", criterion="overall"),
    share("judge_people_kappa", 0.3, judge="rules", annotator="majority", criterion="overall"),
    share("judge_people_agreement", 0.4, judge="rules", annotator="majority", criterion="overall", pair="a vs b"),
    share("judge_with_others", 0.55, judge="rules", criterion="overall"),
    share("judge_with_others_kappa", 0.2, judge="rules", criterion="overall"),
]


def test_the_sentence_sets_the_judge_beside_what_one_person_and_a_constant_reach():
    (sentence,) = people_sentences(METRICS)
    assert sentence.startswith("The judge rules says what most people say in 0.60 [0.50, 0.70] of 20 on overall; ")
    assert "it agrees in 0.55 [0.45, 0.65] (kappa 0.20 [0.10, 0.30]), where" in sentence
    assert "the person left out reaches 0.80" in sentence
    assert "always the commonest answer 0.50" in sentence


def test_imported_labels_find_their_ceiling_by_label_and_level():
    of = {"label": "satisfaction", "level": "turn"}
    metrics = [
        share("people_with_others", 0.7, **of),
        share("constant_with_others", 0.68, **of),
        share("judge_people_agreement", 0.2, judge="rules", annotator="majority", criterion="turn_answered", **of),
        share("judge_with_others", 0.25, judge="rules", criterion="turn_answered", **of),
    ]
    (sentence,) = people_sentences(metrics)
    assert "on turn_answered, satisfaction, turn; " in sentence
    assert "reaches 0.70" in sentence
    assert people_sentences(metrics[2:3]) == []  # of a label without the votes behind it there is no ceiling to tell


def test_agreement_kappa_and_alpha_of_two_sides_share_a_row_and_judges_come_first():
    rows = agreement_rows(METRICS)
    assert [(row.who, row.other, row.criterion) for row in rows] == [
        ("rules", "majority", "overall"),
        ("rules", "majority", "overall, a vs b"),
        ("rules", "majority of the others", "overall"),
        ("people", "each other", "overall"),
        ("any annotator", "majority of the others", "overall"),
        ("ana", "majority of the others", "overall"),
        ("always the commonest answer", "majority of the others", "overall"),
    ]
    assert (rows[0].agreement, rows[0].kappa, rows[0].alpha) == ("0.60 [0.50, 0.70]", "0.30 [0.20, 0.40]", "–")
    assert rows[3].reason == "no unit has two ratings"


def labelled(case, votes, judged, sort="pair", systems=("a", "b")):
    vote = Vote("s", "1", case, "overall", sort, 0.0, case, systems=systems)
    return Labelled(case, "overall", sort, systems, votes, judged, vote)


def test_votes_are_told_as_systems_and_what_differs_from_the_majority_comes_first():
    rows = voted_rows(
        [
            labelled("same", {"1": 1.0, "2": 0.5, "3": 1.0}, {"rules": 1.0}),
            labelled("apart", {"1": 0.0}, {"rules": 1.0, "duel": None}),
            labelled("torn", {"1": 0.0, "2": 1.0}, {"rules": 1.0}),
            labelled("noise", {"1": 0.0}, {"rules": 0.0}, systems=("a", "a")),
            labelled("close", {"1": 4.0}, {"rules": 4.4}, "score", ("a",)),
            labelled("far", {"1": 4.0}, {"rules": 2.0}, "score", ("a",)),
        ]
    )
    assert [(row.case, row.apart) for row in rows] == [
        ("apart", True),
        ("far", True),
        ("same", False),
        ("torn", False),
        ("noise", False),
        ("close", False),
    ]
    told = {row.case: (row.votes, row.judged) for row in rows}
    assert told["same"] == ((("1", "b"), ("2", "tie"), ("3", "b")), (("rules", "b"),))
    assert told["apart"][1] == (("rules", "b"), ("duel", "–"))
    assert told["noise"] == ((("1", "first"),), (("rules", "first"),))
    assert told["far"] == ((("1", "4.00"),), (("rules", "2.00"),))
