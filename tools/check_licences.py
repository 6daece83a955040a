"""Fails when something that a user installs with us is under a licence that we don't allow, or says none.

Walks our own requirements and those of the extras that users install, as far as they reach, in the environment that
runs it. What a package says is read in this order: its SPDX expression, its classifiers, its licence field.
Run it with `make lint`, or `python tools/check_licences.py`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

EXTRAS = ("local", "embeddings", "sql")
"""Extras that users install; tools for developers are not handed on."""

ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "HPND",
    "ISC",
    "MIT",
    "MIT-CMU",
    "MPL-2.0",
    "PSF-2.0",
    "Python-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}
"""SPDX names. MPL-2.0 binds only changes to its own files, which we don't make."""

ALLOWED_EXCEPTIONS = {"GCC-exception-3.1", "LLVM-exception"}
"""Exceptions that free what is linked, whatever licence they are attached to (compilers' runtime libraries)."""

WORDINGS = {
    "3-clause bsd license": "BSD-3-Clause",
    "apache": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "apache software license 2.0": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "bsd-3-clause and public-domain": "BSD-3-Clause",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
    "the unlicense (unlicense)": "Unlicense",
    "zlib/libpng license": "Zlib",
}
"""Other ways in which packages say the same."""

ABSENT = {"xllamacpp", "onnxruntime", "tokenizers", "duckdb"}
"""What may be missing because its extra is not installed: said, but no failure."""

Find = Callable[[str], Distribution]


def reached(name: str, extras: Iterable[str], find: Find = distribution) -> Iterator[tuple[str, Distribution | None]]:
    """Yield every distribution that `name` with these extras needs here, itself left out, each once.

    Args:
        name: Where to start.
        extras: Extras of it to follow.
        find: How to find a distribution by name.

    Yields:
        Its normal name and its metadata; None where it is not installed.
    """
    waiting = [(canonicalize_name(name), frozenset(extras))]
    seen: set[tuple[str, frozenset[str]]] = set()
    told = {canonicalize_name(name)}
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        package, wanted = current
        try:
            found = find(package)
        except PackageNotFoundError:
            found = None
        if package not in told:
            told.add(package)
            yield package, found
        for line in (found.requires or ()) if found else ():
            requirement = Requirement(line)
            if requirement.marker is None or any(
                requirement.marker.evaluate({"extra": extra}) for extra in (wanted or {""})
            ):
                waiting.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))


def stated(metadata: Distribution) -> str:
    """Return what a distribution says about its licence as an SPDX expression, or in its own words."""
    headers = metadata.metadata
    if expressions := headers.get_all("License-Expression"):
        return str(expressions[0])
    classified = [
        line.rsplit(" :: ", 1)[-1]
        for line in headers.get_all("Classifier") or []
        if line.startswith("License ::") and not line.endswith("OSI Approved")
    ]
    if classified:
        return " OR ".join(_spdx(one) for one in classified)
    first = str((headers.get_all("License") or [""])[0]).strip().splitlines()
    return _spdx(first[0].strip()) if first else ""


def allowed(expression: str) -> bool:
    """Whether an SPDX expression can be met with allowed licences alone; what can't be read can't."""
    tokens = re.findall(r"\(|\)|[^\s()]+", expression)
    try:
        value, rest = _either(tokens)
    except IndexError:
        return False
    return value and not rest


def problems(name: str, extras: Iterable[str], find: Find = distribution) -> list[str]:
    """Return one sentence for every distribution that must not be handed on as it is."""
    found = []
    for package, metadata in reached(name, extras, find):
        if metadata is None:
            if package not in ABSENT:
                found.append(f"{package}: it is required, but not installed; install it and run this again.")
        elif not (words := stated(metadata)):
            found.append(f"{package}: it does not say its licence; find out, and leave it out unless it is allowed.")
        elif not allowed(words):
            found.append(f"{package}: its licence {words!r} is not on the list; replace it by something that is.")
    return sorted(found)


def main() -> int:
    """Print every problem; return how the process ends."""
    found = problems("mysteryshopper", EXTRAS)
    for sentence in found:
        print(sentence, file=sys.stderr)
    if not found:
        print(f"licences: {sum(1 for _ in reached('mysteryshopper', EXTRAS))} distributions, all allowed")
    return 1 if found else 0


def _spdx(words: str) -> str:
    return words if allowed(words) else WORDINGS.get(words.casefold(), words.replace(" ", "-"))


def _either(tokens: list[str]) -> tuple[bool, list[str]]:
    value, tokens = _all(tokens)
    while tokens and tokens[0].upper() == "OR":
        other, tokens = _all(tokens[1:])
        value = value or other
    return value, tokens


def _all(tokens: list[str]) -> tuple[bool, list[str]]:
    value, tokens = _one(tokens)
    while tokens and tokens[0].upper() == "AND":
        other, tokens = _one(tokens[1:])
        value = value and other
    return value, tokens


def _one(tokens: list[str]) -> tuple[bool, list[str]]:
    if tokens[0] == "(":
        value, rest = _either(tokens[1:])
        if rest[0] != ")":
            raise IndexError
        return value, rest[1:]
    if len(tokens) > 2 and tokens[1].upper() == "WITH":
        return tokens[0] in ALLOWED or tokens[2] in ALLOWED_EXCEPTIONS, tokens[3:]
    return tokens[0] in ALLOWED, tokens[1:]


if __name__ == "__main__":
    sys.exit(main())
