"""An answer from log-probabilities: how likely each of a few answers was as the first thing said."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mysteryshopper.core import ChatReply, Criterion, Json

TOP = 20
"""Alternatives asked for at each token; the most that endpoints give."""


def answer_shares(reply: ChatReply, answers: Sequence[str]) -> dict[str, float] | None:
    """Return how the probability of the first token that is an answer is shared among the answers.

    Spellings of one answer that differ in blanks and letter case (` A`, `A`, `a`) are summed.

    Args:
        reply: What the judge answered.
        answers: The texts that can be answered.

    Returns:
        Shares that sum to 1; None where the reply has no log-probabilities, or none of its tokens is an answer.
    """
    folded = {answer.casefold(): answer for answer in answers}
    for token in reply.logprobs:
        mass = dict.fromkeys(answers, 0.0)
        for piece, logprob in token.items():
            if (answer := folded.get(piece.strip().casefold())) is not None:
                mass[answer] += math.exp(logprob)
        if (total := math.fsum(mass.values())) > 0:
            return {answer: part / total for answer, part in mass.items()}
    return None


def weighed(shares: dict[str, float], criterion: Criterion, *, pair: bool) -> Json:
    """Return the value that the shares stand for: the expected score, or the likeliest label (of equals the first)."""
    if pair or criterion.labels:
        return max(shares, key=lambda answer: shares[answer])
    return math.fsum(float(answer) * share for answer, share in shares.items())
