"""Options of the `adaptsim` user."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mysteryshopper.users.noise import Noise
from mysteryshopper.users.prompted import PromptedOptions

_STRICT = ConfigDict(extra="forbid", frozen=True)


class StyleOptions(BaseModel):
    """A style asked of everybody; it goes before what a profile says."""

    model_config = _STRICT

    formality: Literal["formal", "neutral", "informal"] | None = None
    sentiment: Literal["positive", "neutral", "negative"] | None = None
    conciseness: Literal["concise", "moderate", "verbose"] | None = None
    carelessness: Literal["careful", "hasty", "careless"] | None = None


class NoiseOptions(BaseModel):
    """Carelessness by code: what the model wrote is made careless before it is sent."""

    model_config = _STRICT

    kinds: tuple[Noise, ...] = Field(
        default=("mixed",), min_length=1, description="Kinds of noise, each once, put over the text of the one before."
    )
    rate: float = Field(default=0.1, ge=0, le=1, description="Chance of each word to be touched by each kind.")
    who: Literal["everybody", "careless"] = Field(
        default="everybody", description="Whose messages: everybody's, or those of people asked to be careless."
    )
    alone: bool = Field(
        default=False, description="Leave carelessness to the code: the model is never asked for it itself."
    )

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        if len(set(self.kinds)) < len(self.kinds):
            raise ValueError("`kinds` names each kind once; raise `rate` for more of it")
        return self


class AdaptSimOptions(PromptedOptions):
    """Options of `adaptsim`."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)

    think: bool = Field(default=True, description="Think about person, goal and style first; false answers at once.")
    actions: Literal["open", "fixed"] = Field(
        default="open", description="What a turn does: in the model's own words, or one of a closed list of ten."
    )
    prompt: Literal["initial", "optimised", "file"] = Field(
        default="initial",
        description="Where it is told how to go about it: the packaged text with the domain's page (or, with `from`,"
        " the text a prompt optimisation began with), the best text of that optimisation, or a file.",
    )
    from_: str | None = Field(default=None, alias="from", description="Folder of a `prompt-optimisation` run.")
    path: str | None = Field(default=None, description="For `prompt: file`: a text file.")
    style: StyleOptions = Field(
        default_factory=StyleOptions, description="How everybody writes; goes before what profiles say, trait by trait."
    )
    noise: NoiseOptions | None = Field(default=None, description="Carelessness by code, seeded.")
    end_marker: str = Field(default="[END]", min_length=1, description="What the model puts at its end when content.")
    give_up_marker: str = Field(default="[GIVE UP]", min_length=1, description="The same when it gives up.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.prompt == "optimised" and self.from_ is None:
            raise ValueError("prompt: optimised needs `from`, the folder of the optimisation's run")
        if self.prompt == "file" and self.path is None:
            raise ValueError("prompt: file needs `path`, a text file")
        if self.prompt == "file" and self.from_ is not None:
            raise ValueError("prompt: file takes `path`, not `from`; write prompt: optimised, or leave `from` out")
        if self.prompt != "file" and self.path is not None:
            raise ValueError("`path` goes with prompt: file alone")
        return self
