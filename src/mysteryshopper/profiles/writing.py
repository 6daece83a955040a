"""Profiles to a file: the counterpart of reading."""

from __future__ import annotations

import json

from mysteryshopper.core import Profile, encode


def profile_line(profile: Profile) -> str:
    """Return a profile as a line of a profiles file, without the line's end; what is empty is left out."""
    kept = {key: value for key, value in encode(profile).items() if value not in (None, "", [], {})}
    return json.dumps(kept, ensure_ascii=False)
