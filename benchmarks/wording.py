"""How agenda users write beside people: ReDial's seekers (test split), and agenda users with wishes from its targets.

Agenda users talk to `lexical` about ReDial's films; a turn is all that one side says in a row. Titles count as one word
in both. Shares of different words and word pairs are taken at equal numbers of words, since they fall with length. It
needs the ReDial data beside the checkout, or in MYSTERYSHOPPER_DATA. There is no bar: read the table.

    python benchmarks/wording.py [DIALOGUES]
"""

from __future__ import annotations

import os
import random
import re
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path

DATA = Path(os.environ.get("MYSTERYSHOPPER_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
WORDS = 10_000
ROUNDS = 20
LEAST_COPIED = 4
"""Shorter turns (`thanks, bye`) are alike among people, too."""

CASUAL = re.compile(
    r"(?<!\w)(?:lol|haha\w*|pls|plz|thx|ty|u|ur|gonna|wanna|kinda|idk|tbh|cuz|omg|yeah|yep|nah)(?!\w)|[:;]-?[)(D]"
)
CONTRACTION = re.compile(r"\w'(?:t|s|m|re|ve|ll|d)\b", re.IGNORECASE)


def main() -> int:
    """Print the table."""
    if not (DATA / "redial").exists():
        print("no ReDial data here; get them with `mysteryshopper data get redial`")
        return 0
    os.environ["MYSTERYSHOPPER_DATA"] = str(DATA)
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    people, agenda, spoken_to = turns(count)
    print(f"{len(people):,} turns of people, {len(agenda):,} turns of {spoken_to:,} agenda users")
    rows: list[tuple[str, Callable[[Sequence[str]], str]]] = [
        ("words a turn, mean", lambda texts: f"{statistics.mean(map(length, texts)):.1f}"),
        ("words a turn, median", lambda texts: f"{statistics.median(map(length, texts)):.0f}"),
        ("words a turn, 10th to 90th percentile", spread),
        (f"distinct-1 of {WORDS:,} words", lambda texts: f"{distinct(texts, 1):.3f}"),
        (f"distinct-2 of {WORDS:,} words", lambda texts: f"{distinct(texts, 2):.3f}"),
        (f"different openings (three words) of {WORDS // 10:,} turns", openings),
        (f"turns of {LEAST_COPIED} words or more that another turn equals", copied),
        ("turns without a capital letter", lambda texts: share(texts, lambda text: text == text.lower())),
        ("turns that end without a stop", lambda texts: share(texts, lambda text: text[-1] not in ".!?")),
        ("turns with a question", lambda texts: share(texts, lambda text: "?" in text)),
        ("turns with casual marks (lol, u, :))", lambda texts: share(texts, lambda text: bool(CASUAL.search(text)))),
        ("turns with a contraction", lambda texts: share(texts, lambda text: bool(CONTRACTION.search(text)))),
    ]
    print("| | people | agenda |\n|---|---:|---:|")
    for name, measure in rows:
        print(f"| {name} | {measure(people)} | {measure(agenda)} |")
    return 0


def turns(count: int) -> tuple[list[str], list[str], int]:
    """Return turns of people, turns of agenda users, and how many agenda users spoke."""
    from mysteryshopper.datasets import DataBlock, load
    from mysteryshopper.experiment import Experiment, run

    dataset = load(DataBlock(name="redial", split="test"))
    catalog = dataset.catalog()

    def plain(text: str) -> str:
        for start, end, _ in reversed(catalog.mention_spans(text)):
            text = f"{text[:start]}TITLE{text[end:]}"
        return re.sub(r"TITLE \(\d{4}\)", "TITLE", " ".join(text.split()))

    people = [
        plain("\n".join(message.text for message in said))
        for dialogue in dataset.dialogues()
        for side, said in groupby(dialogue.messages, lambda message: message.side)
        if side == "user"
    ]
    experiment = Experiment(
        protocol="conversation",
        seed=1,
        users=[{"kind": "agenda"}],
        systems=[{"kind": "lexical"}],
        data={"name": "redial", "split": "test"},
        options={"guard": "off"},
        limits={"units": count, "turns": 6},
    )
    with tempfile.TemporaryDirectory() as folder:
        table = run(experiment, out=Path(folder) / "run").table("turns")
        rows = table.to_pylist() if hasattr(table, "to_pylist") else list(table)
    said = [row for row in rows if row["role"] == "user"]
    agenda = [plain(row["text"]) for row in said if row["text"]]
    return [text for text in people if text], agenda, len({row["dialogue"] for row in said})


def length(text: str) -> int:
    """Return the number of words, in the sense of `metrics.words`."""
    from mysteryshopper.metrics import words

    return len(words(text))


def distinct(texts: Sequence[str], n: int) -> float:
    """Return the mean of distinct-n over random choices of turns that come to `WORDS` words."""
    from mysteryshopper.metrics import distinct_n

    found = []
    for seed in range(ROUNDS):
        mixed = random.Random(seed).sample(list(texts), len(texts))
        kept, total = [], 0
        for text in mixed:
            kept.append(text)
            total += length(text)
            if total >= WORDS:
                break
        found.append(distinct_n(kept, n) or 0.0)
    return statistics.mean(found)


def openings(texts: Sequence[str]) -> str:
    """Return how many different first three words as many turns have, on average."""
    found = []
    for seed in range(ROUNDS):
        chosen = random.Random(seed).sample(list(texts), min(WORDS // 10, len(texts)))
        found.append(len({" ".join(text.casefold().split()[:3]) for text in chosen}))
    return f"{statistics.mean(found):.0f}"


def spread(texts: Sequence[str]) -> str:
    """Return the 10th and the 90th percentile of the length."""
    cuts = statistics.quantiles(map(length, texts), n=10)
    return f"{cuts[0]:.0f} to {cuts[-1]:.0f}"


def copied(texts: Sequence[str]) -> str:
    """Return the share of longer turns whose words another turn has, too, among equally many turns."""
    longer = [" ".join(text.casefold().split()) for text in texts if length(text) >= LEAST_COPIED]
    chosen = random.Random(0).sample(longer, min(1000, len(longer)))
    counts = Counter(chosen)
    return share(chosen, lambda text: counts[text] > 1)


def share(texts: Sequence[str], holds: Callable[[str], bool]) -> str:
    """Return the share of texts of which something holds."""
    return f"{sum(map(holds, texts)) / len(texts):.1%}"


if __name__ == "__main__":
    sys.exit(main())
