"""How varied things are: entropy, overlap, distinct n-grams, type-token ratios, spread of vectors."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np

from mysteryshopper.core import DataError
from mysteryshopper.metrics.tokens import words


def entropy(counts: Mapping[Hashable, float] | Iterable[float]) -> float | None:
    """Return Shannon's entropy of a distribution in bits.

    Args:
        counts: Counts (or weights) by kind, or counts alone; zeros say nothing.

    Returns:
        0 (never -0.0) to log2 of the number of kinds; None where there is nothing.

    Raises:
        DataError: A count is negative or no number.
    """
    numbers = [float(count) for count in (counts.values() if isinstance(counts, Mapping) else counts)]
    if any(not 0 <= number < math.inf for number in numbers):
        raise DataError("Counts must be finite and not negative.")
    largest = max(numbers, default=0.0)
    if not largest:
        return None
    total = math.fsum(number / largest for number in numbers)
    shares = (number / largest / total for number in numbers)
    return max(0.0, math.fsum(-share * math.log2(share) for share in shares if share > 0))


def jensen_shannon(first: Mapping[Hashable, float], second: Mapping[Hashable, float]) -> float | None:
    """Return the Jensen-Shannon divergence of two distributions in bits (Lin, 1991): 0 if equal, 1 if disjoint.

    Returns:
        The divergence; None where either is empty.
    """
    halves = entropy(first), entropy(second)
    if halves[0] is None or halves[1] is None:
        return None
    totals = math.fsum(first.values()), math.fsum(second.values())
    kinds = first.keys() | second.keys()
    mixed = entropy([first.get(kind, 0) / totals[0] / 2 + second.get(kind, 0) / totals[1] / 2 for kind in kinds])
    return min(1.0, max(0.0, (mixed or 0.0) - (halves[0] + halves[1]) / 2))


def distinct_n(texts: Iterable[str], n: int) -> float | None:
    """Return the number of different word n-grams over the number of all n-grams of the texts (Li et al., 2016).

    Words are those of `words`; n-grams do not cross texts. Published variants divide by responses or count characters:
    those can exceed 1, this can't.

    Returns:
        A value in (0, 1]; None where no text has n words.
    """
    grams = [gram for text in texts for gram in _ngrams(words(text), n)]
    return len(set(grams)) / len(grams) if grams else None


def type_token_ratio(texts: Iterable[str]) -> float | None:
    """Return different words over all words of a corpus; falls with its size, so compare equal sizes only."""
    return distinct_n(texts, 1)


def mean_type_token_ratio(texts: Iterable[str]) -> float | None:
    """Return the mean over texts of different words over words; texts without words are left out."""
    ratios = [ratio for text in texts if (ratio := distinct_n([text], 1)) is not None]
    return math.fsum(ratios) / len(ratios) if ratios else None


def sampled_type_token_ratio(texts: Iterable[str], size: int) -> float | None:
    """Return the expected type-token ratio of `size` words drawn from the corpus without replacement (rarefaction).

    It is comparable between corpora of different sizes, and exact: nothing is drawn.

    Returns:
        A value in (0, 1]; None where the corpus has fewer words than `size`, or `size` is less than 1.
    """
    counts = Counter(word for text in texts for word in words(text))
    total = sum(counts.values())
    if not 1 <= size <= total:
        return None
    log_all = _log_choose(total, size)
    missing = (
        math.exp(_log_choose(total - count, size) - log_all) if total - count >= size else 0.0
        for count in counts.values()
    )
    return min(1.0, math.fsum(1 - chance for chance in missing) / size)


def cosine_diversity(vectors: Sequence[Sequence[float]]) -> float | None:
    """Return 1 - the mean cosine of each vector with the centroid, the mean of the raw (not normalised) vectors.

    Args:
        vectors: Equally long vectors, one an embedded text.

    Returns:
        0 for parallel vectors, up to 2; None for no vectors, a zero vector or a centroid at zero (no direction).

    Raises:
        DataError: The vectors are not equally long.
    """
    if len({len(vector) for vector in vectors}) > 1:
        raise DataError("Vectors must be equally long.")
    table = np.asarray(vectors, dtype=float)
    if table.size == 0:
        return None
    largest = float(np.abs(table).max())
    if largest == 0 or not math.isfinite(largest):
        return None
    table = table / largest
    centre = table.mean(axis=0)
    lengths, length = np.linalg.norm(table, axis=1), float(np.linalg.norm(centre))
    if length < 1e-12 or not lengths.all():
        return None
    return max(0.0, float(1 - np.mean(table @ centre / (lengths * length))))


def _ngrams(tokens: Sequence[str], n: int) -> Iterable[tuple[str, ...]]:
    return zip(*(tokens[start:] for start in range(n)), strict=False)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
