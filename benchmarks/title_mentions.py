"""How many texts a second `Catalog.mentions` searches for some 6,500 titles, beside plain searches in the same run.

Titles and texts are ReDial's where the data lie beside the checkout (or in MYSTERYSHOPPER_DATA), else generated. CPU
time of this process, medians over rounds. The plain searches do less: they know no sequels, years, quotes or short
titles. Bar: 10,000 texts a second. Run it with `make bench` or by itself.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from mysteryshopper.core import Item
from mysteryshopper.items import Catalog
from mysteryshopper.reading import split_year

BAR = 10_000
ROUNDS = 5
DATA = Path(os.environ.get("MYSTERYSHOPPER_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")


def main() -> int:
    """Print the medians; return 1 if the bar is missed."""
    source, titles, texts = redial() if (DATA / "redial").exists() else generated()
    start = time.process_time()
    catalog = Catalog(Item(str(number), title) for number, title in enumerate(titles))
    catalog.mentions("")
    build = time.process_time() - start
    bare = [split_year(title)[0].lower() for title in titles]
    pattern = re.compile(
        r"(?<!\w)(?:" + "|".join(map(re.escape, sorted(set(bare), key=len, reverse=True))) + r")(?!\w)"
    )
    few = texts[:200]  # the plain searches would take minutes for all

    searches: dict[str, tuple[Callable[[str], object], Sequence[str]]] = {
        "mentions": (catalog.mentions, texts),
        "one regular expression": (lambda text: pattern.findall(text.lower()), few),
        "loop over titles": (lambda text: [title for title in bare if title in text.lower()], few),
    }
    rates: dict[str, list[float]] = {name: [] for name in searches}
    for _ in range(ROUNDS):
        for name, (search, searched) in searches.items():
            start = time.process_time()
            for text in searched:
                search(text)
            rates[name].append(len(searched) / (time.process_time() - start))
    medians = {name: statistics.median(values) for name, values in rates.items()}

    length = statistics.mean(map(len, texts))
    print(f"{source}: {len(titles):,} titles, {len(texts):,} texts of {length:.0f} characters on average")
    print(f"building the catalogue's index: {build:.2f} s")
    for name, rate in medians.items():
        print(f"{name:24} {rate:10,.0f} texts/s   mentions: {medians['mentions'] / rate:5.1f} times that")
    print(f"bar: {BAR:,} texts/s: {'met' if medians['mentions'] >= BAR else 'MISSED'}")
    return 0 if medians["mentions"] >= BAR else 1


def redial() -> tuple[str, list[str], list[str]]:
    """Return ReDial's titles and all messages of its test set, links replaced by titles."""
    with gzip.open(DATA / "redial/kg/id2info.json.gz", "rt", encoding="utf-8") as file:
        titles = list(dict.fromkeys(film["name"] for film in json.load(file).values()))
    with gzip.open(DATA / "redial/raw_test.jsonl.gz", "rt", encoding="utf-8") as lines:
        dialogues = list(map(json.loads, lines))
    texts = [
        re.sub(
            r"@(\d+)",
            lambda link, names=dialogue["movieMentions"] or {}: names.get(link[1]) or link[0],
            message["text"],
        )
        for dialogue in dialogues
        for message in dialogue["messages"]
    ]
    return "ReDial", titles, texts


def generated() -> tuple[str, list[str], list[str]]:
    """Return made-up titles, and texts of which a third names one."""
    draw = random.Random(7)
    sounds = [a + b for a in "bdfgklmnprst" for b in ("a", "el", "in", "or", "ush")]
    words = ["".join(draw.choices(sounds, k=draw.randint(1, 3))) for _ in range(4000)]
    titles = {
        f"{' '.join(draw.choices(words, k=draw.choice((1, 2, 2, 3, 4)))).title()} ({draw.randint(1940, 2020)})"
        for _ in range(6500)
    }
    known = sorted(titles)
    texts = [
        " ".join(draw.choices(words, k=draw.randint(2, 16)))
        + (f" {draw.choice(known)}" if draw.random() < 1 / 3 else "")
        for _ in range(24000)
    ]
    return "generated", known, texts


if __name__ == "__main__":
    sys.exit(main())
