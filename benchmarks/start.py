"""How long `import mysteryshopper` and `mysteryshopper --help` take: medians of fresh processes, beside a bare Python.

Bars: the import under 0.3 s, `--help` under 0.5 s of CPU. Run it with `make bench` or by itself.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 7


def measure(*command: str) -> tuple[float, float]:
    """Return median seconds of wall time and of CPU of a command."""
    walls, works = [], []
    for _ in range(ROUNDS):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        walls.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        works.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(walls), statistics.median(works)


def main() -> int:
    """Print the medians; return 1 if a bar is missed."""
    measure(sys.executable, "-c", "pass")  # warms the file cache
    bare_wall, bare_work = measure(sys.executable, "-c", "pass")
    wall, work = measure(sys.executable, "-c", "import mysteryshopper")
    _, help_work = measure(str(Path(sys.executable).with_name("mysteryshopper")), "--help")
    print(f"bare Python               {bare_wall:.3f} s wall, {bare_work:.3f} s CPU")
    print(f"import mysteryshopper     {wall:.3f} s wall, {work:.3f} s CPU  (bar: 0.3 s wall)")
    print(f"mysteryshopper --help     {help_work:.3f} s CPU  (bar: 0.5 s CPU)")
    return 0 if wall < 0.3 and help_work < 0.5 else 1


if __name__ == "__main__":
    sys.exit(main())
