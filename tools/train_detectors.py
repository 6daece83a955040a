"""Trains the linear models of the fault detectors: `python tools/train_detectors.py DATA_FOLDER` writes their weights.

What people wrote comes from dialogues of ReDial's train split; what a model may and may not write in a user's place,
from the `tune` and `cued` wordings of `planted.json`, from this package's own phrases and wishes, and from what its
agenda users say over two catalogues; how models play customers and clerks, from tau-bench's few-shot dialogues (see
`detector_lessons.py`). What the detectors are measured on is not read: ReDial's test split, INSPIRED, CRS Arena,
tau-bench's trajectories, and the held-out wordings. Thresholds are set by cross-validation on people's turns and on
this package's own (see `FALSE` and `OWN`). It takes some minutes; the same data give the same weights.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from detector_lessons import FOLDS, ROOM, Material, Turn, lessons, material
from mysteryshopper.dialogue.detectors.cues import HARD
from mysteryshopper.dialogue.detectors.roles import role_phrases
from mysteryshopper.dialogue.detectors.scoring import EVIDENCE, Scorer, evidence
from mysteryshopper.dialogue.detectors.utterance import Utterance

FALSE = {"role_reversal": 0.005, "speaks_as_system": 0.001, "leaked_instructions": 0.001, "leaked_thoughts": 0.0015}
"""Share of people's turns that each model may fire on in cross-validation; a turn without a hard word never counts.

Set below the bar of 1 %: the people that the detectors are measured on are others, and patterns fire beside most."""

OWN = {"role_reversal": 0.002, "speaks_as_system": 0.001, "leaked_instructions": 0.001, "leaked_thoughts": 0.001}
"""Likewise for wishes and turns of agenda users, as this package words them."""

LOWEST = 0.0
"""Least threshold, in logits: below it a model says that a turn is clean, however few clean turns come near."""

UNASKED = 6
"""One in so many clean turns without a hard word is learned from."""

PHRASES = {"role_reversal": ("serves", "offers", "elicits")}
"""Patterns that are weighed in the second step; those of the other detectors are decisive by themselves."""

LOOSE = 0.1
"""Inverse strength of the first step's L2 penalty."""

LEAST_SEEN = 6
"""Features of fewer turns are left out."""

LEAST_WEIGHT = 3
"""Weights smaller than this, in hundredths, are left out: they add bytes, not recall."""

SENTENCE = 0.6
"""How much a sentence counts in training beside its whole turn."""

HEAD = {
    "what": "Linear models of the fault detectors, in logits: see scoring.py.",
    "from": "Dialogues of ReDial's train split (Li et al., 2018; CC BY 4.0), wordings of our own (planted.json,"
    " phrases.yaml), and the few-shot dialogues of tau-bench (Sierra, 2024; MIT).",
    "made_by": "tools/train_detectors.py",
}


def cued(name: str, turn: Turn) -> bool:
    """Tell whether a detector's model is asked about a turn at all."""
    return name not in HARD or not Utterance(turn.pieces[0][0]).vocabulary.isdisjoint(HARD[name])


def chosen(name: str, texts: Material) -> list[Turn]:
    """Return what a model learns from; of clean turns that it is never asked about, most weigh nothing."""
    found = []
    for place, turn in enumerate(lessons(name, texts)):
        if turn.pieces:
            counts = turn.faulty or place % UNASKED == 0 or cued(name, turn)
            found.append(turn if counts else replace(turn, weight=0))
    return found


def regression(
    inputs: Any, faulty: NDArray[np.float64], weights: NDArray[np.float64], loose: float
) -> NDArray[np.float64]:
    """Return the weights of a logistic regression with an L2 penalty; the bias, which bears none, comes last."""
    sign = np.where(faulty > 0, 1.0, -1.0)

    def loss(values: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margins = sign * (inputs @ values[:-1] + values[-1])
        slopes = -sign * weights / (1 + np.exp(np.minimum(margins, 500)))
        total = float(weights @ np.logaddexp(0, -margins)) + float(values[:-1] @ values[:-1]) / (2 * loose)
        return total, np.append(inputs.T @ slopes + values[:-1] / loose, slopes.sum())

    start = np.zeros(inputs.shape[1] + 1)
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60}).x)


