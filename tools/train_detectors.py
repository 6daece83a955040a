"""Trains the linear models of the fault detectors: `python tools/train_detectors.py DATA_FOLDER` writes their weights.

What people wrote comes from dialogues of ReDial's train split; what a model may and may not write in a user's place,
from the `tune` wordings of `planted.json` and this package's own phrases and wishes; and how models play customers and
clerks, from tau-bench's few-shot dialogues. What the detectors are measured on is not read: ReDial's test split,
INSPIRED, CRS Arena, tau-bench's trajectories, and the held-out wordings. Thresholds are set by cross-validation on
people's turns (see `FALSE`).
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

import mysteryshopper.dialogue
from mysteryshopper.core import Side
from mysteryshopper.datasets import DataBlock, load
from mysteryshopper.datasets.redial import read_dialogue
from mysteryshopper.datasets.rows import read_rows
from mysteryshopper.dialogue.detectors.features import Piece, split_pieces
from mysteryshopper.dialogue.detectors.roles import role_phrases
from mysteryshopper.dialogue.detectors.scoring import EVIDENCE, Scorer, evidence
from mysteryshopper.dialogue.detectors.utterance import Utterance, spoken
from mysteryshopper.profiles import wish_from_items
from mysteryshopper.users.agenda.phrasebook import phrasebook

FALSE = {"role_reversal": 0.005, "speaks_as_system": 0.001, "leaked_instructions": 0.002, "leaked_thoughts": 0.0015}
"""Share of people's turns that each model may fire on in cross-validation.

Set below the bar of 1 %: the people that the detectors are measured on are others, and patterns fire beside most."""

TOLD = (0.001, 0.002, 0.003, 0.005, 0.006)
"""Shares of false alarms that recall is told at."""

PHRASES = {"role_reversal": ("serves", "offers", "elicits")}
"""Patterns that are weighed in the second step; those of the other detectors are decisive by themselves."""

LOOSE = 0.1
"""Inverse strength of the first step's L2 penalty."""

FOLDS = 3
LEAST_SEEN = 6
"""Features of fewer turns are left out."""

LEAST_WEIGHT = 3
"""Weights smaller than this, in hundredths, are left out: they add bytes, not recall."""

SENTENCE = 0.6
"""How much a sentence counts in training beside its whole turn."""

AGENDA = {"title": "Lantern Road", "liked": "The Salt Clock", "noun": "film", "lack": "not by her", "attr": "genre"}
"""What fills the slots of the agenda user's phrases; a wish fills the others."""

ROOM = Path(mysteryshopper.dialogue.__file__).parent
TRAIN = ("raw_train_sample_crfr.jsonl.gz", "valid_linked.jsonl.gz")
SERVICE = ("MockAirlineDomainEnv-few_shot.jsonl.gz", "MockRetailDomainEnv-few_shot.jsonl.gz")
HEAD = {
    "what": "Linear models of the fault detectors, in logits: see scoring.py.",
    "from": "Dialogues of ReDial's train split (Li et al., 2018; CC BY 4.0), wordings of our own (planted.json,"
    " phrases.yaml), and the few-shot dialogues of tau-bench (Sierra, 2024; MIT).",
    "made_by": "tools/train_detectors.py",
}

