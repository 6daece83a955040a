"""Choose the surnames of demographic profiles from the US census of 2010, by one rule.

The input is a table of surnames with the shares of their bearers by the census's groups (public domain). A name belongs
to the group with the largest share; of each group the `EACH` names with the largest shares are taken, equal shares in
the order of the alphabet. Nothing else is looked at, so the five groups are of one size.

    python tools/surnames.py ../shared/data/surnames/census2010_race_given_surname_500.csv
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

GROUPS = ("white", "black", "api", "native", "hispanic")
EACH = 60
_OUT = Path(__file__).resolve().parents[1] / "src" / "mysteryshopper" / "profiles" / "surnames.csv"


def chosen(rows: list[dict[str, str]]) -> list[tuple[str, str, float]]:
    """Return (surname, group, share), group by group, names in the order of the alphabet."""
    found: dict[str, list[tuple[float, str]]] = {group: [] for group in GROUPS}
    for row in rows:
        group = max(GROUPS, key=lambda name: float(row[name] or 0))
        found[group].append((-float(row[group]), row["surname"]))
    picked = []
    for group, names in found.items():
        picked += sorted((name, group, -share) for share, name in sorted(names)[:EACH])
    return picked


def main(source: str) -> None:
    """Write the table."""
    with open(source, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with open(_OUT, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("surname", "group", "share"))
        writer.writerows((name, group, f"{share:.4f}") for name, group, share in chosen(rows))


if __name__ == "__main__":
    main(sys.argv[1])
