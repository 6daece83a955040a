"""Prints constraints: the installed version of everything that we and our extras need. `make pins` writes the file."""

from __future__ import annotations

from importlib.metadata import distribution

from check_licences import reached

HEAD = (
    "# Versions that `make` installs, so that every machine has the same. Written by `make pins`; not edited by hand."
)


def main() -> None:
    """Print one pin a line, sorted."""
    extras = distribution("mysteryshopper").metadata.get_all("Provides-Extra") or []
    pins = [f"{found.name}=={found.version}" for _, found in reached("mysteryshopper", extras) if found is not None]
    print("\n".join([HEAD, *sorted(pins, key=str.casefold)]))


if __name__ == "__main__":
    main()
