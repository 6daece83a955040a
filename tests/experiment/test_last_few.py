"""What is made of an object is made once as long as the object comes again soon, and is never another one's."""

from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.experiment.last_few import LastFew


def test_the_same_object_is_worked_on_once_and_an_equal_one_anew():
    made: list[list[int]] = []

    def sized(numbers: list[int]) -> int:
        made.append(numbers)
        return len(numbers)

    few = LastFew(sized)
    one, twin = [1, 2], [1, 2]
    assert [few.of(one), few.of(twin), few.of(one)] == [2, 2, 2]
    assert len(made) == 2
    assert made[0] is one
    assert made[1] is twin


@given(st.lists(st.integers(0, 400), max_size=600))
def test_whatever_comes_in_any_order_gets_what_is_made_of_it(order):
    few = LastFew(lambda numbers: numbers[0] * 2)
    objects = [[number] for number in range(401)]
    assert [few.of(objects[place]) for place in order] == [place * 2 for place in order]


def test_objects_that_are_gone_leave_nothing_to_those_in_their_place():
    few = LastFew(lambda numbers: numbers[0])
    assert [few.of([number]) for number in range(1000)] == list(range(1000))  # each is freed, and its address used anew
