"""The `data:` block of an experiment file, and the way from it to a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mysteryshopper.core import Registry
from mysteryshopper.datasets.dataset import Dataset
from mysteryshopper.datasets.domain_files import DOMAIN_FILE
from mysteryshopper.datasets.domains import OwnDomain
from mysteryshopper.datasets.location import data_home
from mysteryshopper.datasets.own import Kind, OwnData

DATASETS = Registry(
    "data set",
    {
        "beauty": "mysteryshopper.datasets.domains:Beauty",
        "chitchat": "mysteryshopper.datasets.domains:Chitchat",
        "crs-arena": "mysteryshopper.datasets.crs_arena:CrsArena",
        "films": "mysteryshopper.datasets.films:Films",
        "food": "mysteryshopper.datasets.domains:Food",
        "inspired": "mysteryshopper.datasets.inspired:Inspired",
        "movielens": "mysteryshopper.datasets.movielens:MovieLens",
        "opendialkg": "mysteryshopper.datasets.opendialkg:OpenDialKG",
        "redial": "mysteryshopper.datasets.redial:ReDial",
        "runs": "mysteryshopper.datasets.finished_runs:FinishedRuns",
        "shop": "mysteryshopper.datasets.domains:Shop",
        "uss": "mysteryshopper.datasets.uss:Uss",
    },
    "mysteryshopper.datasets",
)
"""Data sets by name. A class has `folder_name` (below the data's home) and `open(folder, block)`."""


class DataBlock(BaseModel):
    """Which data an experiment is about: a data set by name, or a path to files of one's own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str | None = Field(default=None, description="A public data set: see `mysteryshopper data list`.")
    path: str | None = Field(
        default=None,
        description="One's own file or folder (also of a domain); with a name, the folder that holds that data set.",
    )
    kind: Kind | None = Field(default=None, description="What one's own file holds; by default its columns say so.")
    split: str | None = Field(default=None, description="The split meant; default `test`, or the first there is.")
    encoding: str = Field(default="utf-8", description="Encoding of the files, e.g. latin-1.")
    domain: str = Field(default="", description="What the items are, in a word or two.")
    language: str | None = Field(default=None, description="BCP 47 tag of the texts; default en.")

    @model_validator(mode="after")
    def _names_data(self) -> Self:
        if self.name is None and self.path is None:
            raise ValueError("say which data with `name` (a data set) or `path` (files of your own)")
        if self.name is not None and self.kind is not None:
            raise ValueError("`kind` is for a file of your own; leave it out beside `name`")
        return self


def load(block: DataBlock, folder: Path | None = None) -> Dataset:
    """Open the data of a block; what is large is read when it is asked for.

    Args:
        block: The block.
        folder: Where relative paths start; default the working folder.

    Raises:
        ConfigError: There is no such data set, or no such split.
        DataError: One's own files are missing or can't be read.
    """
    path = None if block.path is None else (folder or Path()) / Path(block.path).expanduser()
    if block.name is None:
        own = path or Path()
        return OwnDomain(own, block) if (own / DOMAIN_FILE).is_file() else OwnData(own, block)
    kind = DATASETS.load(block.name, key="data.name")
    opened: Dataset = kind.open(path if path is not None else data_home() / kind.folder_name, block)
    return opened
