"""Options that several kinds of systems share."""

from pydantic import BaseModel, ConfigDict


class NoOptions(BaseModel):
    """A kind without options of its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)
