"""What protocols share that let several replies follow one history: how they are asked, judged, scored and set up."""

from mysteryshopper.protocols.branching.answering import answer, read_by_all
from mysteryshopper.protocols.branching.forks import BOTH, NOBODY, Fork, history_of, pair_case
from mysteryshopper.protocols.branching.options import BranchingOptions
from mysteryshopper.protocols.branching.outcomes import Outcome, Outcomes, shows_wanted
from mysteryshopper.protocols.branching.procedure import Branching, depth_of, kept

__all__ = [
    "BOTH",
    "NOBODY",
    "Branching",
    "BranchingOptions",
    "Fork",
    "Outcome",
    "Outcomes",
    "answer",
    "depth_of",
    "history_of",
    "kept",
    "pair_case",
    "read_by_all",
    "shows_wanted",
]
