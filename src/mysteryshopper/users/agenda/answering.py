"""Acts that answer the system's questions, or tell more of the wish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from mysteryshopper.core import Profile
from mysteryshopper.reading import split_year
from mysteryshopper.users.agenda.hearing import Heard
from mysteryshopper.users.agenda.manner import Manner
from mysteryshopper.users.agenda.memory import Memory, wished
from mysteryshopper.users.agenda.naming import label, values_of, want
from mysteryshopper.users.agenda.saying import Act

_BY_PHRASE = 0.4
_ADDED = {"terse": 0.0, "plain": 0.15, "chatty": 0.5}
_LIKED = {"terse": 0.1, "plain": 0.2, "chatty": 0.5}
_CONTEXT = {"terse": 0.0, "plain": 0.3, "chatty": 0.7}
_OPENING = {"terse": (1, 1), "plain": (1, 2), "chatty": (1, 3)}


class Talker:
    """Makes acts for one user; remembers in `memory` what they tell."""

    def __init__(self, profile: Profile, manner: Manner, memory: Memory, rng: Random) -> None:
        """Make it for one turn."""
        self.profile = profile
        self.manner = manner
        self.memory = memory
        self.rng = rng
        self.wish = wished(profile)
        self.words = manner.words

    def opening(self, first: bool) -> list[Act]:
        """Return the acts of the first turn: a greeting, part of the wish, something liked."""
        acts = [Act("hello")] if first and self.manner.greets else []
        least, most = _OPENING[self.manner.talk]
        parts = self.memory.untold[: self.rng.randint(least, most)]
        if parts:
            acts.append(self._told("open", parts))
        elif self.profile.wish and not self.wish:
            acts.append(
                Act("open", {"want": _bare(self.profile.wish)}) if _is_phrase(self.profile.wish) else self._own_words()
            )
        else:
            acts.append(Act("open_any"))
        if (context := self.profile.notes.get("context")) and self.rng.random() < _CONTEXT[self.manner.talk]:
            acts.append(Act("context", {"context": str(context)}))
        if self.rng.random() < _LIKED[self.manner.talk] and (liked := self._liked()) is not None:
            acts.append(liked)
        return acts

    def answers(self, heard: Heard) -> list[Act]:
        """Return the acts that answer what was asked; empty if nothing was."""
        if heard.asked:
            acts = [self.about(name) for name in heard.asked[:2]]
        elif heard.values:
            acts = self._choice(heard.values)
        elif heard.liked:
            acts = [self._liked() or Act("liked_none")]
        elif heard.openly:
            acts = self.more(asked=True)
        elif heard.offers:
            return [Act("yes_please")]
        elif heard.other:
            return [Act("dont_mind_any") if heard.other == "polar" else Act("puzzled")]
        else:
            return []
        if self.memory.untold and self.rng.random() < _ADDED[self.manner.talk]:
            acts += self.more()
        return acts

    def about(self, attribute: str) -> Act:
        """Return the answer to a question about one attribute: its values, or that it does not matter."""
        if attribute not in self.wish or attribute in self.memory.dropped:
            return Act("dont_mind", {"attr": label(attribute)})
        self._tell(attribute)
        if self.rng.random() < _BY_PHRASE:
            return Act("about", {"want": self._want([attribute])})
        return Act("answer", {"value": values_of(attribute, self.wish, self.rng, self.words)})

    def more(self, *, asked: bool = False) -> list[Act]:
        """Return acts that tell the next part of the wish; when asked openly, also what was held back or told."""
        if self.memory.untold:
            return [self._next(self.memory.untold[0])]
        if not asked:
            return []
        if self.memory.hidden:
            return [self._next(self.memory.hidden[0])]
        told = [name for name in self.memory.told if name not in self.memory.dropped]
        if told:
            return [Act("again", {"want": self._want([self.rng.choice(told)])})]
        return [Act("open_any")]

    def rather(self, attribute: str) -> Act:
        """Return the act that names an attribute of the wish which something shown lacks; a hidden one is told now."""
        return self._told("rather", [attribute])

    def drop(self) -> list[Act]:
        """Return the act of giving up a preference that was told; empty if there is none to give up."""
        told = [
            name for name in self.memory.told if name not in self.profile.attributes and name not in self.memory.dropped
        ]
        if not told:
            return []
        name = self.rng.choice(told)
        self.memory = replace(self.memory, dropped=(*self.memory.dropped, name))
        return [Act("change_mind", {"attr": label(name)})]

    def _want(self, attributes: Sequence[str]) -> str:
        return want(attributes, self.wish, self.manner.noun, self.rng, self.words)

    def _next(self, attribute: str) -> Act:
        return self._told("inform" if attribute in self.profile.attributes else "soft", [attribute])

    def _told(self, action: str, attributes: Sequence[str]) -> Act:
        phrase = self._want(attributes)
        for name in attributes:
            self._tell(name)
        return Act(action, {"want": phrase})

    def _tell(self, attribute: str) -> None:
        memory = self.memory
        self.memory = replace(
            memory,
            untold=tuple(name for name in memory.untold if name != attribute),
            hidden=tuple(name for name in memory.hidden if name != attribute),
            told=memory.told if attribute in memory.told else (*memory.told, attribute),
        )

    def _choice(self, values: Sequence[tuple[str, str]]) -> list[Act]:
        """Return the answer to a question that offers values: which of them is wished for, or what is instead."""
        same = self.words.same
        for name, value in values:
            if name in self.memory.dropped:
                continue
            own = next((mine for mine in self.wish.get(name, ()) if same(mine, value)), None)
            if own is not None:
                self._tell(name)
                return [Act("agree", {"value": values_of(name, {name: (own,)}, self.rng, self.words)})]
        wanted = next((name for name, _ in values if name in self.wish and name not in self.memory.dropped), None)
        if wanted is None:
            return [Act("dont_mind", {"attr": label(values[0][0])})]
        self._tell(wanted)
        return [Act("deny", {"value": values_of(wanted, self.wish, self.rng, self.words)})]

    def _liked(self) -> Act | None:
        titles = [name for name in self.profile.likes if _is_title(name)]
        return Act("liked", titles={"liked": self.rng.choice(titles)}) if titles else None

    def _own_words(self) -> Act:
        wish = self.profile.wish.strip()
        return Act("open", {"want": _bare(wish)}) if _is_phrase(wish) else Act("own_words", titles={"title": wish})


def _bare(wish: str) -> str:
    return wish.strip().rstrip(".!")


def _is_phrase(wish: str) -> bool:
    """Whether a wish in words is a noun phrase that can stand behind `I'm looking for`."""
    first = wish.split(" ", 1)[0].casefold()
    return first in ("a", "an", "some", "something", "any", "the") and not any(mark in _bare(wish) for mark in ".!?")


def _is_title(name: str) -> bool:
    """Whether a like is a title rather than an id."""
    bare, year = split_year(name)
    return year is not None or " " in bare or (bare[:1].isupper() and bare.isalpha())
