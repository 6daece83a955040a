"""The `adaptsim` user itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

from mysteryshopper.core import (
    CallFailed,
    ChatModel,
    ChatReply,
    ChatRequest,
    Parts,
    Profile,
    State,
    UserTurn,
    UserView,
    rng,
)
from mysteryshopper.datasets import Domain
from mysteryshopper.dialogue import one_line, read_end_marker, shorten
from mysteryshopper.reading import Reading, more_room
from mysteryshopper.users.adaptsim.answering import ACTIONS, Answered, read_answer, reply_schema
from mysteryshopper.users.adaptsim.instruction import instruction_of, text_hash
from mysteryshopper.users.adaptsim.options import AdaptSimOptions
from mysteryshopper.users.noise import perturb
from mysteryshopper.users.prompted import PromptedUser, came_to_talk, cut_notes, fixed_lines, out_of_patience
from mysteryshopper.users.showing import taken
from mysteryshopper.users.styles import requested

_TEMPLATE = "users/adaptsim"
_PARTS = ("basic", "domain", "context")
_COMPLETION_LIMIT = 1_200
"""Characters of the instruction that a model that continues text is told."""
_SHOWN = 80
"""Characters of an unreadable reply that the dialogue's detail shows."""
_CARELESSNESS, _CARELESS = "carelessness", "careless"


