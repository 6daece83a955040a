"""Who simulated users are: read from a file, made from what items have, or from what a target has to offer."""

from mysteryshopper.profiles.block import MadeProfiles
from mysteryshopper.profiles.coverage import Coverage
from mysteryshopper.profiles.demographic import PICKINESS, TITLES, demographic_profiles, surnames
from mysteryshopper.profiles.generating import PATIENCE, Generated, generate_profiles
from mysteryshopper.profiles.manners import STYLES
from mysteryshopper.profiles.reading import read_profiles
from mysteryshopper.profiles.talkers import talk_profiles
from mysteryshopper.profiles.wishes import noun_of, wanted_noun, wish_from_items, word_wish
from mysteryshopper.profiles.writers import WrittenProfiles, write_profiles
from mysteryshopper.profiles.writing import profile_line

__all__ = [
    "PATIENCE",
    "PICKINESS",
    "STYLES",
    "TITLES",
    "Coverage",
    "Generated",
    "MadeProfiles",
    "WrittenProfiles",
    "demographic_profiles",
    "generate_profiles",
    "noun_of",
    "profile_line",
    "read_profiles",
    "surnames",
    "talk_profiles",
    "wanted_noun",
    "wish_from_items",
    "word_wish",
    "write_profiles",
]
