"""Takes the picture of a report that README and docs show: `python tools/picture.py runs/demo/report.html`.

Needs Chromium. The picture is of a real report; after a change of the report's looks, run `make demo` and this again.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

TARGET = Path(__file__).parent.parent / "docs" / "img" / "report.png"
WIDTH, HEIGHT = 1100, 1000


def main(names: list[str]) -> int:
    """Take the picture; return how the process ends."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if len(names) != 1 or browser is None:
        print("usage: python tools/picture.py REPORT.html, on a machine with chromium", file=sys.stderr)
        return 2
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [
            browser,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--blink-settings=preferredColorScheme=1",
            f"--window-size={WIDTH},{HEIGHT}",
            f"--screenshot={TARGET}",
            Path(names[0]).resolve().as_uri(),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    print(TARGET)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