_CLEAN = "zqclean"
_SLOT = re.compile(r"\{([A-Za-z]+\d?)\}")
_SERVED = re.compile(r"^(user|assistant): (.*?)(?=\n(?:user|assistant|tool): |\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Turn:
    """One turn that a model learns from: its pieces, and how much it counts.

    A `weak` turn may or may not be faulty; only the first step learns from it. People's turns are `measured`.
    """

    pieces: tuple[Piece, ...]
    faulty: bool
    weight: float
    fold: int
    measured: bool = False
    weak: bool = False


@dataclass(frozen=True)
class Said:
    """One turn of a dialogue; all that one person said as a seeker is in one fold: people repeat themselves."""

    fold: int
    side: Side
    text: str
    pieces: tuple[Piece, ...]


def said(fold: int, turns: Iterable[tuple[Side, str]]) -> Iterator[Said]:
    """Yield the turns that are not blank."""
    for side, text in turns:
        if text.strip():
            yield Said(fold, side, text, tuple(split_pieces(text)))


def people(folder: Path) -> Iterator[Said]:
    """Yield the turns of ReDial's train dialogues, each dialogue once."""
    seen = set()
    for name in TRAIN:
        for row in read_rows(folder / "redial" / name):
            dialogue = read_dialogue(folder / name, row, {})
            if dialogue.id not in seen:
                seen.add(dialogue.id)
                yield from said(int(row.values["initiatorWorkerId"]) % FOLDS, spoken(dialogue.messages))


def service(folder: Path) -> Iterator[Said]:
    """Yield the turns of tau-bench's few-shot dialogues between a model as customer and a model as clerk."""
    for name in SERVICE:
        for number, row in enumerate(read_rows(folder / "tau_bench" / "few_shot" / name)):
            turns = _SERVED.findall(row.values["messages_display"])
            kept = [(who, text.strip()) for who, text in turns if text.strip() != "None"]
            yield from said(number % FOLDS, [("user" if who == "user" else "system", text) for who, text in kept])


def filler(book: dict[str, Any], human: Sequence[Said], rng: Random) -> Callable[[str], str]:
    """Return what fills a wording's slots: with titles of the book, and turns of people."""
    theirs = [turn.text for turn in human if turn.side == "system"]

    def fill(wording: str) -> str:
        titles = rng.sample(book["titles"], 3)
        slots = {"title": titles[0], "title2": titles[1], "title3": titles[2]}
        slots |= {name: rng.choice(book[f"{name}s"]) for name in ("genre", "instruction")}
        slots |= {"clean": _CLEAN, "system": rng.choice(theirs)}
        return _SLOT.sub(lambda found: slots.get(found[1], found[0]), wording)

    return fill


def agenda_turns(rng: Random) -> Iterator[str]:
    """Yield every phrase of the agenda user, filled in: what this package says itself is no fault."""
    for phrases in phrasebook().phrases.values():
        for phrase in phrases:
            yield phrase.fill(defaultdict(lambda: "a comedy from the nineties", AGENDA), rng)


def wishes() -> Iterator[str]:
    """Yield the wishes that every second film of the catalogue gives, as this package words them."""
    for film in list(load(DataBlock(name="films")).catalog())[::2]:
        yield wish_from_items([film], Random(f"train {film.id}"), name="p").wish


def faulty_pieces(text: str, clean: str) -> tuple[Piece, ...]:
    """Return the pieces of a filled wording that hold some of the wording, not only what a person wrote."""
    kept = [piece for piece, _ in split_pieces(text) if re.sub(r"\W", "", piece) not in ("", _CLEAN)]
    return tuple(next(split_pieces(piece.replace(_CLEAN, clean))) for piece in kept)


def lessons(name: str, book: dict[str, Any], human: Sequence[Said], served: Sequence[Said]) -> Iterator[Turn]:
    """Yield what one detector's model learns from: people's turns, then wordings with and without the fault.

    A recommender's turn is a weak example of a role reversal, since most of them could be anyone's; for the other
    detectors it is one more turn that a person wrote. Likewise a clerk's turn.
    """
    rng = Random(name)
    reversal = name == "role_reversal"
    for number, turn in enumerate(human):
        if not reversal and turn.side == "system" and number % 3:
            continue  # a third of the recommenders' turns will do
        weak = reversal and turn.side == "system"
        yield Turn(turn.pieces, weak, 0.02 if weak else 1, turn.fold, turn.side == "user", weak)
    for turn in served:
        if turn.side == "user" or reversal:
            faulty = turn.side == "system"
            yield Turn(turn.pieces, faulty, 0.7 if faulty else 1.5, turn.fold, weak=faulty)
    fill = filler(book, human, rng)
    short = [turn.text.partition("\n")[0] for turn in human if turn.side == "user"]
    for number, wording in enumerate(book["faults"][name]["tune"]):
        for _ in range(3):
            yield Turn(faulty_pieces(fill(wording), rng.choice(short)), True, 10 / 3, number % FOLDS)
    for number, wording in enumerate(book["clean"]["tune"]):
        for _ in range(2):
            yield Turn(tuple(split_pieces(fill(wording))), False, 5, number % FOLDS)
    for number, text in enumerate((*agenda_turns(rng), *wishes())):
        yield Turn(tuple(split_pieces(text)), False, 3, number % FOLDS)


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


def trained(name: str, turns: Sequence[Turn]) -> dict[str, Any]:
    """Return one detector's model, with what cross-validation says of it."""
    seen = Counter(feature for turn in turns for feature in set().union(*(found for _, found in turn.pieces)))
    known = {feature: place for place, feature in enumerate(sorted(key for key, n in seen.items() if n >= LEAST_SEEN))}
    rows: list[list[float]] = [[]] * len(turns)
    for fold in range(FOLDS):
        model = first_step([turn for turn in turns if turn.fold != fold], known)
        for place, turn in enumerate(turns):
            if turn.fold == fold:
                rows[place] = gathered(name, model, turn)
    clean, caught = [], []
    for fold in range(FOLDS):
        others = [place for place, turn in enumerate(turns) if turn.fold != fold]
        weights = second_step(name, [turns[place] for place in others], [rows[place] for place in others])
        values = list(weights.values())
        for place, turn in enumerate(turns):
            if turn.fold == fold and (turn.measured or turn.faulty):
                score = values[0] + float(np.dot(values[1:], rows[place]))
                if turn.measured:
                    clean.append(score)
                elif not turn.weak:
                    caught.append(score)
    threshold = round(float(np.quantile(clean, 1 - FALSE[name])), 3)
    for share in sorted({FALSE[name], *TOLD}):
        bar = float(np.quantile(clean, 1 - share))
        recall = float(np.mean(np.array(caught) >= bar))
        print(f"{name}: cross-validated recall {recall:.1%} at {share:.2%} false alarms (from {bar:.3f})", flush=True)
    model = first_step(turns, known)
    weights = second_step(name, turns, rows)
    return {"bias": model.bias, "hundredths": model.hundredths, "evidence": weights, "threshold": threshold}


def main(folder: Path) -> None:
    """Train all models and write them."""
    book = json.loads((ROOM / "planted.json").read_text("utf-8"))
    human, served = list(people(folder)), list(service(folder))
    with ProcessPoolExecutor(2) as pool:
        kept = [[turn for turn in lessons(name, book, human, served) if turn.pieces] for name in FALSE]
        models = dict(zip(FALSE, pool.map(trained, FALSE, kept), strict=True))
    text = json.dumps(HEAD | {"models": models}, ensure_ascii=False, indent=0)
    (ROOM / "detectors" / "weights.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
