"""An experiment: what its file says, read and checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from mysteryshopper.core import ConfigError
from mysteryshopper.datasets import DataBlock
from mysteryshopper.experiment.assertions import Assertion
from mysteryshopper.experiment.blocks import BLOCK_KEYS, STRICT, JudgeBlock, Limits, SystemBlock, UserBlock, fit_name
from mysteryshopper.experiment.config_checks import check
from mysteryshopper.experiment.config_errors import plain_error
from mysteryshopper.experiment.expand import check_texts
from mysteryshopper.experiment.yaml_text import read_yaml
from mysteryshopper.models.block import ModelBlock


class Experiment(BaseModel):
    """An experiment, as a file or a Python program states it.

    Making one checks it throughout: every key, every kind and its options, every name that one block uses of another.
    Nothing is called or imported beyond the kinds' own modules, and no data is read.

    Raises:
        ConfigError: A key does not fit; it is named, with what it got and what it takes.
    """

    model_config = ConfigDict(**{**STRICT, "validate_by_name": True, "validate_by_alias": True})

    protocol: str = Field(description="What is done; `mysteryshopper list protocols` shows all.")
    seed: int = Field(default=0, ge=0, description="Seed of everything random.")
    folder: str = Field(
        default=".", description="Where relative paths and functions start; by default beside this file."
    )
    models: dict[Annotated[str, AfterValidator(fit_name)], ModelBlock] = Field(
        default_factory=dict, description="Models by name, used below."
    )
    users: tuple[UserBlock, ...] = Field(default=(), strict=False, description="Simulated users; `user` takes one.")
    systems: tuple[SystemBlock, ...] = Field(
        default=(), strict=False, description="Systems under test; `system` takes one."
    )
    judges: tuple[JudgeBlock, ...] = Field(default=(), strict=False, description="Judges; `judge` takes one.")
    data: DataBlock | None = Field(default=None, description="A data set by name, or a path to one's own.")
    options: dict[str, Any] = Field(default_factory=dict, description="The protocol's own options.")
    limits: Limits = Field(default=Limits(), description="How much and how fast.")
    repeats: int = Field(default=1, ge=1, description="How often every unit is run.")
    assert_: tuple[Assertion, ...] = Field(
        default=(), strict=False, alias="assert", description="What must hold of the results, for CI."
    )

    further_keys: ClassVar[tuple[str, ...]] = BLOCK_KEYS

    @classmethod
    def load(cls, path: str | Path, *, begun: bool = False) -> Self:
        """Read an experiment file.

        Args:
            path: The YAML file; relative paths in it start at its folder.
            begun: It is that of a run, and was checked when the run began: kinds that it names need not be installed.

        Raises:
            ConfigError: It can't be read, or a key does not fit.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise ConfigError(
                f"there is no file {path}; `mysteryshopper init PROTOCOL` writes one to start from."
            ) from None
        except IsADirectoryError:
            raise ConfigError(f"{path} is a folder; name an experiment file, or resume a run's folder.") from None
        except UnicodeDecodeError as error:
            raise ConfigError(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8.") from None
        except OSError as error:
            raise ConfigError(f"{path} can't be read: {error.strerror}.") from None
        data = read_yaml(text, str(path))
        if not isinstance(data, Mapping):
            raise ConfigError(f"{path} must hold keys and values, beginning with `protocol: NAME`.")
        return cls.from_dict(data, path.parent, begun=begun)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], folder: str | Path = ".", *, begun: bool = False) -> Self:
        """Make an experiment from the content of a file.

        Args:
            data: What the file holds.
            folder: The folder it lies in.
            begun: See `load`.

        Raises:
            ConfigError: A key does not fit.
        """
        inner = data.get("folder", ".")
        content = {**data, "folder": str(Path(folder) / inner) if isinstance(inner, str) else inner}
        return cls.model_validate(content, context={"begun": begun})

    @model_validator(mode="wrap")
    @classmethod
    def _read(cls, data: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        if not isinstance(data, Mapping):
            return handler(data)
        check_texts(data)
        singles, plural = _plural(data)
        try:
            experiment = handler(plural)
            if not (info.context or {}).get("begun"):
                check(experiment)
        except ValidationError as error:
            raise _as_written(plain_error(error, cls), singles) from None
        except ConfigError as error:
            raise _as_written(error, singles) from None
        return experiment

    def model_of(self, block: UserBlock | SystemBlock | JudgeBlock) -> ModelBlock | None:
        """Return the model of a block, whether it names it or holds it; None if it has none."""
        return self.models[block.model] if isinstance(block.model, str) else block.model

    def embedding_of(self, block: SystemBlock) -> ModelBlock | None:
        """Return the embedding model of a system block; None is the local one."""
        return self.models[block.embedding] if isinstance(block.embedding, str) else block.embedding

    def sides(self) -> Iterator[tuple[str, UserBlock | SystemBlock | JudgeBlock]]:
        """Yield users, systems and judges with their paths (`users[0]`)."""
        sides: Mapping[str, Sequence[UserBlock | SystemBlock | JudgeBlock]]
        sides = {"users": self.users, "systems": self.systems, "judges": self.judges}
        for name, blocks in sides.items():
            for place, block in enumerate(blocks):
                yield f"{name}[{place}]", block

    def blocks(self) -> Iterator[tuple[str, BaseModel]]:
        """Yield every block that can hold an address, a path or a secret, with its path."""
        for name, model in self.models.items():
            yield f"models.{name}", model
        for key, block in self.sides():
            yield key, block
            for part in ("model", "embedding"):
                if isinstance(inner := getattr(block, part, None), ModelBlock):
                    yield f"{key}.{part}", inner
        if self.data is not None:
            yield "data", self.data


def _plural(data: Mapping[str, Any]) -> tuple[frozenset[str], dict[str, Any]]:
    """Return which single keys were used, and the content with lists in their place."""
    content = dict(data)
    singles = set()
    for key in BLOCK_KEYS:
        if key not in content:
            continue
        if f"{key}s" in content:
            raise ConfigError(f"both `{key}` and `{key}s` are given; put all of them in the list `{key}s`.", key=key)
        block = content.pop(key)
        if isinstance(block, list | tuple):
            raise ConfigError(f"got a list, takes a single block; write `{key}s:` for a list.", key=key)
        content[f"{key}s"] = [block]
        singles.add(f"{key}s")
    if isinstance(content.get("data"), str):
        content["data"] = {"path": content["data"]}
    return frozenset(singles), content


def _as_written(error: ConfigError, singles: frozenset[str]) -> ConfigError:
    """Return the error with the key as the file has it: `user` for `users[0]` where a single one was given."""
    if error.key is None:
        return error
    for name in singles:
        if error.key.startswith(f"{name}[0]"):
            key = name.removesuffix("s") + error.key.removeprefix(f"{name}[0]")
            return ConfigError(str(error).removeprefix(f"{error.key}: "), key=key)
    return error
