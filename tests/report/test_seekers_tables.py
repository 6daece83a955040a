"""Simulated users in a report: who won against whom, in a sentence, a table and a plot; how far each kept its role."""

from mysteryshopper.core import Estimate, Metric
from mysteryshopper.report.duels import duels
from mysteryshopper.report.index import make_index
from mysteryshopper.report.plots.figures import figures
from mysteryshopper.report.seekers import contest_tables, is_of_seekers, role_notes, role_table

ABOUT = {"about": "users", "judge": "wise"}
SHARES = {"wins": 0.5, "ties": 0.25, "losses": 0.25, "inconsistent": 0.0, "net_wins": 0.25, "consistency": 1.0}


def number(name, value, low=None, high=None, n=40, **group):
    return Metric(name, group, Estimate(value, low, high, n, 20), "what it is", better="higher")


def contest(criterion="all", first="ada", second="bo", rate=(0.62, 0.55, 0.7), **more):
    group = {**ABOUT, "criterion": criterion, "user": first, "versus": second, **more}
    return [number("win_rate", *rate, **group), *(number(name, value, **group) for name, value in SHARES.items())]


def rates(user, reversal, again, turns=120, dialogues=40):
    return [
        Metric(name, {"user": user, "per": per}, Estimate(value, 0.0, 0.1, n), f"{name} by {per}")
        for name, value in (("role_reversal_rate", reversal), ("repeated_question_rate", again))
        for per, n in (("turn", turns), ("dialogue", dialogues))
    ]


def test_who_plays_people_better_is_said_in_a_sentence_and_how_sure_it_is():
    (clear,) = duels(contest())
    assert clear.text == (
        "ada plays the same people better than bo (win_rate of ada 0.62 [0.55, 0.70], over 20 people, by wise on all"
        " criteria)."
    )
    assert clear.sure == "clear"
    (behind,) = duels(contest(rate=(0.3, 0.2, 0.4)))
    assert behind.text.startswith("bo plays the same people better than ada (win_rate of ada 0.30")
    (unsure,) = duels(contest(rate=(0.55, 0.45, 0.65)))
    assert unsure.text.startswith("This run can't tell ada from bo as simulators of the same people")
    assert unsure.sure == "open"
    (few,) = duels(contest(rate=(0.9, None, None)))
    assert few.text.startswith("ada is ahead of bo, how surely is not known")


def test_one_criterion_stands_for_itself_and_parts_by_system_get_no_sentence():
    (only,) = duels([*contest("wit"), *contest("wit", system="shop")])
    assert "by wise on wit)" in only.text


def test_where_simulators_only_happen_to_be_compared_nothing_is_said():
    assert duels([*contest("naturalness"), *contest("usefulness")]) == []


def test_more_than_two_stand_in_an_order():
    ranks = [
        number("rank", place, place, place, user=user, criterion="all", **ABOUT)
        for user, place in (("bo", 2.0), ("ada", 1.0))
    ]
    told = duels([*contest(), *ranks])
    assert told[0].text.startswith("The order of the simulated users is ada 1.00")
    assert (told[0].beside, told[0].sure) == ("", "clear")
    level = [number("rank", 1.5, user=user, criterion="all", **ABOUT) for user in ("bo", "ada")]
    assert duels([*contest(), *level])[0].text.startswith("The simulated users are level")


def test_the_table_has_all_four_outcomes_and_systems_apart():
    (table,) = contest_tables([*contest(), *contest("clarity"), *contest(system="shop")])
    assert table.caption == "ada against bo, by wise: what ada won and lost"
    head, whole, clarity = table.rows
    assert head[:5] == ("on", "won", "draw", "lost", "orders disagree")
    assert (whole[0], whole[-1], clarity[0]) == ("all", "40", "clarity")
    assert whole[6] == "0.62 [0.55, 0.70]"
    assert [row[:2] for row in table.further] == [("on", "with"), ("all", "shop")]


def test_ranks_and_strengths_share_a_table_and_a_withheld_strength_is_left_out():
    strength = {"ada": Estimate(0.4, 0.1, 0.7, 40, 20), "bo": Estimate(None, reason="only the order")}
    metrics = [
        Metric(name, {**ABOUT, "criterion": "all", "user": user}, found, "")
        for user in ("ada", "bo")
        for name, found in (("strength", strength[user]), ("rank", Estimate(1.0 if user == "ada" else 2.0)))
    ]
    (table,) = contest_tables(metrics)
    assert table.rows[0] == ("on", "ada", "bo")
    assert table.rows[1] == ("all", "1.00; strength 0.40 [0.10, 0.70]", "2.00")


def test_how_far_users_kept_their_role_is_a_row_each_with_its_turns():
    table = role_table([*rates("ada", 0.02, 0.05), *rates("bo", 0.0, 0.0, turns=90)])
    assert table.rows[0][-2:] == ("turns", "dialogues")
    assert [row[0] for row in table.rows[1:]] == ["ada", "bo"]
    assert table.rows[1][1].startswith("0.02 [0.00, 0.10]")
    assert [row[-2:] for row in table.rows[1:]] == [("120", "40"), ("90", "40")]
    assert role_table(contest()) is None
    assert role_notes(rates("ada", 0, 0)) == [
        "did the recommender's work: role_reversal_rate by turn",
        "asked the same again: repeated_question_rate by turn",
    ]


def test_a_pair_of_simulators_is_one_plot_with_a_bar_a_criterion_and_comes_first():
    found = figures([*contest(), *contest("clarity"), *contest("clarity", system="shop")], make_index(iter(())), ())
    assert found[0].title == "Pair by pair: wise: ada against bo"
    assert found[0].order == ("all", "clarity")
    assert found[0].table[1] == ("all", "0.50", "0.25", "0.00", "0.25")


def test_numbers_of_systems_are_none_of_these_tables():
    assert not is_of_seekers(number("win_rate", 0.5, judge="wise", criterion="all", system="a", versus="b"))
    assert not is_of_seekers(number("flagged_turns", 0.5, user="ada", detector="any"))


def test_places_that_overlap_are_said_to_be_open():
    places = {"ada": (1.0, 1.0, 1.0), "bo": (2.0, 2.0, 3.0), "cy": (3.0, 2.0, 3.0)}
    ranks = [number("rank", *place, user=user, criterion="all", **ABOUT) for user, place in places.items()]
    (order,) = duels(ranks)
    assert order.beside == "In which order bo, cy come is open: the intervals of their places overlap."
    assert order.sure == "open"
