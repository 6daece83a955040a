"""The domains that come with the package: their items, their words and their criteria fit together."""

import re
from collections import Counter
from random import Random

import pytest

from mysteryshopper.core import ConfigError
from mysteryshopper.datasets import DataBlock, load, packaged_domains
from mysteryshopper.datasets.sources import sources
from mysteryshopper.judges.criteria_files import load_criteria
from mysteryshopper.reading import title_key
from mysteryshopper.systems import SYSTEMS
from mysteryshopper.users.agenda.domain_words import domain_words
from mysteryshopper.users.agenda.hearing import listen
from mysteryshopper.users.agenda.naming import lack, post, question

WITH_ITEMS = ("beauty", "food", "shop")


@pytest.fixture(scope="module", params=WITH_ITEMS)
def domain(request):
    return load(DataBlock(name=request.param))


class Parts:
    """What a system is built from."""

    def __init__(self, dataset):
        self.dataset = lambda: dataset


def test_they_are_listed_and_open_by_name():
    assert packaged_domains() == ["beauty", "chitchat", "films", "food", "shop"]
    for name in packaged_domains():
        assert load(DataBlock(name=name)).described.name == name
        assert sources()[name].files == ()


def test_there_are_150_items_or_more_and_no_title_twice(domain):
    items = domain.items()
    assert len(items) >= 150
    assert len({item.id for item in items}) == len({title_key(item.title) for item in items}) == len(items)
    opinions = Counter(sentence for item in items for sentence in item.text.split(" say: ")[1:])
    assert max(opinions.values()) == 1


def test_every_item_says_its_price_and_what_people_think(domain):
    for item in domain.items():
        assert set(item.attributes["price"]) < {"cheap", "moderate", "expensive"}
        assert re.search(r"give it [345](?:\.\d)? of 5\. \w+ say: \S.*[.!?] \S.*[.!?]$", item.text), item.text
        assert all(item.attributes.values())
        assert item.attributes["kind"]


def test_the_listed_numbers_of_items_are_true(domain):
    told = int(re.search(r"(\d+) items", sources()[domain.name].title)[1])
    assert told == len(domain.items())


@pytest.mark.parametrize("name", ["beauty", "shop"])
def test_price_words_follow_the_prices_within_a_kind(name):
    order = ["cheap", "moderate", "expensive"]
    paid: dict[str, dict[str, list[int]]] = {}
    for item in load(DataBlock(name=name)).items():
        kind = item.attributes["kind"][0] if name == "shop" else "all"
        kind = "tablet" if kind == "e-reader" else kind
        amount = int(re.search(r"It costs (\d+)\.", item.text)[1])
        paid.setdefault(kind, {}).setdefault(item.attributes["price"][0], []).append(amount)
    for kind, bands in paid.items():
        assert sorted(bands, key=order.index) == order, kind
        assert max(bands["cheap"]) < min(bands["moderate"])
        assert max(bands["moderate"]) < min(bands["expensive"])


def test_who_cooks_vegan_cooks_vegetarian():
    for item in load(DataBlock(name="food")).items():
        diet = item.attributes.get("diet", ())
        assert "vegan" not in diet or "vegetarian" in diet, item.title


def test_its_own_questions_are_understood(domain):
    words = domain_words(domain)
    wish = {name: (attribute_value(domain, name),) for name in domain.described.attributes}
    for name, attribute in domain.described.attributes.items():
        heard = listen(attribute.question, wish, words)
        understood = set(heard.asked) or {asked for asked, _ in heard.values}
        assert understood == {name}, attribute.question


def test_questions_about_values_are_understood(domain):
    words = domain_words(domain)
    for name in domain.described.attributes:
        value = attribute_value(domain, name)
        heard = listen(f"Would {value} be right?", {}, words)
        assert (name, value.casefold()) in heard.values, (name, value)


def test_wishes_are_worded_without_gaps(domain):
    words = domain_words(domain)
    for name in domain.described.attributes:
        wish = {name: (attribute_value(domain, name),)}
        for seed in range(12):
            rng = Random(seed)
            told = [post(name, wish, rng, words), lack(name, wish, rng, words)]
            told.append(question(name, wish, domain.described.noun, rng, told=True, words=words))
            assert not any(mark in text for text in told for mark in "{}")
            assert wish[name][0] in told[0]


def test_films_are_spoken_of_with_the_general_vocabulary():
    films = load(DataBlock(name="films"))
    assert films.described.description
    assert domain_words(films) is None


def attribute_value(domain, name):
    """Return the most frequent value of an attribute that no other attribute has."""
    counts = Counter(value for item in domain.items() for value in item.attributes.get(name, ()))
    others = {
        value for item in domain.items() for other, held in item.attributes.items() if other != name for value in held
    }
    return next(value for value, _ in counts.most_common() if value not in others)


def test_each_has_criteria_for_one_dialogue_and_for_pairs(tmp_path):
    for name in packaged_domains():
        assert len(load_criteria(name, tmp_path, "one").criteria) >= 5
        pair = [criterion.name for criterion in load_criteria(name, tmp_path, "pair").criteria]
        assert pair[:2] == ["action", "language"]
        assert pair[-1] == "overall"


def test_talk_has_nothing_to_recommend():
    talk = load(DataBlock(name="chitchat"))
    assert not talk.has_items
    assert list(talk.catalog()) == []
    kind = SYSTEMS.load("lexical")
    with pytest.raises(ConfigError, match="chitchat has no items"):
        kind.build(kind.options(), Parts(talk))


def test_popularity_is_counted_in_a_generated_log(domain):
    counts = domain.label_counts(domain.popularity_split)
    assert set(counts) <= {item.id for item in domain.items()}
    assert counts == load(DataBlock(name=domain.name)).label_counts()
