"""Linear models over the features of a turn: which of the two sides of a counter would say this?

A model has two steps. Each sentence, and the turn as a whole, is scored by its words; then these scores, the patterns
that matched and the look of the turn are weighed together. The weights (`weights.json`, made by
`tools/train_detectors.py`) come with the package; its head says from what.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import repeat
from math import fsum, log1p

from mysteryshopper.dialogue.detectors.features import Piece, may_list

EVIDENCE = (
    "whole",
    "highest",
    "for",
    "against",
    "whole_by_length",
    "length",
    "capitals",
    "stops",
    "neat",
    "listed",
)
"""What the second step weighs beside the patterns: scores of the first step, then the look of the turn."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_LISTED = re.compile(r"(?:\A|[\n:]|[^\w\s]\s)\s{0,4}(?:\(?[1-9][.):]|[-*•]) {0,3}[^\s\d]")
_NUMBERED = re.compile(r"(?:\A|\n)\s{0,4}\(?\d{1,2}[.):]?\s{1,4}\S")
_ENDS = frozenset(".!?:)\"'”’")


@dataclass(frozen=True, slots=True)
class Scorer:
    """A logistic regression in two steps; all scores are in logits.

    Attributes:
        bias: First step: score of a text without any known feature.
        hundredths: First step: weight by feature, in hundredths, so that any order gives the same sum; unknown features
            weigh nothing.
        evidence: Second step: weight by name of the evidence; `bias` among them.
        threshold: Least score of the second step that counts as found.
    """

    bias: float
    hundredths: Mapping[str, int]
    evidence: Mapping[str, float]
    threshold: float

    def first(self, features: frozenset[str]) -> float:
        """Return the score of one piece: the bias and the known features' weights."""
        return self.bias + sum(map(self.hundredths.get, features, repeat(0))) / 100

    def score(self, pieces: Sequence[Piece], matched: Sequence[str] = ()) -> float:
        """Return the score of a turn.

        Args:
            pieces: The turn and its sentences.
            matched: Names of the patterns that matched.
        """
        found = evidence([self.first(features) for _, features in pieces], pieces)
        known = self.evidence
        return fsum(
            [known["bias"], *[known[name] * value for name, value in found.items()], *[known[name] for name in matched]]
        )

    def telling(self, pieces: Sequence[Piece], matched: Sequence[str] = ()) -> str | None:
        """Return the sentence that tells most, if the turn's score reaches the threshold, else None."""
        if not pieces or self.score(pieces, matched) < self.threshold:
            return None
        return max(pieces[1:] or pieces, key=lambda piece: self.first(piece[1]))[0]


def evidence(scores: Sequence[float], pieces: Sequence[Piece]) -> dict[str, float]:
    """Return what the second step weighs, by the names in `EVIDENCE`.

    Args:
        scores: Scores of the pieces in the first step.
        pieces: The turn, then its sentences if there are several; not empty.
    """
    whole, sentences = scores[0], scores[1:] or scores[:1]
    look = _look(tuple(text for text, _ in pieces))
    return {
        "whole": whole,
        "highest": max(scores),
        "for": log1p(fsum(max(score, 0.0) for score in sentences)),
        "against": fsum(min(score, 0.0) for score in sentences) / len(sentences),
        "whole_by_length": max(whole, -5.0) * look["length"],
        **look,
    }


@lru_cache(maxsize=8)
def _look(pieces: tuple[str, ...]) -> Mapping[str, float]:
    """Return what the look of a turn has to say; kept, since every model asks for it."""
    text, parts = pieces[0], pieces[1:] or pieces
    length = log1p(len(_WORD.findall(text)))
    capitals = sum(part[0].isupper() or not part[0].isalpha() for part in parts) / len(parts)
    stops = sum(part[-1] in _ENDS for part in parts) / len(parts)
    listed = max(len(_LISTED.findall(text)), len(_NUMBERED.findall(text))) if may_list(text) else 0
    return {
        "length": length,
        "capitals": capitals,
        "stops": stops,
        "neat": capitals * stops * length,
        "listed": float(listed >= 2),
    }


@lru_cache(maxsize=1)
def scorers() -> Mapping[str, Scorer]:
    """Return the models that come with the package, by the name of their detector."""
    book = json.loads(files(__package__).joinpath("weights.json").read_text("utf-8"))
    return {name: Scorer(**model) for name, model in book["models"].items()}
