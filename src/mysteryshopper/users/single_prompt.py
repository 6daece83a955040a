"""`single-prompt`: one model, one prompt, one call a turn."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field

from mysteryshopper.core import ChatModel, ChatReply, Parts, State, UserTurn, UserView
from mysteryshopper.dialogue import read_end_marker
from mysteryshopper.reading import strip_reasoning
from mysteryshopper.users.prompted import PromptedOptions, PromptedUser, came_to_talk, cut_notes, out_of_patience
from mysteryshopper.users.showing import taken
from mysteryshopper.users.styles import style_notes


class SinglePromptOptions(PromptedOptions):
    """Options of `single-prompt`."""

    end_marker: str = Field(default="[END]", min_length=1, description="What the model puts at its end when content.")
    give_up_marker: str = Field(default="[GIVE UP]", min_length=1, description="The same when it gives up.")


class SinglePromptUser(PromptedUser):
    """A user that is told who it is and what it wants, and writes the next message; it ends with a marker.

    After its profile's `patience` of system turns it leaves without a word. Asked after the dialogue, it rates it. In a
    domain without items it came to talk, and is told so.
    """

    options: ClassVar[type[SinglePromptOptions]] = SinglePromptOptions

    def __init__(
        self,
        model: ChatModel,
        options: SinglePromptOptions = SinglePromptOptions(),  # noqa: B008
        *,
        talks: bool = False,
    ) -> None:
        """Make it from a model.

        Args:
            model: Writes the turns.
            options: Its options.
            talks: It came to talk, and looks for nothing that could be recommended.
        """
        super().__init__(model, options, "users/small-talk" if talks else "users/single-prompt", talks=talks)
        self._end = options.end_marker
        self._give_up = options.give_up_marker

    @classmethod
    def build(cls, options: SinglePromptOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model. In a domain without items it came to talk."""
        return cls(parts.model(), options, talks=came_to_talk(parts))

    async def speak(self, view: UserView, state: State) -> tuple[UserTurn, State]:
        """Write the next message."""
        if (left := out_of_patience(view)) is not None:
            return left, state
        request = self._request(view, state, end=self._end, give_up=self._give_up)
        reply = await self._model.chat(request, view.address)
        return self._read(view, reply), state

    def _read(self, view: UserView, reply: ChatReply) -> UserTurn:
        said, cut = strip_reasoning(reply.text or "")
        text, done = read_end_marker(said, self._end)
        text, hopeless = read_end_marker(text, self._give_up)
        text = text.strip()
        return UserTurn(
            text=text,
            thought=reply.reasoning or "",
            accepts=taken(view, text) if done else (),
            end="done" if done else "gave_up" if hopeless else None,
            notes={**style_notes(view.scenario.profile.style), **cut_notes(reply, cut)},
            prompt=self._prompt.label,
            calls=(reply.call,) if reply.call else (),
            raw=reply.text if reply.text != text else None,
        )
