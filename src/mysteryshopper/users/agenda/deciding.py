"""What an agenda user does next: the states of a dialogue and the acts of each turn.

A user is opening, deciding about what was shown, answering, waiting (nothing shown, nothing asked) or leaving; which
of them follows from the view and the memory alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from random import Random
from typing import Literal

from mysteryshopper.core import Shown, UserView
from mysteryshopper.users.agenda.answering import Talker
from mysteryshopper.users.agenda.hearing import Heard, last_words, listen
from mysteryshopper.users.agenda.manner import Manner
from mysteryshopper.users.agenda.memory import Memory, wished
from mysteryshopper.users.agenda.naming import lack, question
from mysteryshopper.users.agenda.options import AgendaOptions
from mysteryshopper.users.agenda.phrasebook import phrasebook
from mysteryshopper.users.agenda.saying import Act
from mysteryshopper.users.agenda.seeing import Seen, look, soft_misses

_TRIED = 0.4
"""Chance a turn to take something when nothing in particular is wanted."""
_BLUFF = 0.2
"""Chance to say of an item that meets all that was said, and is not the one, that it is known already."""
_NAMELESS = "that one"
_TELL_MORE = 0.75
_TELL_AGAIN = 0.4
_ASK_UNKNOWN = 0.5
_ASK_ATTRIBUTE = 0.5
_ASK_MORE = {"terse": 0.3, "plain": 0.55, "chatty": 0.65}


@dataclass(frozen=True)
class Decision:
    """What is done in a turn."""

    acts: tuple[Act, ...]
    memory: Memory
    action: str
    accepts: tuple[str, ...] = ()
    rejects: tuple[str, ...] = ()
    end: Literal["done", "gave_up"] | None = None


def decide(view: UserView, memory: Memory, manner: Manner, options: AgendaOptions, rng: Random) -> Decision:
    """Return what the user does next.

    Args:
        view: What the user sees.
        memory: What it remembers.
        manner: How it speaks.
        options: The options of the kind.
        rng: Chance of this turn.
    """
    turn = _Turn(view, memory, manner, options, rng)
    answers = system_turns(view)
    if view.turn == 1 and not answers:
        acts = turn.talker.opening(not view.history.messages)
        return turn.done(acts, "open")
    seen = look(view, memory)
    if (taken := turn.wanted(seen, answers)) is not None:
        return taken
    if answers >= memory.patience:
        acts = [Act("give_up"), *([Act("thanks_anyway")] if manner.polite else [])]
        return turn.done(acts, "give_up", mood=-1, rejects=_ids(seen.items), end="gave_up")
    if view.turn == 1 and not seen.items:
        acts = turn.talker.opening(first=True)
        return turn.done(acts, "open")
    heard = listen(last_words(view), wished(view.scenario.profile), manner.words)
    if seen.items:
        return turn.turn_down(seen, heard)
    return turn.talk(heard)


def system_turns(view: UserView) -> int:
    """Return how many turns the system under test has had; what people said in a prefix is no turn of its."""
    runs = groupby(view.history.messages, lambda message: (message.side, message.author))
    return sum(speaker == ("system", "system") for speaker, _ in runs)


class _Turn:
    def __init__(self, view: UserView, memory: Memory, manner: Manner, options: AgendaOptions, rng: Random) -> None:
        self.view = view
        self.memory = memory
        self.manner = manner
        self.options = options
        self.rng = rng
        self.profile = view.scenario.profile
        self.talker = Talker(self.profile, manner, memory, rng)

    def done(
        self,
        acts: list[Act],
        action: str,
        *,
        mood: int = 0,
        accepts: tuple[str, ...] = (),
        rejects: tuple[str, ...] = (),
        end: Literal["done", "gave_up"] | None = None,
        kept: str | None = None,
        asked: bool = False,
    ) -> Decision:
        """Return the decision, with the memory after it."""
        memory = self.talker.memory
        memory = replace(
            memory,
            mood=memory.feeling(mood),
            kept=memory.kept if kept is None else kept,
            asked=asked,
            curious=memory.curious + asked,
            held=memory.held or action == "hold_out",
            taken=accepts[0] if accepts else memory.taken,
        )
        return Decision(tuple(acts), memory, action, accepts, rejects, end)

    def wanted(self, seen: Seen, answers: int) -> Decision | None:
        """Return what is done about something wanted, shown now or kept in mind; None if there is no such thing."""
        memory, kept = self.memory, self._kept()
        best = seen.wanted[0] if seen.wanted else None
        if best is None:
            return None if kept is None else self._take(kept, "settle", seen)
        if best.mine is None and self.rng.random() >= _TRIED:
            return None
        if kept is not None and len(self._soft(kept)) <= len(self._soft(best)):
            return self._take(kept, "settle", seen)
        missed = self._soft(best)
        time = answers + 1 < memory.patience and kept is None
        if time and missed and not memory.held and self.rng.random() < self.options.hold_out:
            return self._hold_out(best, missed[0], seen)
        if time and not memory.curious and self.rng.random() < self.options.curiosity:
            return self._inquire(best, kept=str(best.item.id))
        return self._take(best, "accept", seen)

    def turn_down(self, seen: Seen, heard: Heard) -> Decision:
        """Return what is done about items none of which is wanted."""
        several, first = len(seen.items) > 1, seen.items[0]
        rejects = _ids(seen.items)
        if seen.again:
            acts = [self._about("repeated", first, several), *self._more_or_told()]
            return self.done(acts, "repeated", mood=-1, rejects=rejects)
        if seen.familiar and not seen.lacking:
            acts = [self._about("seen", seen.familiar[0], several), *self._answers_or_more(heard)]
            return self.done(acts, "seen", rejects=rejects)
        if seen.disliked and not seen.lacking:
            acts = [self._about("disliked", seen.disliked[0], several), *self._answers_or_more(heard)]
            return self.done(acts, "disliked", mood=-1, rejects=rejects)
        if seen.lacking or seen.lacks is not None:
            return self._critique(seen, heard)
        if seen.unknown:
            if not self.memory.curious and first.item.title and self.rng.random() < _ASK_UNKNOWN:
                return self._inquire(first)
            acts = [self._about("unknown", first, several), *self._more_or_told()]
            return self.done(acts, "unknown", mood=-1, rejects=rejects)
        if not self.memory.curious and first.item.title and self.rng.random() < self.options.curiosity:
            return self._inquire(first)
        bluff = not several and self.rng.random() < _BLUFF
        acts = [self._about("seen" if bluff else "reject", first, several), *self._answers_or_more(heard)]
        return self.done(acts, "reject", mood=-1, rejects=rejects)

    def talk(self, heard: Heard) -> Decision:
        """Return what is done when nothing was shown."""
        talker = self.talker
        changed = talker.drop() if self.rng.random() < self.options.change_mind else []
        if self.memory.asked and not heard.question:
            return self.done([Act("unanswered"), *changed, *talker.more()], "unanswered", mood=-1)
        acts = talker.answers(heard)
        if acts:
            first = acts[0].name
            puzzled = first == "puzzled"
            more = talker.more() if puzzled else []
            return self.done([*acts, *changed, *more], first, mood=-1 if puzzled else 0)
        if heard.greets and self.view.turn <= 2:
            return self.done(talker.more(asked=True), "inform")
        if not heard.said:
            return self.done([Act("puzzled"), *talker.more()], "puzzled", mood=-1)
        more = [*changed, *talker.more()]
        return self.done(
            [*more, Act("suggest")], "inform" if talker.memory.told != self.memory.told else "suggest", mood=-1
        )

    def _critique(self, seen: Seen, heard: Heard) -> Decision:
        if seen.lacking:
            name, item, several = seen.lacking, seen.items[0], len(seen.items) > 1
        else:
            assert seen.lacks is not None  # noqa: S101 - turn_down has looked
            name, item, several = seen.lacks[0], seen.lacks[1], False
        acts = [self._about("critique", item, several, lack=lack(name, self.talker.wish, self.rng, self.manner.words))]
        new = name not in self.memory.told
        if new or self.rng.random() < _TELL_AGAIN:
            acts.append(self.talker.rather(name))
        rest = self.talker.answers(heard) if heard.asked or heard.values else []
        acts += rest if rest or len(acts) > 1 else self._more_or_told()
        return self.done(acts, "critique", mood=-1, rejects=_ids(seen.items))

    def _hold_out(self, item: Shown, missed: str, seen: Seen) -> Decision:
        acts = [self._about("hold_out", item, None, lack=lack(missed, self.talker.wish, self.rng, self.manner.words))]
        if missed not in self.memory.told:
            acts.append(self.talker.rather(missed))
        acts.append(Act("more"))
        rejects = tuple(name for name in _ids(seen.items) if name != item.item.id)
        return self.done(acts, "hold_out", mood=1, kept=str(item.item.id), rejects=rejects)

    def _inquire(self, item: Shown, kept: str | None = None) -> Decision:
        wish = self.talker.wish
        if wish and self.rng.random() < _ASK_ATTRIBUTE:
            name = self.rng.choice(list(wish))
            told = name in self.memory.told
            asked = question(name, wish, self.manner.noun, self.rng, told=told, words=self.manner.words)
        else:
            marks = self.manner.marks
            asked = phrasebook().pick("ask_any", marks, (), (), self.rng).fill({}, self.rng)
        act = self._about("inquire", item, None, ask=asked[:1].upper() + asked[1:])
        return self.done([act], "inquire", kept=kept, asked=True)

    def _take(self, item: Shown, action: str, seen: Seen) -> Decision:
        acts = [self._about(action, item, None)]
        if self.manner.polite:
            acts.append(Act("thanks"))
        taken = str(item.item.id)
        rejects = tuple(name for name in _ids(seen.items) if name != taken)
        return self.done(acts, action, mood=2, accepts=(taken,), rejects=rejects, end="done")

    def _answers_or_more(self, heard: Heard) -> list[Act]:
        if heard.asked or heard.values or heard.liked:
            return self.talker.answers(heard)
        return self._more_or_told()

    def _more_or_told(self) -> list[Act]:
        if self.rng.random() < _TELL_MORE and (told := self.talker.more()):
            return told
        return [Act("more")] if self.rng.random() < _ASK_MORE[self.manner.talk] else []

    def _about(self, name: str, shown: Shown, several: bool | None, **slots: str) -> Act:
        if not shown.item.title:
            return Act(name, {**slots, "title": _NAMELESS}, {}, several)
        return Act(name, slots, {"title": shown.item.title}, several)

    def _kept(self) -> Shown | None:
        return next(
            (shown for shown in reversed(self.view.shown) if shown.item.id and shown.item.id == self.memory.kept), None
        )

    def _soft(self, shown: Shown) -> tuple[str, ...]:
        return soft_misses(shown, self.profile, self.memory)


def _ids(items: tuple[Shown, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(shown.item.id for shown in items if shown.item.id is not None))
