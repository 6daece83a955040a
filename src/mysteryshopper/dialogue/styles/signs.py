"""The lists of signs beside this module."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=1)
def signs() -> Mapping[str, frozenset[str]]:
    """Return the words and phrases of `signs.yaml`, by list."""
    import yaml

    source = files(__package__).joinpath("signs.yaml").read_text("utf-8")
    return {name: frozenset(map(str, entries)) for name, entries in yaml.safe_load(source).items()}


@lru_cache(maxsize=8)
def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of the words and phrases of one list, whole words only, the longest first."""
    ordered = sorted(signs()[name], key=lambda sign: (-len(sign), sign))
    return re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, ordered))})(?![\w'])")
