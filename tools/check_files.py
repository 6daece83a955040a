"""Checks files before a commit: last line ended, no space at line ends, no large file, no private key.

The first two are mended in place, as formatters do; the commit then has to be made again.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

LARGEST = 1_000_000
"""Bytes. Data and weights are fetched, not committed."""

TEXTS = {".cfg", ".css", ".html", ".j2", ".json", ".jsonl", ".md", ".py", ".toml", ".txt", ".yaml", ".yml"}

_KEY = re.compile(b"-----BEGIN [A-Z ]*PRIVATE KEY" + b"-----")


def check(path: Path) -> str | None:
    """Return what is wrong with a file, or None; line ends are mended on the way."""
    content = path.read_bytes()
    if len(content) > LARGEST:
        return f"{path}: {len(content):,} bytes; the most is {LARGEST:,}."
    if _KEY.search(content):
        return f"{path}: holds a private key; take it out and make a new one."
    if path.suffix in TEXTS or path.name in {"Makefile", "LICENSE"}:
        mended = re.sub(rb"[ \t]+(?=\r?\n|\Z)", b"", content).rstrip(b"\r\n") + b"\n" if content.strip() else b""
        if mended != content:
            path.write_bytes(mended)
            return f"{path}: line ends were mended; add it again."
    return None


def main(names: list[str]) -> int:
    """Check the named files; return how the process ends."""
    found = [wrong for name in names if (wrong := check(Path(name)))]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
