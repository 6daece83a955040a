"""Where public data sets lie on this machine."""

from __future__ import annotations

import os
from pathlib import Path

HOME_VARIABLE = "MYSTERYSHOPPER_DATA"
"""Environment variable that names the folder of public data sets."""


def data_home() -> Path:
    """Return the folder of public data sets: the one the environment names, or the user's data folder."""
    if named := os.environ.get(HOME_VARIABLE):
        return Path(named).expanduser()
    from platformdirs import user_data_path

    return user_data_path("mysteryshopper") / "datasets"
