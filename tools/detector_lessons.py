"""What the models of the fault detectors learn from: see `train_detectors.py`."""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal

import mysteryshopper.dialogue
from mysteryshopper.core import Goal, History, Item, ItemRef, Opening, Scenario, Side, SystemReply
from mysteryshopper.datasets import DataBlock, load
from mysteryshopper.datasets.redial import read_dialogue
from mysteryshopper.datasets.rows import read_rows
from mysteryshopper.dialogue import Policy, Scene, converse
from mysteryshopper.dialogue.detectors.features import Piece, split_pieces
from mysteryshopper.dialogue.detectors.utterance import spoken
from mysteryshopper.profiles import generate_profiles, wish_from_items
from mysteryshopper.users.agenda import AgendaUser
from mysteryshopper.users.agenda.phrasebook import phrasebook

FOLDS = 3

AGENDA = {"title": "Lantern Road", "liked": "The Salt Clock", "noun": "film", "lack": "not by her", "attr": "genre"}
"""What fills the slots of the agenda user's phrases; a wish fills the others."""

CATALOGUES = (("films", 5_101), ("redial", 5_102), ("films", 5_103))
"""Catalogues that agenda users talk over, each with a seed that nothing is measured with."""

TALKS = 120
"""Dialogues of agenda users over each."""

QUESTIONS = (
    "Good to see you. What may it be?",
    "From which decade?",
    "Any genre in particular?",
    "Who should be in it?",
    "Is there a director you like?",
    "What did you see last?",
    "I see.",
)

ROOM = Path(mysteryshopper.dialogue.__file__).parent
TRAIN = ("raw_train_sample_crfr.jsonl.gz", "valid_linked.jsonl.gz")
SERVICE = ("MockAirlineDomainEnv-few_shot.jsonl.gz", "MockRetailDomainEnv-few_shot.jsonl.gz")

_CLEAN = "zqclean"
_SLOT = re.compile(r"\{([A-Za-z]+\d?)\}")
_SERVED = re.compile(r"^(user|assistant): (.*?)(?=\n(?:user|assistant|tool): |\Z)", re.DOTALL | re.MULTILINE)
_LONG = {
    "i'm": "I am", "im": "I am", "i've": "I have", "ive": "I have", "i'd": "I would", "i'll": "I will", "i": "I",
    "it's": "it is", "that's": "that is", "don't": "do not", "dont": "do not", "didn't": "did not",
    "haven't": "have not", "can't": "cannot",
    "thats": "that is", "didnt": "did not", "havent": "have not", "cant": "cannot",  # codespell:ignore
    "doesn't": "does not", "isn't": "is not", "wasn't": "was not", "won't": "will not", "wouldn't": "would not",
    "you're": "you are", "you've": "you have", "you'd": "you would", "what's": "what is", "who's": "who is",
    "gonna": "going to", "wanna": "want to", "u": "you", "ur": "your", "yeah": "yes", "yea": "yes", "yep": "yes",
    "ok": "very well", "okay": "very well", "thanks": "thank you", "hi": "good evening", "hey": "good day",
    "nope": "no", "cool": "wonderful", "awesome": "excellent", "movie": "film", "movies": "films", "kids": "children",
}  # fmt: skip
_SHORT = re.compile(r"(?<![\w@])[A-Za-z]+(?:'[A-Za-z]+)?(?!\w)")
_START = re.compile(r"(?:\A|(?<=[.!?]\s))\s*[a-z]")

Sort = Literal["people", "own", "other"]


@dataclass(frozen=True)
class Turn:
    """One turn that a model learns from: its pieces, and how much it counts.

    A `weak` turn may or may not be faulty; only the first step learns from it. False alarms are counted among turns of
    `people`, and among turns of this package's `own`.
    """

    pieces: tuple[Piece, ...]
    faulty: bool
    weight: float
    fold: int
    sort: Sort = "other"
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


def formal(text: str) -> str:
    """Return a turn as a formal person would type it: no short forms, sentences with capitals and full stops."""
    text = _SHORT.sub(lambda found: _LONG.get(found[0].casefold(), found[0]), text.replace("’", "'").strip())
    text = _START.sub(lambda found: found[0].upper(), text)
    return text if text.endswith((".", "!", "?")) else text + "."


class Shop:
    """Asks, shows or chats by chance; nothing in it listens."""

    memory: Literal["messages", "session"] = "messages"

    def __init__(self, items: Sequence[Item], rng: Random) -> None:
        """Make it."""
        self.items, self.rng = items, rng

    def open(self, opening: Opening, history: History) -> nullcontext[Shop]:
        """Return itself: it has no sessions."""
        return nullcontext(self)

    async def reply(self, history: History) -> SystemReply:
        """Return a question or some items."""
        if self.rng.random() < 0.4:
            return SystemReply((self.rng.choice(QUESTIONS),))
        shown = self.rng.sample(self.items, self.rng.choice((1, 1, 3)))
        refs = tuple(ItemRef(item.id, item.title, item.year) for item in shown)
        return SystemReply((f"There is {', '.join(item.title for item in shown)}.",), refs)


async def agenda_talks(data: str, seed: int, folder: Path) -> list[str]:
    """Return what agenda users say over a catalogue, once each."""
    catalogue = load(DataBlock(name=data, path=str(folder / data))).catalog()
    items = list(catalogue)
    found: dict[str, None] = {}
    for place, profile in enumerate(generate_profiles(catalogue, TALKS, seed=seed).profiles):
        scene = Scene(
            Scenario("s", profile, "films"),
            Opening("o"),
            Goal(constraints=profile.attributes),
            Policy(max_user_turns=7, closing_turn=False, guard="off"),
            find=catalogue.find,
        )
        talk = await converse(
            scene, AgendaUser(), Shop(items, Random(seed + place)), Random(f"{seed} {place}"), name=profile.id
        )
        found |= {
            node.messages[0].text: None
            for node in talk.nodes
            if node.side == "user" and node.messages and node.messages[0].text.strip()
        }
    return list(found)


