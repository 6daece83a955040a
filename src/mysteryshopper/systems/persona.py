"""`chat-persona`: a chat model that just talks, as the person it is told to be; it has nothing to recommend."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mysteryshopper.core import ChatModel, ConfigError, History, Opening, Parts, SystemReply, note_read
from mysteryshopper.prompts import Prompt
from mysteryshopper.systems.prompting import dialogue_request, made_by, spoken


class ChatPersonaOptions(BaseModel):
    """Options of `chat-persona`: one of the two."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    persona: str = Field(default="", description="Who it is, in a few sentences.")
    file: str = Field(default="", description="A text file that says who it is, beside the experiment file.")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if bool(self.persona.strip()) == bool(self.file.strip()):
            raise ValueError("say who it is: either in `persona`, in a few sentences, or in a `file`")
        return self


class ChatPersona:
    """A chat model that is somebody and talks: one call a turn, no items, all of it in the messages.

    What the other side says is fenced. A failing model is infrastructure.
    """

    options: ClassVar[type[ChatPersonaOptions]] = ChatPersonaOptions
    memory: Literal["messages"] = "messages"

    def __init__(self, model: ChatModel, persona: str, *, seed: int = 0) -> None:
        """Make it.

        Args:
            model: Writes what it says.
            persona: Who it is.
            seed: Seed of the fences.
        """
        self._model = model
        self._persona = persona.strip()
        self._seed = seed
        self._prompt = Prompt.load("systems/chat-persona")

    @classmethod
    def build(cls, options: ChatPersonaOptions, parts: Parts) -> Self:
        """Build it for an experiment; the block must name a model.

        Raises:
            ConfigError: The file can't be read, or is empty.
        """
        persona = options.persona or _read(parts.folder / options.file)
        return cls(parts.model(), persona, seed=parts.seed)

    @asynccontextmanager
    async def open(self, opening: Opening, history: History) -> AsyncIterator[ChatPersona]:
        """Open a conversation; all of it is in the messages."""
        yield self

    async def reply(self, history: History) -> SystemReply:
        """Answer the history."""
        values = {"persona": self._persona}
        answer = await self._model.chat(
            dialogue_request(self._prompt, self._model.form, history, self._seed, values), history.address
        )
        return SystemReply((spoken(answer),), usage=answer.usage, calls=made_by(answer))


def _read(path: Path) -> str:
    note_read(path)
    try:
        text = path.read_text("utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise ConfigError(
            f"{path} can't be read: {why}; name a text file that says who it is", key="options.file"
        ) from error
    if not text:
        raise ConfigError(f"{path} is empty; say in it who it is", key="options.file")
    return text
