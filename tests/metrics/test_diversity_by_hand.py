"""Entropy, distinct n-grams, type-token ratios, divergence and spread of vectors."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mysteryshopper.core import DataError
from mysteryshopper.metrics import (
    cosine_diversity,
    distinct_n,
    entropy,
    jensen_shannon,
    mean_type_token_ratio,
    sampled_type_token_ratio,
    type_token_ratio,
    words,
)

texts = st.lists(st.text(alphabet="ab c'-é千映", max_size=12), max_size=6)


@pytest.mark.parametrize(
    ("counts", "bits"),
    [([4, 2, 1, 1], 1.75), ([8, 1, 1], 0.92193), ([0.5, 0.25, 0.25], 1.5), ([1, 1], 1.0), ([3, 0, 3], 1.0)],
)
def test_entropy_is_in_bits(counts, bits):
    assert entropy(counts) == pytest.approx(bits, abs=5e-6)


def test_entropy_in_nats_is_less_by_ln_two():
    assert entropy([4, 2, 1, 1]) * math.log(2) == pytest.approx(1.2130, abs=5e-5)


def test_entropy_of_one_kind_prints_as_zero():
    answers = Counter(["the salt clock"] * 3)
    assert str(entropy(answers)) == "0.0"


def test_entropy_of_nothing_is_undefined():
    assert entropy([]) is None
    assert entropy([0, 0]) is None
    assert entropy({}) is None


@pytest.mark.parametrize("counts", [[-1, 2], [math.nan], [math.inf, 1]])
def test_entropy_takes_counts_only(counts):
    with pytest.raises(DataError):
        entropy(counts)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=20), st.data())
def test_entropy_is_bounded_and_blind_to_order_and_size(counts, data):
    value = entropy(counts)
    kinds = sum(count > 0 for count in counts)
    if not kinds:
        assert value is None
        return
    assert 0 <= value <= math.log2(kinds) + 1e-9
    assert math.copysign(1, value) == 1
    assert entropy(data.draw(st.permutations(counts))) == pytest.approx(value)
    assert entropy([count * 3 for count in counts]) == pytest.approx(value, abs=1e-9)


def test_divergence_of_equal_and_of_disjoint_distributions():
    assert jensen_shannon({"a": 2, "b": 2}, {"a": 1, "b": 1}) == pytest.approx(0)
    assert jensen_shannon({"a": 5}, {"b": 1}) == pytest.approx(1)
    assert jensen_shannon({"a": 1}, {"a": 1, "b": 1}) == pytest.approx(0.81128 - 0.5, abs=5e-6)
    assert jensen_shannon({}, {"a": 1}) is None


def test_distinct_words_and_pairs():
    assert distinct_n(["a b a b c"], 1) == 0.6
    assert distinct_n(["a b a b c"], 2) == 0.75


def test_distinct_counts_words_not_letters():
    """By letters `i like it` would hold six kinds and eight pairs."""
    assert distinct_n(["i like it"], 1) == 1
    assert distinct_n(["i like it", "i like it"], 1) == 0.5
    assert distinct_n(["i like it"], 2) == 1


def test_pairs_do_not_cross_texts():
    assert distinct_n(["a b", "a b"], 2) == 0.5
    assert distinct_n(["a", "b"], 2) is None


def test_chinese_text_is_not_one_token():
    assert words("我想看电影") == ["我", "想", "看", "电", "影"]
    assert distinct_n(["看电影看电影"], 1) == 0.5
    assert words("看 Star-Wars，好吗？") == ["看", "star-wars", "好", "吗"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don’t STOP, don't!", ["don't", "stop", "don't"]),
        ("sci-fi -- or 80s?", ["sci-fi", "or", "80s"]),
        ("Cafe\u0301 Café", ["café", "café"]),
        ("👍 :) …", []),
        ("映画を見る", ["映", "画", "を", "見", "る"]),
        ("смотри фильм", ["смотри", "фильм"]),
        ("ที่นี่", ["ที่", "นี่"]),
        ("a \u0301b", ["a", "b"]),
        ("", []),
    ],
)
def test_words_in_many_scripts(text, expected):
    assert words(text) == expected


@given(texts, st.integers(1, 3))
def test_distinct_is_a_share_and_does_not_know_the_order_of_texts(given_texts, n):
    value = distinct_n(given_texts, n)
    assert value is None or 0 < value <= 1
    assert distinct_n(given_texts[::-1], n) == value
    assert (type_token_ratio(given_texts) is None) == (not any(words(text) for text in given_texts))


@given(st.text())
def test_words_hold_no_spaces_and_do_not_depend_on_case(text):
    found = words(text)
    assert all(word and not any(char.isspace() for char in word) for word in found)
    assert words(" ".join(found)) == found


def test_three_type_token_ratios():
    corpus = ["a a b", "a c", "!"]
    assert type_token_ratio(corpus) == 3 / 5
    assert mean_type_token_ratio(corpus) == pytest.approx((2 / 3 + 1) / 2)
    assert mean_type_token_ratio(["!"]) is None


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_the_sampled_ratio_is_the_mean_over_all_samples(size):
    tokens = ["a", "a", "b", "a", "c"]
    samples = list(combinations(tokens, size))
    expected = sum(len(set(sample)) / size for sample in samples) / len(samples)
    assert sampled_type_token_ratio(["a a b", "a c"], size) == pytest.approx(expected)


def test_the_sampled_ratio_of_too_little_text_is_undefined():
    assert sampled_type_token_ratio(["a b"], 3) is None
    assert sampled_type_token_ratio(["a b"], 0) is None


def test_the_sampled_ratio_does_not_fall_with_more_of_the_same():
    """Twenty words in one round and in fifty: the plain ratio falls to a fiftieth, the sampled one only a little."""
    once, often = [" ".join(f"w{i}" for i in range(20))], [" ".join(f"w{i}" for i in range(20))] * 50
    assert type_token_ratio(often) == pytest.approx(type_token_ratio(once) / 50)
    assert sampled_type_token_ratio(often, 5) > 0.85 * sampled_type_token_ratio(once, 5)


@pytest.mark.parametrize(
    ("vectors", "value"),
    [
        ([(1, 0), (0, 1)], 0.292893),
        ([(1, 0), (1, 0), (0, 1)], 0.254644),
        ([(3, 0), (0, 1)], 0.367544),
        ([(1, 2), (2, 4)], 0),
    ],
)
def test_diversity_is_measured_from_the_centroid_of_raw_vectors(vectors, value):
    """Normalising first would give .292893 for the third."""
    assert cosine_diversity(vectors) == pytest.approx(value, abs=5e-7)


@pytest.mark.parametrize("vectors", [[], [(0, 0), (1, 0)], [(1, 0), (-1, 0)]])
def test_vectors_without_a_direction_are_undefined(vectors):
    assert cosine_diversity(vectors) is None


def test_vectors_must_be_equally_long():
    with pytest.raises(DataError, match="equally long"):
        cosine_diversity([(1, 0), (1, 0, 0)])


@given(
    st.lists(st.tuples(*[st.floats(-100, 100, allow_subnormal=False)] * 3), max_size=8),
    st.sampled_from([1e-6, 0.5, 1e6]),
    st.data(),
)
def test_diversity_is_bounded_and_blind_to_order_and_scale(vectors, scale, data):
    value = cosine_diversity(vectors)
    if value is None:
        return
    assert 0 <= value <= 2
    assert cosine_diversity(data.draw(st.permutations(vectors))) == pytest.approx(value, abs=1e-6)
    scaled = cosine_diversity([tuple(scale * x for x in vector) for vector in vectors])
    assert scaled == pytest.approx(value, abs=1e-6)
