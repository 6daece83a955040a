"""Python functions beside the experiment file, and the record of what they answered."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mysteryshopper.core import (
    Address,
    Call,
    CallFailed,
    ConfigError,
    Ended,
    Json,
    JsonObject,
    ShopperError,
    StopRun,
    canonical,
    note_read,
)
from mysteryshopper.models.record import Job, Received, Recorder, unpriced
from mysteryshopper.models.sending import Tally


def load_function(named: str | Callable[..., Any], folder: Path, key: str) -> Callable[..., Any]:
    """Return the function that a block names.

    Args:
        named: `module:function`; the module is a file in `folder`, or one that can be imported. Or the function itself.
        folder: Folder of the experiment file.
        key: Path of the key, for messages.

    Raises:
        ConfigError: There is no such module or function, or the module fails to import.
    """
    if callable(named):
        return named
    if "<" in named:
        raise ConfigError(
            f"{named!r} was handed over by a Python program and can't be found by its name: go on from Python, with"
            " the function itself, or move it to a module.",
            key=key,
        )
    module_name, _, path = named.partition(":")
    file = folder / (module_name.replace(".", "/") + ".py")
    note_read(file)
    try:
        with _importing_from(folder):
            found: Any = _import_file(module_name, file) if file.is_file() else importlib.import_module(module_name)
        for part in path.split("."):
            found = getattr(found, part)
    except ModuleNotFoundError as error:
        where = folder.resolve()
        raise ConfigError(f"{named!r} can't be imported ({error}); it is looked for in {where}.", key=key) from error
    except AttributeError as error:
        raise ConfigError(f"{module_name} has no {path!r}; define it there.", key=key) from error
    except ShopperError:
        raise
    except Exception as error:  # whatever the user's module does when it is imported
        raise ConfigError(f"importing {module_name} failed: {type(error).__name__}: {error}", key=key) from error
    if not callable(found):
        raise ConfigError(f"{named!r} is no function.", key=key)
    function: Callable[..., Any] = found
    return function


def _import_file(name: str, file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"_shopper_{abs(hash(file.resolve()))}_{name}", file)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses and pickles look their module up
    spec.loader.exec_module(module)
    return module


@contextmanager
def _importing_from(folder: Path) -> Iterator[None]:
    """Let a module import its neighbours."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


class FunctionKeeper:
    """The `Keeper` of one block."""

    def __init__(self, name: str, recorder: Recorder, timeout: float) -> None:
        """Make it for the block of that name; a call ends as `timeout` after so many seconds.

        A sync function can't be stopped: its thread goes on, unheard.
        """
        self._name = name
        self._recorder = recorder
        self._timeout = timeout

    async def keep(self, body: JsonObject, address: Address, make: Callable[[], Awaitable[Json]]) -> tuple[Json, Call]:
        """Return the answer to `body` and the recorded call; `make` is called unless the run has it already.

        Raises:
            CallFailed: `make` raised something, or returned what is no JSON (`unreadable`, the system's fault).
        """
        draw = self._recorder.draw(address)
        material = canonical([self._name, body]).encode()
        key = self._recorder.key(b"function\0" + material, draw.sample, shared=False)

        async def exchange(tally: Tally) -> Received[Json]:
            tally.sent()
            value = self._fit(await self._made(make))
            return Received(value, value, "ok", "stop")

        call, value = await self._recorder.record(Job(key, address, self._name, "", 0.0, unpriced, exchange))
        return (call.reply if value is None else value), call

    async def _made(self, make: Callable[[], Awaitable[Json]]) -> Json:
        deadline = asyncio.timeout(self._timeout)
        try:
            async with deadline:
                return await make()
        except (CallFailed, StopRun):
            raise
        except Exception as error:  # whatever the user's function does; it may repeat a secret
            late = f"no answer within {self._timeout:g} s (limits.attempt_timeout)"
            text = late if deadline.expired() else self._recorder.mask(f"{type(error).__name__}: {error}")
            ended: Ended = "timeout" if isinstance(error, TimeoutError) else "unreadable"
            raise CallFailed(text, ended=ended, fault="system") from error

    def _fit(self, value: Json) -> Json:
        """Return what a function returned as the JSON that a resumed run would meet, without secrets."""
        try:
            text = canonical(value)
        except (TypeError, ValueError) as error:
            raise CallFailed(
                f"the function of {self._name!r} returned what is no JSON: {error}", ended="unreadable", fault="system"
            ) from error
        return json.loads(self._recorder.mask(text))
