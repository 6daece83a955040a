"""Vectors made from a text's words by hashing: equal texts are equal, texts that share words are near."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mysteryshopper.core import Address


def hash_vector(text: str, dimension: int = 32) -> list[float]:
    """Return a vector of length 1 that depends on the text's words alone, the same on every machine.

    Each word (any letter case) adds its own pseudo-random direction; a text without words is a word of its own.

    Args:
        text: Any text.
        dimension: How many numbers, at least 1.
    """
    total = [0.0] * dimension
    for word in re.findall(r"\w+", text.lower()) or [text]:
        for index, value in enumerate(_direction(word, dimension)):
            total[index] += value
    length = math.sqrt(sum(value * value for value in total))
    return [value / length for value in total] if length else [1.0, *([0.0] * (dimension - 1))]


class ScriptedEmbedder:
    """An embedding model for tests: `hash_vector`, no weights, no network.

    Attributes:
        name: Its name in records.
        seen: All texts it was asked for, in order.
    """

    def __init__(self, dimension: int = 32, name: str = "scripted") -> None:
        """Make one; `dimension` is the length of its vectors."""
        self.name = name
        self.dimension = dimension
        self.seen: list[str] = []

    async def embed(self, texts: Sequence[str], address: Address | None = None) -> Any:
        """Return a float32 array of shape (len(texts), dimension), rows of length 1."""
        import numpy as np

        self.seen.extend(texts)
        rows = [hash_vector(text, self.dimension) for text in texts]
        return np.asarray(rows, dtype=np.float32).reshape(len(texts), self.dimension)


def _direction(word: str, dimension: int) -> list[float]:
    data = b""
    block = 0
    while len(data) < 2 * dimension:
        data += hashlib.blake2b(f"{block} {word}".encode("utf-8", "surrogatepass")).digest()
        block += 1
    return [int.from_bytes(data[2 * i : 2 * i + 2], "big") / 32767.5 - 1 for i in range(dimension)]
