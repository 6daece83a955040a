"""Prompt optimisation: a simulated user's instruction is written, tried in dialogues, reviewed and written anew.

It stands above experiments because it runs some of its own: every round's dialogues are a run in a folder of theirs.
"""

from mysteryshopper.optimize.options import OptimisationOptions
from mysteryshopper.optimize.procedure import PromptOptimisation
from mysteryshopper.optimize.story import Problem, Round, Story, Tally, read_story

__all__ = ["OptimisationOptions", "Problem", "PromptOptimisation", "Round", "Story", "Tally", "read_story"]
