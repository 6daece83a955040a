"""`profiles`: makes people and writes them to a file, with a table of what they cover."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mysteryshopper.core import ConfigError, DataError
from mysteryshopper.datasets import DOMAIN_FILE, DataBlock, Dataset, load
from mysteryshopper.experiment.config import Experiment
from mysteryshopper.experiment.expand import filled_in
from mysteryshopper.experiment.sheets import Sheet
from mysteryshopper.profiles import (
    PICKINESS,
    TITLES,
    MadeProfiles,
    demographic_profiles,
    generate_profiles,
    profile_line,
    talk_profiles,
    wanted_noun,
)

_FILMS = "films"


@dataclass(frozen=True, slots=True)
class Source:
    """What people are made from.

    Attributes:
        dataset: The data set whose items they wish from.
        name: How it was named.
        seed: Seed of the people.
    """

    dataset: Dataset
    name: str
    seed: int


def find_source(data: str | None, seed: int | None, experiment: Experiment | None) -> Source:
    """Return what people are made from: what is named here, else what the experiment says, else films and seed 0.

    Args:
        data: Name of a data set, or path of a file of items or a domain's folder.
        seed: Seed.
        experiment: The experiment in which these people shall be met.

    Raises:
        ConfigError: There is no such data set.
    """
    chosen = seed if seed is not None else experiment.seed if experiment is not None else 0
    if data is None and experiment is not None and experiment.data is not None:
        block = filled_in(experiment.data, "data")
        return Source(load(block, Path(experiment.folder)), str(block.name or block.path), chosen)
    return Source(named_data(data or _FILMS), data or _FILMS, chosen)


def write_generated(source: Source, out: Path, settings: MadeProfiles) -> Sheet:
    """Make people with wishes from a data set's items, write them, and return what they cover.

    Args:
        source: What they wish from, and the seed.
        out: The file; it must not be there yet.
        settings: How many, and the bounds of their wishes.

    Raises:
        ConfigError: The data set has no items.
        DataError: The data can't be read, no wish can be made, or the file can't be written.
    """
    found, data, seed = source.dataset, source.name, source.seed
    if settings.generate is None:
        raise ConfigError("name how many people to make", key="generate")
    if found.described is not None and not found.has_items:
        people = talk_profiles(found.described, settings.generate, seed, settings=settings)
        write_lines(out, [profile_line(profile) for profile in people])
        return Sheet(
            f"{out}: people who want to talk, from {data}", ("what", "how much"), (("profiles", f"{len(people):,}"),)
        )
    made = generate_profiles(
        found.catalog(),
        settings.generate,
        seed,
        settings=settings,
        noun=wanted_noun(found),
        domain=found.described,
    )
    write_lines(out, [profile_line(profile) for profile in made.profiles])
    return Sheet(f"{out}: people with wishes from {data}", ("what", "how much"), tuple(made.coverage.rows()))


def write_demographic(count: int, out: Path, seed: int) -> Sheet:
    """Make people who are a title, a surname and how picky, write them, and return how they spread.

    Raises:
        DataError: The file can't be written, or is there already.
    """
    people = demographic_profiles(count, seed)
    write_lines(out, [profile_line(profile) for profile in people])
    rows = [("profiles", f"{count:,}")]
    groups = dict.fromkeys(str(profile.notes["group"]) for profile in people)
    for what, words in (("title", TITLES), ("pickiness", PICKINESS), ("group", tuple(groups))):
        told = [f"{word} {sum(profile.notes[what] == word for profile in people):,}" for word in words]
        rows.append((what, ", ".join(told)))
    rows.append(("different surnames", f"{len({profile.notes['surname'] for profile in people}):,}"))
    return Sheet(f"{out}: people by title, surname and how picky", ("what", "how much"), tuple(rows))


def named_data(data: str) -> Dataset:
    """Open a data set by its name, or by the path of a file or a domain's folder."""
    is_path = "/" in data or "." in data or (Path(data) / DOMAIN_FILE).is_file()
    return load(DataBlock(path=data) if is_path else DataBlock(name=data))


def write_lines(out: Path, lines: list[str]) -> None:
    """Write profiles to a new file.

    Raises:
        DataError: The file is there already, or can't be written.
    """
    try:
        with open(out, "x", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
    except FileExistsError:
        raise DataError("the file is there already; remove it, or name another with --out", path=out) from None
    except OSError as error:
        raise DataError(f"the profiles can't be written: {error.strerror or error}", path=out) from error
