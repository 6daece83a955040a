"""Rules about the items a system shows: the wish, repeats, and what the user knows already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mysteryshopper.items import meets
from mysteryshopper.judges.rules.asking import Asked
from mysteryshopper.judges.rules.facts import Facts, Named
from mysteryshopper.judges.rules.found import Found, share, untold
from mysteryshopper.judges.rules.speech import Speech
from mysteryshopper.judges.rules.turns import Turn

Shows = Sequence[tuple[Turn, tuple[Named, ...]]]
"""Judged system turns with the items that each shows."""

NOTHING = "no item was shown"


def shown_by_turn(turns: Sequence[Turn], asked_of: Sequence[Asked]) -> Shows:
    """Return what each judged system turn shows.

    That is what its messages carry; where none in the dialogue carries any, what its words name, but for items named in
    an answer to a question about them, or named by the user just before.
    """
    linked = any(turn.linked for turn in turns if turn.side == "system")
    found = []
    for number, turn in enumerate(turns):
        if turn.side != "system" or not turn.judged:
            continue
        items = turn.named if turn.linked or not linked else ()
        if not linked and number:
            ask = turns[number - 1]
            just = {name.key for name in ask.named}
            told = asked_of[number].kind == "about" and turn.listed < 2
            items = () if told else tuple(name for name in items if name.key not in just)
        found.append((turn, tuple({name.key: name for name in items}.values())))
    return found


def constraints_met(shows: Shows, facts: Facts, constraints: Mapping[str, Iterable[str]] | None) -> Found:
    """Return the share of distinct catalogued items shown that meet every hard constraint."""
    if facts.catalog is None:
        return untold("there is no catalogue to look items up in")
    if not constraints:
        return untold("the wish has no hard constraints")
    wanted = {name: [str(value) for value in values] for name, values in constraints.items()}
    first: dict[str, tuple[Turn, Named]] = {}
    for turn, items in shows:
        for name in items:
            first.setdefault(name.key, (turn, name))
    known = [(turn, name, name.item) for turn, name in first.values() if name.item is not None]
    bad = []
    for turn, name, item in known:
        lacks = [attribute for attribute, values in wanted.items() if not meets(item, {attribute: values})]
        if lacks:
            bad.append(turn.where(f"{name.title} lacks the {', '.join(lacks)} wished for"))
    return share(bad, len(known), NOTHING if not first else "no item shown is in the catalogue")


def no_repeats(turns: Sequence[Turn], shows: Shows) -> Found:
    """Return the share of items shown that the system had named in no earlier turn."""
    items_of = {id(turn): items for turn, items in shows}
    before: set[str] = set()
    bad, n = [], 0
    for turn in turns:
        if turn.side != "system":
            continue
        for name in items_of.get(id(turn), ()):
            n += 1
            if name.key in before:
                bad.append(turn.where(f"{name.title} was named before"))
        before |= {name.key for name in turn.named}
    return share(bad, n, NOTHING)


def not_seen(turns: Sequence[Turn], shows: Shows, facts: Facts, speech: Speech, profile: Iterable[str]) -> Found:
    """Return the share of items shown that the user had not said to know; untold where nobody said anything of it.

    What the user names in a turn that says to have seen something counts as known, and so does, where they point to it
    (`seen those`), what the system showed just before.
    """
    items_of = {id(turn): items for turn, items in shows}
    known = {facts.find(name) for name in profile}
    said = bool(known)
    bad, n = [], 0
    last: tuple[Named, ...] = ()
    for turn in turns:
        if turn.side == "system":
            last = turn.named
            for name in items_of.get(id(turn), ()):
                n += 1
                if name.key in known:
                    bad.append(turn.where(f"{name.title} is known to the user"))
            continue
        heard = turn.heard
        places = [end for start, end in speech.seen.places(heard) if not speech.denied(heard.words, start)]
        if places and not heard.asks:
            said = True
            known |= {name.key for name in turn.named}
            if not turn.named and any(set(heard.words[max(0, end - 2) : end + 2]) & speech.points for end in places):
                known |= {name.key for name in last}
    return share(bad, n, NOTHING) if said else untold("nobody said what the user knows already")
