"""The licence check: what it lets through and what it stops, on made-up packages and on the real ones."""

from email.message import Message
from importlib.metadata import PackageNotFoundError

import pytest

from check_licences import ABSENT, EXTRAS, allowed, problems, reached, stated


class Made:
    """The metadata of a made-up distribution."""

    def __init__(self, *requires, **headers):
        self.requires = list(requires)
        self.metadata = Message()
        for name, values in headers.items():
            for value in [values] if isinstance(values, str) else values:
                self.metadata[name.replace("_", "-")] = value


def shelf(**packages):
    def find(name):
        if name not in packages:
            raise PackageNotFoundError(name)
        return packages[name]

    return find


@pytest.mark.parametrize(
    "expression",
    [
        "MIT",
        "Apache-2.0 OR BSD-2-Clause",
        "GPL-3.0-only OR MIT",
        "(MIT AND Zlib) OR GPL-2.0-only",
        "BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0",
        "Apache-2.0 WITH LLVM-exception",
        "BSD-3-Clause AND GPL-3.0-or-later WITH GCC-exception-3.1",
    ],
)
def test_these_may_be_handed_on(expression):
    assert allowed(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "GPL-3.0-or-later",
        "LGPL-2.1-only",
        "AGPL-3.0-only",
        "MIT AND GPL-3.0-only",
        "MIT AND (LGPL-3.0-only OR AGPL-3.0-only)",
        "GPL-2.0-only WITH Classpath-exception-2.0",
        "LicenseRef-Proprietary",
        "UNKNOWN",
        "MIT AND",
        "(MIT",
        "MIT Apache-2.0",
        "",
    ],
)
def test_these_may_not(expression):
    assert not allowed(expression)


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({"License_Expression": "MIT", "License": "GPL-3.0-only"}, "MIT"),
        ({"Classifier": ["License :: OSI Approved :: MIT License", "Topic :: Other"]}, "MIT"),
        ({"Classifier": "License :: OSI Approved :: GNU General Public License v3 (GPLv3)"}, None),
        ({"Classifier": "License :: OSI Approved", "License": "BSD License"}, "BSD-3-Clause"),
        ({"License": "MPL-2.0 AND MIT"}, "MPL-2.0 AND MIT"),
        ({"License": "Apache License 2.0\n\n long text"}, "Apache-2.0"),
        ({}, ""),
    ],
)
def test_what_a_package_says_is_read(headers, words):
    said = stated(Made(**headers))
    if words is None:
        assert said
        assert not allowed(said)
    else:
        assert said == words


def test_a_forbidden_licence_is_found_however_deep_and_named():
    find = shelf(
        ours=Made("near>=1", License_Expression="Apache-2.0"),
        near=Made("far"),
        far=Made(License_Expression="GPL-3.0-only"),
    )
    found = problems("ours", (), find)
    assert [sentence.split(":")[0] for sentence in found] == ["far", "near"]
    assert "GPL-3.0-only" in found[0]
    assert "does not say its licence" in found[1]


def test_extras_and_markers_are_followed_only_where_they_hold():
    find = shelf(
        ours=Made("plain", "asked; extra == 'asked'", "other; extra == 'other'", "old; python_version < '3'"),
        plain=Made("deep[sub]", License_Expression="MIT"),
        asked=Made(License_Expression="MIT"),
        deep=Made("below; extra == 'sub'", License_Expression="MIT"),
        below=Made(License_Expression="MIT"),
    )
    assert {name for name, _ in reached("ours", ("asked",), find)} == {"plain", "asked", "deep", "below"}


def test_circles_end():
    find = shelf(ours=Made("a"), a=Made("b", License_Expression="MIT"), b=Made("a", "ours", License_Expression="MIT"))
    assert problems("ours", (), find) == []


def test_what_is_required_and_missing_is_a_problem_but_an_extra_left_out_is_none():
    find = shelf(ours=Made("gone", sorted(ABSENT)[0]))
    found = problems("ours", (), find)
    assert [sentence.split(":")[0] for sentence in found] == ["gone"]


def test_what_we_hand_on_is_allowed():
    assert problems("mysteryshopper", EXTRAS) == []
    names = {name for name, _ in reached("mysteryshopper", EXTRAS)}
    assert {"aiohttp", "numpy", "pydantic", "yarl"} <= names
    assert not {"krippendorff", "pytest", "ruff"} & names


def test_the_pins_meet_what_we_require():
    import tomllib
    from pathlib import Path

    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    root = Path(__file__).parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    pins = dict(
        line.strip().split("==") for line in (root / "constraints.txt").read_text().splitlines() if "==" in line
    )
    pinned = {canonicalize_name(name): version for name, version in pins.items()}
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    for requirement in (Requirement(line) for lines in lists for line in lines):
        assert pinned[canonicalize_name(requirement.name)] in requirement.specifier, str(requirement)
    assert "torch" not in pinned