class AdaptSimUser(PromptedUser):
    """A person for any field, who thinks, decides in its own words what to do, and writes in the style asked for.

    After AdaptSim (arXiv 2606.22803), of which there is no public code: built from the paper's text alone, prompts in
    our words. A turn is one call with one structured reply of thought, action and reply; only the reply is sent. How to
    go about it is a text of its own: the packaged one with the page of the experiment's domain, or one from a file,
    e.g. the best of a prompt optimisation. It ends with a marker at the end of its reply.

    A reply that can't be read is asked for once more, with what was wrong; if that can't be read either, the dialogue
    ends as `user_fault`. After its profile's `patience` of system turns it leaves without a word. Asked after the
    dialogue, it rates it. It sees no targets.

    A turn's notes hold `style` (what was asked for, see `users.styles.requested`), `clean` (the text as it was before
    noise by code), and `reading` where the reply was no JSON, or had to be mended.
    """

    options: ClassVar[type[AdaptSimOptions]] = AdaptSimOptions
    calls_a_turn: ClassVar[tuple[int, int, int]] = (1, 1, 2)

    def __init__(
        self,
        model: ChatModel,
        options: AdaptSimOptions = AdaptSimOptions(),  # noqa: B008
        *,
        domain: Domain | None = None,
        folder: Path = Path(),
        talks: bool = False,
    ) -> None:
        """Make it from a model.

        Args:
            model: Thinks and writes.
            options: Its options.
            domain: The field, where it is described.
            folder: Where relative paths of the options start.
            talks: It came to talk, looks for nothing, and is asked afterwards how the talk was.

        Raises:
            ConfigError: A file that the options name can't be used.
        """
        super().__init__(model, options, _TEMPLATE, talks=talks)
        self._options = options
        self._instruction = instruction_of(options, folder, domain)
        self._label = f"{self._prompt.label}+{text_hash(self._instruction)}"
        self._stops = tuple(f"\n{line}" for line in self._prompt.render("stops")["stops"].splitlines())
        self._acts = ACTIONS if options.actions == "fixed" else ()
        self._asked = {trait: name for trait, name in options.style.model_dump().items() if name is not None}
        self.instructions = (*self.instructions, *fixed_lines(self._instruction))

    @classmethod
    def build(cls, options: AdaptSimOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model."""
        domain = parts.dataset().described if parts.has_dataset else None
        return cls(parts.model(), options, domain=domain, folder=parts.folder, talks=came_to_talk(parts))

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        """Think, act and write.

        Raises:
            CallFailed: What the model answered could not be read, also when asked once more.
        """
        if (left := out_of_patience(view)) is not None:
            return left, state
        style = requested({**view.scenario.profile.style, **self._asked})
        reply, reading, calls = await self._answer(view, state, style)
        turn = self._turn(view, state, style, reply, reading)
        return replace(turn, calls=calls), state

    async def _answer(
        self, view: UserView, state: State, style: Mapping[str, str]
    ) -> tuple[ChatReply, Reading[Answered], tuple[str, ...]]:
        """Return the reply, what was read from it, and the calls behind it. There is one re-ask a turn, not more."""
        address = view.address
        reply = await self._model.chat(self._ask(view, state, style), address)
        calls = [reply.call]
        reading = read_answer(reply, self._acts)
        if not reading.readable and reading.status != "empty" and view.complaint is None:
            room = more_room(reply, self._options.max_tokens) if reading.status == "truncated" else None
            again = self._ask(view, state, style, unread=reading.status, room=room)
            reply = await self._model.chat(again, address.to(attempt=address.attempt + 1))
            calls.append(reply.call)
            reading = read_answer(reply, self._acts)
        if not reading.readable and reading.status != "empty":
            raise CallFailed(
                f"the simulated user's reply could not be read ({reading.status}), also when asked for once more."
                f" {reading.hint} It began: {one_line(reply.text or '')[:_SHOWN]!r}",
                ended="user_fault",
                fault="user",
            )
        return reply, reading, tuple(call for call in calls if call)

    def _turn(
        self, view: UserView, state: State, style: Mapping[str, str], reply: ChatReply, reading: Reading[Answered]
    ) -> UserTurn:
        answered = reading.value or Answered(reply="")
        said, done = read_end_marker(answered.reply, self._options.end_marker)
        said, hopeless = read_end_marker(said, self._options.give_up_marker)
        text, clean = self._careless(said.strip(), view, state, style)
        notes: dict[str, Any] = {"style": dict(style)} if style else {}
        if clean is not None:
            notes["clean"] = clean
        if reading.status == "repaired":
            notes["reading"] = reading.status
        return UserTurn(
            text=text,
            action=answered.action or "",
            thought=(answered.thought or "").strip() or reply.reasoning or "",
            accepts=taken(view, said) if done else (),
            end="done" if done else "gave_up" if hopeless else None,
            notes={**notes, **cut_notes(reply, False)},
            prompt=self._label,
            raw=reply.text,
        )

    def _careless(self, text: str, view: UserView, state: State, style: Mapping[str, str]) -> tuple[str, str | None]:
        """Return a text as it is sent, and the clean one where noise by code is put over this person's messages."""
        noise = self._options.noise
        if noise is None or not text or (noise.who == _CARELESS and style.get(_CARELESSNESS) != _CARELESS):
            return text, None
        noisy = text
        for kind in noise.kinds:
            noisy = perturb(noisy, kind, noise.rate, rng("adaptsim", state.get("fence", 0), view.turn, kind))
        return noisy, text

    def _ask(
        self, view: UserView, state: State, style: Mapping[str, str], unread: str = "", room: int | None = None
    ) -> ChatRequest:
        """Return the request for a turn: for a second try with why the last one could not be read, and more room."""
        raw = self._model.form == "completion"
        noise = self._options.noise
        by_code = noise is not None and noise.alone
        about, parts = _person(view.scenario.profile)
        told = self._instruction
        request = self._request(
            view,
            state,
            profile=about,
            parts=parts,
            instruction=one_line(shorten(told, _COMPLETION_LIMIT)) if raw else told,
            style={trait: name for trait, name in style.items() if not (by_code and trait == _CARELESSNESS)},
            think=self._options.think,
            acts=self._acts,
            end=self._options.end_marker,
            give_up=self._options.give_up_marker,
            unread=unread,
        )
        return request._replace(
            schema=reply_schema(think=self._options.think, choices=self._acts, short=raw),
            max_tokens=self._options.max_tokens if room is None else room,
            stop=self._stops if raw else (),
            prompt=self._label,
        )


def _person(profile: Profile) -> tuple[Profile, dict[str, str]]:
    """Return a profile as the prompt takes it, and its basic, domain and context information.

    Style is told apart. A persona that is made of the parts is not told twice.
    """
    given = {name: profile.notes.get(name) for name in _PARTS}
    parts = {name: value.strip() if isinstance(value, str) else "" for name, value in given.items()}
    return replace(profile, style={}, persona="" if parts["basic"] else profile.persona), parts