def first_step(turns: Sequence[Turn], known: dict[str, int]) -> Scorer:
    """Return a model whose first step is fitted on all pieces of the turns."""
    ends, places, faulty, weights = [0], [], [], []
    for turn in turns:
        for number, (_, features) in enumerate(turn.pieces):
            places += sorted(known[feature] for feature in features if feature in known)
            ends.append(len(places))
            faulty.append(float(turn.faulty))
            weights.append(turn.weight * (SENTENCE if number else 1))
    inputs = csr_matrix((np.ones(len(places)), places, ends), shape=(len(faulty), len(known)))
    values = regression(inputs, np.array(faulty), np.array(weights), LOOSE)
    kept = {feature: round(100 * float(values[place])) for feature, place in known.items()}
    kept = {feature: weight for feature, weight in kept.items() if abs(weight) >= LEAST_WEIGHT}
    return Scorer(round(float(values[-1]), 3), kept, {}, 0)


def gathered(name: str, model: Scorer, turn: Turn) -> list[float]:
    """Return what the second step weighs of a turn, in the order of `EVIDENCE` and `PHRASES`."""
    found = evidence([model.first(features) for _, features in turn.pieces], turn.pieces)
    names = PHRASES.get(name, ())
    phrases = role_phrases(Utterance(turn.pieces[0][0])) if names else []
    return [found[key] for key in EVIDENCE] + [float(key in phrases) for key in names]


def second_step(name: str, turns: Sequence[Turn], rows: Sequence[list[float]]) -> dict[str, float]:
    """Return the weights of the second step, by evidence."""
    used = [place for place, turn in enumerate(turns) if not turn.weak]
    inputs = np.array([rows[place] for place in used])
    scale = inputs.std(axis=0) + 1e-9
    faulty = np.array([float(turns[place].faulty) for place in used])
    weights = np.array([turns[place].weight for place in used])
    values = regression(inputs / scale, faulty, weights, 1.0)
    names = ("bias", *EVIDENCE, *PHRASES.get(name, ()))
    found = (values[-1], *(values[:-1] / scale))
    return {key: round(float(value), 3) for key, value in zip(names, found, strict=True)}


def quantile(scores: Sequence[float], false: float) -> float:
    """Return the least score that at most a share of the scores reach."""
    ordered = sorted(scores, reverse=True)
    place = int(false * len(ordered))
    return ordered[place] + 0.001 if ordered[place] > LOWEST else LOWEST


def trained(name: str, turns: Sequence[Turn]) -> dict[str, Any]:
    """Return one detector's model, with what cross-validation says of it."""
    used = [turn for turn in turns if turn.weight]
    seen = Counter(feature for turn in used for feature in set().union(*(found for _, found in turn.pieces)))
    known = {feature: place for place, feature in enumerate(sorted(key for key, n in seen.items() if n >= LEAST_SEEN))}
    rows: list[list[float]] = [[]] * len(turns)
    for fold in range(FOLDS):
        model = first_step([turn for turn in used if turn.fold != fold], known)
        for place, turn in enumerate(turns):
            if turn.fold == fold and turn.weight:
                rows[place] = gathered(name, model, turn)
    scores: dict[str, list[float]] = {"people": [], "own": [], "faulty": []}
    for fold in range(FOLDS):
        others = [place for place, turn in enumerate(turns) if turn.weight and turn.fold != fold]
        weights = second_step(name, [turns[place] for place in others], [rows[place] for place in others])
        values = list(weights.values())
        for place, turn in enumerate(turns):
            kind = "faulty" if turn.faulty else turn.sort
            if turn.fold == fold and not turn.weak and kind in scores:
                asked = turn.weight and cued(name, turn)
                scores[kind].append(values[0] + float(np.dot(values[1:], rows[place])) if asked else -math.inf)
    bars = (quantile(scores["people"], FALSE[name]), quantile(scores["own"], OWN[name]))
    threshold = round(max(bars), 3)
    recall = float(np.mean(np.array(scores["faulty"]) >= threshold))
    print(f"{name}: {len(used)} of {len(turns)} turns, bars {bars}, cross-validated recall {recall:.1%}", flush=True)
    model = first_step(used, known)
    weights = second_step(name, used, [row for turn, row in zip(turns, rows, strict=True) if turn.weight])
    return {"bias": model.bias, "hundredths": model.hundredths, "evidence": weights, "threshold": threshold}


def main(folder: Path) -> None:
    """Train all models and write them."""
    texts = material(folder)
    with ProcessPoolExecutor(2) as pool:
        kept = [chosen(name, texts) for name in FALSE]
        models = dict(zip(FALSE, pool.map(trained, FALSE, kept), strict=True))
    text = json.dumps(HEAD | {"models": models}, ensure_ascii=False, indent=0)
    (ROOM / "detectors" / "weights.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
