"""Which verdicts are the same judge's on the same case, and so not asked for again."""

from types import SimpleNamespace

import pytest

from mysteryshopper.core import Case, ConfigError, Criterion, Exhibit, Ruling, StopRun, Verdict
from mysteryshopper.experiment.judging import judge_all
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.models import ModelBlock


class Judge:
    """Says its own name."""

    def __init__(self, says, prompt=""):
        self.says = says
        self.prompt = prompt

    async def judge(self, case):
        if isinstance(self.says, Exception):
            raise self.says
        return Verdict(case.id, (Ruling("better", self.says, "ok"),))


class House:
    def __init__(self, **judges):
        self.procedure = self
        self._judges = judges

    def cases(self, store):
        for number in range(3):
            yield Case(f"c{number}", "u", (Exhibit("A", "d", "0", ()),), (Criterion("better", "Which?"),))

    def judge(self, name):
        return self._judges[name]


def experiment(*names, **model):
    block = ModelBlock(provider="openai", name="m", base_url="http://127.0.0.1:9/v1", **model)
    return SimpleNamespace(
        judges=[SimpleNamespace(name=name, kind="stern", options={}, repeats=1) for name in names],
        limits=SimpleNamespace(concurrency=2),
        model_of=lambda judge: block,
    )


@pytest.fixture
def store(tmp_path):
    store = RunStore(tmp_path / "run.sqlite")
    yield store
    store.close()


def said(store):
    return sorted((stored.case.id, stored.judge, stored.verdict.rulings[0].value) for stored in store.verdicts())


async def test_two_judges_that_differ_in_name_alone_both_rule(store):
    house = House(one=Judge("yes"), other=Judge("no"))
    assert await judge_all(store, house, experiment("one", "other")) == 0
    assert said(store) == sorted(
        (f"c{number}", *who) for number in range(3) for who in (("one", "yes"), ("other", "no"))
    )


@pytest.mark.parametrize(
    ("prompt", "model", "asked"),
    [
        ("pair 1234", {}, False),
        ("pair 1234", {"base_url": "http://127.0.0.1:10/v1"}, False),
        ("pair 5678", {}, True),
        ("pair 1234", {"temperature": 0.3}, True),
        ("pair 1234", {"reply_format": "text"}, True),
    ],
)
async def test_a_judge_is_asked_again_only_if_what_it_says_could_differ(store, prompt, model, asked):
    await judge_all(store, House(one=Judge("yes", "pair 1234")), experiment("one"))
    block = {"base_url": "http://127.0.0.1:9/v1", **model}
    later = experiment("one")
    later.model_of = lambda judge: ModelBlock(provider="openai", name="m", **block)
    await judge_all(store, House(one=Judge("no", prompt)), later)
    assert {value for *_, value in said(store)} == {"no" if asked else "yes"}


async def test_other_criteria_are_asked_about_anew(store):
    first, later = Judge("yes"), Judge("no")
    first.criteria, later.criteria = (Criterion("kind", "Is it kind?"),), (Criterion("kind", "Is it really kind?"),)
    await judge_all(store, House(one=first), experiment("one"))
    await judge_all(store, House(one=later), experiment("one"))
    assert {value for *_, value in said(store)} == {"no"}


class Exhibits:
    """A procedure with one case of one exhibit, and one pair."""

    def __init__(self, **judges):
        self.procedure = self
        self._judges = judges

    def cases(self, store):
        shown = (Exhibit("A", "d", "0", ()), Exhibit("B", "e", "0", ()))
        yield Case("single", "u", shown[:1], ())
        yield Case("double", "u", shown, ())

    def judge(self, name):
        return self._judges[name]


@pytest.mark.parametrize(("takes", "asked"), [(None, ["double", "single"]), ("one", ["single"]), ("pair", ["double"])])
async def test_judges_are_asked_about_what_they_take(store, takes, asked):
    judge = Judge("yes")
    judge.criteria = (Criterion("better", "Which?"),)
    if takes:
        judge.takes = takes
    totals = []
    await judge_all(store, Exhibits(one=judge), experiment("one"), counted=totals.append)
    found = list(store.verdicts())
    assert [stored.case.id for stored in found] == asked
    assert totals == [len(asked)]
    assert all(stored.case.criteria == judge.criteria for stored in found)


async def test_addresses_name_the_judge_and_the_repeat(store):
    seen = []

    class Noting(Judge):
        async def judge(self, case):
            seen.append(str(case.address))
            return await super().judge(case)

    blocks = experiment("one")
    blocks.judges[0].repeats = 2
    await judge_all(store, Exhibits(one=Noting("yes")), blocks)
    assert sorted(seen) == sorted(
        f"u/0/{case}/judge/one/{again}/0" for case in ("single", "double") for again in ("", "again 1")
    )


async def test_what_a_judge_cannot_do_is_counted_and_what_it_cannot_be_stops(store):
    house = House(one=Judge(ValueError("hm")))
    assert await judge_all(store, house, experiment("one")) == 3
    with pytest.raises(StopRun, match="no such rubric"):
        await judge_all(store, House(one=Judge(ConfigError("no such rubric"))), experiment("one"))
    assert said(store) == []
