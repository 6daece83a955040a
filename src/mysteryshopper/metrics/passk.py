"""pass^k: does it work every time?"""

from __future__ import annotations

import math

from mysteryshopper.core import DataError
from mysteryshopper.metrics.checks import at_least_one


def pass_hat(n: int, successes: int, k: int) -> float | None:
    """Return the probability that k trials of a task, drawn without replacement from n, all succeed.

    It is C(successes, k) / C(n, k) (Yao et al., 2024, tau-bench). The headline is its mean over tasks.

    Args:
        n: Trials of the task.
        successes: How many of them succeeded.
        k: How many must.

    Returns:
        A value in [0, 1]; None if k > n.

    Raises:
        DataError: There are more successes than trials, or fewer than none.
    """
    at_least_one(k)
    if not 0 <= successes <= n:
        raise DataError(f"{successes} successes in {n} trials is impossible.")
    return math.comb(successes, k) / math.comb(n, k) if k <= n else None
