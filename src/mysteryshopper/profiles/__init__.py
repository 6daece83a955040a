"""Who simulated users are: read from a file, or made from what a target has to offer."""

from mysteryshopper.profiles.reading import read_profiles
from mysteryshopper.profiles.wishes import wish_from_items

__all__ = ["read_profiles", "wish_from_items"]
