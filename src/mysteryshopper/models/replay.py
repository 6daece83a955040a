"""`replay`: answers from an earlier run's calls, and from nowhere else."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from mysteryshopper.core import RUN_SCHEMA, Address, Call, CallFailed, ChatReply, ChatRequest, ConfigError, Usage
from mysteryshopper.models.block import ModelBlock
from mysteryshopper.models.http import prepare
from mysteryshopper.models.record import Recorder
from mysteryshopper.models.sending import Prepared, Tally
from mysteryshopper.models.stored import reply_of

if TYPE_CHECKING:
    from mysteryshopper.models.pool import Models

_FIND = (
    "SELECT reply, finish, input_tokens, output_tokens, model FROM calls"
    " WHERE key = ? AND status IN ('ok', 'bad') ORDER BY status = 'ok' DESC, place DESC LIMIT 1"
)


class ReplayModel:
    """A model that gives the replies an OpenAI-compatible one gave in an earlier run.

    Its block is that model's with `provider: replay` and the run's folder as `path`; all else that the replies depend
    on must be as it was, and so must the run's seed where the model samples, because calls are found by their key.
    """

    free = True
    shared = False  # what is replayed is kept where it came from

    def __init__(self, name: str, block: ModelBlock, recorder: Recorder, folder: Path) -> None:
        """Open the run's database for reading.

        Raises:
            ConfigError: There is no such run, or a newer version wrote it.
        """
        self.form: Literal["chat", "completion"] = block.form or "chat"
        self.price = block.price
        self._block = block
        self._recorder = recorder
        path = folder / Path(block.path or "").expanduser()
        self._path = path / "run.sqlite" if path.is_dir() else path
        if not self._path.is_file():
            raise ConfigError(f"there is no run at {path}; name a run's folder.", key=f"models.{name}.path")
        self._db = sqlite3.connect(f"{self._path.resolve().as_uri()}?mode=ro", uri=True)
        if (version := self._version()) > RUN_SCHEMA:
            self._db.close()
            raise ConfigError(
                f"{self._path} has schema version {version}, this version reads up to {RUN_SCHEMA}: update "
                "mysteryshopper.",
                key=f"models.{name}.path",
            )

    @classmethod
    def build(cls, name: str, block: ModelBlock, models: Models) -> Self:
        """Build it for a run."""
        return models.resource(f"replay {name} {block.path}", lambda: cls(name, block, models.recorder, models.folder))

    def close(self) -> None:
        """Close the run's database."""
        self._db.close()

    def _version(self) -> int:
        try:
            row = self._db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
            return int(row[0]) if row else 0
        except (sqlite3.Error, ValueError):  # it says so when it is asked
            return 0

    def prepare(self, request: ChatRequest, address: Address, seed: int) -> Prepared:
        """Make the request ready as the earlier run did."""
        return prepare(request, self._block, address, seed)

    async def send(self, prepared: Prepared, tally: Tally) -> ChatReply:
        """Return what the earlier run got.

        Raises:
            CallFailed: It did not make this call, or its database can't be read.
        """
        tally.sent()
        sample = self._recorder.draw(prepared.address).sample if prepared.sampled else "0"
        key = self._recorder.key(prepared.material, sample)
        try:
            row = self._db.execute(_FIND, (key,)).fetchone()
        except sqlite3.Error as error:
            raise CallFailed(f"{self._path} can't be read for replay: {error}.", ended="http_error") from error
        if row is None:
            raise CallFailed(
                f"the run in {self._path.parent} made no such call (asked at {prepared.address}): replay needs the "
                "same seed, prompts, model name and parameters.",
                ended="http_error",
            )
        usage = Usage(row[2], row[3], 0.0)
        tally.used(row[2], row[3])
        return reply_of(
            Call("", key, prepared.address, row[4], "ok", json.loads(row[0]), row[1], usage=usage), cached=True
        )
