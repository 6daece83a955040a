"""Carelessness by code: each kind does its own thing at its own rate, and the same seed the same slips."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.users.noise import NOISES, SLIPS, neighbours, perturb, slip

TEXT = "I'd like a Quiet comedy from the seventies, don't show me anything with horses or ghosts please"
_TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=80)


def noisy(kind, rate, seed=1, text=TEXT):
    return perturb(text, kind, rate, Random(seed))


@given(_TEXTS, st.sampled_from(NOISES), st.integers(0, 99))
def test_at_rate_nought_nothing_changes(text, kind, seed):
    assert noisy(kind, 0.0, seed, text) == text


@given(_TEXTS, st.sampled_from(NOISES), st.floats(0, 1), st.integers(0, 99))
def test_any_text_takes_noise_and_the_seed_decides_it(text, kind, rate, seed):
    assert noisy(kind, rate, seed, text) == noisy(kind, rate, seed, text)
    if text.strip():
        assert noisy(kind, rate, seed, text).strip()  # never is nothing left


@pytest.mark.parametrize("kind", ["mixed", "drop_word"])
def test_a_word_that_a_higher_rate_spares_a_lower_one_spared_too(kind):
    clean = TEXT.split()
    assert len(set(clean)) == len(clean)
    for seed in range(40):
        low, high = (noisy(kind, rate, seed).split() for rate in (0.2, 0.5))
        assert set(clean) & set(high) <= set(clean) & set(low)
        assert {word for word in low if word not in clean} <= set(high)  # slipped the same way, not anew


def test_a_window_or_an_apostrophe_that_a_lower_rate_took_a_higher_one_takes_too():
    text = f"{TEXT} and I can't, won't, shan't"
    for seed in range(40):
        clean, low, high = (noisy("shuffle", rate, seed).split() for rate in (0, 0.3, 0.7))
        moved = [place for place, word in enumerate(low) if word != clean[place]]
        assert [high[place] for place in moved] == [low[place] for place in moved]
        some, more = (noisy("apostrophes", rate, seed, text).split() for rate in (0.3, 0.7))
        assert all("'" in one for one, two in zip(some, more, strict=True) if "'" in two)


@pytest.mark.parametrize("kind", [*SLIPS, "casing"])
def test_a_higher_rate_keeps_what_a_lower_one_did(kind):
    for seed in range(20):
        clean, low, high = (noisy(kind, rate, seed).split() for rate in (0, 0.2, 0.6))
        touched = [place for place, word in enumerate(low) if word != clean[place]]
        assert [high[place] for place in touched] == [low[place] for place in touched]
        assert sum(one != two for one, two in zip(high, clean, strict=True)) >= len(touched)


@pytest.mark.parametrize(("kind", "longer"), [("insert", 1), ("delete", -1), ("substitute", 0), ("transpose", 0)])
def test_slips_touch_one_letter_of_long_words_and_never_the_first(kind, longer):
    clean, dirty = TEXT.split(), noisy(kind, 1.0).split()
    for one, two in zip(clean, dirty, strict=True):
        assert two[0] == one[0]
        assert len(two) - len(one) in (0, longer)
    long_words = [place for place, word in enumerate(clean) if sum(letter.isalpha() for letter in word) >= 5]
    assert all(dirty[place] != clean[place] for place in long_words)
    assert dirty[2] == "a"


def test_a_substitute_lies_beside_the_letter_and_a_swap_swaps():
    for seed in range(50):
        word = slip("comedy", "substitute", Random(seed))
        ((was, now),) = [(one, two) for one, two in zip("comedy", word, strict=True) if one != two]
        assert now in neighbours()[was]
        assert sorted(slip("comedy", "transpose", Random(seed))) == sorted("comedy")
    assert neighbours()["q"] == "w"
    assert slip("eee", "transpose", Random(1)) == "eee"
    assert slip("дом", "substitute", Random(1)) == "дом"
    assert slip("DVD", "substitute", Random(1)).isupper()  # a shifted key stays shifted


def test_words_are_dropped_at_their_rate_but_never_all():
    assert len(noisy("drop_word", 1.0).split()) == 1
    kept = sum(len(noisy("drop_word", 0.25, seed).split()) for seed in range(300))
    assert kept / (300 * len(TEXT.split())) == pytest.approx(0.75, abs=0.03)
    assert "  " not in noisy("drop_word", 0.5)


def test_a_shuffle_keeps_all_words_inside_their_window():
    clean, mixed = TEXT.split(), noisy("shuffle", 1.0).split()
    for start in range(0, len(clean), 3):
        assert sorted(mixed[start : start + 3]) == sorted(clean[start : start + 3])
    assert all(mixed[start : start + 3] != clean[start : start + 3] for start in range(0, len(clean) - 1, 3))


def test_apostrophes_go_and_capitals_turn_over():
    assert noisy("apostrophes", 1.0) == TEXT.replace("'", "")
    assert noisy("casing", 1.0) == TEXT.swapcase()


def test_the_rate_is_the_share_of_words_touched():
    touched = total = 0
    for seed in range(200):
        for one, two in zip(TEXT.split(), noisy("casing", 0.3, seed).split(), strict=True):
            touched += one != two
            total += 1
    assert touched / total == pytest.approx(0.3, abs=0.03)
