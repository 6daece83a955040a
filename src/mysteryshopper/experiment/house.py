"""Everything an experiment file names, built: each block once, when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from mysteryshopper.core import ChatModel, ConfigError, Embedder, Judge, Keeper, Plan, Poster, Procedure, System, User
from mysteryshopper.datasets import Dataset
from mysteryshopper.experiment.blocks import JudgeBlock, SystemBlock, UserBlock
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.expand import filled_in
from mysteryshopper.experiment.functions import FunctionKeeper, load_function
from mysteryshopper.experiment.kinds import REGISTRIES, options_of, within
from mysteryshopper.experiment.store import RunStore
from mysteryshopper.experiment.view import PlanView, procedure_of
from mysteryshopper.models import ModelBlock, Models

T = TypeVar("T")
Role = Literal["user", "system", "judge", "protocol"]


class BlockParts:
    """The `Parts` of one block."""

    def __init__(
        self,
        key: str,
        role: Role,
        block: UserBlock | SystemBlock | JudgeBlock,
        experiment: Experiment,
        plan: PlanView,
        models: Models,
    ) -> None:
        """Make the parts of the block at `key` (its path in the file)."""
        self.name = block.name
        self.role = role
        self.seed = experiment.seed
        self.folder = Path(experiment.folder)
        self.memory: Literal["messages", "session"] | None = getattr(block, "memory", None)
        self.has_dataset = experiment.data is not None
        self._key = key
        self._block = block
        self._experiment = experiment
        self._plan = plan
        self._models = models

    def model(self) -> ChatModel:
        """The model that the block names or holds."""
        block = self._experiment.model_of(self._block)
        if block is None:
            raise ConfigError(f"is missing: the kind {self._block.kind!r} needs a model.", key=f"{self._key}.model")
        return self._models.model(*self._named("model", self._block.model, block))

    def embedder(self) -> Embedder:
        """The embedding model that the block names or holds, or the local one."""
        from mysteryshopper.models.embedding import build_embedder  # numpy
        from mysteryshopper.models.vector_cache import VectorCache

        cache = self._models.resource("vectors", VectorCache)
        block = self._experiment.embedding_of(self._block) if isinstance(self._block, SystemBlock) else None
        if block is None or not isinstance(self._block, SystemBlock):
            return self._models.resource("embedder", lambda: build_embedder(cache=cache))
        name, filled = self._named("embedding", self._block.embedding, block)
        return build_embedder(name, filled, self._models, cache)

    def dataset(self) -> Dataset:
        """The data set of the experiment."""
        dataset = self._plan.dataset()
        if dataset is None:
            raise ConfigError(
                f"is missing: the {self.role} {self.name!r} needs the items of a data set; name one, as in"
                " `data: {name: films}`.",
                key="data",
            )
        return dataset

    def poster(self) -> Poster:
        """What posts to the block's URL."""
        block = self._block
        if not isinstance(block, SystemBlock) or block.url is None:
            raise ConfigError("is missing; write where turns are posted.", key=f"{self._key}.url")
        filled = filled_in(block, self._key)
        return self._models.poster(self.name, filled.url or "", filled.headers)

    def keeper(self) -> Keeper:
        """What records calls of the block's function."""
        return FunctionKeeper(self.name, self._models.recorder, self._experiment.limits.attempt_timeout)

    def function(self) -> Any:
        """The block's function, imported now."""
        block = self._block
        if not isinstance(block, SystemBlock) or block.function is None:
            raise ConfigError("is missing; write module:function, as in shop:reply.", key=f"{self._key}.function")
        return load_function(block.function, self.folder, f"{self._key}.function")

    def _named(self, part: str, given: str | ModelBlock | None, block: ModelBlock) -> tuple[str, ModelBlock]:
        if isinstance(given, str):
            return given, filled_in(block, f"models.{given}")
        return f"{self.name}.{part}", filled_in(block, f"{self._key}.{part}")


class House:
    """The blocks of an experiment, for a run."""

    def __init__(
        self, experiment: Experiment, models: Models, plan: PlanView | None = None, store: RunStore | None = None
    ) -> None:
        """Make the house; blocks are built when asked for. `store` is the run's, for protocols that run experiments."""
        self.experiment = experiment
        self.store = store
        self.models = models
        self.detail = ""  # what a long unit is at, for the display
        self._view = plan or PlanView(experiment)
        self.plan: Plan = self._view
        self.procedure: Procedure = procedure_of(experiment)
        self._built: dict[tuple[Role, str], Any] = {}

    def user(self, name: str) -> User:
        """The user block of that name."""
        user: User = self._once("user", name, self._build)
        return user

    def system(self, name: str) -> System:
        """The system block of that name."""
        system: System = self._once("system", name, self._build)
        return system

    def judge(self, name: str) -> Judge:
        """The judge block of that name."""
        judge: Judge = self._once("judge", name, self._build)
        return judge

    def model(self, name: str) -> ChatModel:
        """The model named under `models:`, for the protocol's own calls."""
        model: ChatModel = self._once("protocol", name, self._build_model)
        return model

    def build_all(self) -> None:
        """Build every block now, so that what can't be built stops the run before its first unit.

        Raises:
            ConfigError: A block can't be built; its key is named.
        """
        for user in self.experiment.users:
            self.user(user.name)
        for system in self.experiment.systems:
            self.system(system.name)
        self.build_judges()
        own: Mapping[str, str] = getattr(self.procedure, "models", {})
        for name in own.values():
            self.model(name)

    def build_judges(self) -> None:
        """Build every judge now: nobody else is needed once all units are done.

        Raises:
            ConfigError: One can't be built; its key is named.
        """
        for judge in self.experiment.judges:
            self.judge(judge.name)

    def _once(self, role: Role, name: str, build: Callable[[Role, str], T]) -> T:
        if (role, name) not in self._built:
            self._built[role, name] = build(role, name)
        built: T = self._built[role, name]
        return built

    def _build_model(self, role: Role, name: str) -> ChatModel:
        block = self.experiment.models.get(name)
        if block is None:
            raise ConfigError(
                f"the protocol {self.experiment.protocol!r} needs a model of this name.", key=f"models.{name}"
            )
        return self.models.model(name, filled_in(block, f"models.{name}"))

    def _build(self, role: Role, name: str) -> Any:
        key, block = next(
            (key, block) for key, block in self.experiment.sides() if key.startswith(f"{role}s[") and block.name == name
        )
        kind = REGISTRIES[f"{role}s"].load(block.kind, key=f"{key}.kind")
        options = options_of(kind, block.options, (f"{role}s", int(key[len(role) + 2 : -1]), "options"))
        with within(key):
            return kind.build(options, BlockParts(key, role, block, self.experiment, self._view, self.models))
