"""From a run to the copies of a sheet: what is asked, of which cases, in which order, which side first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from mysteryshopper.core import Case, Criterion, ShopperError, digest, rng
from mysteryshopper.experiment.labels.facts import facts_of, run_catalog
from mysteryshopper.experiment.labels.records import Asked, Copy, Entry
from mysteryshopper.experiment.labels.sampling import Kind, asked_about, candidates, choose, judged_cases
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.judges.observing import sort_of
from mysteryshopper.judges.rules.judge import own_criteria

_CODE = 6  # letters of a thing's code, at least
_SHEET = 8  # letters of a sheet's name
_LETTERS = "bcdfghjkmnpqrstvwxz"  # no digits: spreadsheets take 04e105 for a number, and save what they took it for


def make_copies(
    store: RunStore,
    *,
    pairs: int = 30,
    annotators: int = 1,
    kind: Kind | None = None,
    criteria: Sequence[str] = (),
    seed: int = 0,
) -> list[Copy]:
    """Return a sheet's copies, one an annotator: the same things, each in an order and with sides of its own.

    Args:
        store: The run.
        pairs: How many things are wanted; fewer if the run has fewer.
        annotators: How many copies.
        kind: Pairs, or single dialogues with scores or labels; by default pairs where the run has any.
        criteria: Names of what is asked; by default `overall`, or the first that was judged.
        seed: Draws things, orders and sides.

    Raises:
        ShopperError: No judge ruled on anything of that kind, or on such criteria together.
    """
    found = candidates(store, kind or "pair", seed)
    if kind is None and not found:
        kind = "one"
        found = candidates(store, "one", seed)
    kind = kind or "pair"
    if not found:
        what = "pair" if kind == "pair" else "single dialogue"
        raise ShopperError(
            f"{store.path.parent} holds no judged {what} that people could be asked about: people label what judges"
            " ruled on, controls and pairs that look the same left out. Judge the run first"
            f" (`mysteryshopper judge {store.path.parent} --judge FILE`)."
        )
    fit, asked = asked_about(found, criteria)
    ids = set(choose(fit, pairs))
    cases = {case.id: case for case in judged_cases(store, kind) if case.id in ids}
    questions = tuple(question(criterion, next(iter(cases.values()))) for criterion in asked)
    sheet = _letters(store.plan.seed, seed, sorted(ids), [one.criterion for one in questions], annotators)[:_SHEET]
    annotated = [str(number) for number in range(1, annotators + 1)]
    codes = _codes(sheet, annotated, sorted(cases))
    catalog = run_catalog(store)
    facts = {name: facts_of(case, catalog) for name, case in cases.items()}
    return [_copy(sheet, annotator, questions, cases, codes, facts) for annotator in annotated]


def _copy(
    sheet: str,
    annotator: str,
    asked: tuple[Asked, ...],
    cases: Mapping[str, Case],
    codes: Mapping[tuple[str, str], str],
    facts: Mapping[str, tuple[tuple[str, str], ...]],
) -> Copy:
    draw = rng(sheet, annotator)
    order = sorted(cases)
    draw.shuffle(order)
    first = draw.randrange(2)
    swaps = [place % 2 == first for place in range(len(order))]  # each side first equally often, or once more by chance
    draw.shuffle(swaps)
    entries = tuple(
        Entry(codes[annotator, name], cases[name], swap and len(cases[name].exhibits) == 2, facts[name])
        for name, swap in zip(order, swaps, strict=True)
    )
    return Copy(sheet, annotator, asked, entries)


def _codes(sheet: str, annotators: Sequence[str], cases: Sequence[str]) -> dict[tuple[str, str], str]:
    """Return the code of every case on every copy: all of one length, no two of them equal."""
    whole = {(one, case): _letters(sheet, one, case) for one in annotators for case in cases}
    length = _CODE
    while len({code[:length] for code in whole.values()}) < len(whole):
        length += 1
    return {place: code[:length] for place, code in whole.items()}


def _letters(*parts: Any) -> str:
    """Return letters that stand for the values; two that are equal throughout are as unlikely as equal digests."""
    left, letters = int(digest(*parts), 16), ""
    while left:
        left, place = divmod(left, len(_LETTERS))
        letters += _LETTERS[place]
    return letters


def question(criterion: Criterion, case: Case) -> Asked:
    """Return what people are asked about a criterion of a case."""
    sort = sort_of(case, criterion)
    table = _table()
    kind = "pair" if sort == "pair" else "one"
    by_rules = any(own.name == criterion.name and own.text == criterion.text for own in own_criteria())
    text = table[kind].get(criterion.name, criterion.text) if by_rules else criterion.text
    answers = table["answers"]
    if sort == "pair":
        how = answers["pair"]
    elif sort == "label":
        how = ", ".join(criterion.labels)
    elif criterion.better is None:
        how = answers["plain_score"].format(low=criterion.low, high=criterion.high)
    else:
        ends = [answers["worst"], answers["best"]]
        worst, best = ends if criterion.better == "higher" else ends[::-1]
        how = answers["score"].format(low=criterion.low, high=criterion.high, worst=worst, best=best)
    return Asked(criterion.name, text, how, sort, criterion.labels, criterion.low, criterion.high)


@cache
def _table() -> Mapping[str, Any]:
    import yaml

    text = files("mysteryshopper.experiment.labels").joinpath("questions.yaml").read_text(encoding="utf-8")
    table: Mapping[str, Any] = yaml.safe_load(text)
    return table
