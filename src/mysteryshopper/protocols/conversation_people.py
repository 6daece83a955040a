"""What is kept with a dialogue about the person in it: for judges, filters, groups, and to play it again."""

from __future__ import annotations

from typing import Any

from mysteryshopper.core import JsonObject, Profile


def person_of(profile: Profile) -> dict[str, Any]:
    """Return what a dialogue keeps of its user's profile, as JSON; what is empty is left out, but for the wish.

    Keys: `wish` (in words), `persona`, `constraints` (what is required, by attribute), `prefers`, `hidden`, `seen`,
    `style`, `patience`, `language` (where it is not English).
    """
    kept = {
        "persona": profile.persona,
        "constraints": {name: list(values) for name, values in profile.attributes.items()},
        "prefers": {name: list(values) for name, values in profile.prefers.items()},
        "hidden": list(profile.hidden),
        "seen": list(profile.seen),
        "style": dict(profile.style),
        "patience": profile.patience,
        "language": profile.language if profile.language != "en" else "",
    }
    return {"wish": profile.wish, **{key: value for key, value in kept.items() if value}}


def wish_of(data: JsonObject) -> dict[str, Any]:
    """Return of what a dialogue keeps (`person_of`) what rules judge by."""
    return {
        "wish": data.get("wish", ""),
        "constraints": data.get("constraints", {}),
        "prefers": data.get("prefers", {}),
        "seen": data.get("seen", []),
        "language": data.get("language", "en"),
    }
