"""Yes and no, choices and verdicts: words matched whole, contradictions never resolved by guessing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.reading import read_choice, read_verdict, read_yes_no

GENRES = ["comedy", "thriller", "drama", "horror"]


@pytest.mark.parametrize(
    ("text", "value", "status"),
    [
        ("Yes", True, "ok"),
        ("NO!", False, "ok"),
        ("**No.**", False, "ok"),
        ("Answer: yes", True, "ok"),
        ("Final answer: **Yes**", True, "ok"),
        ("Yes/No: No", False, "ok"),
        ("“Yes”", True, "ok"),
        ("I'm afraid not.", False, "ok"),
        ("No, thanks", False, "ok"),
        ("Well, actually, no", False, "ok"),
        ("Of course not", False, "ok"),
        ("Yes, there is no better film", True, "ok"),
        ("yes — I'd love to, no question", True, "ok"),
        ("No doubt, yes", True, "ok"),
        ("I would say no.", False, "ok"),
        ("I like it. Yes.", True, "ok"),
        ('{"answer": "yes"}', True, "ok"),
        ("true", True, "repaired"),
        ("n", False, "repaired"),
        ("Yes and no", None, "ambiguous"),
        ("No\n\nYes", None, "ambiguous"),
        ("Yes. No, wait.", None, "ambiguous"),
        ("Answer: yes\nAnswer: no", None, "ambiguous"),
        ("maybe", None, "ambiguous"),
        ("Yes, maybe", None, "ambiguous"),
        ("Not sure", None, "ambiguous"),
        ("I wouldn't say yes", None, "ambiguous"),
        ("Yes or no?", None, "ambiguous"),
        ("There is no way to tell", None, "ambiguous"),
        ("Noodles", None, "invalid"),
        ("Yesterday I saw it", None, "invalid"),
        ("5", None, "invalid"),
        ("はい", None, "unsupported"),
        ("oui", None, "unsupported"),
        ("I'm sorry, but I can't answer that. No.", None, "refused"),
    ],
)
def test_yes_and_no(text: str, value: bool | None, status: str) -> None:
    reading = read_yes_no(text)
    assert (reading.value, reading.status) == (value, status)


@pytest.mark.parametrize(
    ("text", "options", "value", "status"),
    [
        ("Unacceptable. Reject.", ["Accept", "Reject"], "Reject", "ok"),
        ("Accept", ["Accept", "Reject"], "Accept", "ok"),
        ("I can't accept that", ["Accept", "Reject"], None, "ambiguous"),
        ("DISAPPROVE", ["approve", "disapprove"], "disapprove", "ok"),
        ("I disapprove of it", ["approve", "disapprove"], "disapprove", "ok"),
        ("I do not accept. Reject", ["Accept", "Reject"], "Reject", "ok"),
        ("Accept. It's great, I would reject nothing", ["Accept", "Reject"], "Accept", "ok"),
        ("Accept. No wait, reject.", ["Accept", "Reject"], None, "ambiguous"),
        ("Maybe accept", ["Accept", "Reject"], None, "ambiguous"),
        ("accept, reject", ["Accept", "Reject"], None, "ambiguous"),
        ("Acceptance speech", ["Accept", "Reject"], None, "invalid"),
        ("I think option C fits best", GENRES, "drama", "ok"),
        ("A good fit would be D", GENRES, "horror", "ok"),
        ("A comedy would be nice", GENRES, "comedy", "ok"),
        ("I am a person", GENRES, None, "invalid"),
        ("c", GENRES, "drama", "ok"),
        ("(B)", GENRES, "thriller", "ok"),
        ("B) thriller", GENRES, "thriller", "ok"),
        ("B) drama", GENRES, None, "ambiguous"),
        ("Final answer: C", GENRES, "drama", "ok"),
        ("**Drama**", GENRES, "drama", "ok"),
        ("not comedy but drama", GENRES, "drama", "ok"),
        ("comedy or drama", GENRES, None, "ambiguous"),
        ("E", GENRES, None, "invalid"),
        ("Option E", GENRES, None, "invalid"),
        ("喜剧", GENRES, None, "unsupported"),
        ("喜剧", ["喜剧", "剧情"], "喜剧", "ok"),
        ("Agent 1.", ["AGENT 1", "AGENT 2"], "AGENT 1", "ok"),
        ("Agent 12", ["AGENT 1", "AGENT 2"], None, "invalid"),
        ("I like science fiction", ["fiction", "science fiction"], "science fiction", "ok"),
        ("A", ["B", "A"], "A", "ok"),
        ("A or B", ["A", "B"], None, "ambiguous"),
        ("same", ["Same", "same!"], None, "ambiguous"),
        ("anything", [], None, "invalid"),
    ],
)
def test_choices(text: str, options: list[str], value: str | None, status: str) -> None:
    reading = read_choice(text, options)
    assert (reading.value, reading.status) == (value, status)


@pytest.mark.parametrize(
    ("text", "labels", "value", "status"),
    [
        ("[[C]]", ("A", "B"), "tie", "ok"),
        ("tie", ("A", "B"), "tie", "ok"),
        ("Both are equal", ("A", "B"), "tie", "ok"),
        ("[[D]]", ("A", "B"), None, "invalid"),
        ("A or B", ("A", "B"), None, "ambiguous"),
        ("[[C]]", ("A", "B", "C"), "C", "ok"),
        ("[[C]]", ("X", "Y"), None, "invalid"),
        ("[[A]] looks nice at first, yet B answers the question. [[B]]", ("A", "B"), "B", "ok"),
        ('[[A]]. The other one wrote "final verdict: [[B]]"', ("A", "B"), "A", "ok"),
        ("```\nVerdict: [[B]]\n```\nis what one of them wrote. [[A]]", ("A", "B"), "A", "ok"),
        ("They wrote “[[B]]”.", ("A", "B"), None, "invalid"),
        ("> [[B]]", ("A", "B"), None, "invalid"),
        ("```\n[[A]]\n```", ("A", "B"), "A", "ok"),
        ('"A"', ("A", "B"), "A", "ok"),
        ("Verdict: B", ("A", "B"), "B", "ok"),
        ("Verdict: A\nOn reflection, verdict: B", ("A", "B"), "B", "ok"),
        ("My final verdict is: [[tie]].", ("A", "B"), "tie", "ok"),
        ("A is better than B", ("A", "B"), "A", "ok"),
        ("A is not better", ("A", "B"), None, "ambiguous"),
        ("Not a tie", ("A", "B"), None, "ambiguous"),
        ("A is better, and B is better", ("A", "B"), None, "ambiguous"),
        ("A good try. B is stronger.", ("A", "B"), "B", "ok"),
        ("Conversation 2 is better", ("Conversation 1", "Conversation 2"), "Conversation 2", "ok"),
        ("[[conversation 2]]", ("Conversation 1", "Conversation 2"), "Conversation 2", "ok"),
        ("Neither is better", ("A", "B"), "tie", "ok"),
        ("They were long.", ("A", "B"), None, "invalid"),
    ],
)
def test_verdicts(text: str, labels: tuple[str, ...], value: str | None, status: str) -> None:
    reading = read_verdict(text, labels)
    assert (reading.value, reading.status) == (value, status)


def test_quoting_reasoning_and_fences_around_a_verdict_change_nothing() -> None:
    for text in ("<think>[[A]]</think>[[B]]", "**[[B]]**", "Verdict: **B**", "`[[B]]`"):
        assert read_verdict(text, ("A", "B")).value == "B"


_decoration = st.sampled_from(
    ["{}", "**{}**", '"{}"', "{}.", " {}\n", "Answer: {}", "<think>no, yes, A</think>{}", "“{}”"]
)


@given(st.booleans(), _decoration, st.sampled_from([str.upper, str.lower, str.title]))
def test_a_decorated_yes_or_no_reads_back(value: bool, decoration: str, case) -> None:
    assert read_yes_no(decoration.format(case("yes" if value else "no"))).value is value


_option = st.from_regex(r"[a-z]{3,8}( [a-z0-9]{1,6})?", fullmatch=True)


@given(st.lists(_option, min_size=1, max_size=8, unique=True), st.data(), _decoration)
def test_a_decorated_option_reads_back(options: list[str], data: st.DataObject, decoration: str) -> None:
    place = data.draw(st.integers(0, len(options) - 1))
    assert read_choice(decoration.format(options[place]), options).value == options[place]
    letter = "abcdefgh"[place]
    assert read_choice(f"({letter})", options).value == options[place]
    assert read_choice(f"Option {letter.upper()}", options).value == options[place]


@given(
    st.lists(st.from_regex(r"[A-Z][a-z]{0,6}( [0-9])?", fullmatch=True), min_size=2, max_size=4, unique=True), st.data()
)
def test_an_explicit_verdict_reads_back(labels: list[str], data: st.DataObject) -> None:
    if {label.casefold() for label in labels} & {"tie", "tied", "draw", "equal", "both"}:
        return
    if len({label.casefold() for label in labels}) < len(labels):
        return
    label = data.draw(st.sampled_from(labels))
    other = data.draw(st.sampled_from(labels))
    assert read_verdict(f"[[{other}]] at first. Then [[{label}]]", labels).value == label
