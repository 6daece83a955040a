"""A sheet tells people what the catalogue knows of the items shown, as nobody can judge a title they never heard of."""

import csv

from mysteryshopper.core import Case, Criterion, Exhibit, Item, ItemRef, Message
from mysteryshopper.experiment.labels import Copy, Entry, write_copies
from mysteryshopper.experiment.labels.facts import facts_of
from mysteryshopper.experiment.labels.records import Asked
from mysteryshopper.items import Catalog
from mysteryshopper.report.label_sheet import render_label_sheet

PIER = Item("1", "Pier Walk", attributes={"effort": ("easy",), "company": (), "sight": ("a lake", "a ruin")})
GOAT = Item("2", "Goat Stair", 1990, attributes={"effort": ("steep",)})
BARE = Item("3", "Bare Hill")
CATALOG = Catalog([PIER, GOAT, BARE])


def shows(*items):
    refs = tuple(ItemRef(item.id, item.title, item.year) for item in items)
    return Exhibit("", "d", "n", (Message("assistant", "How about this?", items=refs),))


def case(*exhibits, context=(), **data):
    return Case("c", "u", exhibits, (Criterion("overall", "Which is better?"),), context, data)


def test_each_item_shown_is_told_once_by_title_whoever_showed_it():
    told = (("Goat Stair (1990)", "effort: steep"), ("Pier Walk", "effort: easy; sight: a lake, a ruin"))
    assert facts_of(case(shows(PIER, GOAT), shows(PIER)), CATALOG) == told
    assert facts_of(case(shows(PIER), shows(GOAT, PIER)), CATALOG) == told


def test_what_was_shown_before_is_told_and_what_people_mention_is_not():
    asked = Message("user", "Not Goat Stair.", items=(ItemRef("2", "Goat Stair"),))
    before = (Message("assistant", "Pier Walk?", items=(ItemRef("1", "Pier Walk"), ItemRef(None, "Elsewhere"))), asked)
    found = facts_of(case(shows(BARE), shows(), context=before), CATALOG)
    assert [title for title, _ in found] == ["Pier Walk"]


def test_nothing_is_told_without_a_catalogue_or_where_simulated_users_are_compared():
    assert facts_of(case(shows(PIER), shows(GOAT)), None) == ()
    assert facts_of(case(shows(PIER), shows(GOAT), about="users"), CATALOG) == ()


def test_the_sheet_and_the_page_tell_it(tmp_path):
    pair = case(shows(PIER), shows(GOAT))
    asked = Asked("overall", "Which is better?", "A, B or tie", "pair")
    copy = Copy("bcdf", "1", (asked,), (Entry("xyz", pair, False, facts_of(pair, CATALOG)),))
    (path,) = write_copies(tmp_path, [copy])
    with path.open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert "Goat Stair (1990): effort: steep" in row["what the catalogue says"]
    page = render_label_sheet(copy)
    assert "What the catalogue says" in page
    assert "effort: easy; sight: a lake, a ruin" in page


def test_a_sheet_of_which_nothing_is_known_has_no_such_column(tmp_path):
    pair = case(shows(BARE), shows())
    asked = Asked("overall", "Which is better?", "A, B or tie", "pair")
    copy = Copy("bcdf", "1", (asked,), (Entry("xyz", pair, False, facts_of(pair, CATALOG)),))
    (path,) = write_copies(tmp_path, [copy])
    assert "catalogue" not in path.read_text(encoding="utf-8")
    assert "catalogue" not in render_label_sheet(copy)


def test_of_many_items_those_told_do_not_depend_on_the_side_that_showed_them():
    items = [Item(f"{number}", f"Path {number:02}", attributes={"effort": ("easy",)}) for number in range(60)]
    one, other = shows(*items[:30]), shows(*items[30:])
    found = facts_of(case(one, other), Catalog(items))
    assert found == facts_of(case(other, one), Catalog(items))
    assert len(found) == 40
