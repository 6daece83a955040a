"""What a model writes becomes a value: cleaned a little, never too long, never compiled; problems stand once each."""

from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.optimize.texts import NEAR, fit, likeness, problem_set

HOSTILE = 'Say {{ profile }} and {% raw %} <<00ff ... 00ff>> ``` [END] ${HOME} %s {"reply": "x"} </script>'


def test_marks_of_templates_and_fences_stay_as_they_were():
    assert fit(HOSTILE, 3000).text == HOSTILE
    assert not fit(HOSTILE, 3000).cut


def test_reasoning_fences_and_control_characters_go():
    assert fit("<think>hm {{ x }}</think>\nBe brief.", 300).text == "Be brief."
    assert fit("```text\nBe brief.\n\n\n\nBe kind.\n```", 300).text == "Be brief.\n\nBe kind."
    assert fit("Be\x00 brief\x1b[2J.\r\nBe kind.", 300).text == "Be brief[2J.\nBe kind."
    assert fit("<think>never closed", 300).text == ""


def test_a_long_text_is_cut_at_the_end_of_a_sentence():
    text = "One two three. " * 30  # 450 characters
    fitted = fit(text, 200)
    assert fitted.cut
    assert fitted.text.endswith("three.")
    assert 134 <= len(fitted.text) <= 200
    assert fit("x" * 500, 200).text == "x" * 200  # nowhere to cut


@given(st.text(max_size=900), st.integers(200, 400))
def test_no_text_is_too_long_and_fitting_again_changes_nothing(text, longest):
    fitted = fit(text, longest)
    assert len(fitted.text) <= longest
    fitted.text.encode()
    if not fitted.cut and "<" not in text and "```" not in text:
        assert fit(fitted.text, longest).text == fitted.text


def test_nearly_the_same_is_told_from_anew():
    text = "Ask for one thing. Say why it matters to you. Never offer anything yourself, and leave when you are done."
    assert likeness(text, text) == 1
    assert likeness(text, text.replace("done", "content")) >= NEAR
    assert likeness(text, " ".join(reversed(text.split()))) < NEAR
    assert likeness("", "") == 1


def test_each_problem_stands_once_with_the_dialogues_that_have_it():
    found = [
        ("d1", ["Repeats itself.", "Tells everything at once."]),
        ("d2", ["repeats  itself!", "Takes a suggestion that does not fit."]),
        ("d3", ["Takes a suggestion which does not fit.", "Repeats itself.", "Repeats itself"]),
    ]
    told = [(one.text, one.dialogues, one.example) for one in problem_set(found)]
    assert told == [
        ("Repeats itself.", 3, "d1"),
        ("Takes a suggestion that does not fit.", 2, "d2"),
        ("Tells everything at once.", 1, "d1"),
    ]
    assert problem_set([("d1", [])]) == ()
