"""Which units are run."""

from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import Unit
from mysteryshopper.experiment.selection import repeated, select


def units(ids, systems=("a", "b")):
    return (Unit(id=str(name), system=system) for name in ids for system in systems)


ids = st.lists(st.integers(0, 200), unique=True, max_size=40)


@given(ids, st.integers(1, 50), st.integers(0, 9), st.integers(0, 5))
def test_raising_the_limit_only_adds(names, n, more, seed):
    fewer = [unit.key for unit in select(units(names), n, seed)]
    assert [unit.key for unit in select(units(names), n + more, seed)][: len(fewer)] == fewer
    assert len({key.split("|")[0] for key in fewer}) == min(n, len(names))


@given(ids, st.integers(1, 50), st.integers(0, 5), st.randoms())
def test_the_choice_does_not_depend_on_the_order_of_the_data(names, n, seed, random):
    chosen = {unit.key for unit in select(units(names), n, seed)}
    random.shuffle(names)
    assert {unit.key for unit in select(units(names), n, seed)} == chosen


def test_an_id_is_chosen_with_all_its_systems():
    chosen = list(select(units(range(100)), 10, 7))
    assert len(chosen) == 20
    assert all(one.id == other.id for one, other in zip(chosen[::2], chosen[1::2], strict=True))
    # also where the systems come apart in the data
    apart = [*units(range(100), ("a",)), *units(range(100), ("b",))]
    assert {unit.key for unit in select(apart, 10, 7)} == {unit.key for unit in chosen}


def test_another_seed_chooses_others_and_no_limit_keeps_the_order():
    assert {unit.id for unit in select(units(range(100)), 10, 7)} != {
        unit.id for unit in select(units(range(100)), 10, 8)
    }
    assert [unit.id for unit in select(units(range(5), ("a",)), None, 7)] == ["0", "1", "2", "3", "4"]


def test_a_choice_is_spread_over_the_data():
    chosen = [int(unit.id) for unit in select(units(range(10_000), ("a",)), 1000, 7)]
    assert 4500 < sum(chosen) / len(chosen) < 5500


def test_repeats_are_numbered():
    assert [unit.key for unit in repeated(units([1], ("a",)), 3)] == ["1||a|0", "1||a|1", "1||a|2"]