def agenda_phrases(rng: Random) -> Iterator[str]:
    """Yield every phrase of the agenda user, filled in."""
    for phrases in phrasebook().phrases.values():
        for phrase in phrases:
            yield phrase.fill(defaultdict(lambda: "a comedy from the nineties", AGENDA), rng)


def wishes() -> Iterator[str]:
    """Yield the wishes that every second film of the catalogue gives, as this package words them."""
    for film in list(load(DataBlock(name="films")).catalog())[::2]:
        yield wish_from_items([film], Random(f"train {film.id}"), name="p").wish


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


def titled(wordings: Sequence[str], rng: Random) -> Iterator[str]:
    """Yield clean wordings with real titles in them: numbers, colons and all."""
    titles = [film.title for film in load(DataBlock(name="films")).catalog()]
    odd = [title for title in titles if re.search(r"[\d:!?&]", title)]

    def fill(wording: str, some: Sequence[str]) -> str:
        return _SLOT.sub(lambda found: rng.choice(some) if "title" in found[1] else "drama", wording)

    for wording in wordings:
        if "{title" in wording:
            yield fill(wording, odd)
            yield fill(wording, titles)


def faulty_pieces(text: str, clean: str) -> tuple[Piece, ...]:
    """Return the pieces of a filled wording that hold some of the wording, not only what a person wrote."""
    kept = [piece for piece, _ in split_pieces(text) if re.sub(r"\W", "", piece) not in ("", _CLEAN)]
    return tuple(next(split_pieces(piece.replace(_CLEAN, clean))) for piece in kept)


@dataclass(frozen=True)
class Material:
    """All texts, read once.

    Attributes:
        book: Wordings with and without faults.
        human: Turns of people.
        served: Turns of models as customers and clerks.
        own: What this package words itself, and whether it is a phrase or wish alone, not a turn of a dialogue.
        formal: Seekers' turns in formal words, with their fold.
    """

    book: dict[str, Any]
    human: tuple[Said, ...]
    served: tuple[Said, ...]
    own: tuple[tuple[tuple[Piece, ...], bool], ...]
    formal: tuple[Said, ...]


def material(folder: Path) -> Material:
    """Read and make all texts."""
    human = tuple(people(folder))
    stiff = (one for turn in human if turn.side == "user" for one in said(turn.fold, [("user", formal(turn.text))]))
    alone = (*agenda_phrases(Random("agenda")), *wishes())
    talked = (text for data, seed in CATALOGUES for text in asyncio.run(agenda_talks(data, seed, folder)))
    return Material(
        json.loads((ROOM / "planted.json").read_text("utf-8")),
        human,
        tuple(service(folder)),
        (
            *((tuple(split_pieces(text)), True) for text in alone),
            *((tuple(split_pieces(text)), False) for text in talked),
        ),
        tuple(stiff),
    )


def lessons(name: str, all_of: Material) -> Iterator[Turn]:
    """Yield what one detector's model learns from: people's turns, then wordings with and without the fault.

    A recommender's turn is a weak example of a role reversal, since most of them could be anyone's; for the other
    detectors it is one more turn that a person wrote. Likewise a clerk's turn. People's turns in formal words are for
    the other detectors alone: a neat turn does speak for a reversal, if only a little.
    """
    book, rng = all_of.book, Random(name)
    reversal = name == "role_reversal"
    for number, turn in enumerate(all_of.human):
        if not reversal and turn.side == "system" and number % 3:
            continue  # a third of the recommenders' turns will do
        weak = reversal and turn.side == "system"
        sort: Sort = "people" if turn.side == "user" else "other"
        yield Turn(turn.pieces, weak, 0.02 if weak else 1, turn.fold, sort, weak)
    for turn in () if reversal else all_of.formal:
        yield Turn(turn.pieces, False, 1, turn.fold, "people")
    for turn in all_of.served:
        if turn.side == "user" or reversal:
            faulty = turn.side == "system"
            yield Turn(turn.pieces, faulty, 0.7 if faulty else 1.5, turn.fold, weak=faulty)
    fill = filler(book, all_of.human, rng)
    short = [turn.text.partition("\n")[0] for turn in all_of.human if turn.side == "user"]
    for number, wording in enumerate(book["faults"][name]["tune"]):
        for _ in range(3):
            yield Turn(faulty_pieces(fill(wording), rng.choice(short)), True, 10 / 3, number % FOLDS)
    for number, wording in enumerate(book["clean"]["tune"]):
        for _ in range(2):
            yield Turn(tuple(split_pieces(fill(wording))), False, 5, number % FOLDS)
    for number, (pieces, alone) in enumerate(all_of.own):
        weight = (3 if alone else 0.3) if reversal else 2
        yield Turn(pieces, False, weight, number % FOLDS, "own")
    if not reversal:
        for number, wording in enumerate(book["clean"]["cued"]):
            for _ in range(2):
                yield Turn(tuple(split_pieces(fill(wording))), False, 2, number % FOLDS)
        for number, text in enumerate(titled(book["clean"]["tune"], rng)):
            yield Turn(tuple(split_pieces(text)), False, 2, number % FOLDS)
