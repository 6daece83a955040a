"""Dialogues between two sides: the tree of turns, the loop with its policies, ends and faults, and fault detectors."""

from mysteryshopper.dialogue.checking import DetectorRow, Measured, check_detectors, measured
from mysteryshopper.dialogue.detectors import DETECTORS, FLAG_ONLY, Utterance, faults, repeated_question
from mysteryshopper.dialogue.ends import accepted, first_hit, read_end_marker, repeats, success
from mysteryshopper.dialogue.lines import as_lines
from mysteryshopper.dialogue.loop import converse, finish, next_side
from mysteryshopper.dialogue.marks import marker
from mysteryshopper.dialogue.planted import Planted, plant
from mysteryshopper.dialogue.policy import Policy
from mysteryshopper.dialogue.render import render
from mysteryshopper.dialogue.scene import Scene, Step, failure
from mysteryshopper.dialogue.system_turn import system_turn
from mysteryshopper.dialogue.text import PROMPT_LIMIT, one_line, shorten
from mysteryshopper.dialogue.tree import Tree, turns
from mysteryshopper.dialogue.user_turn import user_turn
from mysteryshopper.reading.characters import clean

__all__ = [
    "DETECTORS",
    "FLAG_ONLY",
    "PROMPT_LIMIT",
    "DetectorRow",
    "Measured",
    "Planted",
    "Policy",
    "Scene",
    "Step",
    "Tree",
    "Utterance",
    "accepted",
    "as_lines",
    "check_detectors",
    "clean",
    "converse",
    "failure",
    "faults",
    "finish",
    "first_hit",
    "marker",
    "measured",
    "next_side",
    "one_line",
    "plant",
    "read_end_marker",
    "render",
    "repeated_question",
    "repeats",
    "shorten",
    "success",
    "system_turn",
    "turns",
    "user_turn",
]
