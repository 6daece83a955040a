"""Items: catalogues that know a title when they see one, wishes, retrieval, rankings without a model, and leaks.

A `Catalog` finds its items by id, by title (`match`) and in running text (`mentions`); nothing here calls a model.
"""

from mysteryshopper.core import Item
from mysteryshopper.items.catalog import Catalog
from mysteryshopper.items.leaks import Leak, LeakKind, contains_title, find_leaks, user_leaks
from mysteryshopper.items.matching import Match, MatchStatus
from mysteryshopper.items.mentions import Found
from mysteryshopper.items.rankers import attribute_overlap_ranking, copy_history, popularity
from mysteryshopper.items.retrieval import LexicalIndex, VectorIndex, item_text
from mysteryshopper.items.traces import FUZZY_THRESHOLD, values_with_title
from mysteryshopper.items.wishes import attribute_overlap, fold_value, fold_values, meets

__all__ = [
    "FUZZY_THRESHOLD",
    "Catalog",
    "Found",
    "Item",
    "Leak",
    "LeakKind",
    "LexicalIndex",
    "Match",
    "MatchStatus",
    "VectorIndex",
    "attribute_overlap",
    "attribute_overlap_ranking",
    "contains_title",
    "copy_history",
    "find_leaks",
    "fold_value",
    "fold_values",
    "item_text",
    "meets",
    "popularity",
    "user_leaks",
    "values_with_title",
]
