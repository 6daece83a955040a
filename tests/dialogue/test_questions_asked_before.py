"""Questions held against all earlier ones at once: the same rule as for two turns, and quick for many."""

from time import perf_counter

from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.dialogue.detectors.conduct import MOST_ADDED, same_again
from mysteryshopper.dialogue.detectors.questions import LEAST_WORDS, asked_before, questions

ASKED = st.lists(st.lists(st.sampled_from("ab"), min_size=LEAST_WORDS, max_size=10).map(" ".join), max_size=5)


@given(ASKED, ASKED)
def test_it_is_what_comparing_two_by_two_finds(said, before):
    now, earlier = (questions("".join(f"{one}? " for one in side)) for side in (said, before))
    asked = [" ".join(words) for _, words in earlier]
    two_by_two = next((text for text, words in now if any(same_again(" ".join(words), one) for one in asked)), None)
    assert asked_before(now, earlier) == two_by_two


@given(st.lists(st.sampled_from(("a", "b", "ab")), min_size=1), st.lists(st.sampled_from(("a", "b", "ab")), min_size=1))
def test_a_turn_says_another_again(said, before):
    added = len(said) - len(before)
    inside = any(said[place : place + len(before)] == before for place in range(added + 1))
    again = (
        (added == -1 and said in (before[1:], before[:-1]))
        or said == before * 2
        or (0 <= added <= MOST_ADDED and inside)
    )
    assert same_again(" ".join(said), " ".join(before)) == again


def test_a_pasted_list_of_questions_takes_no_longer_than_to_read_it():
    first, second = (questions("".join(f"is {n} a number {side}? " for n in range(4000))) for side in ("yet", "now"))
    began = perf_counter()
    assert asked_before(second, first) is None
    assert perf_counter() - began < 2
