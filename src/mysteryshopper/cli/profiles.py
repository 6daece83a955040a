"""`profiles`: makes people and writes them to a file, with a table of what they cover."""

from __future__ import annotations

from pathlib import Path

from mysteryshopper.core import ConfigError, DataError
from mysteryshopper.datasets import DataBlock, load
from mysteryshopper.experiment.sheets import Sheet
from mysteryshopper.profiles import (
    PICKINESS,
    TITLES,
    MadeProfiles,
    demographic_profiles,
    generate_profiles,
    noun_of,
    profile_line,
)


def write_generated(data: str, out: Path, seed: int, settings: MadeProfiles) -> Sheet:
    """Make people with wishes from a data set's items, write them, and return what they cover.

    Args:
        data: Name of a data set, or path of a file of items.
        out: The file; it must not be there yet.
        seed: Seed.
        settings: How many, and the bounds of their wishes.

    Raises:
        ConfigError: There is no such data set, or it has no items.
        DataError: The data can't be read, no wish can be made, or the file can't be written.
    """
    is_file = "/" in data or "." in data
    found = load(DataBlock(path=data) if is_file else DataBlock(name=data))
    if settings.generate is None:
        raise ConfigError("name how many people to make", key="generate")
    made = generate_profiles(found.catalog(), settings.generate, seed, settings=settings, noun=noun_of(found.domain))
    _write(out, [profile_line(profile) for profile in made.profiles])
    return Sheet(f"{out}: people with wishes from {data}", ("what", "how much"), tuple(made.coverage.rows()))


def write_demographic(count: int, out: Path, seed: int) -> Sheet:
    """Make people who are a title, a surname and how picky, write them, and return how they spread.

    Raises:
        DataError: The file can't be written, or is there already.
    """
    people = demographic_profiles(count, seed)
    _write(out, [profile_line(profile) for profile in people])
    rows = [("profiles", f"{count:,}")]
    groups = dict.fromkeys(str(profile.notes["group"]) for profile in people)
    for what, words in (("title", TITLES), ("pickiness", PICKINESS), ("group", tuple(groups))):
        told = [f"{word} {sum(profile.notes[what] == word for profile in people):,}" for word in words]
        rows.append((what, ", ".join(told)))
    rows.append(("different surnames", f"{len({profile.notes['surname'] for profile in people}):,}"))
    return Sheet(f"{out}: people by title, surname and how picky", ("what", "how much"), tuple(rows))


def _write(out: Path, lines: list[str]) -> None:
    try:
        with open(out, "x", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
    except FileExistsError:
        raise DataError("the file is there already; remove it, or name another with --out", path=out) from None
    except OSError as error:
        raise DataError(f"the profiles can't be written: {error.strerror or error}", path=out) from error
